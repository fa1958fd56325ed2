//! What does a Markdown file say?
//!
//! CommonMark with tables, footnotes, task lists, mathematics and front matter. Link texts and image descriptions stay,
//! their targets go; code stays as it is; a table gives a line for each row, its cells between bars; of HTML the text stays.
//! The title is the front matter's, or the first heading.

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use crate::html;
use crate::text::{Blocks, Extracted, one_line};

/// Reads Markdown.
pub(crate) fn read(text: &str) -> Extracted {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_MATH
        | Options::ENABLE_DEFINITION_LIST
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS
        | Options::ENABLE_PLUSES_DELIMITED_METADATA_BLOCKS;
    let mut reader = Reader::default();
    for event in Parser::new_ext(text, options) {
        reader.event(event);
    }
    reader.blocks.finish(reader.title)
}

#[derive(Default)]
struct Reader {
    blocks: Blocks,
    title: Option<String>,
    /// The open lists, outermost first.
    lists: Vec<List>,
    verbatim: bool,
    metadata: Option<String>,
    html: Option<String>,
    /// Cells so far in the row of a table.
    cells: usize,
}

struct List {
    number: Option<u64>,
    items: usize,
}

impl Reader {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(&tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => self.text(&text),
            Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.blocks.push(&text)
            }
            Event::Html(text) => match &mut self.html {
                Some(html) => html.push_str(&text),
                None => self.blocks.push(" "),
            },
            Event::InlineHtml(tag) => {
                if tag.to_ascii_lowercase().starts_with("<br") {
                    self.blocks.line_break();
                }
            }
            Event::SoftBreak => self.blocks.push(" "),
            Event::HardBreak => self.blocks.line_break(),
            Event::Rule => self.blocks.end(),
            Event::TaskListMarker(done) => self.blocks.push(if done { "[x] " } else { "[ ] " }),
            Event::FootnoteReference(_) => {}
        }
    }

    fn text(&mut self, text: &str) {
        if let Some(metadata) = &mut self.metadata {
            metadata.push_str(text);
        } else if self.verbatim {
            self.blocks.push_verbatim(text);
        } else {
            self.blocks.push(text);
        }
    }

    fn start(&mut self, tag: &Tag<'_>) {
        match tag {
            Tag::Heading { level, .. } => self.blocks.heading(rank(*level)),
            Tag::CodeBlock(CodeBlockKind::Fenced(_) | CodeBlockKind::Indented) => {
                self.blocks.end();
                self.verbatim = true;
            }
            Tag::List(number) => {
                self.blocks.end();
                self.lists.push(List {
                    number: *number,
                    items: 0,
                });
            }
            Tag::Item => self.item(),
            Tag::MetadataBlock(_) => self.metadata = Some(String::new()),
            Tag::HtmlBlock => self.html = Some(String::new()),
            Tag::Table(_) => self.blocks.end(),
            Tag::TableHead => self.row(false),
            Tag::TableRow => self.row(true),
            Tag::TableCell => {
                if self.cells > 0 {
                    self.blocks.push(" | ");
                }
                self.cells += 1;
            }
            Tag::Paragraph
            | Tag::BlockQuote(_)
            | Tag::FootnoteDefinition(_)
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition => self.blocks.end(),
            Tag::Emphasis
            | Tag::Strong
            | Tag::Strikethrough
            | Tag::Superscript
            | Tag::Subscript
            | Tag::Link { .. }
            | Tag::Image { .. } => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::CodeBlock => {
                self.verbatim = false;
                self.blocks.end();
            }
            TagEnd::List(_) => {
                self.lists.pop();
                self.blocks.end();
            }
            TagEnd::MetadataBlock(_) => {
                let metadata = self.metadata.take().unwrap_or_default();
                self.title = self.title.take().or_else(|| title_of(&metadata));
            }
            TagEnd::HtmlBlock => {
                let html = self.html.take().unwrap_or_default();
                self.blocks.end();
                self.blocks.push_verbatim(&html::read(&html).text);
                self.blocks.end();
            }
            TagEnd::Paragraph
            | TagEnd::Heading(_)
            | TagEnd::BlockQuote(_)
            | TagEnd::Item
            | TagEnd::FootnoteDefinition
            | TagEnd::DefinitionList
            | TagEnd::DefinitionListTitle
            | TagEnd::DefinitionListDefinition
            | TagEnd::Table
            | TagEnd::TableHead
            | TagEnd::TableRow => self.blocks.end(),
            TagEnd::TableCell
            | TagEnd::Emphasis
            | TagEnd::Strong
            | TagEnd::Strikethrough
            | TagEnd::Superscript
            | TagEnd::Subscript
            | TagEnd::Link
            | TagEnd::Image => {}
        }
    }

    fn row(&mut self, tight: bool) {
        self.cells = 0;
        self.blocks.line("", tight);
    }

    fn item(&mut self) {
        let nested = self.lists.len() > 1;
        let Some(list) = self.lists.last_mut() else {
            return;
        };
        let prefix = match list.number {
            Some(first) => format!("{}. ", first.saturating_add(list.items as u64)),
            None => "- ".to_owned(),
        };
        list.items += 1;
        let tight = nested || list.items > 1;
        self.blocks.line(&prefix, tight);
    }
}

fn rank(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}

/// The `title` of front matter in YAML (`title: …`) or TOML (`title = "…"`), as far as one line has it.
fn title_of(metadata: &str) -> Option<String> {
    metadata.lines().find_map(|line| {
        let value = line
            .strip_prefix("title")?
            .trim_start()
            .strip_prefix([':', '='])?
            .trim();
        let quoted = |quote: char| {
            value
                .strip_prefix(quote)
                .and_then(|rest| rest.strip_suffix(quote))
        };
        let title = one_line(quoted('"').or_else(|| quoted('\'')).unwrap_or(value));
        (!title.is_empty()).then_some(title)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_stay_apart_and_markup_goes() {
        let source = "---\ntitle: \"The *Guide*\"\ntags: [a]\n---\n# One\n\nSome *text* with a\n[link](http://x.y/z) and `code`.[^1]\n\n\
            - first\n- second\n  - inner\n\n1. a\n2. b\n\n| A | B |\n|---|---|\n| 1 | 2 |\n| 3 | |\n\n\
            ```rust\nfn main() {}\n\n// end\n```\n\n## Two\n![a picture](p.png)\n\n<div>raw <b>html</b></div>\n\n[^1]: A note.\n";
        let read = read(source);
        assert_eq!(read.title.as_deref(), Some("The *Guide*"));
        assert_eq!(
            read.text,
            "One\n\nSome text with a link and code.\n\n- first\n- second\n- inner\n\n1. a\n2. b\n\nA | B\n1 | 2\n3 |\n\n\
             fn main() {}\n\n// end\n\nTwo\n\na picture\n\nraw html\n\nA note."
        );
        let headings: Vec<_> = read
            .headings
            .iter()
            .map(|h| (&read.text[h.span.clone()], h.level))
            .collect();
        assert_eq!(headings, [("One", 1), ("Two", 2)]);
    }

    #[test]
    fn the_title_is_the_first_heading_or_none() {
        assert_eq!(
            read("text\n\nOne\n===\n\n# Two").title.as_deref(),
            Some("One")
        );
        assert_eq!(read("only text").title, None);
        assert_eq!(
            read("+++\ntitle = 'T'\n+++\n# H").title.as_deref(),
            Some("T")
        );
    }
}
