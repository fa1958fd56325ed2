//! Is a SPARQL plan harmless, and which predicates does it use? It must be one bounded read of this graph alone.

use oxrdf::NamedNode;
use spargebra::algebra::{
    AggregateExpression, Expression, GraphPattern, OrderExpression, PropertyPathExpression,
};
use spargebra::term::NamedNodePattern;
use spargebra::{Query, SparqlParser};

use super::PlanError;
use crate::plan::MAX_LENGTH_BYTES;

/// The predicates of a query, in no particular order.
pub(super) fn predicates(text: &str) -> Result<Vec<NamedNode>, PlanError> {
    if text.len() > MAX_LENGTH_BYTES {
        return Err(PlanError::QueryTooLong { length: text.len() });
    }
    let pattern = match SparqlParser::new().parse_query(text)? {
        Query::Select {
            dataset: None,
            pattern,
            ..
        }
        | Query::Ask {
            dataset: None,
            pattern,
            ..
        } => pattern,
        Query::Select { .. } | Query::Ask { .. } => return Err(PlanError::QueryNotAllowed("FROM")),
        Query::Construct { .. } => return Err(PlanError::QueryNotAllowed("CONSTRUCT")),
        Query::Describe { .. } => return Err(PlanError::QueryNotAllowed("DESCRIBE")),
    };
    let mut walk = Walk::default();
    walk.patterns.push(&pattern);
    while let Some(pattern) = walk.patterns.pop() {
        walk.pattern(pattern)?;
        while let Some(expression) = walk.expressions.pop() {
            walk.expression(expression);
        }
    }
    Ok(walk.predicates)
}

/// What is still to be looked at; a stack instead of recursion, for queries nest as deep as they like.
#[derive(Default)]
struct Walk<'q> {
    patterns: Vec<&'q GraphPattern>,
    expressions: Vec<&'q Expression>,
    predicates: Vec<NamedNode>,
}

impl<'q> Walk<'q> {
    fn pattern(&mut self, pattern: &'q GraphPattern) -> Result<(), PlanError> {
        match pattern {
            GraphPattern::Bgp { patterns } => {
                for triple in patterns {
                    match &triple.predicate {
                        NamedNodePattern::NamedNode(predicate) => {
                            self.predicates.push(predicate.clone())
                        }
                        NamedNodePattern::Variable(_) => {
                            return Err(PlanError::QueryNotAllowed("a variable for a predicate"));
                        }
                    }
                }
            }
            GraphPattern::Path { path, .. } => self.path(path)?,
            GraphPattern::Join { left, right }
            | GraphPattern::Union { left, right }
            | GraphPattern::Minus { left, right } => {
                self.patterns.extend([&**left, &**right]);
            }
            GraphPattern::LeftJoin {
                left,
                right,
                expression,
            } => {
                self.patterns.extend([&**left, &**right]);
                self.expressions.extend(expression);
            }
            GraphPattern::Filter { expr, inner } => {
                self.expressions.push(expr);
                self.patterns.push(inner);
            }
            GraphPattern::Extend {
                inner, expression, ..
            } => {
                self.expressions.push(expression);
                self.patterns.push(inner);
            }
            GraphPattern::OrderBy { inner, expression } => {
                self.expressions.extend(expression.iter().map(|e| match e {
                    OrderExpression::Asc(e) | OrderExpression::Desc(e) => e,
                }));
                self.patterns.push(inner);
            }
            GraphPattern::Group {
                inner, aggregates, ..
            } => {
                self.expressions
                    .extend(
                        aggregates
                            .iter()
                            .filter_map(|(_, aggregate)| match aggregate {
                                AggregateExpression::CountSolutions { .. } => None,
                                AggregateExpression::FunctionCall { expr, .. } => Some(expr),
                            }),
                    );
                self.patterns.push(inner);
            }
            GraphPattern::Project { inner, .. }
            | GraphPattern::Distinct { inner }
            | GraphPattern::Reduced { inner }
            | GraphPattern::Slice { inner, .. } => self.patterns.push(inner),
            GraphPattern::Values { .. } => {}
            GraphPattern::Graph { .. } => return Err(PlanError::QueryNotAllowed("GRAPH")),
            GraphPattern::Service { .. } => return Err(PlanError::QueryNotAllowed("SERVICE")),
        }
        Ok(())
    }

    fn path(&mut self, path: &PropertyPathExpression) -> Result<(), PlanError> {
        let mut paths = vec![path];
        while let Some(path) = paths.pop() {
            match path {
                PropertyPathExpression::NamedNode(predicate) => {
                    self.predicates.push(predicate.clone())
                }
                PropertyPathExpression::Reverse(inner)
                | PropertyPathExpression::ZeroOrOne(inner) => paths.push(inner),
                PropertyPathExpression::Sequence(left, right)
                | PropertyPathExpression::Alternative(left, right) => {
                    paths.extend([&**left, &**right]);
                }
                PropertyPathExpression::ZeroOrMore(_) | PropertyPathExpression::OneOrMore(_) => {
                    return Err(PlanError::QueryNotAllowed("a path without an end"));
                }
                PropertyPathExpression::NegatedPropertySet(_) => {
                    return Err(PlanError::QueryNotAllowed("a variable for a predicate"));
                }
            }
        }
        Ok(())
    }

    fn expression(&mut self, expression: &'q Expression) {
        match expression {
            Expression::NamedNode(_)
            | Expression::Literal(_)
            | Expression::Variable(_)
            | Expression::Bound(_) => {}
            Expression::Exists(pattern) => self.patterns.push(pattern),
            Expression::Or(left, right)
            | Expression::And(left, right)
            | Expression::Equal(left, right)
            | Expression::SameTerm(left, right)
            | Expression::Greater(left, right)
            | Expression::GreaterOrEqual(left, right)
            | Expression::Less(left, right)
            | Expression::LessOrEqual(left, right)
            | Expression::Add(left, right)
            | Expression::Subtract(left, right)
            | Expression::Multiply(left, right)
            | Expression::Divide(left, right) => self.expressions.extend([&**left, &**right]),
            Expression::UnaryPlus(inner)
            | Expression::UnaryMinus(inner)
            | Expression::Not(inner) => self.expressions.push(inner),
            Expression::In(one, several) => {
                self.expressions.push(one);
                self.expressions.extend(several);
            }
            Expression::If(condition, then, otherwise) => {
                self.expressions
                    .extend([&**condition, &**then, &**otherwise])
            }
            Expression::Coalesce(several) | Expression::FunctionCall(_, several) => {
                self.expressions.extend(several)
            }
        }
    }
}
