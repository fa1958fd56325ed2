//! What is the answer to a SPARQL query, within which bounds?

use std::time::{Duration, Instant};

use oxrdf::{Term, Triple, Variable};
use spareval::{QueryEvaluationError, QueryEvaluator, QueryResults};
use spargebra::{Query, SparqlParser};

use crate::clock;
use crate::error::StoreError;
use crate::queryable::{Deadline, QuerySnapshot};
use crate::snapshot::Snapshot;

/// A query of at most so many bytes runs on the caller's thread.
const SHORT_QUERY_BYTES: usize = 512;
/// The stack for longer ones. Only what is used of it takes memory.
const LONG_QUERY_STACK_BYTES: usize = 256 << 20;

/// Which statements a query sees outside of `GRAPH`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DefaultGraph {
    /// Those of the default graph, as the SPARQL standard has it.
    #[default]
    Only,
    /// Those of all graphs.
    Union,
}

/// The bounds of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryLimits {
    /// How long it may run. Default: 10 s.
    pub timeout: Option<Duration>,
    /// How many rows or triples are given; the result says when it was cut. Default: 10,000.
    pub max_rows: usize,
    /// The longest query text, in bytes. Default: 64 KiB.
    pub max_query_bytes: usize,
    /// The most levels that brackets in the query may be nested. Default: 128.
    pub max_depth: usize,
    /// The most signs that join patterns (`.`, `;`, `,`, `/`, `|`, `{`). The optimiser's time grows with the third power
    /// of the number of joined patterns, and it cannot be interrupted: a thousand take seconds. Default: 1,000.
    pub max_joints: usize,
    /// What a query sees outside of `GRAPH`, unless it says `FROM`.
    pub default_graph: DefaultGraph,
}

impl Default for QueryLimits {
    fn default() -> Self {
        Self {
            timeout: Some(Duration::from_secs(10)),
            max_rows: 10_000,
            max_query_bytes: 64 << 10,
            max_depth: 128,
            max_joints: 1_000,
            default_graph: DefaultGraph::Only,
        }
    }
}

/// The rows of a `SELECT`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Solutions {
    /// The columns.
    pub variables: Vec<Variable>,
    /// The rows; each has one place for each variable.
    pub rows: Vec<Vec<Option<Term>>>,
    /// Whether there are more rows than were asked for.
    pub truncated: bool,
}

/// The answer to a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QueryResult {
    /// Of a `SELECT`.
    Solutions(Solutions),
    /// Of an `ASK`.
    Boolean(bool),
    /// Of a `CONSTRUCT` or `DESCRIBE`: the triples, and whether there are more than were asked for.
    Graph {
        /// The triples.
        triples: Vec<Triple>,
        /// Whether there are more.
        truncated: bool,
    },
}

impl Snapshot {
    /// Answers a SPARQL 1.1 query. Updates are not queries and are refused as such; `SERVICE` is not supported.
    ///
    /// # Errors
    /// When the text is no query or too complex, the time is up, or the evaluation fails.
    pub fn query(&self, sparql: &str, limits: &QueryLimits) -> Result<QueryResult, StoreError> {
        check_size(sparql, limits)?;
        if sparql.len() <= SHORT_QUERY_BYTES {
            return self.evaluate(&parse(sparql)?, limits);
        }
        // Parser, optimiser and evaluator call themselves for each level and each link of a chain of operators.
        std::thread::scope(|scope| {
            std::thread::Builder::new()
                .name("graph-store-query".to_owned())
                .stack_size(LONG_QUERY_STACK_BYTES)
                .spawn_scoped(scope, || self.evaluate(&parse(sparql)?, limits))?
                .join()
                .unwrap_or_else(|_| Err(StoreError::corrupt("the evaluator gave up on a query")))
        })
    }

    /// Answers a parsed query.
    ///
    /// # Errors
    /// When the time is up, or the evaluation fails.
    pub fn evaluate(&self, query: &Query, limits: &QueryLimits) -> Result<QueryResult, StoreError> {
        let deadline = Deadline {
            at: limits
                .timeout
                .and_then(|time| Instant::now().checked_add(time)),
            millis: limits.timeout.unwrap_or_default().as_millis(),
        };
        clock::until(deadline.at, || self.run(query, limits, deadline)).unwrap_or(Err(
            StoreError::TimedOut {
                millis: deadline.millis,
            },
        ))
    }

    fn run(
        &self,
        query: &Query,
        limits: &QueryLimits,
        deadline: Deadline,
    ) -> Result<QueryResult, StoreError> {
        let evaluator = QueryEvaluator::new();
        let default_graph = match query.dataset() {
            Some(_) => DefaultGraph::Only,
            None => limits.default_graph,
        };
        let results = evaluator
            .prepare(query)
            .execute(QuerySnapshot {
                snapshot: self.clone(),
                deadline,
                default_graph,
            })
            .map_err(failure)?;
        collect(results, limits.max_rows, deadline)
    }
}

