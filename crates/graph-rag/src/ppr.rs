//! Where does a walk that starts at the weighted nodes end up? (personalised PageRank)
//!
//! Solves `x = d (Pᵀx + dangling · r) + (1 - d) r` over the undirected graph of passages and entities by power iteration,
//! from the passages to the entities and back, with entities of a single passage eliminated exactly; where
//! passages have no edges to each other it is accelerated after Chebyshev (Golub and Varga 1961), as the eigenvalues of a
//! walk there and back lie between 0 and `d²`. Passage scores are within `tolerance` of the exact ones.
//!
//! It does not push (Andersen, Chung and Lang 2006): LinearRAG restarts at every passage, so there is no small frontier.
//! Push took 45 ms where this takes 2.4 (20,000 passages, the same tolerance), 14 ms at a tolerance 250 times as wide.

mod flow;

use crate::GraphRagError;
use crate::csr::{Csr, id32};
use crate::tri_graph::TriGraph;

use flow::{Flows, LEAST_SHARED_NODES, Number, Step};

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

/// Error of a walk in 32 bits a number, as a share of the largest score: each round rounds a score seven times by `2⁻²⁴` at
/// most, and what earlier rounds left shrinks by `d²`.
const NARROW_ERROR: f64 = 1e-6;

/// Where the walk finds an entity.
#[derive(Debug, Clone, Copy)]
enum Home {
    /// Among those that several passages mention, at this place.
    Shared(u32),
    /// In the passage of this place only, which every step leads back to.
    Leaf(u32),
}

/// The graph, ready for walks. The nodes of a walk have places of their own, by how many steps lead into them.
#[derive(Debug, Clone, Default)]
pub struct PassageEntityGraph {
    /// The place of each passage.
    places: Vec<u32>,
    /// Passages without an edge.
    isolated: Vec<u32>,
    /// How many entities more than one passage mentions.
    shared: usize,
    /// Where each entity is found.
    homes: Vec<Home>,
    /// For each place of a passage the probability of going to a leaf, which leads back with certainty.
    leaf_share: Vec<f64>,
    flows: Flows<f64>,
    /// The same in 32 bits, for large graphs.
    narrow: Option<Flows<f32>>,
    /// Steps into the passage of each place, from adjacent passages.
    into_passage_adjacent: Csr<Step>,
}

/// Where the row of each entity starts, and all rows.
type Members = (Vec<usize>, Vec<(u32, f64)>);

/// The passages that mention each entity, with the edge's weight: the passages' rows turned round.
fn members(graph: &TriGraph) -> Result<Members, GraphRagError> {
    let edges = graph.passage_entities.all();
    let mut starts = vec![0_usize; graph.entities().len() + 1];
    for (entity, _) in edges {
        starts[*entity as usize + 1] += 1;
    }
    for entity in 1..starts.len() {
        starts[entity] += starts[entity - 1];
    }
    let mut next = starts.clone();
    let mut members = vec![(0, 0.0); edges.len()];
    for passage in 0..graph.passages() {
        let place = id32(passage, "passages")?;
        for (entity, weight) in graph.entities_in(place) {
            members[next[*entity as usize]] = (place, *weight);
            next[*entity as usize] += 1;
        }
    }
    Ok((starts, members))
}

/// The numbers below `count` in order of their size, then of themselves.
fn by_size(count: usize, size: impl Fn(usize) -> usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|at| size(*at));
    order
}

