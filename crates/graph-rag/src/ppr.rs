//! Where does a walk that starts at the weighted nodes end up? (personalised PageRank)
//!
//! Two solvers of `x = d (Pᵀx + dangling · r) + (1 - d) r` over the undirected graph of passages and entities. Power
//! iteration goes from the passages to the entities and back, with entities of a single passage eliminated exactly; where
//! passages have no edges to each other it is accelerated after Chebyshev (Golub and Varga 1961), as the eigenvalues of a
//! walk there and back lie between 0 and `d²`. Forward push (Andersen, Chung and Lang 2006) works on residuals and suits restarts that
//! touch little of a large graph. Both give passage scores within `tolerance` of the exact ones.

use std::collections::VecDeque;

use crate::GraphRagError;
use crate::csr::{Csr, id32};
use crate::tri_graph::TriGraph;

/// Which solver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Solver {
    /// Alternating power iteration.
    PowerIteration,
    /// Forward push.
    ForwardPush,
}

/// How far to follow and how exactly.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PprConfig {
    /// Probability of following an edge, in [0, 1).
    pub damping: f64,
    /// Largest error of a passage's score, above 0.
    pub tolerance: f64,
    /// Most rounds; each at least halves the error at damping 0.5.
    pub max_rounds: usize,
}

/// An edge with the probability of walking it.
#[derive(Debug, Clone, Copy)]
struct Step {
    node: u32,
    probability: f64,
}

/// Steps into nodes, kept apart from their probabilities: less to read than pairs.
#[derive(Debug, Clone, Default)]
struct Flow {
    ends: Vec<u32>,
    from: Vec<u32>,
    probabilities: Vec<f64>,
}

impl Flow {
    fn new(rows: Vec<Vec<Step>>) -> Result<Self, GraphRagError> {
        let mut flow = Self::default();
        for step in rows {
            flow.from.extend(step.iter().map(|s| s.node));
            flow.probabilities
                .extend(step.iter().map(|s| s.probability));
            flow.ends.push(id32(flow.from.len(), "edges")?);
        }
        Ok(flow)
    }

    /// What flows into each node from `source`, in order, given to `visit`.
    fn each(&self, source: &[f64], mut visit: impl FnMut(usize, f64)) {
        let mut start = 0;
        for (node, end) in self.ends.iter().enumerate() {
            let end = *end as usize;
            let steps = self.from[start..end]
                .iter()
                .zip(&self.probabilities[start..end]);
            visit(
                node,
                steps.map(|(from, p)| p * source[*from as usize]).sum(),
            );
            start = end;
        }
    }
}

/// Where the walk finds an entity.
#[derive(Debug, Clone, Copy)]
enum Home {
    /// Among those that several passages mention, at this place.
    Shared(u32),
    /// In one passage only, which every step leads back to.
    Leaf(u32),
}

/// The graph, ready for walks.
#[derive(Debug, Clone, Default)]
pub struct PassageEntityGraph {
    passages: usize,
    entities: usize,
    /// Passages without an edge.
    isolated: Vec<bool>,
    /// How many entities more than one passage mentions.
    shared: usize,
    /// Where each entity is found.
    homes: Vec<Home>,
    /// For each passage the probability of going to a leaf, which leads back with certainty.
    leaf_share: Vec<f64>,
    /// Steps into each shared entity, from passages.
    into_entity: Flow,
    /// Steps into each passage, from places among the shared entities.
    into_passage: Flow,
    /// Steps into each passage, from adjacent passages.
    into_passage_adjacent: Csr<Step>,
    /// Sum of edge weights at each passage.
    degree: Vec<f64>,
    /// Sum of edge weights at each entity.
    entity_degree: Vec<f64>,
    /// Steps out of each node, passages first: for forward push.
    out: Csr<Step>,
}

impl PassageEntityGraph {
    /// Prepares the walks of a graph.
    ///
    /// # Errors
    ///
    /// [`GraphRagError::TooMany`] when 32 bits cannot number the edges.
    pub fn new(graph: &TriGraph) -> Result<Self, GraphRagError> {
        let (passages, entities) = (graph.passages(), graph.entities().len());
        let mut members: Vec<Vec<(u32, f64)>> = vec![Vec::new(); entities];
        let mut degree = vec![0.0; passages];
        for (passage, total) in degree.iter_mut().enumerate() {
            let place = id32(passage, "passages")?;
            for (entity, weight) in graph.entities_in(place) {
                members[*entity as usize].push((place, *weight));
                *total += weight;
            }
            *total += graph.adjacent.row(passage).len() as f64;
        }
        let entity_degree: Vec<f64> = members
            .iter()
            .map(|m| m.iter().map(|(_, w)| w).sum())
            .collect();
        let mut built = Self {
            passages,
            entities,
            isolated: degree.iter().map(|d| *d == 0.0).collect(),
            leaf_share: vec![0.0; passages],
            ..Self::default()
        };
        let (mut into_entity, mut into_passage) = (Vec::new(), vec![Vec::new(); passages]);
        for (entity, row) in members.iter().enumerate() {
            if let [(passage, weight)] = row.as_slice() {
                let probability = weight / degree[*passage as usize];
                built.homes.push(Home::Leaf(*passage));
                built.leaf_share[*passage as usize] += probability;
                continue;
            }
            let place = id32(built.shared, "entities")?;
            built.homes.push(Home::Shared(place));
            built.shared += 1;
            let from = |(passage, weight): &(u32, f64)| Step {
                node: *passage,
                probability: weight / degree[*passage as usize],
            };
            into_entity.push(row.iter().map(from).collect());
            for (passage, weight) in row {
                into_passage[*passage as usize].push(Step {
                    node: place,
                    probability: weight / entity_degree[entity],
                });
            }
        }
        built.into_entity = Flow::new(into_entity)?;
        built.into_passage = Flow::new(into_passage)?;
        built.into_passage_adjacent = built.adjacent_steps(graph, &degree)?;
        built.out = built.steps_out(graph, &members, &degree, &entity_degree)?;
        (built.degree, built.entity_degree) = (degree, entity_degree);
        Ok(built)
    }

