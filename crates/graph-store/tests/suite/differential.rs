//! The store against `spareval`'s own in-memory dataset, on random graphs and random queries.

use graph_store::{GraphStore, Options, QueryLimits, QueryResult, quad_refs};
use oxrdf::{BlankNode, Dataset, GraphName, Literal, NamedNode, Quad, Term};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use spareval::{QueryEvaluator, QueryResults};
use spargebra::SparqlParser;

/// A query with more rows on the reference is not compared.
const MAX_ROWS: usize = 3_000;
const QUERIES_PER_GRAPH: usize = 100;

fn iri(text: &str) -> NamedNode {
    NamedNode::new_unchecked(format!("http://example.org/{text}"))
}

fn random_object(rng: &mut ChaCha8Rng) -> Term {
    match rng.random_range(0..10) {
        0 => Literal::from(rng.random_range(0..6)).into(),
        1 => Literal::from(f64::from(rng.random_range(0..4)) / 2.0).into(),
        2 => Literal::new_simple_literal(format!("word {}", rng.random_range(0..5))).into(),
        3 => Literal::new_language_tagged_literal_unchecked(
            format!("word {}", rng.random_range(0..5)),
            ["en", "de"][rng.random_range(0..2)],
        )
        .into(),
        4 => BlankNode::new_unchecked(format!("b{}", rng.random_range(0..4))).into(),
        _ => iri(&format!("n{}", rng.random_range(0..9))).into(),
    }
}

fn random_quads(rng: &mut ChaCha8Rng) -> Vec<Quad> {
    (0..rng.random_range(30..160))
        .map(|_| {
            let graph = match rng.random_range(0..6) {
                0 => iri("g0").into(),
                1 => iri("g1").into(),
                _ => GraphName::DefaultGraph,
            };
            let predicate = iri(&format!("p{}", rng.random_range(0..4)));
            let object = random_object(rng);
            if rng.random_range(0..8) == 0 {
                Quad::new(
                    BlankNode::new_unchecked(format!("b{}", rng.random_range(0..4))),
                    predicate,
                    object,
                    graph,
                )
            } else {
                Quad::new(
                    iri(&format!("n{}", rng.random_range(0..9))),
                    predicate,
                    object,
                    graph,
                )
            }
        })
        .collect()
}

struct Generator<'a> {
    rng: &'a mut ChaCha8Rng,
}

impl Generator<'_> {
    fn pick(&mut self, from: &[&str]) -> String {
        from[self.rng.random_range(0..from.len())].to_owned()
    }

    fn chance(&mut self, one_in: u32) -> bool {
        self.rng.random_range(0..one_in) == 0
    }

    fn variable(&mut self) -> String {
        self.pick(&["?a", "?b", "?c", "?d"])
    }

    fn node(&mut self) -> String {
        if self.chance(3) {
            iri(&format!("n{}", self.rng.random_range(0..10))).to_string()
        } else {
            self.variable()
        }
    }

    fn object(&mut self) -> String {
        if self.chance(4) {
            match random_object(self.rng) {
                Term::BlankNode(_) => self.variable(),
                Term::NamedNode(node) => node.to_string(),
                Term::Literal(literal) => literal.to_string(),
            }
        } else {
            self.node()
        }
    }

    fn path(&mut self, depth: u32) -> String {
        let simple = iri(&format!("p{}", self.rng.random_range(0..5))).to_string();
        if depth == 0 {
            return simple;
        }
        match self.rng.random_range(0..9) {
            0 => format!("({})*", self.path(depth - 1)),
            1 => format!("({})+", self.path(depth - 1)),
            2 => format!("({})?", self.path(depth - 1)),
            3 => format!("({}/{})", self.path(depth - 1), self.path(depth - 1)),
            4 => format!("({}|{})", self.path(depth - 1), self.path(depth - 1)),
            5 => format!("^({})", self.path(depth - 1)),
            6 => format!("!({simple})"),
            _ => simple,
        }
    }

    fn triple(&mut self) -> String {
        let predicate = match self.rng.random_range(0..6) {
            0 => self.variable(),
            1 => self.path(2),
            _ => self.path(0),
        };
        format!("{} {predicate} {} .", self.node(), self.object())
    }

    fn expression(&mut self, depth: u32) -> String {
        let (a, b) = (self.variable(), self.object());
        match self.rng.random_range(0..if depth == 0 { 9 } else { 12 }) {
            0 => format!("{a} = {b}"),
            1 => format!("{a} != {b}"),
            2 => format!("{a} < {b}"),
            3 => format!("BOUND({a})"),
            4 => format!("isIRI({a})"),
            5 => format!("LANG({a}) = \"en\""),
            6 => format!("CONTAINS(STR({a}), \"{}\")", self.rng.random_range(0..6)),
            7 => format!("{a} IN ({b}, 1, \"word 2\")"),
            8 => format!("REGEX(STR({a}), \"n1?[0-5]$\")"),
            9 => format!("!({})", self.expression(depth - 1)),
            10 => format!(
                "({}) && ({})",
                self.expression(depth - 1),
                self.expression(depth - 1)
            ),
            _ => format!(
                "({}) || ({})",
                self.expression(depth - 1),
                self.expression(depth - 1)
            ),
        }
    }

    fn group(&mut self, depth: u32) -> String {
        let mut text = self.triple();
        if self.chance(2) {
            text.push_str(&self.triple());
        }
        for _ in 0..self.rng.random_range(0..3) {
            let inner = if depth > 0 {
                self.group(depth - 1)
            } else {
                self.triple()
            };
            match self.rng.random_range(0..10) {
                0 | 1 => text.push_str(&format!("OPTIONAL {{ {inner} }} ")),
                2 => text.push_str(&format!("{{ {inner} }} UNION {{ {} }} ", self.triple())),
                3 => text.push_str(&format!("MINUS {{ {inner} }} ")),
                4 => text.push_str(&format!("FILTER({}) ", self.expression(2))),
                5 => text.push_str(&format!("FILTER EXISTS {{ {inner} }} ")),
                6 => text.push_str(&format!("FILTER NOT EXISTS {{ {inner} }} ")),
                7 => {
                    let graph = if self.chance(2) {
                        "?g".to_owned()
                    } else {
                        iri("g1").to_string()
                    };
                    text.push_str(&format!("GRAPH {graph} {{ {inner} }} "));
                }
                8 => text.push_str(&format!(
                    "VALUES {} {{ {} 1 \"word 1\" }} ",
                    self.variable(),
                    iri("n3")
                )),
                _ => text.push_str(&format!("{{ SELECT {} {{ {inner} }} }} ", self.variable())),
            }
        }
        text
    }

    fn query(&mut self) -> String {
        let body = self.group(1);
        match self.rng.random_range(0..10) {
            0 => format!("ASK {{ {body} }}"),
            1 => format!("SELECT DISTINCT ?a ?b {{ {body} }}"),
            2 => {
                format!("SELECT ?a (COUNT(*) AS ?n) (MIN(STR(?b)) AS ?m) {{ {body} }} GROUP BY ?a")
            }
            3 => format!("SELECT (COUNT(DISTINCT ?b) AS ?n) (SUM(?c) AS ?s) {{ {body} }}"),
            4 => format!("SELECT ?a (STRLEN(STR(?b)) + 1 AS ?n) {{ {body} BIND(STR(?c) AS ?t) }}"),
            5 => format!("CONSTRUCT {{ ?a {} ?b }} {{ {body} }}", iri("made")),
            _ => format!("SELECT * {{ {body} }}"),
        }
    }
}