fn check_size(sparql: &str, limits: &QueryLimits) -> Result<(), StoreError> {
    if sparql.len() > limits.max_query_bytes {
        return Err(StoreError::QueryTooComplex {
            what: "long",
            found: sparql.len(),
            limit: limits.max_query_bytes,
        });
    }
    let found = depth(sparql);
    if found > limits.max_depth {
        return Err(StoreError::QueryTooComplex {
            what: "deeply nested",
            found,
            limit: limits.max_depth,
        });
    }
    let found = joints(sparql);
    if found > limits.max_joints {
        return Err(StoreError::QueryTooComplex {
            what: "branched",
            found,
            limit: limits.max_joints,
        });
    }
    Ok(())
}

/// The signs outside of IRIs and strings that join patterns.
fn joints(sparql: &str) -> usize {
    let bytes = sparql.as_bytes();
    let (mut at, mut found) = (0, 0);
    while let Some(byte) = bytes.get(at) {
        let rest = &bytes[at + 1..];
        at += 1;
        match byte {
            b'<' => {
                let end = rest
                    .iter()
                    .position(|b| *b == b'>' || b.is_ascii_whitespace());
                if let Some(end) = end.filter(|end| rest[*end] == b'>') {
                    at += end + 1;
                }
            }
            quote @ (b'"' | b'\'') => {
                let end = rest.iter().position(|b| b == quote || *b == b'\n');
                at += end.map_or(rest.len(), |end| end + 1);
            }
            b'.' | b';' | b',' | b'/' | b'|' | b'{' => found += 1,
            _ => {}
        }
    }
    found
}

/// The most brackets that are open at once, plus the longest run of prefix operators. Brackets in strings count too:
/// it is an upper bound, and strings with a hundred open brackets are rare.
fn depth(sparql: &str) -> usize {
    let (mut open, mut deepest) = (0_usize, 0);
    let (mut run, mut longest) = (0, 0);
    for byte in sparql.bytes() {
        match byte {
            b'(' | b'[' | b'{' => {
                open += 1;
                deepest = deepest.max(open);
            }
            b')' | b']' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
        match byte {
            b'!' | b'-' | b'+' | b'^' => {
                run += 1;
                longest = longest.max(run);
            }
            byte if byte.is_ascii_whitespace() => {}
            _ => run = 0,
        }
    }
    deepest + longest
}

fn parse(sparql: &str) -> Result<Query, StoreError> {
    SparqlParser::new()
        .parse_query(sparql)
        .map_err(StoreError::Sparql)
}

/// The store's own error when the evaluator only passes it on.
fn failure(error: QueryEvaluationError) -> StoreError {
    let QueryEvaluationError::Dataset(inner) = error else {
        return StoreError::Evaluation(error);
    };
    match inner.downcast::<StoreError>() {
        Ok(ours) => *ours,
        Err(other) => StoreError::Evaluation(QueryEvaluationError::Dataset(other)),
    }
}

fn collect(
    results: QueryResults<'_>,
    max_rows: usize,
    deadline: Deadline,
) -> Result<QueryResult, StoreError> {
    match results {
        QueryResults::Boolean(value) => Ok(QueryResult::Boolean(value)),
        QueryResults::Solutions(solutions) => {
            let variables = solutions.variables().to_vec();
            let (rows, truncated) = bounded(
                solutions.map(|row| row.map(|row| row.values().to_vec())),
                max_rows,
                deadline,
            )?;
            Ok(QueryResult::Solutions(Solutions {
                variables,
                rows,
                truncated,
            }))
        }
        QueryResults::Graph(triples) => {
            let (triples, truncated) = bounded(triples, max_rows, deadline)?;
            Ok(QueryResult::Graph { triples, truncated })
        }
    }
}

fn bounded<T>(
    items: impl Iterator<Item = Result<T, QueryEvaluationError>>,
    max: usize,
    deadline: Deadline,
) -> Result<(Vec<T>, bool), StoreError> {
    let mut all = Vec::new();
    for item in items {
        let item = item.map_err(failure)?;
        if all.len() == max {
            return Ok((all, true));
        }
        if all.len() % 64 == 0 {
            deadline.check()?;
        }
        all.push(item);
    }
    Ok((all, false))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joints_are_counted_outside_of_iris_and_strings_and_depth_everywhere() {
        assert_eq!(
            joints("SELECT * { ?s <http://a.b/c> \"x.y/z\" ; <urn:p>/<urn:q> 'a,b' . }"),
            4
        );
        assert_eq!(
            joints("SELECT * { ?s ?p ?o FILTER(?a < ?b) . ?s ?q 'open"),
            2
        );
        assert_eq!(depth("{ ( [ ] ) }"), 3);
        assert_eq!(depth("{ ! ! 1 }"), 3);
    }
}
