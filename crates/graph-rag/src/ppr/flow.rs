//! What flows into each node of a walk, in one pass over the edges?

use crate::GraphRagError;
use crate::csr::id32;
use crate::parallel::fill;

/// Graphs of fewer passages and shared entities are walked by one thread, and in 64 bits a number.
pub(super) const LEAST_SHARED_NODES: usize = 16_384;

/// How numbers are kept during a walk. Sums are made in 64 bits whatever it is.
pub(super) trait Number: Copy + Default + Send + Sync {
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

/// Steps into nodes, kept apart from their probabilities: less to read than pairs.
#[derive(Debug, Clone, Default)]
pub(super) struct Flow<N> {
    ends: Vec<u32>,
    from: Vec<u32>,
    probabilities: Vec<N>,
}

impl<N: Number> Flow<N> {
    pub(super) fn push(&mut self, steps: impl Iterator<Item = Step>) -> Result<(), GraphRagError> {
        for step in steps {
            self.from.push(step.node);
            self.probabilities.push(N::of(step.probability));
        }
        self.ends.push(id32(self.from.len(), "edges")?);
        Ok(())
    }

    /// What flows into the nodes from `first` on, as many as there are slots, given to `visit` with the slot.
    pub(super) fn each<T>(
        &self,
        source: &[N],
        first: usize,
        slots: &mut [T],
        mut visit: impl FnMut(usize, f64, &mut T),
    ) {
        let mut start = first
            .checked_sub(1)
            .map_or(0, |before| self.ends[before] as usize);
        for ((node, end), slot) in self.ends.iter().enumerate().skip(first).zip(slots) {
            let end = *end as usize;
            let steps = self.from[start..end]
                .iter()
                .zip(&self.probabilities[start..end]);
            let flow = steps
                .map(|(from, p)| p.wide() * source[*from as usize].wide())
                .sum();
            visit(node, flow, slot);
            start = end;
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
            ends: flow.ends.clone(),
            from: flow.from.clone(),
            probabilities: flow.probabilities.iter().copied().map(f32::of).collect(),
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
        fill(y, LEAST_SHARED_NODES, |first, slots| {
            self.into_entity
                .each(x, first, slots, |entity, flow, slot| {
                    *slot = N::of(base[entity] + d * flow);
                });
        });
    }
}
