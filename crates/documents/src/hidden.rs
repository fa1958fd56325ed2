//! Where does a part of a web page end that is not shown to who reads it?
//!
//! With its element; one whose end may be left out ends where browsers end it too, or somewhat earlier, so that it never
//! takes the rest of the page. What is hidden at all, [`crate::style`] says.

/// Elements without content.
const VOID: &[&str] = &[
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track",
    "wbr",
];

/// Elements whose end may be left out, and with which starts they end.
const ENDED_BY: &[(&str, &[&str])] = &[
    ("li", &["li"]),
    ("dt", &["dt", "dd"]),
    ("dd", &["dt", "dd"]),
    ("tr", &["tr", "tbody", "tfoot"]),
    ("td", &["td", "th", "tr", "tbody", "tfoot"]),
    ("th", &["td", "th", "tr", "tbody", "tfoot"]),
    ("tbody", &["tbody", "tfoot"]),
    ("thead", &["tbody", "tfoot"]),
    ("tfoot", &["tbody"]),
    ("option", &["option", "optgroup"]),
];

/// Elements around others that always have an end.
const AROUND: &[&str] = &[
    "ul",
    "ol",
    "dl",
    "menu",
    "table",
    "select",
    "div",
    "section",
    "article",
    "main",
    "aside",
    "nav",
    "header",
    "footer",
    "blockquote",
    "form",
    "fieldset",
    "figure",
    "details",
];

pub(crate) fn is_void(name: &str) -> bool {
    VOID.contains(&name)
}

/// The part that is being passed.
#[derive(Debug)]
pub(crate) struct Hidden {
    name: String,
    /// How often its element is open inside itself.
    same: usize,
    /// How many elements around others are open inside it.
    around: usize,
}

/// What a tag does to a hidden part.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// It is inside.
    Inside,
    /// The part ends with it.
    Ends,
    /// The part ended before it: the tag counts.
    EndedBefore,
}

impl Hidden {
    pub(crate) fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            same: 0,
            around: 0,
        }
    }

    /// Whether its end may be left out, and with what it then ends.
    fn ended_by(&self) -> Option<&'static [&'static str]> {
        ENDED_BY
            .iter()
            .find(|(name, _)| *name == self.name)
            .map(|(_, by)| *by)
    }

    fn is_paragraph(&self) -> bool {
        self.name == "p"
    }

    /// A start tag; `is_block` when a paragraph cannot hold it.
    pub(crate) fn start(&mut self, name: &str, is_block: bool) -> Effect {
        if self.is_paragraph() && is_block
            || self.around == 0 && self.ended_by().is_some_and(|by| by.contains(&name))
        {
            return Effect::EndedBefore;
        }
        if self.ended_by().is_some() {
            self.around += usize::from(AROUND.contains(&name));
        } else if name == self.name {
            self.same += 1;
        }
        Effect::Inside
    }

    pub(crate) fn end(&mut self, name: &str, is_block: bool) -> Effect {
        if self.ended_by().is_some() {
            if AROUND.contains(&name) {
                return match self.around.checked_sub(1) {
                    Some(less) => {
                        self.around = less;
                        Effect::Inside
                    }
                    None => Effect::EndedBefore,
                };
            }
            return if name == self.name && self.around == 0 {
                Effect::Ends
            } else {
                Effect::Inside
            };
        }
        if name == self.name {
            return match self.same.checked_sub(1) {
                Some(less) => {
                    self.same = less;
                    Effect::Inside
                }
                None => Effect::Ends,
            };
        }
        if self.is_paragraph() && is_block {
            return Effect::EndedBefore;
        }
        Effect::Inside
    }
}
