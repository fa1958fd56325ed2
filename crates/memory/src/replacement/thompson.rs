//! Whose beta draw is the least, with a bonus for each? (Thompson 1933; SOLAR §4.3, Algorithm 2)
//!
//! One independent draw an item, exactly, but most of them are only drawn as far as it takes to see that they cannot be the
//! least. The density of Beta(α, β), both at least 1, lies below that of a power law,
//!
//! > x^(α−1) (1−x)^(β−1) / B(α, β) ≤ α x^(α−1) / Kᵅ, where Kᵅ ≤ α B(α, β).
//!
//! So with u uniform the proposal x = K u^(1/α) is the draw itself with probability (1−x)^(β−1) Kᵅ / (α B(α, β)); else the draw
//! lies above K, and is drawn from there if it still matters. The proposal is never above the draw, and a bound below it costs a
//! few multiplications. For whole α, α B(α, β) is the product of (1+i)/(β+i) for i below α, so the geometric mean of these may
//! stand for K, and so may what lies below it: their harmonic mean, or the geometric mean of the numerators over the
//! arithmetic of the denominators,
//!
//! > 1 / (1 + (β−1) H(α)/α)  and  (α + e − 1) / (e (β + (α−1)/2)), where H(α) < ln(α+½) + γ + 1/54 is the harmonic number.
//!
//! Both hold for every α and β from 1 on (the tests try a grid); the greater is taken. No item whose bound lies above the least
//! draw so far is looked at again: of a hundred, some four are.
//!
//! A posterior with much evidence on both sides is **narrow**, and lies above K as good as whole. There Chernoff's inequality
//! is used: with r = y (α+β)/α below 1,
//!
//! > P(X ≤ y) ≤ exp(−α (r − 1 − ln r)),
//!
//! so an item is above y, where it would become the least, if its u is above that. Else the tangent of the log density at y, in
//! ln x, gives an envelope m = f(y) y/p with p = α − (β−1) y/(1−y): with probability m, x = y v^(1/p) is proposed, and is the draw
//! with probability f(x) / (f(y) (x/y)^(p−1)); else the draw is above y.

use std::f64::consts::{E, LN_2};

use rand::RngCore;

use super::beta;
use crate::ExperienceId;

/// Draws from above K that are tried. One is as good as sure to succeed long before; then K itself is taken.
const TAIL_TRIES: u32 = 1_000;
/// How much a bound of single precision is lowered, to be one.
const CAUTION: f32 = 0.999;
/// γ + 1/54.
const HARMONIC: f64 = 0.595_734_183_5;
/// Values of a float's mantissa.
const MANTISSA: f32 = 8_388_608.0;
/// log₂(1+m) − m is at most this, for m in [0, 1].
const LOG_GAP: f32 = 0.0861;
/// From this much evidence on both sides a posterior is treated as narrow.
const NARROW: (f64, f64) = (4.0, 2.0);
/// Least exponent with which Chernoff's inequality is used: nearer to the mean, the tangent's envelope is above it.
const LEAST_EXPONENT: f64 = 1.0;
/// How much more is asked where single precision was used throughout.
const MORE_CAUTION: f32 = 1.02;
/// Means, and distances from a mean in terms of it, for which single precision is fine enough.
const LEAST_MEAN: f32 = 0.001;
const LEAST_SHORT: f32 = 0.01;
/// Values of the first uniform number.
const GRAINS: f64 = 16_777_216.0;

/// A Beta(α, β) draw plus a bonus.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chance {
    /// α, at least 1.
    pub(super) alpha: f64,
    /// β, at least 1.
    pub(super) beta: f64,
    /// What is added to the draw.
    pub(super) bonus: f64,
}

impl Chance {
    /// K.
    fn reach(&self) -> f64 {
        self.reach_by((self.alpha + 0.5).ln())
    }

    /// K, or less where the logarithm of α + ½ is taken for more than it is.
    fn reach_by(&self, log: f64) -> f64 {
        let (alpha, more) = (self.alpha, self.beta - 1.0);
        let harmonic = (alpha, alpha + more * (log + HARMONIC));
        let arithmetic = (alpha + (E - 1.0), E * (self.beta + 0.5 * (alpha - 1.0)));
        // The greater of the two quotients, with one division.
        if harmonic.0 * arithmetic.1 > arithmetic.0 * harmonic.1 {
            harmonic.0 / harmonic.1
        } else {
            arithmetic.0 / arithmetic.1
        }
    }

