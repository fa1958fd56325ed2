//! Least expected usefulness leaves, and only what was missing enters. The default policy, ours.
//!
//! # The model
//!
//! Each item *i* answers questions of its own kind. While it is **alive** they come as a Poisson process of rate λᵢ; at some
//! point it **dies** (the topic is over) and no more come. What a cache wants is the largest sum of expected uses, so an item is
//! worth the expected rate of its next uses,
//!
//! > value = P(alive) · E\[λ | what was seen\].
//!
//! This is the "buy till you die" model of customers (Schmittlein, Morrison and Colombo 1987), with questions for purchases.
//! Time is counted in questions of the namespace, so a quiet night ages nothing.
//!
//! **Rate.** λ has a Gamma(1, g) prior: mean 1/g, where g is the common gap between two uses. After `uses` in `age` questions its
//! posterior is Gamma(1 + uses, g + age), with mean
//!
//! > rate = (uses + 1) / (age + g).
//!
//! g is estimated empirically: an exponential mean (weight 0.1) of the logarithms of all gaps observed, of stored items and of
//! ghosts. Before the first return it is taken to be a hundred capacities, which makes all items equal and the cache keep what
//! it has.
//!
//! **P(alive).** The posterior gap of an item is 1/rate, at most 4g (else one that was never used could not die). One that is
//! idle for less is merely between two uses and counts as alive. Overdue, its chance falls by e for each two gaps more,
//!
//! > P(alive) = exp(−max(0, idle − gap) / (2·gap)),
//!
//! a one-parameter form of the model's logistic in the overdue time. This is what recency gets wrong (it punishes who waits for
//! its turn, hence 0 on cycling) and what frequency gets wrong (it never buries the dead, hence 0.37 on drift).
//!
//! **Who is credited.** Of the retrieved that would each have served, one is credited: the one that served most so far. The
//! marginal usefulness of an item beside another that does the same is nothing, so the redundant one stays unproven and leaves.
//!
//! # Who enters
//!
//! Free until full. Whoever enters on a success is redundant with what served: nobody missed it, so it starts unproven, and is
//! the first to leave when something is missing. Afterwards nothing enters on a success: the memory had what was needed. On a
//! failure the newcomer is what was missing. It has been asked for once, so it starts with one use; if a **ghost** (an item refused or evicted, of which the
//! numbers and the vector are kept, never served) would have answered, it takes over the ghost's life with one use more. It
//! enters if it is worth more than `margin` = 3 times the weakest, who becomes a ghost; else it becomes one itself. Why a
//! margin: right after its question a newcomer's rate, 2/g, is an overestimate by selection, twice the prior's 1/g, so that 2
//! would be no more than fair; the rest is for the error of g. Without it (margin 1) cycling falls from the optimum to nearly
//! 0; with 2 it still does where the period is ten times the cache.
//!
//! An offer without a question has no failure to justify it, and none to be refused for. It enters unproven and the weakest
//! leaves, which among the unproven is the oldest: first in, first out. What nobody missed may never be asked for, so
//! the value of the unproven is multiplied by the share of such items that were used at all, (used + 1) / (entered + 2), at least a
//! half: else a handful of new notes would drive out one that serves every day.
//!
//! # What is a failure
//!
//! A verdict may be wrong, late or missing. Whether the memory helped is therefore a latent variable with two witnesses, the
//! verdict and the similarity of the best retrieved, taken to be independent given the truth (Dawid and Skene 1979):
//!
//! > log odds = log(π/(1−π)) + log N(s; μ₁,σ₁)/N(s; μ₀,σ₀) ± log(a/(1−a)).
//!
//! The means and spreads of similarity and the judge's accuracy a (at least 0.7) are learned online by
//! expectation-maximisation, over about the last 200 questions, with fixed pseudo-observations; π is the share of good verdicts.
//! The middle term counts only as far as similarities differ by the judge's own words: where they do not tell successes
//! from failures, the verdict decides alone; where a judge often contradicts a similarity that does, similarity prevails. A
//! late verdict corrects the credit that was given without it.
//!
//! # Cost
//!
//! A decision looks at every life up to 256 items; beyond, at the 64 weakest of a full look that serves 32 decisions, which is
//! K/32 values a decision. Everything else is logarithmic. Ghosts cost their vectors: `ghosts_per_place` times the capacity.

mod config;
mod life;
mod outcomes;

use rand::RngCore;
use serde::{Deserialize, Serialize};

use super::roster::Roster;
use super::{AdmissionPolicy, Arrival, EvictionPolicy, Offer, Room, Scope, Step};
use crate::ExperienceId;
pub use config::SurvivalConfig;
use life::{CommonGap, Life, Unproven};
use outcomes::Outcomes;

/// Stored up to this many, every life is looked at; beyond, a pool of the weakest is kept.
const LOOK_AT_ALL: usize = 256;
/// The weakest that are kept at hand.
const POOL: usize = 64;
/// Decisions that a pool serves.
const POOL_USES: u32 = 32;

