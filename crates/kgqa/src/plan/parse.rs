//! Is this text a plan? The inverse of a plan's `Display`, and of nothing else.
//!
//! Plan texts come back from memory, from models and from people, so the reader is bounded in length and depth, never
//! panics, and says where it stopped and what it wanted there. Whether a plan fits a graph is `check`'s question.

use std::str::FromStr;

use oxrdf::NamedNode;

use super::{Attribute, Extreme, Hop, Operator, Path, Plan, Several, Slot};

/// Plans nest at most so deep; `ask(count(filter(and(…))))` is 4.
pub const MAX_DEPTH: usize = 8;
/// A plan's text has at most so many bytes.
pub const MAX_LENGTH_BYTES: usize = 16 * 1024;
/// An error quotes at most so many characters of what it met.
const QUOTED_CHARS: usize = 24;

/// Why a text is not a plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanParseError {
    /// Something else stands where a part of a plan should.
    #[error("no plan: expected {expected} at byte {position}, found {found:?}")]
    Unexpected {
        /// Bytes before it.
        position: usize,
        /// What would have been a plan.
        expected: &'static str,
        /// The beginning of what stands there; empty at the end of the text.
        found: String,
    },
    /// Nested deeper than [`MAX_DEPTH`].
    #[error("no plan: nested more than {MAX_DEPTH} deep at byte {position}")]
    TooDeep {
        /// Bytes before the part that is too deep.
        position: usize,
    },
    /// Longer than [`MAX_LENGTH_BYTES`].
    #[error("no plan: {length} bytes, and at most {MAX_LENGTH_BYTES} are read")]
    TooLong {
        /// The text's length in bytes.
        length: usize,
    },
    /// A plan, but not in its canonical form (as `$00` for `$0`).
    #[error("a plan, but not its canonical text, which is {canonical}")]
    NotCanonical {
        /// How the plan is written.
        canonical: String,
    },
}

impl FromStr for Plan {
    type Err = PlanParseError;

