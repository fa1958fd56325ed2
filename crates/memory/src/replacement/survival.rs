//! survival
mod outcomes;

use rand::RngCore;
use serde::{Deserialize, Serialize};

use super::roster::Roster;
use super::{AdmissionPolicy, Arrival, EvictionPolicy, Offer, Room, Scope, Step};
use crate::ExperienceId;
use outcomes::Outcomes;

/// The constants of the policy.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SurvivalConfig {
    /// Ghosts for each place in the cache.
    pub ghosts_per_place: f64,
    /// How many times the weakest value a newcomer must be worth.
    pub margin: f64,
    /// Own gaps after which an overdue item's chance of being alive is down to 1/e.
    pub patience: f64,
    /// Weight of the newest gap in the mean of log gaps.
    pub gap_rate: f64,
    /// An item's own gap is at most so many times the common one.
    pub gap_limit: f64,
    /// Assumed gap, in capacities, before a return was seen.
    pub first_gap: f64,
}

impl Default for SurvivalConfig {
    fn default() -> Self {
        Self {
            ghosts_per_place: 6.0,
            margin: 3.0,
            patience: 2.0,
            gap_rate: 0.1,
            gap_limit: 4.0,
            first_gap: 100.0,
        }
    }
}

/// What is known of one item, stored or ghost.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Life {
    /// Times it served, or would have.
    uses: f64,
    entered: u64,
    last: u64,
}

/// The gap between two uses, over all items.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct CommonGap {
    log: f64,
    seen: bool,
}

impl CommonGap {
    #[expect(clippy::cast_precision_loss, reason = "steps are far below 2^52")]
    fn observe(&mut self, gap: u64, rate: f64) {
        let log = (gap.max(1) as f64).ln();
        if self.seen {
            self.log += rate * (log - self.log);
        } else {
            self.log = log;
            self.seen = true;
        }
    }

    fn steps(self) -> f64 {
        self.log.exp()
    }
}

/// Stored up to this many, every life is looked at; beyond, a pool of the weakest is kept.
const LOOK_AT_ALL: usize = 256;
/// The weakest that are kept at hand.
const POOL: usize = 64;
/// Decisions that a pool serves.
const POOL_USES: u32 = 32;

/// Ours.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Survival {
    config: SurvivalConfig,
    step: u64,
    lives: Roster<Life>,
    ghosts: Roster<Life>,
    ghost_capacity: usize,
    dropped: Vec<ExperienceId>,
    gap: CommonGap,
    outcomes: Outcomes,
    pool: Vec<ExperienceId>,
    pool_uses: u32,
    /// Life of the newcomer that is about to enter, and who leaves for it.
    entering: Option<(ExperienceId, Life, Option<ExperienceId>)>,
}

impl Survival {
    /// For a cache of `capacity`.
    #[must_use]
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "capacities are far below 2^52"
    )]
    pub fn new(capacity: usize, config: SurvivalConfig) -> Self {
        Self {
            config,
            step: 0,
            lives: Roster::default(),
            ghosts: Roster::default(),
            ghost_capacity: (config.ghosts_per_place * capacity as f64).round() as usize,
            dropped: Vec::new(),
            gap: CommonGap {
                log: (config.first_gap * capacity.max(1) as f64).ln(),
                seen: false,
            },
            outcomes: Outcomes::default(),
            pool: Vec::new(),
            pool_uses: 0,
            entering: None,
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "steps are far below 2^52")]
    fn value(&self, life: &Life, common: f64) -> f64 {
        let age = self.step.saturating_sub(life.entered) as f64 + common;
        let rate = (life.uses + 1.0) / age;
        let own = (1.0 / rate).min(self.config.gap_limit * common);
        let overdue = self.step.saturating_sub(life.last) as f64 - own;
        if overdue <= 0.0 {
            rate
        } else {
            rate * (-overdue / (self.config.patience * own)).exp()
        }
    }

    fn weakest(&mut self, among: Scope<'_>) -> Option<(f64, ExperienceId)> {
        let common = self.gap.steps();
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
            .filter(|(_, similarity)| self.outcomes.serves(*similarity) > 0.5)
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
            let Some(life) = self.lives.get(*id) else { continue };
            if at > 0 && self.outcomes.serves(*similarity) <= 0.5 {
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
        let fresh = Life {
            uses: if asked { 1.0 } else { 0.0 },
            entered: self.step,
            last: self.step,
        };
        let failed = asked && self.failed(step);
        let ghost = if failed {
            self.ghost_return(step, Some(offer.id))
        } else {
            None
        };
        let among = match offer.room {
            Room::Present => return false,
            Room::Free => {
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
        let common = self.gap.steps();
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
            if std::env::var_os("DBG").is_some() { eprintln!("{} s={similarity:.2} q={:?} p={helped:.2} g={:.1} {}", self.step, step.quality, self.gap.steps(), self.outcomes.dbg()); }
            self.outcomes.learn(*similarity, step.quality);
            if let Some(server) = self.server(step) {
                self.credit(server, helped);
            }
        }
    }

    fn judged(&mut self, step: &Step<'_>) {
        if let Some((_, similarity)) = step.retrieved.first() {
            let before = self.outcomes.helped(*similarity, None);
            let after = self.outcomes.helped(*similarity, step.quality);
            self.outcomes.learn(*similarity, step.quality);
            if let Some(life) = self.server(step).and_then(|id| self.lives.get_mut(id)) {
                life.uses = (life.uses + after - before).max(0.0);
            }
        }
    }

    fn inserted(&mut self, arrival: &Arrival<'_>) {
        let life = self
            .entering
            .take()
            .filter(|(id, _, _)| *id == arrival.id)
            .map_or(
                Life {
                    uses: 0.0,
                    entered: self.step,
                    last: self.step,
                },
                |(_, life, _)| life,
            );
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
