//! What do style rules hide?
//!
//! Rules of `<style>` elements and `style` attributes that say `display: none`, `visibility: hidden` or `font-size: 0`.
//! A selector counts only where it is one class or id, perhaps of one kind of element. Where another rule of the page may show
//! the same class or id again, it counts as shown: what readers see must not get lost. Linked style sheets are not read,
//! nor rules for a screen or paper of some kind, nor colours, positions and other ways not to be seen.

use std::collections::BTreeSet;

/// Bytes of style sheets that are read in a page.
const MAX_SHEET_BYTES: usize = 256 << 10;

/// Blocks inside blocks that are followed.
const MAX_DEPTH: usize = 4;

/// What can hide an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Property {
    Display,
    Visibility,
    FontSize,
}

/// What declarations say: the property, and whether its value shows the element.
type Declared = Vec<(Property, bool)>;

/// How an element is hidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// With all that is in it.
    Whole,
    /// By letters of no size: what has a size of its own inside is seen.
    Size,
}

/// What the attributes of a start tag say of whether its element is shown.
#[derive(Debug, Default)]
pub(crate) struct Attributes {
    is_hidden: bool,
    is_open: bool,
    /// A style sheet for paper or other media than a screen.
    is_for_other_media: bool,
    declared: Declared,
    /// Its classes and its id, as selectors.
    names: Vec<String>,
}

impl Attributes {
    /// Takes an attribute, whose value is empty where none is given.
    pub(crate) fn take(&mut self, attribute: &[u8], value: &[u8]) {
        let value = String::from_utf8_lossy(value);
        let value = value.trim();
        match attribute {
            b"hidden" => self.is_hidden = true,
            b"open" => self.is_open = true,
            b"aria-hidden" => self.is_hidden |= value.eq_ignore_ascii_case("true"),
            b"media" => {
                let value = value.to_ascii_lowercase();
                self.is_for_other_media = !matches!(value.as_str(), "" | "all" | "screen");
            }
            b"style" => self.declared.extend(declared(value)),
            b"class" => {
                let classes = value.split_ascii_whitespace();
                self.names.extend(classes.map(|class| format!(".{class}")));
            }
            b"id" if !value.is_empty() => self.names.push(format!("#{value}")),
            _ => {}
        }
    }

    /// What it says of a property itself, the last of several.
    fn own(&self, property: Property) -> Option<bool> {
        let all = self.declared.iter().rev();
        all.into_iter()
            .find(|(of, _)| *of == property)
            .map(|(_, shows)| *shows)
    }
}

/// The rules of a page's style sheets, as far as they have been read.
#[derive(Debug, Default)]
pub(crate) struct Sheets {
    /// The sheet that is being read, and bytes of all so far.
    sheet: String,
    bytes: usize,
    /// Selectors that a rule hides.
    hidden: BTreeSet<(Property, String)>,
    /// Classes and ids that stand in a rule which shows something.
    shown: BTreeSet<(Property, String)>,
}

impl Sheets {
    /// Takes a part of a sheet.
    pub(crate) fn push(&mut self, text: &str) {
        self.bytes = self.bytes.saturating_add(text.len());
        if self.bytes <= MAX_SHEET_BYTES {
            self.sheet.push_str(text);
        }
    }

    /// The sheet ends: its rules count from here on, unless it is for other media.
    pub(crate) fn end(&mut self, attributes: &Attributes) {
        let sheet = without_comments(&std::mem::take(&mut self.sheet));
        if !attributes.is_for_other_media {
            self.rules(&sheet, 0);
        }
    }

    /// How an element is hidden, if it is.
    pub(crate) fn hides(&self, element: &str, attributes: &Attributes) -> Option<Way> {
        if attributes.is_hidden || element == "dialog" && !attributes.is_open {
            return Some(Way::Whole);
        }
        let hides = |property| {
            attributes.own(property).map_or_else(
                || self.hides_by_rule(element, attributes, property),
                |shows| !shows,
            )
        };
        if hides(Property::Display) || hides(Property::Visibility) {
            return Some(Way::Whole);
        }
        hides(Property::FontSize).then_some(Way::Size)
    }

    /// Whether an element has letters of a size of its own.
    pub(crate) fn sizes(&self, attributes: &Attributes) -> bool {
        let by_rule = || self.names_in(&self.shown, attributes, Property::FontSize, "");
        attributes.own(Property::FontSize).unwrap_or_else(by_rule)
    }

    fn hides_by_rule(&self, element: &str, attributes: &Attributes, property: Property) -> bool {
        (self.names_in(&self.hidden, attributes, property, "")
            || self.names_in(&self.hidden, attributes, property, element))
            && !self.names_in(&self.shown, attributes, property, "")
    }

    /// Whether a name of the element, behind `prefix`, is in a set.
    fn names_in(
        &self,
        set: &BTreeSet<(Property, String)>,
        attributes: &Attributes,
        property: Property,
        prefix: &str,
    ) -> bool {
        !set.is_empty()
            && attributes
                .names
                .iter()
                .any(|name| set.contains(&(property, format!("{prefix}{name}"))))
    }

    /// Reads rules; those inside others hold under conditions, and can only show.
    fn rules(&mut self, text: &str, depth: usize) {
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}', ';']) {
            let (prelude, tail) = rest.split_at(at);
            let Some(tail) = tail.strip_prefix('{') else {
                rest = &tail[1..];
                continue;
            };
            let (block, after) = block(tail);
            if !prelude.trim_start().starts_with('@') {
                self.rule(prelude, block, depth == 0);
            } else if depth < MAX_DEPTH {
                self.rules(block, depth + 1);
            }
            rest = after;
        }
    }

    fn rule(&mut self, selectors: &str, block: &str, may_hide: bool) {
        for (property, shows) in declared(block) {
            if shows {
                let names = names(selectors).map(|name| (property, name));
                self.shown.extend(names);
            } else if may_hide {
                let simple = selectors.split(',').filter_map(simple);
                self.hidden
                    .extend(simple.map(|selector| (property, selector)));
            }
        }
    }
}