    /// Reads a plan's canonical text.
    ///
    /// ```
    /// let text = "count(and($0/^<http://e.org/directed_by>, $1/^<http://e.org/starred_actors>))";
    /// let plan: kgqa::plan::Plan = text.parse()?;
    /// assert_eq!(plan.to_string(), text);
    /// # Ok::<(), kgqa::plan::PlanParseError>(())
    /// ```
    fn from_str(text: &str) -> Result<Self, PlanParseError> {
        if text.len() > MAX_LENGTH_BYTES {
            return Err(PlanParseError::TooLong { length: text.len() });
        }
        let mut reader = Reader { text, at: 0 };
        let plan = reader.plan(0)?;
        if reader.at < text.len() {
            return Err(reader.unexpected("the end"));
        }
        let canonical = plan.to_string();
        if canonical == text {
            Ok(plan)
        } else {
            Err(PlanParseError::NotCanonical { canonical })
        }
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

type Read<T> = Result<T, PlanParseError>;

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn unexpected(&self, expected: &'static str) -> PlanParseError {
        let found = self.rest().chars().take(QUOTED_CHARS).collect();
        PlanParseError::Unexpected {
            position: self.at,
            expected,
            found,
        }
    }

    fn take(&mut self, token: &str) -> bool {
        let there = self.rest().starts_with(token);
        if there {
            self.at += token.len();
        }
        there
    }

    fn expect(&mut self, token: &'static str) -> Read<()> {
        if self.take(token) {
            Ok(())
        } else {
            Err(self.unexpected(token))
        }
    }

    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|c| !wanted(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn plan(&mut self, depth: usize) -> Read<Plan> {
        if depth > MAX_DEPTH {
            return Err(PlanParseError::TooDeep { position: self.at });
        }
        if self.rest().starts_with('$') {
            return self.path().map(Plan::Path);
        }
        if self.take("and(") {
            let mut inputs = vec![self.plan(depth + 1)?];
            while self.take(", ") {
                inputs.push(self.plan(depth + 1)?);
            }
            self.expect(")")?;
            return Ok(Plan::Intersect(inputs));
        }
        let plan = if self.take("filter(") {
            let input = self.input(depth)?;
            let attribute = self.attribute_and_comma()?;
            let operator = self.operator()?;
            self.expect(", ")?;
            Plan::Filter {
                input,
                attribute,
                operator,
                value: self.slot()?,
            }
        } else if self.take("count(") {
            Plan::Count(Box::new(self.plan(depth + 1)?))
        } else if self.take("order(") {
            let input = self.input(depth)?;
            let attribute = self.attribute_and_comma()?;
            let extreme = self.extreme()?;
            self.expect(", ")?;
            Plan::OrderLimit {
                input,
                attribute,
                extreme,
                limit: self.number("a limit")?,
            }
        } else if self.take("compare(") {
            let mut anchors = vec![self.slot()?];
            self.expect(", ")?;
            while self.rest().starts_with('$') {
                anchors.push(self.slot()?);
                self.expect(", ")?;
            }
            let attribute = self.attribute_and_comma()?;
            Plan::Compare {
                anchors,
                attribute,
                extreme: self.extreme()?,
            }
        } else if self.take("ask(") {
            let input = self.input(depth)?;
            Plan::Ask {
                input,
                value: self.slot()?,
            }
        } else if self.take("sparql(") {
            Plan::Sparql(self.quoted()?)
        } else {
            return Err(self.unexpected("a slot or an operator"));
        };
        self.expect(")")?;
        Ok(plan)
    }

    fn input(&mut self, depth: usize) -> Read<Box<Plan>> {
        let input = self.plan(depth + 1)?;
        self.expect(", ")?;
        Ok(Box::new(input))
    }

    fn path(&mut self) -> Read<Path> {
        let anchor = self.slot()?;
        let mut hops = Vec::new();
        while self.take("/") {
            hops.push(self.hop()?);
        }
        Ok(Path { anchor, hops })
    }

    fn slot(&mut self) -> Read<Slot> {
        if !self.take("$") {
            return Err(self.unexpected("a slot"));
        }
        self.number("a slot's number, at most 255").map(Slot)
    }

    fn number<T: FromStr>(&mut self, expected: &'static str) -> Read<T> {
        let start = self.at;
        let digits = self.take_while(|c| c.is_ascii_digit());
        digits.parse().map_err(|_| {
            self.at = start;
            self.unexpected(expected)
        })
    }

    fn attribute_and_comma(&mut self) -> Read<Attribute> {
        let several = if self.take("earliest ") {
            Several::Earliest
        } else {
            Several::Any
        };
        let hop = self.hop()?;
        self.expect(", ")?;
        Ok(Attribute { hop, several })
    }

    fn hop(&mut self) -> Read<Hop> {
        let inverse = self.take("^");
        if !self.take("<") {
            return Err(self.unexpected("a predicate"));
        }
        let start = self.at;
        let predicate = self.take_while(|c| c != '>');
        match NamedNode::new(predicate) {
            Ok(node) => {
                self.expect(">")?;
                Ok(Hop {
                    predicate: node.into_string(),
                    inverse,
                })
            }
            Err(_) => {
                self.at = start;
                Err(self.unexpected("an IRI"))
            }
        }
    }

    fn operator(&mut self) -> Read<Operator> {
        use Operator::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual};
        // The longer signs first: `<` begins `<=`.
        let all = [LessOrEqual, GreaterOrEqual, Less, Greater, Equal];
        let found = all.into_iter().find(|operator| self.take(operator.sign()));
        found.ok_or_else(|| self.unexpected("<, <=, >, >= or ="))
    }

    fn extreme(&mut self) -> Read<Extreme> {
        if self.take("least") {
            Ok(Extreme::Least)
        } else if self.take("most") {
            Ok(Extreme::Most)
        } else {
            Err(self.unexpected("least or most"))
        }
    }

    /// A text in quotes with the escapes of Rust's `{:?}`.
    fn quoted(&mut self) -> Read<String> {
        self.expect("\"")?;
        let mut out = String::new();
        loop {
            out.push_str(self.take_while(|c| c != '"' && c != '\\'));
            if self.take("\"") {
                return Ok(out);
            }
            if !self.take("\\") {
                return Err(self.unexpected("a closing quote"));
            }
            out.push(self.escape()?);
        }
    }

    fn escape(&mut self) -> Read<char> {
        let plain = [
            ("n", '\n'),
            ("r", '\r'),
            ("t", '\t'),
            ("0", '\0'),
            ("\"", '"'),
            ("\\", '\\'),
            ("'", '\''),
        ];
        if let Some((_, c)) = plain.into_iter().find(|(token, _)| self.take(token)) {
            return Ok(c);
        }
        self.expect("u{")?;
        let start = self.at;
        let digits = self.take_while(|c| c.is_ascii_hexdigit());
        let Some(c) = u32::from_str_radix(digits, 16)
            .ok()
            .and_then(char::from_u32)
        else {
            self.at = start;
            return Err(self.unexpected("a character's number"));
        };
        self.expect("}")?;
        Ok(c)
    }
}

#[cfg(test)]
mod tests;