/// The answer as sorted text, or why there is none. `None`: too large to compare.
fn reference(dataset: &Dataset, sparql: &str) -> Option<Result<Vec<String>, String>> {
    let query = SparqlParser::new()
        .parse_query(sparql)
        .unwrap_or_else(|e| panic!("{sparql}: {e}"));
    let evaluator = QueryEvaluator::new();
    let results = match evaluator.prepare(&query).execute(dataset) {
        Ok(results) => results,
        Err(error) => return Some(Err(error.to_string())),
    };
    let mut rows = Vec::new();
    match results {
        QueryResults::Boolean(value) => rows.push(value.to_string()),
        QueryResults::Solutions(solutions) => {
            for row in solutions {
                match row {
                    Ok(row) => rows.push(text_of(row.values())),
                    Err(error) => return Some(Err(error.to_string())),
                }
                if rows.len() > MAX_ROWS {
                    return None;
                }
            }
        }
        QueryResults::Graph(triples) => {
            for triple in triples {
                rows.push(triple.unwrap().to_string());
                if rows.len() > MAX_ROWS {
                    return None;
                }
            }
        }
    }
    rows.sort();
    Some(Ok(rows))
}

fn text_of(row: &[Option<Term>]) -> String {
    row.iter()
        .map(|t| t.as_ref().map_or("-".to_owned(), ToString::to_string))
        .collect::<Vec<_>>()
        .join(" | ")
}

fn ours(store: &GraphStore, sparql: &str) -> Result<Vec<String>, String> {
    let limits = QueryLimits {
        timeout: None,
        max_rows: usize::MAX,
        ..QueryLimits::default()
    };
    let mut rows = match store
        .snapshot()
        .unwrap()
        .query(sparql, &limits)
        .map_err(|e| e.to_string())?
    {
        QueryResult::Boolean(value) => vec![value.to_string()],
        QueryResult::Solutions(solutions) => {
            solutions.rows.iter().map(|row| text_of(row)).collect()
        }
        QueryResult::Graph { triples, .. } => triples.iter().map(ToString::to_string).collect(),
    };
    rows.sort();
    Ok(rows)
}

/// `REFRAIN_RANDOM_QUERIES=10000` runs the full number.
#[test]
fn random_queries_have_the_answers_of_the_in_memory_dataset() {
    let wanted: usize = std::env::var("REFRAIN_RANDOM_QUERIES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(1_000);
    let mut rng = ChaCha8Rng::seed_from_u64(20_261_130);
    let (mut compared, mut nonempty) = (0, 0);
    while compared < wanted {
        let quads = random_quads(&mut rng);
        let directory = tempfile::tempdir().unwrap();
        let store = GraphStore::open_or_create(directory.path(), Options::default()).unwrap();
        store.insert(quad_refs(&quads)).unwrap();
        let dataset: Dataset = quads.iter().cloned().collect();
        for _ in 0..QUERIES_PER_GRAPH {
            let sparql = Generator { rng: &mut rng }.query();
            let Some(expected) = reference(&dataset, &sparql) else {
                continue;
            };
            let found = ours(&store, &sparql);
            assert_eq!(found, expected, "{sparql}");
            compared += 1;
            nonempty +=
                usize::from(expected.is_ok_and(|rows| !rows.is_empty() && rows != ["false"]));
        }
    }
    assert!(
        nonempty * 4 > compared,
        "too few queries with an answer: {nonempty} of {compared}"
    );
}