    fn adjacent_steps(&self, graph: &TriGraph, degree: &[f64]) -> Result<Csr<Step>, GraphRagError> {
        let step = |from: &u32| Step {
            node: *from,
            probability: 1.0 / degree[*from as usize],
        };
        let rows = (0..self.passages).map(|p| graph.adjacent.row(p).iter().map(step).collect());
        Csr::from_rows(rows.collect(), "adjacencies")
    }

    fn steps_out(
        &self,
        graph: &TriGraph,
        members: &[Vec<(u32, f64)>],
        degree: &[f64],
        entity_degree: &[f64],
    ) -> Result<Csr<Step>, GraphRagError> {
        let first_entity = id32(self.passages, "nodes")?;
        let mut rows = Vec::with_capacity(self.passages + self.entities);
        for (passage, degree) in degree.iter().enumerate() {
            let entities = graph
                .entities_in(id32(passage, "passages")?)
                .iter()
                .map(|(e, w)| Step {
                    node: first_entity + e,
                    probability: w / degree,
                });
            let adjacent = graph.adjacent.row(passage).iter().map(|p| Step {
                node: *p,
                probability: 1.0 / degree,
            });
            rows.push(entities.chain(adjacent).collect());
        }
        for (row, degree) in members.iter().zip(entity_degree) {
            let step = |(p, w): &(u32, f64)| Step {
                node: *p,
                probability: w / degree,
            };
            rows.push(row.iter().map(step).collect());
        }
        Csr::from_rows(rows, "edges")
    }

    /// Scores of all passages, summing with the entities' to 1. Weights of the restart that are negative or not a number
    /// count as zero; without any, all scores are zero. Entities that are not named have weight zero; a repeated one adds up.
    #[must_use]
    pub fn passage_scores(
        &self,
        passages: &[f64],
        entities: &[(u32, f64)],
        config: &PprConfig,
        solver: Solver,
    ) -> Vec<f64> {
        let valid = |weight: f64| if weight > 0.0 { weight } else { 0.0 };
        let mut restart: Vec<f64> = passages.iter().copied().map(valid).collect();
        restart.resize(self.passages, 0.0);
        let entities: Vec<(u32, f64)> = entities
            .iter()
            .map(|(entity, weight)| (*entity, valid(*weight)))
            .filter(|(entity, _)| (*entity as usize) < self.entities)
            .collect();
        let total: f64 = restart.iter().sum::<f64>() + entities.iter().map(|(_, w)| w).sum::<f64>();
        if total <= 0.0 || !total.is_finite() {
            return vec![0.0; self.passages];
        }
        restart.iter_mut().for_each(|w| *w /= total);
        let entities: Vec<(u32, f64)> = entities.into_iter().map(|(e, w)| (e, w / total)).collect();
        let mut scores = match solver {
            Solver::PowerIteration => self.power_iteration(&restart, &entities, config),
            Solver::ForwardPush => self.forward_push(&restart, &entities, config),
        };
        // What reaches a dangling node starts again: the same as scaling what is left, whose sum is known.
        let lost: f64 = (0..self.passages)
            .filter(|p| self.isolated[*p])
            .map(|p| restart[p])
            .sum();
        let left = 1.0 - config.damping * lost;
        scores.iter_mut().for_each(|score| *score /= left);
        scores
    }

    fn power_iteration(
        &self,
        restart: &[f64],
        entities: &[(u32, f64)],
        config: &PprConfig,
    ) -> Vec<f64> {
        let d = config.damping;
        let stay = 1.0 - d;
        let mut base: Vec<f64> = restart.iter().map(|r| stay * r).collect();
        let mut entity_base = vec![0.0; self.shared];
        for (entity, weight) in entities {
            match self.homes.get(*entity as usize) {
                Some(Home::Shared(place)) => entity_base[*place as usize] += stay * weight,
                Some(Home::Leaf(passage)) => base[*passage as usize] += d * stay * weight,
                None => {}
            }
        }
        if self.into_passage_adjacent.items() == 0 {
            self.accelerated(&base, &entity_base, config)
        } else {
            self.alternating(&base, &entity_base, config)
        }
    }

