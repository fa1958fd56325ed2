//! What will be run? The plan algebra (CacheRAG Def. 3), its text form, and its printing as SPARQL.
//!
//! A plan's anchors and literal values are slots, so that every plan is its own template; the bindings are kept beside
//! it. The text form is canonical: equal templates have equal texts. Running a plan is `execute`'s business.

use std::fmt;

use serde::{Deserialize, Serialize};

mod check;
mod parse;
mod sparql;

pub use check::PlanError;
pub use parse::{MAX_DEPTH, MAX_LENGTH_BYTES, PlanParseError};
pub use sparql::SlotText;

/// A place in a plan that a binding fills: the number of the mention in the question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Slot(pub u8);

/// One step along a predicate.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Hop {
    /// The predicate's IRI.
    pub predicate: String,
    /// Against the predicate's direction (`^p`).
    pub inverse: bool,
}

/// Which of a value's several numbers counts when it is filtered or ordered by an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Several {
    /// Any that satisfies the filter; the outermost in an order.
    Any,
    /// The smallest alone: a thing's date is when it first happened.
    Earliest,
}

/// A number or date that a value has, one hop away.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Attribute {
    /// The hop to it.
    pub hop: Hop,
    /// Which one counts when there are several.
    pub several: Several,
}

impl From<Hop> for Attribute {
    fn from(hop: Hop) -> Self {
        Self {
            hop,
            several: Several::Any,
        }
    }
}

/// A way out from an anchor.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Path {
    /// Where it starts.
    pub anchor: Slot,
    /// Its hops, outward from the anchor.
    pub hops: Vec<Hop>,
}

/// How a filter compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Operator {
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    /// `=`
    Equal,
}

impl Operator {
    /// The operator's sign in SPARQL.
    #[must_use]
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::Equal => "=",
        }
    }

    /// Whether `left operator right` holds.
    #[must_use]
    pub fn holds(self, left: f64, right: f64) -> bool {
        match self {
            Self::Less => left < right,
            Self::LessOrEqual => left <= right,
            Self::Greater => left > right,
            Self::GreaterOrEqual => left >= right,
            Self::Equal => (left - right).abs() < f64::EPSILON,
        }
    }
}

/// Which end of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Extreme {
    /// The smallest, earliest, lowest.
    Least,
    /// The largest, latest, highest.
    Most,
}

/// A plan: what to run, with slots for what the question names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Plan {
    /// The values at the end of a path.
    Path(Path),
    /// The values that all inputs share.
    Intersect(Vec<Plan>),
    /// The input's values whose attribute compares so with a literal slot.
    Filter {
        /// Whose values are filtered.
        input: Box<Plan>,
        /// The attribute, one hop from the value.
        attribute: Attribute,
        /// How it compares.
        operator: Operator,
        /// The literal's slot.
        value: Slot,
    },
    /// The number of the input's values.
    Count(Box<Plan>),
    /// The input's values with the most extreme attribute.
    OrderLimit {
        /// Whose values are ordered.
        input: Box<Plan>,
        /// The attribute, one hop from the value.
        attribute: Attribute,
        /// Which end.
        extreme: Extreme,
        /// How many values; ties at the end are kept when it is 1.
        limit: u32,
    },
    /// Which of the anchors has the more extreme attribute.
    Compare {
        /// The anchors.
        anchors: Vec<Slot>,
        /// The attribute, one hop from each anchor.
        attribute: Attribute,
        /// Which end.
        extreme: Extreme,
    },
    /// Whether a value is among the input's.
    Ask {
        /// Where the value is looked for.
        input: Box<Plan>,
        /// The value's slot.
        value: Slot,
    },
    /// A read-only SPARQL query, for what the algebra cannot say.
    Sparql(String),
}

impl Plan {
    /// The longest path in the plan, in hops.
    #[must_use]
    pub fn hops(&self) -> usize {
        match self {
            Self::Path(path) => path.hops.len(),
            Self::Intersect(inputs) => inputs.iter().map(Self::hops).max().unwrap_or(0),
            Self::Filter { input, .. }
            | Self::Count(input)
            | Self::OrderLimit { input, .. }
            | Self::Ask { input, .. } => input.hops(),
            Self::Compare { .. } => 1,
            Self::Sparql(_) => 0,
        }
    }