impl PassageEntityGraph {
    /// Prepares the walks of a graph.
    ///
    /// # Errors
    ///
    /// [`GraphRagError::TooMany`] when 32 bits cannot number the edges.
    pub fn new(graph: &TriGraph) -> Result<Self, GraphRagError> {
        let (passages, entities) = (graph.passages(), graph.entities().len());
        let (starts, members) = members(graph)?;
        let row = |entity: usize| &members[starts[entity]..starts[entity + 1]];
        let weights = |passage: usize| graph.passage_entities.row(passage).iter();
        let degree: Vec<f64> = (0..passages)
            .map(|p| weights(p).map(|(_, w)| w).sum::<f64>() + graph.adjacent.row(p).len() as f64)
            .collect();
        let entity_degree: Vec<f64> = (0..entities)
            .map(|entity| row(entity).iter().map(|(_, w)| w).sum())
            .collect();
        let is_shared = |entity: usize| row(entity).len() != 1;
        let order = by_size(passages, |passage| {
            let shared = weights(passage).filter(|(e, _)| is_shared(*e as usize));
            shared.count()
        });
        let mut built = Self {
            places: vec![0; passages],
            homes: vec![Home::Leaf(0); entities],
            leaf_share: vec![0.0; passages],
            ..Self::default()
        };
        for (place, passage) in order.iter().enumerate() {
            built.places[*passage] = id32(place, "passages")?;
        }
        built.isolated = (0..passages)
            .filter(|p| degree[*p] == 0.0)
            .map(|p| id32(p, "passages"))
            .collect::<Result<_, _>>()?;
        for entity in by_size(entities, |entity| row(entity).len()) {
            built.add_entity(entity, row(entity), &degree)?;
        }
        for passage in &order {
            let steps = weights(*passage).filter_map(|(entity, weight)| {
                let Home::Shared(node) = built.homes[*entity as usize] else {
                    return None;
                };
                Some(Step {
                    node,
                    probability: weight / entity_degree[*entity as usize],
                })
            });
            built.flows.into_passage.push(steps)?;
        }
        built.flows.into_entity.part();
        built.flows.into_passage.part();
        built.into_passage_adjacent = built.adjacent_steps(graph, &order, &degree)?;
        built.narrow = (passages >= LEAST_SHARED_NODES).then(|| built.flows.narrow());
        Ok(built)
    }

    /// Gives an entity its home, and the steps into it where it is shared.
    fn add_entity(
        &mut self,
        entity: usize,
        row: &[(u32, f64)],
        degree: &[f64],
    ) -> Result<(), GraphRagError> {
        let step = |(passage, weight): &(u32, f64)| Step {
            node: self.places[*passage as usize],
            probability: weight / degree[*passage as usize],
        };
        if let [only] = row {
            let Step { node, probability } = step(only);
            self.homes[entity] = Home::Leaf(node);
            self.leaf_share[node as usize] += probability;
            return Ok(());
        }
        self.homes[entity] = Home::Shared(id32(self.shared, "entities")?);
        self.shared += 1;
        self.flows.into_entity.push(row.iter().map(step))
    }

    /// Walks in 32 bits, as large graphs are.
    #[cfg(test)]
    pub(crate) fn narrowed(mut self) -> Self {
        self.narrow = Some(self.flows.narrow());
        self
    }

    fn adjacent_steps(
        &self,
        graph: &TriGraph,
        order: &[usize],
        degree: &[f64],
    ) -> Result<Csr<Step>, GraphRagError> {
        let step = |from: &u32| Step {
            node: self.places[*from as usize],
            probability: 1.0 / degree[*from as usize],
        };
        let rows = order
            .iter()
            .map(|p| graph.adjacent.row(*p).iter().map(step).collect());
        Csr::from_rows(rows.collect(), "adjacencies")
    }

    /// What all weights of a restart are together; those that are negative or not a number count as zero.
    #[must_use]
    pub fn total(passages: &[f64], entities: &[(u32, f64)]) -> f64 {
        let all = passages.iter().chain(entities.iter().map(|(_, w)| w));
        all.filter(|w| **w > 0.0).sum()
    }

    /// How much of its share of the restart a passage has at least in the end: what leaves it for entities of its own comes
    /// back.
    #[must_use]
    pub fn own_share(&self, passage: u32, config: &PprConfig) -> f64 {
        let place = self.places.get(passage as usize);
        let leaf = place.map_or(0.0, |place| self.leaf_share[*place as usize]);
        (1.0 - config.damping) / (1.0 - config.damping.powi(2) * leaf)
    }

    /// The most that a passage has of what all passages get alike.
    #[must_use]
    pub fn most_own_share(&self, config: &PprConfig) -> f64 {
        (1.0 - config.damping) / (1.0 - config.damping.powi(2))
    }