    /// From the passages to the entities and back, once: what each passage would have next.
    fn there_and_back(
        &self,
        x: &[f64],
        y: &mut [f64],
        base: &[f64],
        entity_base: &[f64],
        d: f64,
        mut next: impl FnMut(usize, f64),
    ) {
        self.into_entity
            .each(x, |entity, flow| y[entity] = entity_base[entity] + d * flow);
        self.into_passage.each(y, |passage, flow| {
            next(
                passage,
                (base[passage] + d * flow) / (1.0 - d * d * self.leaf_share[passage]),
            );
        });
    }

    /// Chebyshev's semi-iteration. The largest residual over `1 - d²` bounds the error.
    fn accelerated(&self, base: &[f64], entity_base: &[f64], config: &PprConfig) -> Vec<f64> {
        let d = config.damping;
        let spread = d * d / (2.0 - d * d);
        let extrapolation = 2.0 / (2.0 - d * d);
        let enough = config.tolerance * (1.0 - d * d);
        let mut x = base.to_vec();
        let mut before = x.clone();
        let mut y = vec![0.0; entity_base.len()];
        let mut omega = 1.0;
        for round in 0..config.max_rounds {
            omega = match round {
                0 => 1.0,
                1 => 1.0 / (1.0 - spread * spread / 2.0),
                _ => 1.0 / (1.0 - spread * spread * omega / 4.0),
            };
            let mut residual = 0.0_f64;
            self.there_and_back(&x, &mut y, base, entity_base, d, |passage, next| {
                let change = next - x[passage];
                residual = residual.max(change.abs());
                let last = before[passage];
                before[passage] = omega * (extrapolation * change + x[passage] - last) + last;
            });
            std::mem::swap(&mut x, &mut before);
            if residual <= enough {
                break;
            }
        }
        x
    }

    /// Plain iteration that uses each new value at once.
    fn alternating(&self, base: &[f64], entity_base: &[f64], config: &PprConfig) -> Vec<f64> {
        let d = config.damping;
        let mut x = base.to_vec();
        let mut y = vec![0.0; entity_base.len()];
        let mut flows = vec![0.0; x.len()];
        // An update's size, over the node's degree, bounds the error that is left: the iteration contracts by `d` or
        // better in that norm. Degrees of passages are 1 to 3.
        let enough = config.tolerance * (1.0 - d) / d.max(f64::MIN_POSITIVE) / 3.0;
        for _ in 0..config.max_rounds {
            self.into_entity.each(&x, |entity, flow| {
                y[entity] = entity_base[entity] + d * flow
            });
            self.into_passage
                .each(&y, |passage, flow| flows[passage] = flow);
            let mut change = 0.0_f64;
            for passage in 0..self.passages {
                let beside = self.into_passage_adjacent.row(passage).iter();
                let beside: f64 = beside.map(|s| s.probability * x[s.node as usize]).sum();
                let new = (base[passage] + d * (flows[passage] + beside))
                    / (1.0 - d * d * self.leaf_share[passage]);
                change = change.max((new - x[passage]).abs());
                x[passage] = new;
            }
            if change <= enough {
                break;
            }
        }
        x
    }

    fn forward_push(
        &self,
        restart: &[f64],
        entities: &[(u32, f64)],
        config: &PprConfig,
    ) -> Vec<f64> {
        let (d, nodes) = (config.damping, self.passages + self.entities);
        let mut residual = restart.to_vec();
        residual.resize(nodes, 0.0);
        for (entity, weight) in entities {
            residual[self.passages + *entity as usize] += weight;
        }
        // A residual of `bound` times a node's degree everywhere leaves an error of `bound` times the degree.
        let bound = config.tolerance / 3.0;
        let limits: Vec<f64> = self
            .degree
            .iter()
            .chain(&self.entity_degree)
            .map(|degree| bound * degree)
            .collect();
        let mut queue: VecDeque<usize> = (0..nodes).filter(|n| residual[*n] > limits[*n]).collect();
        let mut queued: Vec<bool> = (0..nodes).map(|n| residual[n] > limits[n]).collect();
        let mut x = vec![0.0; nodes];
        let mut pushes = config.max_rounds.saturating_mul(nodes);
        while let Some(node) = queue.pop_front() {
            if pushes == 0 {
                break;
            }
            pushes -= 1;
            queued[node] = false;
            let mass = std::mem::take(&mut residual[node]);
            x[node] += (1.0 - d) * mass;
            for step in self.out.row(node) {
                let to = step.node as usize;
                residual[to] += d * step.probability * mass;
                if residual[to] > limits[to] && !queued[to] {
                    queued[to] = true;
                    queue.push_back(to);
                }
            }
        }
        x.truncate(self.passages);
        x
    }
}

#[cfg(test)]
mod tests;
