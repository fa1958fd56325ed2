//! What flows into each node of a walk, in one pass over the edges?
//!
//! Nodes are in order of how many steps lead into them, so that each stretch of equally many is gone through without a
//! guess where a node's steps end: less than half of the time.

use std::ops::Mul;

use crate::GraphRagError;
use crate::csr::id32;
use crate::parallel::{fill_between, threads};

/// Graphs of fewer passages and shared entities are walked by one thread, and in 64 bits a number.
pub(super) const LEAST_SHARED_NODES: usize = 16_384;

/// Sums that are made side by side for a node of many steps.
const LANES: usize = 4;

/// How numbers are kept during a walk. Sums are made in 64 bits whatever it is.
pub(super) trait Number: Copy + Default + Send + Sync + Mul<Output = Self> {
    fn of(value: f64) -> Self;
    fn wide(self) -> f64;
}

impl Number for f64 {
    fn of(value: f64) -> Self {
        value
    }
    fn wide(self) -> f64 {
        self
    }
}

impl Number for f32 {
    fn of(value: f64) -> Self {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "what is lost is bounded by NARROW_ERROR"
        )]
        let narrow = value as Self;
        narrow
    }
    fn wide(self) -> f64 {
        f64::from(self)
    }
}

/// An edge with the probability of walking it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    pub(super) node: u32,
    pub(super) probability: f64,
}

/// Nodes with equally many steps, one behind the other.
#[derive(Debug, Clone, Copy)]
struct Stretch {
    steps: usize,
    first_node: usize,
    first_edge: usize,
    nodes: usize,
}

/// Steps into nodes, kept apart from their probabilities: less to read than pairs.
#[derive(Debug, Clone, Default)]
pub(super) struct Flow<N> {
    stretches: Vec<Stretch>,
    nodes: usize,
    from: Vec<u32>,
    probabilities: Vec<N>,
    /// Where the nodes are parted for threads, with about as many edges in each part.
    parts: Vec<usize>,
}

impl<N: Number> Flow<N> {
    /// Adds a node, which may have no fewer steps than the one before for the walk to be fast.
    pub(super) fn push(&mut self, steps: impl Iterator<Item = Step>) -> Result<(), GraphRagError> {
        let first_edge = self.from.len();
        for step in steps {
            self.from.push(step.node);
            self.probabilities.push(N::of(step.probability));
        }
        id32(self.from.len(), "edges")?;
        let steps = self.from.len() - first_edge;
        match self.stretches.last_mut() {
            Some(stretch) if stretch.steps == steps => stretch.nodes += 1,
            Some(_) | None => self.stretches.push(Stretch {
                steps,
                first_node: self.nodes,
                first_edge,
                nodes: 1,
            }),
        }
        self.nodes += 1;
        Ok(())
    }

    /// Parts the nodes for threads, once all are there.
    pub(super) fn part(&mut self) {
        self.parts.clear();
        if self.nodes < LEAST_SHARED_NODES {
            return;
        }
        // A node costs about as much as a step besides its own.
        let all = self.from.len() + self.nodes;
        let mut before = 0;
        for stretch in &self.stretches {
            let each = stretch.steps + 1;
            let after = before + stretch.nodes * each;
            while self.parts.len() + 1 < threads() {
                let wanted = all * (self.parts.len() + 1) / threads();
                if wanted > after {
                    break;
                }
                let within = wanted.saturating_sub(before) / each;
                self.parts.push(stretch.first_node + within);
            }
            before = after;
        }
    }

    /// Fills a list of all nodes by runs, on all processors where there are many.
    pub(super) fn fill<T: Send, R: Send>(
        &self,
        list: &mut [T],
        fill: impl Fn(usize, &mut [T]) -> R + Sync,
    ) -> Vec<R> {
        if self.parts.is_empty() {
            return vec![fill(0, list)];
        }
        fill_between(list, &self.parts, fill)
    }

    /// What flows into the nodes from `first` on, as many as there are slots, given to `visit` with the slot.
    pub(super) fn each<T>(
        &self,
        source: &[N],
        first: usize,
        slots: &mut [T],
        mut visit: impl FnMut(usize, f64, &mut T),
    ) {
        let (mut node, mut rest) = (first, slots);
        let begun = self
            .stretches
            .partition_point(|s| s.first_node + s.nodes <= first);
        for stretch in &self.stretches[begun..] {
            if rest.is_empty() {
                return;
            }
            let within = node - stretch.first_node;
            let count = (stretch.nodes - within).min(rest.len());
            let (now, later) = rest.split_at_mut(count);
            let start = stretch.first_edge + within * stretch.steps;
            let edges = start..start + count * stretch.steps;
            let steps = Steps {
                from: &self.from[edges.clone()],
                probabilities: &self.probabilities[edges],
                source,
            };
            match stretch.steps {
                0 => now
                    .iter_mut()
                    .zip(node..)
                    .for_each(|(slot, node)| visit(node, 0.0, slot)),
                1 => steps.few::<1, T>(node, now, &mut visit),
                2 => steps.few::<2, T>(node, now, &mut visit),
                3 => steps.few::<3, T>(node, now, &mut visit),
                4 => steps.few::<4, T>(node, now, &mut visit),
                5 => steps.few::<5, T>(node, now, &mut visit),
                6 => steps.few::<6, T>(node, now, &mut visit),
                7 => steps.few::<7, T>(node, now, &mut visit),
                8 => steps.few::<8, T>(node, now, &mut visit),
                9 => steps.few::<9, T>(node, now, &mut visit),
                10 => steps.few::<10, T>(node, now, &mut visit),
                11 => steps.few::<11, T>(node, now, &mut visit),
                12 => steps.few::<12, T>(node, now, &mut visit),
                many => steps.many(many, node, now, &mut visit),
            }
            (node, rest) = (node + count, later);
        }
    }
}

