//! How are the published workloads made? (SOLAR §6.5 and its generator, draw for draw)

use crate::numpy_random::NumpyRandom;
use crate::workload::{DIMENSIONS, Query, StreamStep, Vector, Workload, unit};

/// Spread of a question around its topic.
const QUERY_NOISE: f64 = 0.05;
/// Spread of an item around its topic.
const ITEM_NOISE: f64 = 0.1;
/// Least distance, one minus cosine, of two topics. Never binds in 128 dimensions.
const SEPARATION: f64 = 0.5;

/// Topics that come round in turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cycling {
    /// m.
    pub topics: u32,
    /// Items of each.
    pub items_per_topic: u32,
    /// How often all come round.
    pub cycles: u32,
}

impl Cycling {
    /// As published, with m topics.
    #[must_use]
    pub const fn published(topics: u32) -> Self {
        Self {
            topics,
            items_per_topic: 5,
            cycles: 10,
        }
    }
}

/// How often each topic is asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Popularity {
    /// All alike.
    Uniform,
    /// By rank, to this power.
    Zipf(f64),
}

/// Topics drawn at random.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WorkingSet {
    /// How many.
    pub topics: u32,
    /// Items of each.
    pub items_per_topic: u32,
    /// Questions.
    pub steps: u32,
    /// How often each topic is asked for.
    pub popularity: Popularity,
}

impl WorkingSet {
    /// As published.
    #[must_use]
    pub const fn published() -> Self {
        Self {
            topics: 15,
            items_per_topic: 10,
            steps: 500,
            popularity: Popularity::Uniform,
        }
    }
}

/// A window of active topics that moves on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TopicDrift {
    /// How many topics there are.
    pub topics: u32,
    /// Items of each.
    pub items_per_topic: u32,
    /// Topics active at a time.
    pub active: u32,
    /// Steps of a phase.
    pub phase: u32,
    /// Phases.
    pub phases: u32,
    /// Topics that two phases share.
    pub overlap: u32,
}

impl TopicDrift {
    /// As published.
    #[must_use]
    pub const fn published() -> Self {
        Self {
            topics: 30,
            items_per_topic: 8,
            active: 5,
            phase: 100,
            phases: 6,
            overlap: 1,
        }
    }
}

/// The parts of every topic workload: topics, their items, and whose turn it is.
struct Topics {
    random: NumpyRandom,
    centres: Vec<Vec<f64>>,
    items_per_topic: u32,
    items: Vec<Vector>,
    queries: Vec<Query>,
    stream: Vec<StreamStep>,
    turns: Vec<u32>,
}

impl Topics {
    fn new(topics: u32, items_per_topic: u32, seed: u32) -> Self {
        let mut random = NumpyRandom::new(seed);
        let centres = centres(topics, SEPARATION, &mut random);
        let mut items = Vec::new();
        for centre in &centres {
            for _ in 0..items_per_topic {
                items.push(around(centre, ITEM_NOISE, &mut random));
            }
        }
        Self {
            random,
            turns: vec![0; centres.len()],
            centres,
            items_per_topic,
            items,
            queries: Vec::new(),
            stream: Vec::new(),
        }
    }

    /// A question on the topic, and the next of its items.
    fn ask(&mut self, topic: u32) {
        let first = topic * self.items_per_topic;
        let turn = &mut self.turns[topic as usize];
        let item = first + *turn % self.items_per_topic;
        *turn += 1;
        let query = u32::try_from(self.queries.len()).unwrap_or(u32::MAX);
        let vector = around(&self.centres[topic as usize], QUERY_NOISE, &mut self.random);
        self.queries.push(Query {
            vector,
            relevant: (first..first + self.items_per_topic).collect(),
            topic,
        });
        self.stream.push(StreamStep {
            query: Some(query),
            item: Some(item),
        });
    }

    fn workload(self, name: &str, variant: String) -> Workload {
        Workload::new(name, variant, self.items, self.queries, self.stream)
    }
}

/// Directions of topics, no two of them nearer than `separation`.
pub(crate) fn centres(count: u32, separation: f64, random: &mut NumpyRandom) -> Vec<Vec<f64>> {
    let mut centres: Vec<Vec<f64>> = Vec::new();
    while centres.len() < count as usize {
        let centre = normalised((0..DIMENSIONS).map(|_| random.normal()).collect());
        let near = |other: &Vec<f64>| {
            other.iter().zip(&centre).map(|(a, b)| a * b).sum::<f64>() >= 1.0 - separation
        };
        if !centres.iter().any(near) {
            centres.push(centre);
        }
    }
    centres
}

fn normalised(mut values: Vec<f64>) -> Vec<f64> {
    let length = values.iter().map(|v| v * v).sum::<f64>().sqrt();
    for value in &mut values {
        *value /= length;
    }
    values
}

/// A unit vector near `centre`.
pub(crate) fn around(centre: &[f64], noise: f64, random: &mut NumpyRandom) -> Vector {
    let values: Vec<f64> = centre.iter().map(|c| c + noise * random.normal()).collect();
    unit(&values)
}

impl Cycling {
    /// Draws it.
    #[must_use]
    pub fn generate(&self, seed: u32) -> Workload {
        let mut topics = Topics::new(self.topics, self.items_per_topic, seed);
        for step in 0..self.topics * self.cycles {
            topics.ask(step % self.topics);
        }
        topics.workload("cycling", format!("m{}", self.topics))
    }
}

impl WorkingSet {
    /// Draws it.
    #[must_use]
    pub fn generate(&self, seed: u32) -> Workload {
        let mut topics = Topics::new(self.topics, self.items_per_topic, seed);
        let weights: Vec<f64> = match self.popularity {
            Popularity::Uniform => Vec::new(),
            Popularity::Zipf(power) => {
                let raw: Vec<f64> = (1..=self.topics)
                    .map(|r| f64::from(r).powf(-power))
                    .collect();
                let total: f64 = raw.iter().sum();
                raw.iter().map(|w| w / total).collect()
            }
        };
        for _ in 0..self.steps {
            let topic = match self.popularity {
                Popularity::Uniform => topics.random.below(self.topics),
                Popularity::Zipf(_) => pick(&weights, topics.random.uniform()),
            };
            topics.ask(topic);
        }
        let variant = match self.popularity {
            Popularity::Uniform => "uniform".to_owned(),
            Popularity::Zipf(power) => format!("zipf{power}"),
        };
        topics.workload("working-set", variant)
    }
}

fn pick(weights: &[f64], at: f64) -> u32 {
    let mut sum = 0.0;
    let place = weights.iter().position(|weight| {
        sum += weight;
        at < sum
    });
    let place = place.unwrap_or(weights.len().saturating_sub(1));
    u32::try_from(place).unwrap_or(u32::MAX)
}

impl TopicDrift {
    /// Draws it.
    #[must_use]
    pub fn generate(&self, seed: u32) -> Workload {
        let mut topics = Topics::new(self.topics, self.items_per_topic, seed);
        let advance = self.active.saturating_sub(self.overlap);
        for step in 0..self.phase * self.phases {
            let first = step / self.phase * advance;
            let topic = first + topics.random.below(self.active);
            topics.ask(topic % self.topics);
        }
        topics.workload("topic-drift", format!("plen{}", self.phase))
    }
}
