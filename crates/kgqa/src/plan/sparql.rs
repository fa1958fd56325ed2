//! How does a plan read as SPARQL? A printed plan can be shown, checked and run on any endpoint.
//!
//! The query says what `execute` does, the topic rule included, with these differences: it never comes back to the topic
//! (`execute` does when nothing else is left); attributes are plain numbers, in the value itself or in its `rdfs:label`
//! (`execute` also reads dates and units); and ties at a limit above one are cut by the term's order. Terms are validated
//! and escaped by `oxrdf`, so that nothing in a graph or a plan can break out of its place.

use std::fmt::Write;

use oxrdf::Term;

use super::{Attribute, Extreme, Hop, Operator, Path, Plan, Several, Slot};
use crate::execute::topic_rule_holds_at;

mod terms;

use terms::{iri, number, term};

/// What is printed for a slot.
#[derive(Debug, Clone, PartialEq)]
pub enum SlotText {
    /// The terms that the slot may stand for.
    Terms(Vec<Term>),
    /// A number.
    Number(f64),
}

impl Plan {
    /// Prints the plan with its bindings as a SPARQL 1.1 query.
    ///
    /// ```
    /// use kgqa::plan::{Plan, SlotText};
    /// let plan: Plan = "$0/<http://e.org/by>/^<http://e.org/by>".parse()?;
    /// let jaws = oxrdf::NamedNode::new("http://e.org/Jaws")?;
    /// let query = plan.to_sparql(&|_| SlotText::Terms(vec![jaws.clone().into()]));
    /// assert_eq!(query, "\
    /// SELECT DISTINCT ?answer WHERE {
    ///   <http://e.org/Jaws> <http://e.org/by> ?x1 .
    ///   ?answer <http://e.org/by> ?x1 .
    ///   FILTER(?answer != <http://e.org/Jaws>)
    /// }");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn to_sparql(&self, names: &dyn Fn(Slot) -> SlotText) -> String {
        let mut printer = Printer {
            names,
            variables: 0,
            labels: false,
        };
        let query = match self {
            Self::Sparql(text) => return text.clone(),
            Self::Count(input) => {
                let body = printer.body(input, "?answer");
                format!("SELECT (COUNT(DISTINCT ?answer) AS ?count) WHERE {{\n{body}}}")
            }
            Self::Ask { input, value } => format!("ASK {{\n{}}}", printer.ask(input, *value)),
            Self::OrderLimit {
                input,
                attribute,
                extreme,
                limit,
            } if *limit != 1 => printer.ordered(input, attribute, *extreme, *limit, "?answer"),
            Self::Path(_)
            | Self::Intersect(_)
            | Self::Filter { .. }
            | Self::OrderLimit { .. }
            | Self::Compare { .. } => {
                format!(
                    "SELECT DISTINCT ?answer WHERE {{\n{}}}",
                    printer.body(self, "?answer")
                )
            }
        };
        let mut prologue = String::new();
        if printer.labels {
            prologue.push_str("PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>\n");
            prologue.push_str("PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>\n");
        }
        prologue + &query
    }
}

struct Printer<'n> {
    names: &'n dyn Fn(Slot) -> SlotText,
    variables: usize,
    /// Whether the prefixes for numbers are needed.
    labels: bool,
}

/// Writing into a `String` cannot fail.
macro_rules! line {
    ($out:expr, $($text:tt)*) => {{ let _ = writeln!($out, "  {}", format_args!($($text)*)); }};
}