/// The steps into a run of nodes with equally many.
struct Steps<'f, N> {
    from: &'f [u32],
    probabilities: &'f [N],
    source: &'f [N],
}

impl<N: Number> Steps<'_, N> {
    fn flow(&self, from: u32, probability: N) -> f64 {
        (probability * self.source[from as usize]).wide()
    }

    fn few<const STEPS: usize, T>(
        &self,
        first: usize,
        slots: &mut [T],
        visit: &mut impl FnMut(usize, f64, &mut T),
    ) {
        let from = self.from.as_chunks::<STEPS>().0;
        let probabilities = self.probabilities.as_chunks::<STEPS>().0;
        let rows = from.iter().zip(probabilities).zip(first..);
        for (((from, probabilities), node), slot) in rows.zip(slots) {
            let mut flow = 0.0;
            for step in 0..STEPS {
                flow += self.flow(from[step], probabilities[step]);
            }
            visit(node, flow, slot);
        }
    }

    fn many<T>(
        &self,
        steps: usize,
        first: usize,
        slots: &mut [T],
        visit: &mut impl FnMut(usize, f64, &mut T),
    ) {
        let rows = self
            .from
            .chunks_exact(steps)
            .zip(self.probabilities.chunks_exact(steps));
        for (((from, probabilities), node), slot) in rows.zip(first..).zip(slots) {
            let (from, last_from) = from.as_chunks::<LANES>();
            let (probabilities, last) = probabilities.as_chunks::<LANES>();
            let mut sums = [0.0; LANES];
            for (from, probabilities) in from.iter().zip(probabilities) {
                for lane in 0..LANES {
                    sums[lane] += self.flow(from[lane], probabilities[lane]);
                }
            }
            let last = last_from.iter().zip(last).map(|(f, p)| self.flow(*f, *p));
            visit(node, sums.iter().sum::<f64>() + last.sum::<f64>(), slot);
        }
    }
}

/// The steps of a walk between passages and shared entities.
#[derive(Debug, Clone, Default)]
pub(super) struct Flows<N> {
    /// Into each shared entity, from passages.
    pub(super) into_entity: Flow<N>,
    /// Into each passage, from places among the shared entities.
    pub(super) into_passage: Flow<N>,
}

impl Flows<f64> {
    pub(super) fn narrow(&self) -> Flows<f32> {
        let narrow = |flow: &Flow<f64>| Flow {
            stretches: flow.stretches.clone(),
            nodes: flow.nodes,
            from: flow.from.clone(),
            probabilities: flow.probabilities.iter().copied().map(f32::of).collect(),
            parts: flow.parts.clone(),
        };
        Flows {
            into_entity: narrow(&self.into_entity),
            into_passage: narrow(&self.into_passage),
        }
    }
}

impl<N: Number> Flows<N> {
    /// From the passages to the entities: what each shared entity has.
    pub(super) fn to_entities(&self, x: &[N], y: &mut [N], base: &[f64], d: f64) {
        self.into_entity.fill(y, |first, slots| {
            self.into_entity
                .each(x, first, slots, |entity, flow, slot| {
                    *slot = N::of(base[entity] + d * flow);
                });
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Enough nodes for threads, with none to thirty steps each, fewest first.
    fn rows() -> Vec<Vec<Step>> {
        let step = |node: usize, n: usize| Step {
            node: u32::try_from((node * 31 + n * 7) % 1_000).unwrap(),
            probability: 1.0 / (n as f64 + 1.0),
        };
        let count = LEAST_SHARED_NODES + 500;
        (0..count)
            .map(|node| (0..node * 31 / count).map(|n| step(node, n)).collect())
            .collect()
    }

    #[test]
    fn every_node_gets_what_its_steps_bring_however_the_list_is_parted() {
        let rows = rows();
        let mut flow = Flow::<f64>::default();
        for row in &rows {
            flow.push(row.iter().copied()).unwrap();
        }
        flow.part();
        assert!(flow.parts.is_sorted() && flow.parts.len() < threads());
        let source: Vec<f64> = (0..1_000).map(f64::from).collect();
        let naive = |row: &Vec<Step>| {
            let steps = row.iter();
            steps
                .map(|s| s.probability * source[s.node as usize])
                .sum::<f64>()
        };
        let wanted: Vec<f64> = rows.iter().map(naive).collect();
        let close = |got: &[f64]| {
            got.iter()
                .zip(&wanted)
                .all(|(a, b)| (a - b).abs() <= 1e-9 * b.abs())
        };
        let mut at_once = vec![-1.0; rows.len()];
        flow.fill(&mut at_once, |first, slots| {
            flow.each(&source, first, slots, |_, flow, slot| *slot = flow);
        });
        assert!(close(&at_once));
        let mut parted = vec![-1.0; rows.len()];
        for (number, slots) in parted.chunks_mut(777).enumerate() {
            flow.each(&source, number * 777, slots, |node, flow, slot| {
                assert!(node >= number * 777);
                *slot = flow;
            });
        }
        assert_eq!(parted, at_once);
    }
}
