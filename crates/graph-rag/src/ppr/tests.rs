use proptest::prelude::*;

use super::*;
use crate::tri_graph::Entity;

/// A graph from passage → (entity, weight) and pairs of adjacent passages.
fn graph(passages: &[Vec<(u32, f64)>], entities: usize, adjacent: &[(usize, usize)]) -> TriGraph {
    let mut beside = vec![Vec::new(); passages.len()];
    for (a, b) in adjacent {
        beside[*a].push(u32::try_from(*b).unwrap());
        beside[*b].push(u32::try_from(*a).unwrap());
    }
    TriGraph {
        passages: passages.len(),
        entities: vec![
            Entity {
                name: "".into(),
                iri: None
            };
            entities
        ],
        passage_entities: Csr::from_rows(passages.to_vec(), "edges").unwrap(),
        adjacent: Csr::from_rows(beside, "adjacencies").unwrap(),
        ..TriGraph::default()
    }
}

/// The definition, on a full matrix, until nothing changes.
fn naive(graph: &TriGraph, passages: &[f64], entities: &[(u32, f64)], damping: f64) -> Vec<f64> {
    let (n, m) = (graph.passages(), graph.entities().len());
    let mut weight = vec![vec![0.0; n + m]; n + m];
    let mut join = |u: usize, v: usize, w: f64| weight[u][v] = w;
    for p in 0..n {
        for (e, w) in graph.entities_in(u32::try_from(p).unwrap()) {
            join(p, n + *e as usize, *w);
            join(n + *e as usize, p, *w);
        }
        for q in graph.adjacent.row(p) {
            join(p, *q as usize, 1.0);
        }
    }
    let mut restart = passages.to_vec();
    restart.resize(n + m, 0.0);
    for (e, w) in entities {
        restart[n + *e as usize] += w;
    }
    let total: f64 = restart.iter().sum();
    restart.iter_mut().for_each(|r| *r /= total);
    let mut x = restart.clone();
    for _ in 0..200 {
        let mut next: Vec<f64> = restart.iter().map(|r| (1.0 - damping) * r).collect();
        for (row, mass) in weight.iter().zip(&x) {
            let degree: f64 = row.iter().sum();
            let steps = row.iter().zip(&restart);
            for (next, (w, r)) in next.iter_mut().zip(steps) {
                let step = if degree > 0.0 { w / degree } else { *r };
                *next += damping * step * mass;
            }
        }
        x = next;
    }
    x.truncate(n);
    x
}

const CONFIG: PprConfig = PprConfig {
    damping: 0.5,
    tolerance: 1e-9,
    max_rounds: 1000,
};

fn rows() -> impl Strategy<Value = Vec<Vec<(u32, f64)>>> {
    let row = prop::collection::btree_map(0_u32..8, 0.05_f64..1.0, 0..5);
    prop::collection::vec(row.prop_map(|r| r.into_iter().collect()), 1..12)
}

proptest! {
    #[test]
    fn the_walk_equals_the_definition(
        rows in rows(),
        weights in prop::collection::vec(0.01_f64..1.0, 12),
        seeds in prop::collection::vec((0_u32..8, 0.0_f64..2.0), 0..4),
        edges in prop_oneof![Just(Vec::new()), prop::collection::vec((0_usize..12, 1_usize..12), 0..6)],
        damping in 0.1_f64..0.8,
    ) {
        // Weights of a passage sum to 1, as the tri-graph's do.
        let rows: Vec<Vec<(u32, f64)>> = rows
            .into_iter()
            .map(|row| {
                let sum: f64 = row.iter().map(|(_, w)| w).sum();
                row.into_iter().map(|(e, w)| (e, w / sum)).collect()
            })
            .collect();
        let n = rows.len();
        let mut edges: Vec<(usize, usize)> = edges.into_iter().map(|(a, b)| (a % n, b % n)).filter(|(a, b)| a < b).collect();
        edges.sort_unstable();
        edges.dedup();
        // Entities that no passage mentions do not exist.
        let mentioned: Vec<u32> = rows.iter().flatten().map(|(e, _)| *e).collect();
        let seeds: Vec<(u32, f64)> = seeds.into_iter().filter(|(e, _)| mentioned.contains(e)).collect();
        let graph = graph(&rows, 8, &edges);
        let walks = PassageEntityGraph::new(&graph).unwrap();
        let exact = naive(&graph, &weights[..n], &seeds, damping);
        let config = PprConfig { damping, ..CONFIG };
        let scores = walks.passage_scores(&weights[..n], &seeds, &config);
        for (score, exact) in scores.iter().zip(&exact) {
            prop_assert!((score - exact).abs() < 1e-8, "{score} is not {exact}");
        }
        // In 32 bits, as large graphs are walked, and then only where that is exact enough.
        let narrow = walks.clone().narrowed();
        let most = exact.iter().copied().fold(0.0, f64::max);
        for tolerance in [1e-9, 4e-6] {
            let config = PprConfig { tolerance, ..config };
            let scores = narrow.passage_scores(&weights[..n], &seeds, &config);
            for (score, exact) in scores.iter().zip(&exact) {
                prop_assert!((score - exact).abs() < tolerance.max(1e-8), "{score} is not {exact} of {most}");
            }
        }
    }
}

#[test]
fn without_a_restart_nothing_is_reached() {
    let graph = graph(&[vec![(0, 1.0)]], 1, &[]);
    let walks = PassageEntityGraph::new(&graph).unwrap();
    for weights in [[0.0], [-1.0], [f64::NAN]] {
        assert_eq!(walks.passage_scores(&weights, &[], &CONFIG), [0.0]);
    }
}

#[test]
fn rounds_are_bounded() {
    let graph = graph(&[vec![(0, 1.0)], vec![(0, 1.0)]], 1, &[]);
    let walks = PassageEntityGraph::new(&graph).unwrap();
    let config = PprConfig {
        max_rounds: 1,
        ..CONFIG
    };
    let one = walks.passage_scores(&[1.0, 0.0], &[], &config);
    let all = walks.passage_scores(&[1.0, 0.0], &[], &CONFIG);
    assert!(one[1] > 0.0 && (one[1] - all[1]).abs() > 1e-6);
}
