//! What does one policy make of one workload?

use std::collections::{BTreeSet, VecDeque};

use memory::replacement::{Decision, Offer, Replacement, Room, Scope, Step};
use memory::{ExperienceId, Timestamp, Ulid};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::conditions::Conditions;
use crate::workload::{Query, Workload, dot};

/// Neighbours of a newcomer that are told in order.
const NEAREST_IN_ORDER: usize = 5;

/// Items that a question gets.
pub const RETRIEVED: usize = 3;

/// What came of a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outcome {
    /// For each scored question, whether something relevant was retrieved.
    pub hits: Vec<bool>,
    /// Relevant items retrieved, over all scored questions.
    pub relevant_retrieved: u64,
    /// Items retrieved, over all scored questions.
    pub retrieved: u64,
    /// Items offered.
    pub offered: u64,
    /// Items that entered.
    pub admitted: u64,
    /// Items that left for another.
    pub evicted: u64,
    /// Items stored at the end.
    pub stored: usize,
}

impl Outcome {
    /// Share of scored questions with a hit, in [0, 1].
    #[must_use]
    pub fn hit_rate(&self) -> f64 {
        share(
            self.hits.iter().filter(|hit| **hit).count(),
            self.hits.len(),
        )
    }

    /// Share of what was retrieved that is relevant, in [0, 1].
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    pub fn precision(&self) -> f64 {
        self.relevant_retrieved as f64 / self.retrieved.max(1) as f64
    }

    /// Share of offers that changed the store, in [0, 1].
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    pub fn modification_rate(&self) -> f64 {
        self.admitted as f64 / self.offered.max(1) as f64
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
pub(crate) fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}

fn id(item: u32) -> ExperienceId {
    ExperienceId(Ulid(u128::from(item)))
}

fn place(id: ExperienceId) -> u32 {
    u32::try_from(id.0.0).unwrap_or(u32::MAX)
}

/// Hears, for each scored question, its place and the places of the items retrieved, most similar first.
pub type Observer<'o> = dyn FnMut(u32, &[u32]) + 'o;

struct Run<'w, 'o> {
    observer: &'o mut Observer<'o>,
    workload: &'w Workload,
    policy: Replacement,
    capacity: usize,
    rng: ChaCha8Rng,
    noise: ChaCha8Rng,
    conditions: Conditions,
    /// In order of entry.
    stored: Vec<u32>,
    is_stored: Vec<bool>,
    ghosts: Vec<u32>,
    pinned: BTreeSet<ExperienceId>,
    late: VecDeque<Late>,
    found: Vec<(ExperienceId, f32)>,
    haunting: Vec<(ExperienceId, f32)>,
    nearest: Vec<(ExperienceId, f32)>,
    outcome: Outcome,
}

struct Late {
    due: usize,
    retrieved: Vec<(ExperienceId, f32)>,
    quality: f64,
}

/// Runs a policy over a workload. The seed is that of the policy's random numbers and of what goes wrong with verdicts.
#[must_use]
pub fn run(
    workload: &Workload,
    policy: Replacement,
    capacity: usize,
    seed: u64,
    conditions: Conditions,
) -> Outcome {
    run_observed(workload, policy, capacity, seed, conditions, &mut |_, _| {})
}

/// As [`run`], and tells the observer what each scored question retrieved.
#[must_use]
pub fn run_observed<'o>(
    workload: &Workload,
    policy: Replacement,
    capacity: usize,
    seed: u64,
    conditions: Conditions,
    observer: &'o mut Observer<'o>,
) -> Outcome {
    let mut run = Run {
        observer,
        workload,
        policy,
        capacity,
        rng: ChaCha8Rng::seed_from_u64(seed),
        noise: ChaCha8Rng::seed_from_u64(seed ^ 0x5eed),
        conditions,
        stored: Vec::with_capacity(capacity.min(workload.items.len())),
        is_stored: vec![false; workload.items.len()],
        ghosts: Vec::new(),
        pinned: BTreeSet::new(),
        late: VecDeque::new(),
        found: Vec::new(),
        haunting: Vec::new(),
        nearest: Vec::new(),
        outcome: Outcome::default(),
    };
    for item in &workload.prefill {
        run.step(0, None, Some(*item));
    }
    for (at, step) in workload.stream.iter().enumerate() {
        run.step(at, step.query, step.item);
    }
    run.outcome.stored = run.stored.len();
    run.outcome
}

/// The most similar of `items`, most similar first; of equals, the first.
fn top(
    items: &[u32],
    similarity: impl Fn(u32) -> f32,
    count: usize,
    into: &mut Vec<(ExperienceId, f32)>,
) {
    into.clear();
    for item in items {
        let similarity = similarity(*item);
        if into.len() == count && into.last().is_some_and(|(_, least)| similarity <= *least) {
            continue;
        }
        let at = into
            .iter()
            .position(|(_, other)| similarity > *other)
            .unwrap_or(into.len());
        into.truncate(count.saturating_sub(1).max(at));
        into.insert(at, (id(*item), similarity));
        into.truncate(count);
    }
}

impl Run<'_, '_> {
    fn step(&mut self, at: usize, query: Option<u32>, item: Option<u32>) {
        self.deliver(at);
        self.found.clear();
        self.haunting.clear();
        let mut quality = None;
        if let Some(query) = query {
            self.retrieve(query as usize);
            quality = self.verdict(at, query as usize);
        }
        self.consider(at, item, quality);
        self.give_up_ghosts();
    }