impl Printer<'_> {
    fn variable(&mut self) -> String {
        self.variables += 1;
        format!("?x{}", self.variables)
    }

    fn terms(&self, slot: Slot) -> Vec<String> {
        match (self.names)(slot) {
            SlotText::Terms(terms) => terms.iter().filter_map(term).collect(),
            SlotText::Number(value) => vec![number(value)],
        }
    }

    /// The lines of a group in which `answer` ranges over the plan's values.
    fn body(&mut self, plan: &Plan, answer: &str) -> String {
        match plan {
            Plan::Path(path) => self.path(path, answer),
            Plan::Intersect(inputs) => inputs
                .iter()
                .map(|input| self.body(input, answer))
                .collect(),
            Plan::Filter {
                input,
                attribute,
                operator,
                value,
            } => self.body(input, answer) + &self.filter(answer, attribute, *operator, *value),
            Plan::OrderLimit {
                input,
                attribute,
                extreme,
                limit: 1,
            } => {
                let all = self.variable();
                let mut out = self.body(input, answer);
                let number = self.attribute_number(&mut out, answer, attribute);
                let mut inner = self.body(input, &all);
                let inner_number = self.attribute_number(&mut inner, &all, attribute);
                self.only_extreme(&mut out, &number, &inner, &inner_number, *extreme);
                out
            }
            Plan::OrderLimit {
                input,
                attribute,
                extreme,
                limit,
            } => {
                let inner = self.ordered(input, attribute, *extreme, *limit, answer);
                format!("  {{\n{}  }}\n", indented(&inner))
            }
            Plan::Compare {
                anchors,
                attribute,
                extreme,
            } => self.compare(anchors, attribute, *extreme, answer),
            Plan::Count(_) | Plan::Ask { .. } | Plan::Sparql(_) => {
                "  # no values to go on with\n  FILTER(false)\n".to_owned()
            }
        }
    }

    fn path(&mut self, path: &Path, answer: &str) -> String {
        let mut out = String::new();
        let topics = self.terms(path.anchor);
        let start = match topics.as_slice() {
            [one] if !path.hops.is_empty() => one.clone(),
            several => {
                let start = if path.hops.is_empty() {
                    answer.to_owned()
                } else {
                    self.variable()
                };
                line!(out, "VALUES {start} {{ {} }}", several.join(" "));
                start
            }
        };
        let mut at = start;
        let mut filters = String::new();
        for (i, hop) in path.hops.iter().enumerate() {
            let next = if i + 1 == path.hops.len() {
                answer.to_owned()
            } else {
                self.variable()
            };
            out.push_str(&step(&at, hop, &next));
            if topic_rule_holds_at(path, i) {
                for topic in &topics {
                    if topic.starts_with('<') {
                        line!(filters, "FILTER({next} != {topic})");
                    } else {
                        line!(filters, "FILTER(!sameTerm({next}, {topic}))");
                    }
                }
            }
            at = next;
        }
        out + &filters
    }

    /// Adds the attribute of `of` as a number; gives the number's variable, which is bound in every row.
    fn attribute_number(&mut self, out: &mut String, of: &str, attribute: &Attribute) -> String {
        let value = self.variable();
        match attribute.several {
            Several::Any => {
                out.push_str(&step(of, &attribute.hop, &value));
                self.number_of(out, &value)
            }
            Several::Earliest => {
                let mut inner = step(of, &attribute.hop, &value);
                let each = self.number_of(&mut inner, &value);
                let first = self.variable();
                line!(out, "{{ SELECT {of} (MIN({each}) AS {first}) WHERE {{");
                out.push_str(&indented(&inner));
                line!(out, "}} GROUP BY {of} }}");
                first
            }
        }
    }

    fn number_of(&mut self, out: &mut String, value: &str) -> String {
        self.labels = true;
        let (label, number) = (self.variable(), self.variable());
        line!(out, "OPTIONAL {{ {value} rdfs:label {label} }}");
        line!(
            out,
            "BIND(xsd:double(STR(COALESCE({label}, {value}))) AS {number})"
        );
        line!(out, "FILTER(BOUND({number}))");
        number
    }

    fn filter(
        &mut self,
        answer: &str,
        attribute: &Attribute,
        operator: Operator,
        slot: Slot,
    ) -> String {
        let mut out = String::new();
        let sign = operator.sign();
        match ((self.names)(slot), operator) {
            (SlotText::Number(wanted), _) => {
                let left = self.attribute_number(&mut out, answer, attribute);
                line!(out, "FILTER({left} {sign} {})", number(wanted));
            }
            (SlotText::Terms(_), Operator::Equal) => {
                let value = self.variable();
                out.push_str(&step(answer, &attribute.hop, &value));
                line!(out, "VALUES {value} {{ {} }}", self.terms(slot).join(" "));
            }
            (
                SlotText::Terms(_),
                Operator::Less
                | Operator::LessOrEqual
                | Operator::Greater
                | Operator::GreaterOrEqual,
            ) => {
                let left = self.attribute_number(&mut out, answer, attribute);
                let bound = self.variable();
                line!(out, "VALUES {bound} {{ {} }}", self.terms(slot).join(" "));
                let right = self.number_of(&mut out, &bound);
                line!(out, "FILTER({left} {sign} {right})");
            }
        }
        out
    }

    fn only_extreme(
        &mut self,
        out: &mut String,
        number: &str,
        inner: &str,
        inner_number: &str,
        extreme: Extreme,
    ) {
        let best = self.variable();
        let function = match extreme {
            Extreme::Least => "MIN",
            Extreme::Most => "MAX",
        };
        line!(
            out,
            "{{ SELECT ({function}({inner_number}) AS {best}) WHERE {{"
        );
        out.push_str(&indented(inner));
        line!(out, "}} }}");
        line!(out, "FILTER({number} = {best})");
    }

    fn ordered(
        &mut self,
        input: &Plan,
        attribute: &Attribute,
        extreme: Extreme,
        limit: u32,
        answer: &str,
    ) -> String {
        let mut body = self.body(input, answer);
        let number = self.attribute_number(&mut body, answer, attribute);
        let key = match extreme {
            Extreme::Least => format!("ASC(MIN({number}))"),
            Extreme::Most => format!("DESC(MAX({number}))"),
        };
        format!(
            "SELECT {answer} WHERE {{\n{body}}}\nGROUP BY {answer}\nORDER BY {key} {answer} # ties at the limit are cut\nLIMIT {limit}\n"
        )
    }

    fn compare(
        &mut self,
        anchors: &[Slot],
        attribute: &Attribute,
        extreme: Extreme,
        answer: &str,
    ) -> String {
        let all: Vec<String> = anchors.iter().flat_map(|slot| self.terms(*slot)).collect();
        let mut out = String::new();
        line!(out, "VALUES {answer} {{ {} }}", all.join(" "));
        let number = self.attribute_number(&mut out, answer, attribute);
        let other = self.variable();
        let mut inner = String::new();
        line!(inner, "VALUES {other} {{ {} }}", all.join(" "));
        let inner_number = self.attribute_number(&mut inner, &other, attribute);
        self.only_extreme(&mut out, &number, &inner, &inner_number, extreme);
        for &slot in anchors {
            let one = self.variable();
            let mut has = String::new();
            line!(has, "VALUES {one} {{ {} }}", self.terms(slot).join(" "));
            self.attribute_number(&mut has, &one, attribute);
            line!(out, "FILTER EXISTS {{ # without it there is no comparison");
            out.push_str(&indented(&has));
            line!(out, "}}");
        }
        out
    }

    fn ask(&mut self, input: &Plan, slot: Slot) -> String {
        let mut out;
        match ((self.names)(slot), input) {
            (SlotText::Number(wanted), Plan::Count(counted)) => {
                out = String::new();
                let body = self.body(counted, "?answer");
                line!(
                    out,
                    "{{ SELECT (COUNT(DISTINCT ?answer) AS ?count) WHERE {{"
                );
                out.push_str(&indented(&body));
                line!(out, "}} }}");
                line!(out, "FILTER(?count = {})", number(wanted));
            }
            (SlotText::Number(wanted), _) => {
                out = self.body(input, "?answer");
                let value = self.number_of(&mut out, "?answer");
                line!(out, "FILTER({value} = {})", number(wanted));
            }
            (SlotText::Terms(_), _) => {
                out = self.body(input, "?answer");
                line!(out, "VALUES ?answer {{ {} }}", self.terms(slot).join(" "));
            }
        }
        out
    }
}

fn step(from: &str, hop: &Hop, to: &str) -> String {
    let predicate = iri(&hop.predicate);
    if hop.inverse {
        format!("  {to} {predicate} {from} .\n")
    } else {
        format!("  {from} {predicate} {to} .\n")
    }
}

fn indented(lines: &str) -> String {
    lines
        .lines()
        .fold(String::new(), |out, line| out + "  " + line + "\n")
}

#[cfg(test)]
mod tests;