/// The policy with what it learned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Survival {
    config: SurvivalConfig,
    step: u64,
    lives: Roster<Life>,
    ghosts: Roster<Life>,
    ghost_capacity: usize,
    dropped: Vec<ExperienceId>,
    gap: CommonGap,
    unproven: Unproven,
    outcomes: Outcomes,
    pool: Vec<ExperienceId>,
    pool_uses: u32,
    /// Life of the newcomer that is about to enter, and who leaves for it.
    entering: Option<(ExperienceId, Life, Option<ExperienceId>)>,
}

impl Survival {
    /// For a cache of `capacity`.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "capacities are far below 2^52")]
    pub fn new(capacity: usize, config: SurvivalConfig) -> Self {
        Self {
            config,
            step: 0,
            lives: Roster::default(),
            ghosts: Roster::default(),
            ghost_capacity: config.ghosts(capacity),
            dropped: Vec::new(),
            gap: CommonGap::assumed(config.first_gap * capacity.max(1) as f64),
            unproven: Unproven::default(),
            outcomes: Outcomes::default(),
            pool: Vec::new(),
            pool_uses: 0,
            entering: None,
        }
    }

    fn value(&self, life: &Life, common: f64) -> f64 {
        let limits = (self.config.gap_limit, self.config.patience);
        let value = life.value(self.step, common, limits);
        if life.is_proven() {
            value
        } else {
            value * self.unproven.ever_used()
        }
    }

    fn weakest(&mut self, among: Scope<'_>) -> Option<(f64, ExperienceId)> {
        let common = self.gap.questions();
        if self.lives.len() <= LOOK_AT_ALL || matches!(among, Scope::Bucket(_)) {
            return super::least_scored(
                self.lives
                    .iter()
                    .filter(|(id, _)| among.allows(*id))
                    .map(|(id, life)| (self.value(life, common), id)),
            );
        }
        self.pool_uses += 1;
        if self.pool_uses <= POOL_USES
            && let Some(found) = self.weakest_of_pool(among, common)
        {
            return Some(found);
        }
        let mut all: Vec<(f64, ExperienceId)> = self
            .lives
            .iter()
            .map(|(id, life)| (self.value(life, common), id))
            .collect();
        // Stable: of equals, the first to enter comes first.
        let least = POOL.min(all.len());
        if least < all.len() {
            all.select_nth_unstable_by(least, |a, b| a.0.total_cmp(&b.0));
        }
        self.pool = all[..least].iter().map(|(_, id)| *id).collect();
        self.pool_uses = 1;
        self.weakest_of_pool(among, common)
            .or_else(|| super::least_scored(all.into_iter().filter(|(_, id)| among.allows(*id))))
    }

    fn weakest_of_pool(&self, among: Scope<'_>, common: f64) -> Option<(f64, ExperienceId)> {
        super::least_scored(
            self.pool
                .iter()
                .filter(|id| among.allows(**id))
                .filter_map(|id| Some((self.value(self.lives.get(*id)?, common), *id))),
        )
    }

    fn haunt(&mut self, id: ExperienceId, life: Life) {
        if self.ghost_capacity == 0 {
            return;
        }
        self.ghosts.insert(id, life);
        self.trim_ghosts();
    }

    fn trim_ghosts(&mut self) {
        while self.ghosts.len() > self.ghost_capacity
            && let Some(first) = self.ghosts.first()
        {
            self.ghosts.remove(first);
            self.dropped.push(first);
        }
    }

    fn credit(&mut self, id: ExperienceId, amount: f64) {
        let step = self.step;
        let Some(life) = self.lives.get_mut(id) else {
            return;
        };
        if !life.is_proven() && amount > 0.0 {
            self.unproven.used(amount);
        }
        life.uses += amount;
        if amount >= 0.5 {
            let gap = step.saturating_sub(life.last);
            life.last = step;
            if gap > 0 {
                self.gap.observe(gap, self.config.gap_rate);
            }
        }
    }

    /// The ghost that would have served, now counted as used.
    fn ghost_return(
        &mut self,
        step: &Step<'_>,
        newcomer: Option<ExperienceId>,
    ) -> Option<ExperienceId> {
        let serving = step
            .ghosts
            .first()
            .filter(|(_, similarity)| self.outcomes.serves(*similarity))
            .map(|(id, _)| *id)
            .or(newcomer)?;
        let life = self.ghosts.remove(serving)?;
        let gap = self.step.saturating_sub(life.last);
        self.gap.observe(gap, self.config.gap_rate);
        let life = Life {
            uses: life.uses + 1.0,
            last: self.step,
            ..life
        };
        self.haunt(serving, life);
        Some(serving)
    }