    /// Every predicate the plan uses, in order of appearance, each once.
    #[must_use]
    pub fn predicates(&self) -> Vec<&str> {
        fn walk<'p>(plan: &'p Plan, out: &mut Vec<&'p str>) {
            match plan {
                Plan::Path(path) => out.extend(path.hops.iter().map(|h| h.predicate.as_str())),
                Plan::Intersect(inputs) => inputs.iter().for_each(|p| walk(p, out)),
                Plan::Filter {
                    input, attribute, ..
                }
                | Plan::OrderLimit {
                    input, attribute, ..
                } => {
                    walk(input, out);
                    out.push(&attribute.hop.predicate);
                }
                Plan::Count(input) | Plan::Ask { input, .. } => walk(input, out),
                Plan::Compare { attribute, .. } => out.push(&attribute.hop.predicate),
                Plan::Sparql(_) => {}
            }
        }
        let mut out = Vec::new();
        walk(self, &mut out);
        let mut seen = std::collections::BTreeSet::new();
        out.retain(|p| seen.insert(*p));
        out
    }

    /// Every path in the plan, in order of appearance.
    #[must_use]
    pub fn paths(&self) -> Vec<&Path> {
        match self {
            Self::Path(path) => vec![path],
            Self::Intersect(inputs) => inputs.iter().flat_map(Self::paths).collect(),
            Self::Filter { input, .. }
            | Self::Count(input)
            | Self::OrderLimit { input, .. }
            | Self::Ask { input, .. } => input.paths(),
            Self::Compare { .. } | Self::Sparql(_) => Vec::new(),
        }
    }

    /// Every slot the plan reads, ascending.
    #[must_use]
    pub fn slots(&self) -> Vec<Slot> {
        fn walk(plan: &Plan, out: &mut std::collections::BTreeSet<Slot>) {
            match plan {
                Plan::Path(path) => {
                    out.insert(path.anchor);
                }
                Plan::Intersect(inputs) => inputs.iter().for_each(|p| walk(p, out)),
                Plan::Filter { input, value, .. } | Plan::Ask { input, value } => {
                    walk(input, out);
                    out.insert(*value);
                }
                Plan::Count(input) | Plan::OrderLimit { input, .. } => walk(input, out),
                Plan::Compare { anchors, .. } => out.extend(anchors.iter().copied()),
                Plan::Sparql(_) => {}
            }
        }
        let mut out = std::collections::BTreeSet::new();
        walk(self, &mut out);
        out.into_iter().collect()
    }

    /// The same plan with its slots renumbered, in canonical order: the inputs of an intersection and the anchors of a
    /// comparison have none of their own.
    #[must_use]
    pub fn renumbered(&self, number: &dyn Fn(Slot) -> Slot) -> Self {
        let inner = |plan: &Self| Box::new(plan.renumbered(number));
        match self {
            Self::Path(path) => Self::Path(Path {
                anchor: number(path.anchor),
                hops: path.hops.clone(),
            }),
            Self::Intersect(inputs) => {
                let mut inputs: Vec<Self> = inputs.iter().map(|p| p.renumbered(number)).collect();
                inputs.sort();
                Self::Intersect(inputs)
            }
            Self::Filter {
                input,
                attribute,
                operator,
                value,
            } => Self::Filter {
                input: inner(input),
                attribute: attribute.clone(),
                operator: *operator,
                value: number(*value),
            },
            Self::Count(input) => Self::Count(inner(input)),
            Self::OrderLimit {
                input,
                attribute,
                extreme,
                limit,
            } => Self::OrderLimit {
                input: inner(input),
                attribute: attribute.clone(),
                extreme: *extreme,
                limit: *limit,
            },
            Self::Compare {
                anchors,
                attribute,
                extreme,
            } => {
                let mut anchors: Vec<Slot> = anchors.iter().map(|a| number(*a)).collect();
                anchors.sort_unstable();
                Self::Compare {
                    anchors,
                    attribute: attribute.clone(),
                    extreme: *extreme,
                }
            }
            Self::Ask { input, value } => Self::Ask {
                input: inner(input),
                value: number(*value),
            },
            Self::Sparql(text) => Self::Sparql(text.clone()),
        }
    }

    /// The plan with its slots in every order, in canonical form, each once; plans with more than four slots only as they
    /// stand.
    #[must_use]
    pub fn orders(&self) -> Vec<Self> {
        let slots = self.slots();
        if slots.len() > 4 {
            return vec![self.renumbered(&|slot| slot)];
        }
        let number = |order: &[Slot], slot: Slot| {
            slots
                .iter()
                .position(|s| *s == slot)
                .map_or(slot, |i| order[i])
        };
        let mut out: Vec<Self> = permutations(&slots)
            .iter()
            .map(|order| self.renumbered(&|slot| number(order, slot)))
            .collect();
        out.sort();
        out.dedup();
        out
    }

    /// The canonical text of the plan: the key under which experiences with this template meet.
    #[must_use]
    pub fn template(&self) -> String {
        self.to_string()
    }
}

/// Every order of a few slots.
fn permutations(slots: &[Slot]) -> Vec<Vec<Slot>> {
    let Some((first, rest)) = slots.split_first() else {
        return vec![Vec::new()];
    };
    let mut out = Vec::new();
    for order in permutations(rest) {
        for at in 0..=order.len() {
            let mut order = order.clone();
            order.insert(at, *first);
            out.push(order);
        }
    }
    out
}

impl fmt::Display for Hop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}<{}>",
            if self.inverse { "^" } else { "" },
            self.predicate
        )
    }
}

impl fmt::Display for Attribute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let earliest = match self.several {
            Several::Any => "",
            Several::Earliest => "earliest ",
        };
        write!(f, "{earliest}{}", self.hop)
    }
}

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "${}", self.0)
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.anchor)?;
        self.hops.iter().try_for_each(|hop| write!(f, "/{hop}"))
    }
}

impl fmt::Display for Extreme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Least => "least",
            Self::Most => "most",
        })
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => write!(f, "{path}"),
            Self::Intersect(inputs) => {
                f.write_str("and(")?;
                for (i, input) in inputs.iter().enumerate() {
                    write!(f, "{}{input}", if i == 0 { "" } else { ", " })?;
                }
                f.write_str(")")
            }
            Self::Filter {
                input,
                attribute,
                operator,
                value,
            } => write!(
                f,
                "filter({input}, {attribute}, {}, {value})",
                operator.sign()
            ),
            Self::Count(input) => write!(f, "count({input})"),
            Self::OrderLimit {
                input,
                attribute,
                extreme,
                limit,
            } => write!(f, "order({input}, {attribute}, {extreme}, {limit})"),
            Self::Compare {
                anchors,
                attribute,
                extreme,
            } => {
                f.write_str("compare(")?;
                anchors.iter().try_for_each(|a| write!(f, "{a}, "))?;
                write!(f, "{attribute}, {extreme})")
            }
            Self::Ask { input, value } => write!(f, "ask({input}, {value})"),
            Self::Sparql(text) => write!(f, "sparql({text:?})"),
        }
    }
}