    fn retrieve(&mut self, query: usize) {
        let asked = &self.workload.queries[query];
        let row = self.workload.question_row(query);
        let similarity = |item: u32| match row {
            Some(row) => row[item as usize],
            None => dot(&asked.vector, &self.workload.items[item as usize]),
        };
        top(&self.stored, similarity, RETRIEVED, &mut self.found);
        if self.policy.wants_ghosts() {
            top(&self.ghosts, similarity, 1, &mut self.haunting);
        }
    }

    /// Scores the question and says what the policy hears of it now.
    fn verdict(&mut self, at: usize, query: usize) -> Option<f64> {
        let relevant = self.relevant_found(&self.workload.queries[query]);
        if at >= self.workload.warmup {
            self.outcome.hits.push(relevant > 0);
            self.outcome.relevant_retrieved += relevant;
            self.outcome.retrieved += self.found.len() as u64;
            let mut places = [0; RETRIEVED];
            for (at, (id, _)) in self.found.iter().enumerate() {
                places[at] = place(*id);
            }
            let query = u32::try_from(query).unwrap_or(u32::MAX);
            (self.observer)(query, &places[..self.found.len()]);
        }
        let mut good = relevant > 0;
        if self.conditions.wrong > 0.0 && self.noise.random_bool(self.conditions.wrong) {
            good = !good;
        }
        if self.conditions.missing > 0.0 && self.noise.random_bool(self.conditions.missing) {
            return None;
        }
        let quality = f64::from(u8::from(good));
        if self.conditions.delay == 0 {
            return Some(quality);
        }
        self.late.push_back(Late {
            due: at + self.conditions.delay,
            retrieved: self.found.clone(),
            quality,
        });
        None
    }

    fn relevant_found(&self, query: &Query) -> u64 {
        let hits = self
            .found
            .iter()
            .filter(|(id, _)| query.relevant.binary_search(&place(*id)).is_ok());
        hits.count() as u64
    }

    fn deliver(&mut self, at: usize) {
        while self.late.front().is_some_and(|late| late.due <= at) {
            let Some(late) = self.late.pop_front() else {
                return;
            };
            let step = Step {
                now: Timestamp(at as u64),
                retrieved: &late.retrieved,
                ghosts: &[],
                quality: Some(late.quality),
            };
            self.policy.judged(&step, None);
        }
    }

    fn consider(&mut self, at: usize, item: Option<u32>, quality: Option<f64>) {
        if let Some(item) = item
            && self.policy.wants_all_neighbours()
        {
            self.neighbours(item);
        }
        let step = Step {
            now: Timestamp(at as u64),
            retrieved: &self.found,
            ghosts: &self.haunting,
            quality,
        };
        let Some(item) = item else {
            self.policy.step(&step, None, &mut self.rng);
            return;
        };
        let room = if self.is_stored[item as usize] {
            Room::Present
        } else if self.stored.len() < self.capacity {
            Room::Free
        } else {
            Room::Full(Scope::Anywhere {
                pinned: &self.pinned,
            })
        };
        let offer = Offer {
            id: id(item),
            nearest: &self.nearest,
            room,
            stored: self.stored.len(),
        };
        self.outcome.offered += 1;
        let decision = self.policy.step(&step, Some(&offer), &mut self.rng);
        match decision {
            Some(Decision::Admit { evict }) => self.admit(item, evict.map(place)),
            Some(Decision::Reject) | None => self.note_ghost(item),
        }
    }

    fn admit(&mut self, item: u32, evict: Option<u32>) {
        if let Some(evict) = evict {
            self.stored.retain(|other| *other != evict);
            self.is_stored[evict as usize] = false;
            self.outcome.evicted += 1;
            self.note_ghost(evict);
        }
        self.stored.push(item);
        self.is_stored[item as usize] = true;
        self.outcome.admitted += 1;
    }

    fn note_ghost(&mut self, item: u32) {
        if self.policy.wants_ghosts()
            && self.policy.is_ghost(id(item))
            && !self.ghosts.contains(&item)
        {
            self.ghosts.push(item);
        }
    }

    fn give_up_ghosts(&mut self) {
        if self.policy.wants_ghosts() {
            for gone in self.policy.take_dropped_ghosts() {
                if !self.policy.is_ghost(gone) {
                    self.ghosts.retain(|item| *item != place(gone));
                }
            }
        }
    }

    fn neighbours(&mut self, item: u32) {
        let row = self.workload.item_row(item as usize);
        let vector = &self.workload.items[item as usize];
        self.nearest.clear();
        self.nearest.extend(self.stored.iter().map(|other| {
            let similarity = match row {
                Some(row) => row[*other as usize],
                None => dot(vector, &self.workload.items[*other as usize]),
            };
            (id(*other), similarity)
        }));
        let nearer = |a: &(ExperienceId, f32), b: &(ExperienceId, f32)| b.1.total_cmp(&a.1);
        if self.nearest.len() > NEAREST_IN_ORDER {
            self.nearest
                .select_nth_unstable_by(NEAREST_IN_ORDER - 1, nearer);
        }
        let ordered = self.nearest.len().min(NEAREST_IN_ORDER);
        self.nearest[..ordered].sort_by(nearer);
    }
}