    /// A number at most the proposal of any u from `grain` up to the next.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "a bound needs no more than single precision, and CAUTION covers what is lost; 24 bits are exact"
    )]
    fn bound(&self, grain: u32) -> f32 {
        // As the bits of a float are its logarithm from below, a number read as bits is its power from above.
        let alpha = self.alpha as f32;
        let reach = self.reach_by(f64::from(log2(alpha + 0.5) + LOG_GAP) * LN_2) as f32;
        let power = f32::from_bits(
            (((log2(grain as f32) - 24.0) / alpha + 127.0 - LOG_GAP) * MANTISSA) as u32,
        );
        let proposal = if grain == 0 { 0.0 } else { reach * power };
        (self.bonus as f32 + proposal) * CAUTION
    }

    fn is_narrow(&self) -> bool {
        self.alpha >= NARROW.0 && self.beta >= NARROW.1
    }

    /// Where a narrow one lies about.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "only an order follows from it"
    )]
    fn middle(&self) -> f32 {
        (self.alpha / (self.alpha + self.beta) + self.bonus) as f32
    }

    /// A number at most −ln P(X ≤ y).
    fn exponent_below(&self, y: f64) -> f64 {
        let short = 1.0 - y * (self.alpha + self.beta) / self.alpha;
        if short <= 0.0 {
            return 0.0;
        }
        // The series of −ln(1−short) − short, cut off.
        self.alpha * short * short * (0.5 + short * (1.0 / 3.0 + short / 4.0))
    }

    /// A draw below `y`, or none if it is not. `grain` as in [`Entrant`].
    fn below(&self, y: f64, grain: u32, rng: &mut dyn RngCore) -> Option<f64> {
        let exponent = self.exponent_below(y);
        if exponent < LEAST_EXPONENT {
            return Some(beta::draw(self.alpha, self.beta, rng)).filter(|draw| *draw < y);
        }
        if exponent_of(grain) <= exponent {
            return None;
        }
        let log_density = |x: f64| (self.alpha - 1.0) * x.ln() + (self.beta - 1.0) * (-x).ln_1p();
        let log_beta =
            ln_gamma(self.alpha) + ln_gamma(self.beta) - ln_gamma(self.alpha + self.beta);
        let power = self.alpha - (self.beta - 1.0) * y / (1.0 - y);
        let at_y = log_density(y);
        let envelope = (at_y - log_beta).exp() * y / power;
        if (f64::from(grain) + beta::uniform(rng)) / GRAINS >= envelope {
            return None;
        }
        let log_share = beta::uniform(rng).ln() / power;
        let x = y * log_share.exp();
        let accepts = (log_density(x) - at_y - (power - 1.0) * log_share).exp();
        (beta::uniform(rng) < accepts).then_some(x)
    }

    /// Chance that a proposal is the draw.
    fn accepts(&self, proposal: f64, reach: f64) -> f64 {
        let (alpha, beta) = (self.alpha, self.beta);
        let log_constant = ln_gamma(alpha + 1.0) + ln_gamma(beta) - ln_gamma(alpha + beta);
        (alpha * reach.ln() + (beta - 1.0) * (-proposal).ln_1p() - log_constant).exp()
    }

    /// A draw that is known to lie above `reach`.
    fn tail(&self, reach: f64, rng: &mut dyn RngCore) -> f64 {
        (0..TAIL_TRIES)
            .map(|_| beta::draw(self.alpha, self.beta, rng))
            .find(|draw| *draw > reach)
            .unwrap_or(reach)
    }
}

struct Entrant {
    /// At most its score; of a narrow one, where it lies about.
    bound: f32,
    /// The first 24 bits of u.
    grain: u32,
    chance: Chance,
    id: ExperienceId,
}

impl Entrant {
    /// Whether Chernoff's inequality says, of a narrow one, that it is above `least`: the same question as in
    /// [`Chance::below`], put in single precision, without a division, and answered with no where that might be too coarse.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        reason = "what is lost is covered; 24 bits are exact"
    )]
    fn is_surely_above(&self, least: f64) -> bool {
        let chance = &self.chance;
        let (alpha, bonus) = (chance.alpha as f32, chance.bonus as f32);
        let (y, mean) = (least as f32 - bonus, self.bound - bonus);
        let short = mean - y;
        let exponent = ((24.0 - log2(self.grain as f32)) / CAUTION) * LN_2 as f32;
        let needed = exponent.max(LEAST_EXPONENT as f32) * MORE_CAUTION;
        // With r = 1 − short/mean, α (r − 1 − ln r) is at least α short² (3 mean + 2 short) / (6 mean³).
        y > 0.0
            && mean > LEAST_MEAN
            && short > LEAST_SHORT * mean
            && self.grain > 0
            && alpha * short * short * (3.0 * mean + 2.0 * short)
                >= 6.0 * needed * mean * mean * mean
    }
}

/// A number at least −ln u, of any u from `grain` up.
#[expect(
    clippy::cast_precision_loss,
    reason = "24 bits are exact, and CAUTION covers the rest"
)]
fn exponent_of(grain: u32) -> f64 {
    if grain == 0 {
        return f64::INFINITY;
    }
    f64::from((24.0 - log2(grain as f32)) / CAUTION) * LN_2
}

/// The binary logarithm, at most [`LOG_GAP`] too small.
#[expect(clippy::cast_precision_loss, reason = "for bounds")]
fn log2(x: f32) -> f32 {
    x.to_bits() as f32 / MANTISSA - 127.0
}

/// The least so far.
struct Race {
    least: f64,
    leader: Option<ExperienceId>,
    /// Those above their reach: where that begins, bonus included, and who.
    beyond: Vec<(f64, usize)>,
}

