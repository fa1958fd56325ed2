//! Does a larger pool retrieve worse? The published noise workloads, and one whose questions have a target. (SOLAR §6.5)
//!
//! In the published ones the three relevant items are drawn without regard to the question's vector, so that no retriever can
//! beat chance (0.088 on a full pool), and a static pool of fewer than some 2,240 items is drawn from relevant items only.
//! [`NoisePaired`] ties each question to the item it was made from, and gives that item near-duplicates that are wrong.

use std::collections::BTreeSet;

use crate::generate::{around, centres};
use crate::numpy_random::NumpyRandom;
use crate::workload::{Query, StreamStep, Vector, Workload};

const TOPICS: u32 = 50;
const ITEMS_PER_TOPIC: u32 = 100;
const ITEM_NOISE: f64 = 0.15;
const QUERY_NOISE: f64 = 0.05;
const QUESTIONS: u32 = 1000;
const RELEVANT: usize = 3;
/// Least distance of topics, one minus cosine; never binds.
const SEPARATION: f64 = 0.3;

/// Which items a static pool is drawn from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pool {
    /// Relevant ones first, as the published generator does.
    RelevantFirst,
    /// All alike, as the paper says.
    Uniform,
}

/// A pool that is filled before the first question and then stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoiseStatic {
    /// Items in the pool.
    pub pool: usize,
    /// Where they come from.
    pub from: Pool,
}

/// All items stream once, then come the scored questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoiseStream;

/// Items with near-duplicates, each question made from one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoisePaired;

struct Parts {
    random: NumpyRandom,
    centres: Vec<Vec<f64>>,
    items: Vec<Vector>,
}

impl Parts {
    fn new(seed: u32) -> Self {
        let mut random = NumpyRandom::new(seed);
        let centres = centres(TOPICS, SEPARATION, &mut random);
        let mut items = Vec::new();
        for centre in &centres {
            for _ in 0..ITEMS_PER_TOPIC {
                items.push(around(centre, ITEM_NOISE, &mut random));
            }
        }
        Self {
            random,
            centres,
            items,
        }
    }

    /// A question on a topic, three of its items relevant at random.
    fn question(&mut self, topic: u32) -> Query {
        let mut relevant = BTreeSet::new();
        while relevant.len() < RELEVANT {
            relevant.insert(topic * ITEMS_PER_TOPIC + self.random.below(ITEMS_PER_TOPIC));
        }
        Query {
            vector: around(&self.centres[topic as usize], QUERY_NOISE, &mut self.random),
            relevant: relevant.into_iter().collect(),
            topic,
        }
    }

    fn questions(&mut self) -> Vec<Query> {
        (0..QUESTIONS)
            .map(|_| {
                let topic = self.random.below(TOPICS);
                self.question(topic)
            })
            .collect()
    }
}

fn shuffle(values: &mut [u32], random: &mut NumpyRandom) {
    for last in (1..values.len()).rev() {
        let bound = u32::try_from(last + 1).unwrap_or(u32::MAX);
        values.swap(last, random.below(bound) as usize);
    }
}

fn ask(query: usize) -> StreamStep {
    StreamStep {
        query: u32::try_from(query).ok(),
        item: None,
    }
}

impl NoiseStatic {
    /// Draws it.
    #[must_use]
    pub fn generate(&self, seed: u32) -> Workload {
        let mut parts = Parts::new(seed);
        let queries = parts.questions();
        let relevant: BTreeSet<u32> = queries.iter().flat_map(|q| &q.relevant).copied().collect();
        let (mut first, mut rest): (Vec<u32>, Vec<u32>) = match self.from {
            Pool::RelevantFirst => {
                (0..TOPICS * ITEMS_PER_TOPIC).partition(|item| relevant.contains(item))
            }
            Pool::Uniform => ((0..TOPICS * ITEMS_PER_TOPIC).collect(), Vec::new()),
        };
        shuffle(&mut first, &mut parts.random);
        shuffle(&mut rest, &mut parts.random);
        let mut prefill: Vec<u32> = first.into_iter().chain(rest).take(self.pool).collect();
        shuffle(&mut prefill, &mut parts.random);
        let stream = (0..queries.len()).map(ask).collect();
        let mut workload = Workload::new(
            "noise-static",
            match self.from {
                Pool::RelevantFirst => format!("pool{}", self.pool),
                Pool::Uniform => format!("uniform-pool{}", self.pool),
            },
            parts.items,
            queries,
            stream,
        );
        workload.prefill = prefill;
        workload
    }
}

impl NoiseStream {
    /// Draws it.
    #[must_use]
    pub fn generate(&self, seed: u32) -> Workload {
        let mut parts = Parts::new(seed);
        let scored = parts.questions();
        let mut order: Vec<u32> = (0..TOPICS * ITEMS_PER_TOPIC).collect();
        shuffle(&mut order, &mut parts.random);
        let mut queries = Vec::new();
        let mut stream = Vec::new();
        for item in order {
            stream.push(StreamStep {
                item: Some(item),
                ..ask(queries.len())
            });
            queries.push(parts.question(item / ITEMS_PER_TOPIC));
        }
        let warmup = stream.len();
        stream.extend((warmup..warmup + scored.len()).map(ask));
        queries.extend(scored);
        let mut workload = Workload::new(
            "noise-stream",
            "published".to_owned(),
            parts.items,
            queries,
            stream,
        );
        workload.warmup = warmup;
        workload
    }
}

impl NoisePaired {
    /// An item and so many near-duplicates.
    const FAMILY: u32 = 10;
    /// Spread of near-duplicates around their item: cosine about 0.98.
    const DUPLICATE_NOISE: f64 = 0.015;

    /// Draws it.
    #[must_use]
    pub fn generate(&self, seed: u32) -> Workload {
        let mut random = NumpyRandom::new(seed);
        let centres = centres(TOPICS, SEPARATION, &mut random);
        let mut items: Vec<Vector> = Vec::new();
        for centre in &centres {
            for _ in 0..ITEMS_PER_TOPIC / Self::FAMILY {
                let first = around(centre, ITEM_NOISE, &mut random);
                let middle: Vec<f64> = first.iter().map(|v| f64::from(*v)).collect();
                items.push(first);
                for _ in 1..Self::FAMILY {
                    items.push(around(&middle, Self::DUPLICATE_NOISE, &mut random));
                }
            }
        }
        let mut order: Vec<u32> = (0..TOPICS * ITEMS_PER_TOPIC).collect();
        shuffle(&mut order, &mut random);
        let (mut queries, mut stream) = (Vec::new(), Vec::new());
        let mut pose = |item: u32, random: &mut NumpyRandom| {
            let middle: Vec<f64> = items[item as usize].iter().map(|v| f64::from(*v)).collect();
            queries.push(Query {
                vector: around(&middle, QUERY_NOISE, random),
                relevant: vec![item],
                topic: item / ITEMS_PER_TOPIC,
            });
            queries.len() - 1
        };
        for (at, item) in order.iter().enumerate() {
            let seen = u32::try_from(at + 1).unwrap_or(u32::MAX);
            let target = order[random.below(seen) as usize];
            let query = pose(target, &mut random);
            stream.push(StreamStep {
                item: Some(*item),
                ..ask(query)
            });
        }
        for _ in 0..QUESTIONS {
            let target = random.below(TOPICS * ITEMS_PER_TOPIC);
            let query = pose(target, &mut random);
            stream.push(ask(query));
        }
        let warmup = order.len();
        let mut workload = Workload::new(
            "noise-paired",
            "families".to_owned(),
            items,
            queries,
            stream,
        );
        workload.warmup = warmup;
        workload
    }
}
