//! What is asked, what is offered, and how alike is everything?

use std::sync::OnceLock;

/// Numbers in a vector of the published workloads.
pub const DIMENSIONS: usize = 128;
/// Tables of similarities are kept where they have at most so many cells.
const MOST_CELLS: usize = 4_000_000;

/// A unit vector.
pub type Vector = Vec<f32>;

/// One question.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    /// Its unit vector.
    pub vector: Vector,
    /// Places of the items that answer it, ascending.
    pub relevant: Vec<u32>,
    /// Its topic, for reports.
    pub topic: u32,
}

/// One step: something may be asked, then something may be offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamStep {
    /// Place of the question.
    pub query: Option<u32>,
    /// Place of the item.
    pub item: Option<u32>,
}

/// A stream of questions and items.
#[derive(Debug)]
pub struct Workload {
    /// The kind, as a user types it.
    pub name: String,
    /// What sets it apart from others of its kind.
    pub variant: String,
    /// Unit vectors of the items.
    pub items: Vec<Vector>,
    /// The questions.
    pub queries: Vec<Query>,
    /// Items offered before the first step, no question asked.
    pub prefill: Vec<u32>,
    /// The steps.
    pub stream: Vec<StreamStep>,
    /// Questions of the first so many steps are not scored.
    pub warmup: usize,
    asked: OnceLock<Vec<f32>>,
    among: OnceLock<Vec<f32>>,
}

impl Workload {
    /// A workload of these parts, nothing offered before and every question scored.
    #[must_use]
    pub fn new(
        name: &str,
        variant: String,
        items: Vec<Vector>,
        queries: Vec<Query>,
        stream: Vec<StreamStep>,
    ) -> Self {
        Self {
            name: name.to_owned(),
            variant,
            items,
            queries,
            prefill: Vec::new(),
            stream,
            warmup: 0,
            asked: OnceLock::new(),
            among: OnceLock::new(),
        }
    }

    /// Similarities of a question to every item, by place; `None` where a table would be too large.
    #[must_use]
    pub fn question_row(&self, query: usize) -> Option<&[f32]> {
        let width = self.items.len();
        if width * self.queries.len() > MOST_CELLS {
            return None;
        }
        let table = self.asked.get_or_init(|| {
            let rows = self.queries.iter();
            rows.flat_map(|q| self.items.iter().map(|i| dot(&q.vector, i)))
                .collect()
        });
        table.get(query * width..(query + 1) * width)
    }

    /// Similarities of an item to every item, by place; `None` where a table would be too large.
    #[must_use]
    pub fn item_row(&self, item: usize) -> Option<&[f32]> {
        let width = self.items.len();
        if width * width > MOST_CELLS {
            return None;
        }
        let table = self.among.get_or_init(|| {
            let rows = self.items.iter();
            rows.flat_map(|a| self.items.iter().map(|b| dot(a, b)))
                .collect()
        });
        table.get(item * width..(item + 1) * width)
    }
}

/// The dot product, summed in a fixed order: four times eight lanes.
#[must_use]
pub fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut lanes = [0.0_f32; 16];
    let (a_parts, b_parts) = (a.chunks_exact(16), b.chunks_exact(16));
    let rest: f32 = a_parts
        .remainder()
        .iter()
        .zip(b_parts.remainder())
        .map(|(x, y)| x * y)
        .sum();
    for (x, y) in a_parts.zip(b_parts) {
        for lane in 0..16 {
            lanes[lane] += x[lane] * y[lane];
        }
    }
    lanes.iter().sum::<f32>() + rest
}

/// To length 1; the first axis if it has none.
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "vectors are kept as f32")]
pub fn unit(values: &[f64]) -> Vector {
    let length = values.iter().map(|v| v * v).sum::<f64>().sqrt();
    if length > 0.0 {
        values.iter().map(|v| (v / length) as f32).collect()
    } else {
        (0..values.len())
            .map(|at| if at == 0 { 1.0 } else { 0.0 })
            .collect()
    }
}