    /// Of those retrieved that would each have served, the one that served most so far; of equals, the first to enter.
    fn server(&self, step: &Step<'_>) -> Option<ExperienceId> {
        let mut best: Option<(ExperienceId, Life)> = None;
        for (at, (id, similarity)) in step.retrieved.iter().enumerate() {
            let Some(life) = self.lives.get(*id) else {
                continue;
            };
            if at > 0 && !self.outcomes.serves(*similarity) {
                break;
            }
            if best.is_none_or(|(_, b)| (life.uses, b.entered) > (b.uses, life.entered)) {
                best = Some((*id, *life));
            }
        }
        best.map(|(id, _)| id)
    }

    /// Whether the memory failed at this step.
    fn failed(&self, step: &Step<'_>) -> bool {
        step.retrieved
            .first()
            .is_none_or(|(_, similarity)| self.outcomes.helped(*similarity, step.quality) < 0.5)
    }

    pub(super) fn is_ghost(&self, id: ExperienceId) -> bool {
        self.ghosts.get(id).is_some()
    }

    pub(super) fn take_dropped(&mut self) -> Vec<ExperienceId> {
        std::mem::take(&mut self.dropped)
    }
}

impl AdmissionPolicy for Survival {
    fn observe(&mut self, _: &Step<'_>) {}

    fn admits(&mut self, step: &Step<'_>, offer: &Offer<'_>, _: &mut dyn RngCore) -> bool {
        let asked = step.is_question();
        if !asked {
            self.unproven.entered();
        }
        let failed = asked && self.failed(step);
        // Beside one that served, another of its kind was not missed.
        let fresh = Life::new(self.step, if failed { 1.0 } else { 0.0 });
        let ghost = if failed {
            self.ghost_return(step, Some(offer.id))
        } else {
            None
        };
        let among = match offer.room {
            Room::Present => return false,
            Room::Free => {
                if asked && !failed {
                    self.unproven.entered();
                }
                let life = ghost.and_then(|id| self.ghosts.remove(id)).unwrap_or(fresh);
                self.dropped.extend(ghost);
                self.entering = Some((offer.id, life, None));
                return true;
            }
            Room::Full(among) => among,
        };
        if asked && !failed {
            return false;
        }
        let Some((least, weakest)) = self.weakest(among) else {
            return false;
        };
        let life = ghost
            .and_then(|id| self.ghosts.get(id).copied())
            .unwrap_or(fresh);
        let common = self.gap.questions();
        if asked && self.value(&life, common) <= self.config.margin * least {
            if ghost.is_none() {
                self.haunt(offer.id, life);
            }
            return false;
        }
        if let Some(id) = ghost {
            self.ghosts.remove(id);
            self.dropped.push(id);
        }
        self.entering = Some((offer.id, life, Some(weakest)));
        true
    }
}

impl EvictionPolicy for Survival {
    fn observe(&mut self, step: &Step<'_>) {
        if !step.is_question() {
            return;
        }
        self.step += 1;
        if let Some((_, similarity)) = step.retrieved.first() {
            let helped = self.outcomes.helped(*similarity, step.quality);
            self.outcomes.learn(*similarity, step.quality);
            if let Some(server) = self.server(step) {
                self.credit(server, helped);
            }
        }
    }

    fn judged(&mut self, step: &Step<'_>, before: Option<f64>) {
        if let Some((_, similarity)) = step.retrieved.first() {
            let before = self.outcomes.helped(*similarity, before);
            let after = self.outcomes.helped(*similarity, step.quality);
            self.outcomes.learn(*similarity, step.quality);
            if let Some(life) = self.server(step).and_then(|id| self.lives.get_mut(id)) {
                life.uses = (life.uses + after - before).max(0.0);
            }
        }
    }

    fn resized(&mut self, capacity: usize) {
        self.ghost_capacity = self.config.ghosts(capacity);
        self.trim_ghosts();
    }

    fn replaced(&mut self, old: ExperienceId, new: ExperienceId) {
        let life = self.lives.remove(old).unwrap_or(Life::new(self.step, 0.0));
        self.lives.insert(new, life);
    }

    fn inserted(&mut self, arrival: &Arrival<'_>) {
        let life = self
            .entering
            .take()
            .filter(|(id, _, _)| *id == arrival.id)
            .map_or(Life::new(self.step, 0.0), |(_, life, _)| life);
        if self.ghosts.remove(arrival.id).is_some() {
            self.dropped.push(arrival.id);
        }
        self.lives.insert(arrival.id, life);
    }

    fn evicted(&mut self, id: ExperienceId) {
        if let Some(life) = self.lives.remove(id) {
            self.haunt(id, life);
        }
    }

    fn removed(&mut self, id: ExperienceId) {
        self.lives.remove(id);
        if self.ghosts.remove(id).is_some() {
            self.dropped.push(id);
        }
    }

    fn victim(
        &mut self,
        newcomer: Option<ExperienceId>,
        among: Scope<'_>,
        _: &mut dyn RngCore,
    ) -> Option<ExperienceId> {
        if let Some((id, _, Some(weakest))) = self.entering
            && newcomer == Some(id)
        {
            return Some(weakest);
        }
        self.weakest(among).map(|(_, id)| id)
    }
}