    /// Scores of all passages, summing with the entities' to 1. Weights of the restart that are negative or not a number
    /// count as zero; without any, all scores are zero. Entities that are not named have weight zero; a repeated one adds up.
    #[must_use]
    pub fn passage_scores(
        &self,
        passages: &[f64],
        entities: &[(u32, f64)],
        config: &PprConfig,
    ) -> Vec<f64> {
        let valid = |weight: f64| if weight > 0.0 { weight } else { 0.0 };
        let entities = || {
            let known = entities
                .iter()
                .filter(|(e, _)| (*e as usize) < self.homes.len());
            known.map(|(entity, weight)| (*entity, valid(*weight)))
        };
        let weights = || {
            self.places
                .iter()
                .zip(passages)
                .map(|(at, w)| (*at, valid(*w)))
        };
        let total: f64 =
            weights().map(|(_, w)| w).sum::<f64>() + entities().map(|(_, w)| w).sum::<f64>();
        if total <= 0.0 || !total.is_finite() {
            return vec![0.0; self.places.len()];
        }
        let (d, share) = (config.damping, (1.0 - config.damping) / total);
        let mut base = vec![0.0; self.places.len()];
        for (place, weight) in weights() {
            base[place as usize] = share * weight;
        }
        let mut entity_base = vec![0.0; self.shared];
        for (entity, weight) in entities() {
            match self.homes.get(entity as usize) {
                Some(Home::Shared(place)) => entity_base[*place as usize] += share * weight,
                Some(Home::Leaf(place)) => base[*place as usize] += d * share * weight,
                None => {}
            }
        }
        let scores = self.power_iteration(&base, &entity_base, config);
        // What reaches a dangling node starts again: the same as scaling what is left, whose sum is known.
        let lost = self
            .isolated
            .iter()
            .filter_map(|p| passages.get(*p as usize));
        let left = 1.0 - d * lost.map(|w| valid(*w)).sum::<f64>() / total;
        let placed = self.places.iter();
        placed.map(|place| scores[*place as usize] / left).collect()
    }

    fn power_iteration(&self, base: &[f64], entity_base: &[f64], config: &PprConfig) -> Vec<f64> {
        if self.into_passage_adjacent.items() > 0 {
            return self.alternating(base, entity_base, config);
        }
        // Scores of a large graph are small, as is what 32 bits lose of them; where one is not, it is walked again.
        let narrow = self.narrow.as_ref();
        let scores = narrow.map(|flows| self.accelerated(flows, base, entity_base, config));
        let most = |scores: &[f64]| scores.iter().copied().fold(0.0, f64::max);
        match scores.filter(|scores| NARROW_ERROR * most(scores) <= config.tolerance / 2.0) {
            Some(scores) => scores,
            None => self.accelerated(&self.flows, base, entity_base, config),
        }
    }

    /// Chebyshev's semi-iteration. The largest residual over `1 - d²` bounds the error.
    fn accelerated<N: Number>(
        &self,
        flows: &Flows<N>,
        base: &[f64],
        entity_base: &[f64],
        config: &PprConfig,
    ) -> Vec<f64> {
        let d = config.damping;
        let spread = d * d / (2.0 - d * d);
        let extrapolation = 2.0 / (2.0 - d * d);
        let enough = config.tolerance * (1.0 - d * d) / 2.0;
        let mut x: Vec<N> = base.iter().copied().map(N::of).collect();
        let mut before = x.clone();
        let mut y = vec![N::default(); entity_base.len()];
        let mut omega = 1.0;
        for round in 0..config.max_rounds {
            omega = match round {
                0 => 1.0,
                1 => 1.0 / (1.0 - spread * spread / 2.0),
                _ => 1.0 / (1.0 - spread * spread * omega / 4.0),
            };
            flows.to_entities(&x, &mut y, entity_base, d);
            let residuals = flows.into_passage.fill(&mut before, |first, slots| {
                let mut residual = 0.0_f64;
                flows
                    .into_passage
                    .each(&y, first, slots, |passage, flow, slot| {
                        let next =
                            (base[passage] + d * flow) / (1.0 - d * d * self.leaf_share[passage]);
                        let (now, last) = (x[passage].wide(), slot.wide());
                        let change = next - now;
                        residual = residual.max(change.abs());
                        *slot = N::of(omega * (extrapolation * change + now - last) + last);
                    });
                residual
            });
            std::mem::swap(&mut x, &mut before);
            if residuals.into_iter().fold(0.0, f64::max) <= enough {
                break;
            }
        }
        x.into_iter().map(N::wide).collect()
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
            self.flows.to_entities(&x, &mut y, entity_base, d);
            self.flows
                .into_passage
                .each(&y, 0, &mut flows, |_, flow, slot| *slot = flow);
            let mut change = 0.0_f64;
            for passage in 0..x.len() {
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
}

#[cfg(test)]
mod tests;