impl Race {
    fn begin() -> Self {
        Self {
            least: f64::INFINITY,
            leader: None,
            beyond: Vec::new(),
        }
    }

    fn leads(&mut self, score: f64, id: ExperienceId) {
        if score < self.least {
            self.least = score;
            self.leader = Some(id);
        }
    }

    /// All of these, the likeliest first: the least is then known early.
    fn run_broad(&mut self, entrants: &[Entrant], rng: &mut dyn RngCore) {
        let by_bound = |a: &usize, b: &usize| entrants[*a].bound.total_cmp(&entrants[*b].bound);
        let Some(favourite) = (0..entrants.len()).min_by(by_bound) else {
            return;
        };
        self.run(favourite, &entrants[favourite], rng);
        for (at, entrant) in entrants.iter().enumerate() {
            if at != favourite && f64::from(entrant.bound) < self.least {
                self.run(at, entrant, rng);
            }
        }
        self.go_beyond(entrants, rng);
    }

    /// All of these. Which comes first may not depend on their random numbers.
    fn run_narrow(&mut self, entrants: &[Entrant], rng: &mut dyn RngCore) {
        let by_mean = |a: &usize, b: &usize| entrants[*a].bound.total_cmp(&entrants[*b].bound);
        let favourite = (0..entrants.len()).min_by(by_mean);
        let others = (0..entrants.len()).filter(|at| Some(*at) != favourite);
        for at in favourite.into_iter().chain(others) {
            let Entrant {
                chance, id, grain, ..
            } = &entrants[at];
            let room = self.least - chance.bonus;
            if room <= 0.0 || entrants[at].is_surely_above(self.least) {
                continue;
            }
            let draw = if room < 1.0 {
                chance.below(room, *grain, rng)
            } else {
                Some(beta::draw(chance.alpha, chance.beta, rng))
            };
            if let Some(draw) = draw {
                self.leads(draw + chance.bonus, *id);
            }
        }
    }

    /// Draws an entrant as far as it matters.
    fn run(&mut self, at: usize, entrant: &Entrant, rng: &mut dyn RngCore) {
        let chance = entrant.chance;
        let reach = chance.reach();
        let u = (f64::from(entrant.grain) + beta::uniform(rng)) / GRAINS;
        let proposal = reach * u.powf(1.0 / chance.alpha);
        if proposal + chance.bonus >= self.least {
            return;
        }
        if beta::uniform(rng) < chance.accepts(proposal, reach) {
            self.leads(proposal + chance.bonus, entrant.id);
        } else {
            self.beyond.push((reach + chance.bonus, at));
        }
    }

    /// Draws those above their reach, as far as it matters.
    fn go_beyond(&mut self, entrants: &[Entrant], rng: &mut dyn RngCore) {
        let mut beyond = std::mem::take(&mut self.beyond);
        beyond.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for (from, at) in beyond {
            if from >= self.least {
                break;
            }
            let Entrant { chance, id, .. } = &entrants[at];
            let draw = chance.tail(chance.reach(), rng);
            self.leads(draw + chance.bonus, *id);
        }
    }
}

/// One draw each: whose is the least.
pub(super) fn least_draw(
    items: impl Iterator<Item = (ExperienceId, Chance)>,
    count: usize,
    rng: &mut dyn RngCore,
) -> Option<ExperienceId> {
    let mut bits = vec![0; 4 * count];
    rng.fill_bytes(&mut bits);
    let mut broad: Vec<Entrant> = Vec::with_capacity(count);
    let mut narrow: Vec<Entrant> = Vec::with_capacity(count);
    for ((id, chance), four) in items.zip(bits.chunks_exact(4)) {
        let grain = u32::from_le_bytes([four[0], four[1], four[2], 0]);
        let is_narrow = chance.is_narrow();
        let bound = if is_narrow {
            chance.middle()
        } else {
            chance.bound(grain)
        };
        let entrant = Entrant {
            bound,
            grain,
            chance,
            id,
        };
        if is_narrow {
            narrow.push(entrant);
        } else {
            broad.push(entrant);
        }
    }
    let mut race = Race::begin();
    race.run_broad(&broad, rng);
    race.run_narrow(&narrow, rng);
    race.leader
}

/// ln Γ(x), x at least 1: Stirling's series, from 8 on.
fn ln_gamma(x: f64) -> f64 {
    const HALF_LN_TAU: f64 = 0.918_938_533_204_672_8;
    let (mut x, mut product) = (x, 1.0);
    while x < 8.0 {
        product *= x;
        x += 1.0;
    }
    let inverse = 1.0 / x;
    let square = inverse * inverse;
    let series = inverse
        * (1.0 / 12.0
            - square
                * (1.0 / 360.0
                    - square * (1.0 / 1260.0 - square * (1.0 / 1680.0 - square / 1188.0))));
    (x - 0.5) * x.ln() - x + HALF_LN_TAU + series - product.ln()
}

#[cfg(test)]
mod tests;
