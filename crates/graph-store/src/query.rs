//! What is the answer to a SPARQL query, within which bounds?

use std::time::{Duration, Instant};

use oxrdf::{Term, Triple, Variable};
use spareval::{QueryEvaluationError, QueryEvaluator, QueryResults};
use spargebra::{Query, SparqlParser};

use crate::error::StoreError;
use crate::queryable::{Deadline, QuerySnapshot};
use crate::snapshot::Snapshot;

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
    /// The longest query text, in bytes. Default: 256 KiB.
    pub max_query_bytes: usize,
    /// The most levels that brackets in the query may be nested. Default: 128.
    pub max_depth: usize,
    /// What a query sees outside of `GRAPH`, unless it says `FROM`.
    pub default_graph: DefaultGraph,
}

impl Default for QueryLimits {
    fn default() -> Self {
        Self {
            timeout: Some(Duration::from_secs(10)),
            max_rows: 10_000,
            max_query_bytes: 256 << 10,
            max_depth: 128,
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
        let query = parse(sparql, limits)?;
        self.evaluate(&query, limits)
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
        let evaluator = QueryEvaluator::new();
        let mut prepared = evaluator.prepare(query);
        if limits.default_graph == DefaultGraph::Union && query.dataset().is_none() {
            prepared.dataset_mut().set_default_graph_as_union();
        }
        let results = prepared
            .execute(QuerySnapshot {
                snapshot: self.clone(),
                deadline,
            })
            .map_err(failure)?;
        collect(results, limits.max_rows, deadline)
    }
}

fn parse(sparql: &str, limits: &QueryLimits) -> Result<Query, StoreError> {
    if sparql.len() > limits.max_query_bytes {
        return Err(StoreError::QueryTooComplex {
            what: "long",
            found: sparql.len(),
            limit: limits.max_query_bytes,
        });
    }
    SparqlParser::new()
        .parse_query(sparql)
        .map_err(StoreError::Sparql)
}

/// The store's own error when the evaluator only passes it on.
fn failure(error: QueryEvaluationError) -> StoreError {
    match error {
        QueryEvaluationError::Dataset(inner) => match inner.downcast::<StoreError>() {
            Ok(ours) => *ours,
            Err(other) => StoreError::Evaluation(QueryEvaluationError::Dataset(other)),
        },
        other => StoreError::Evaluation(other),
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