/// What declarations say, in order.
fn declared(text: &str) -> Declared {
    let mut found = Vec::new();
    for declaration in text.split(';') {
        let Some((property, value)) = declaration.split_once(':') else {
            continue;
        };
        let value = value.to_ascii_lowercase();
        let value = value.trim();
        let value = value.strip_suffix("!important").unwrap_or(value).trim();
        let said = match property.trim().to_ascii_lowercase().as_str() {
            "display" => Some((Property::Display, value != "none")),
            "visibility" => Some((Property::Visibility, value == "visible")),
            "font-size" => Some((Property::FontSize, !is_zero(value))),
            _ => None,
        };
        let is_taken_over = matches!(value, "" | "inherit" | "unset");
        found.extend(said.filter(|_| !is_taken_over));
    }
    found
}

/// A length of nothing, whatever its unit.
fn is_zero(value: &str) -> bool {
    let number = value.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '%');
    number.parse::<f64>().is_ok_and(|number| number == 0.0)
}

/// The selector of one class or id, with the kind of element before it, if that is all it is.
fn simple(selector: &str) -> Option<String> {
    let selector = selector.trim();
    let at = selector.find(['.', '#'])?;
    let (element, name) = selector.split_at(at);
    let element = element.strip_prefix('*').unwrap_or(element);
    let is_one = element.chars().all(|c| c.is_ascii_alphanumeric())
        && name.len() > 1
        && name[1..].chars().all(is_of_name);
    is_one.then(|| format!("{}{name}", element.to_ascii_lowercase()))
}

/// The classes and ids in selectors.
fn names(selectors: &str) -> impl Iterator<Item = String> {
    selectors
        .match_indices(['.', '#'])
        .filter_map(|(at, sign)| {
            let rest = &selectors[at + sign.len()..];
            let end = rest.find(|c| !is_of_name(c)).unwrap_or(rest.len());
            (end > 0).then(|| format!("{sign}{}", &rest[..end]))
        })
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_')
}

/// What stands before the end of a block, and what behind it.
fn block(text: &str) -> (&str, &str) {
    let mut depth = 0_usize;
    for (at, sign) in text.match_indices(['{', '}']) {
        match (sign, depth.checked_sub(1)) {
            ("{", _) => depth += 1,
            (_, Some(less)) => depth = less,
            (_, None) => return (&text[..at], &text[at + sign.len()..]),
        }
    }
    (text, "")
}

fn without_comments(sheet: &str) -> String {
    let mut kept = String::with_capacity(sheet.len());
    let mut rest = sheet;
    while let Some((before, comment)) = rest.split_once("/*") {
        kept.push_str(before);
        rest = comment.split_once("*/").map_or("", |(_, after)| after);
    }
    kept.push_str(rest);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hides(sheet: &str, element: &str, attributes: &[(&str, &str)]) -> Option<Way> {
        let mut sheets = Sheets::default();
        sheets.push(sheet);
        sheets.end(&Attributes::default());
        let mut taken = Attributes::default();
        for (attribute, value) in attributes {
            taken.take(attribute.as_bytes(), value.as_bytes());
        }
        sheets.hides(element, &taken)
    }

    #[test]
    fn a_rule_hides_a_class_or_an_id() {
        let class = [("class", "a note")];
        for sheet in [
            ".note{display:none}",
            "p { x: y } /* .b { */ h1, .note , .c { Display : NONE !important; color: red }",
            "@import 'x'; *.note { visibility: hidden }",
            "p.note { display: none }",
            "@media screen { .other { display: block } } .note { display: none",
        ] {
            assert_eq!(hides(sheet, "p", &class), Some(Way::Whole), "{sheet}");
        }
        let size = ".note { font-size: 0.0em }";
        assert_eq!(hides(size, "p", &class), Some(Way::Size));
        let id = "#note { display: none }";
        assert_eq!(hides(id, "p", &[("id", "note")]), Some(Way::Whole));
    }

    #[test]
    fn what_may_be_shown_is_not_hidden() {
        let class = [("class", "a note")];
        for sheet in [
            ".notes{display:none}",
            "div.note { display: none }",
            ".menu .note { display: none }",
            ".note:empty { display: none }",
            "@media print { .note { display: none } }",
            ".note { display: none } .note.open { display: block }",
            ".note { display: none } .a { display: inline }",
            ".note { display: none } @media screen { @supports (x) { .note { display: flex } } }",
            ".note { font-size: 10px; display: inherit }",
            "{{{}}};;}{",
        ] {
            assert_eq!(hides(sheet, "p", &class), None, "{sheet}");
        }
        let own = [("class", "note"), ("style", "display: block")];
        assert_eq!(hides(".note { display: none }", "p", &own), None);
    }

    #[test]
    fn blocks_in_blocks_and_long_sheets_end() {
        let deep = "@a{".repeat(100_000);
        assert_eq!(hides(&deep, "p", &[("class", "note")]), None);
        let long = format!("{}.note{{display:none}}", " ".repeat(MAX_SHEET_BYTES));
        assert_eq!(hides(&long, "p", &[("class", "note")]), None);
    }
}
