//! Which α makes the novelty gate pass a given share of a stream?
//!
//! α weighs likeness of questions, whose cosines depend on the embedder. The paper does not print its α, but its rates.

use similarity::sparse::SparseMap;

use super::fusion::seed_map;
use crate::linear_rag::Query;

/// Steps of α that are tried: hundredths.
const STEPS: u32 = 100;

/// An α and what it does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Calibration {
    /// The weight.
    pub alpha: f64,
    /// The share of the stream that passes the novelty gate with it.
    pub pass_rate: f64,
}

/// Replays a stream through the novelty gate alone, each passing question stored with its seeds as its map, and gives
/// the α in [0, 1], by hundredths, whose pass rate is nearest to `target`; the larger of equals. `None` without questions.
#[must_use]
pub fn calibrate_alpha(stream: &[Query], minimum_novelty: f64, target: f64) -> Option<Calibration> {
    let maps: Vec<SparseMap> = stream.iter().map(seed_map).collect();
    if stream.is_empty() {
        return None;
    }
    let rates = (0..=STEPS).map(|step| {
        let alpha = f64::from(step) / f64::from(STEPS);
        Calibration {
            alpha,
            pass_rate: pass_rate(stream, &maps, alpha, minimum_novelty),
        }
    });
    let distance = |c: &Calibration| (c.pass_rate - target).abs();
    rates.min_by(|a, b| {
        distance(a)
            .total_cmp(&distance(b))
            .then(b.alpha.total_cmp(&a.alpha))
    })
}

fn pass_rate(stream: &[Query], maps: &[SparseMap], alpha: f64, minimum_novelty: f64) -> f64 {
    let mut stored: Vec<usize> = Vec::new();
    for (place, query) in stream.iter().enumerate() {
        let alike = |other: &usize| {
            let question = f64::from(query.vector.cosine(&stream[*other].vector));
            alpha * question + (1.0 - alpha) * f64::from(maps[place].cosine(&maps[*other]))
        };
        if stored
            .iter()
            .all(|other| 1.0 - alike(other) >= minimum_novelty)
        {
            stored.push(place);
        }
    }
    stored.len() as f64 / stream.len() as f64
}
