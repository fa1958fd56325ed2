use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::Ulid;
use crate::replacement::beta::assert_moments;

const SHAPES: [f64; 12] = [
    1.0, 1.01, 1.05, 1.3, 2.0, 2.5, 4.0, 7.3, 20.0, 55.5, 300.0, 2000.0,
];

fn id(n: usize) -> ExperienceId {
    ExperienceId(Ulid(n as u128))
}

fn grid() -> impl Iterator<Item = Chance> {
    SHAPES.into_iter().flat_map(|alpha| {
        SHAPES.into_iter().map(move |beta| Chance {
            alpha,
            beta,
            bonus: 0.1,
        })
    })
}

#[test]
fn the_power_law_lies_above_the_density_everywhere() {
    for chance in grid() {
        let reach = chance.reach();
        assert!(reach > 0.0 && reach <= 1.0, "{chance:?}");
        let most = chance.accepts(0.0, reach);
        assert!(most <= 1.0 + 1e-9, "{chance:?} {most}");
    }
}

#[test]
fn the_gamma_function_is_right() {
    let mut factorial = 0.0;
    for n in 1..60_u32 {
        assert!((ln_gamma(f64::from(n)) - factorial).abs() < 1e-11 * (1.0 + factorial));
        factorial += f64::from(n).ln();
    }
    let half = 0.5 * std::f64::consts::PI.ln() - std::f64::consts::LN_2;
    assert!((ln_gamma(1.5) - half).abs() < 1e-12);
}

#[test]
fn a_bound_is_never_above_the_proposal() {
    for chance in grid() {
        for grain in (0..24).flat_map(|bit| [(1 << bit) - 1, 1 << bit, (1 << bit) + (1 << bit) / 3])
        {
            let least = chance.reach() * (f64::from(grain) / GRAINS).powf(1.0 / chance.alpha);
            let bound = f64::from(chance.bound(grain));
            assert!(
                bound <= least + chance.bonus,
                "{chance:?} {grain} {bound} {least}"
            );
        }
    }
}

/// Shapes and bonuses as they come up in a cache, and a few that do not.
fn crowds() -> Vec<Vec<Chance>> {
    let chance = |alpha: f64, beta: f64, bonus: f64| Chance { alpha, beta, bonus };
    vec![
        vec![chance(1.0, 1.0, 0.0); 5],
        vec![
            chance(2.0, 1.0, 0.2),
            chance(2.0, 1.6, 0.2),
            chance(9.0, 1.2, 0.0),
            chance(1.0, 1.0, 0.3),
        ],
        vec![
            chance(1.0, 6.0, 0.01),
            chance(3.0, 9.0, 0.02),
            chance(5.0, 5.0, 0.0),
            chance(1.4, 2.2, 0.28),
        ],
        vec![
            chance(40.0, 12.0, 0.0),
            chance(41.0, 12.0, 0.0),
            chance(80.0, 25.0, 0.01),
        ],
        vec![
            chance(1.0, 1.0, 0.9),
            chance(30.0, 1.1, 0.0),
            chance(1.0, 1.02, 0.85),
        ],
    ]
}

/// A naive one: everything is drawn.
fn by_drawing_all(crowd: &[Chance], rng: &mut ChaCha8Rng) -> usize {
    let scores: Vec<f64> = crowd
        .iter()
        .map(|c| beta::draw(c.alpha, c.beta, rng) + c.bonus)
        .collect();
    (0..crowd.len())
        .min_by(|a, b| scores[*a].total_cmp(&scores[*b]))
        .unwrap()
}

#[test]
fn everyone_is_the_least_as_often_as_when_all_are_drawn() {
    const ROUNDS: usize = 40_000;
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    for crowd in crowds() {
        let mut fast = vec![0_f64; crowd.len()];
        let mut naive = fast.clone();
        for _ in 0..ROUNDS {
            let items = crowd.iter().enumerate().map(|(n, chance)| (id(n), *chance));
            let winner = least_draw(items, crowd.len(), &mut rng).unwrap();
            fast[usize::try_from(winner.0.0).unwrap()] += 1.0;
            naive[by_drawing_all(&crowd, &mut rng)] += 1.0;
        }
        for (a, b) in fast.iter().zip(&naive) {
            let error = (a + b).max(1.0).sqrt();
            assert!((a - b).abs() < 4.5 * error, "{crowd:?} {fast:?} {naive:?}");
        }
    }
}

#[test]
fn one_draw_alone_has_the_mean_and_variance_of_its_distribution() {
    let mut rng = ChaCha8Rng::seed_from_u64(12);
    for (alpha, beta) in [
        (1.0, 1.0),
        (2.0, 1.0),
        (7.0, 1.35),
        (40.0, 12.0),
        (1.0, 6.0),
    ] {
        let chance = Chance {
            alpha,
            beta,
            bonus: 0.0,
        };
        let draws: Vec<f64> = (0..20_000).map(|_| lone_draw(chance, &mut rng)).collect();
        assert_moments(&draws, alpha, beta);
    }
}

fn lone_draw(chance: Chance, rng: &mut ChaCha8Rng) -> f64 {
    let entrant = Entrant {
        bound: 0.0,
        grain: rng.next_u32() >> 8,
        chance,
        id: id(0),
    };
    let mut race = Race {
        least: f64::INFINITY,
        leader: None,
        beyond: Vec::new(),
    };
    race.run(0, &entrant, rng);
    if race.leader.is_some() {
        race.least
    } else {
        chance.tail(chance.reach(), rng)
    }
}

#[test]
fn a_draw_below_a_place_comes_as_often_and_lies_as_when_all_is_drawn() {
    const ROUNDS: u32 = 40_000;
    let mut rng = ChaCha8Rng::seed_from_u64(14);
    for (alpha, beta, y) in [
        (6.0, 9.0, 0.18),
        (40.0, 12.0, 0.6),
        (90.0, 3000.0, 0.024),
        (4.0, 2.0, 0.25),
    ] {
        let chance = Chance {
            alpha,
            beta,
            bonus: 0.0,
        };
        assert!(chance.exponent_below(y) >= LEAST_EXPONENT);
        let (mut fast, mut naive) = ((0.0, 0.0), (0.0, 0.0));
        for _ in 0..ROUNDS {
            let grain = rng.next_u32() >> 8;
            if let Some(draw) = chance.below(y, grain, &mut rng) {
                fast = (fast.0 + 1.0, fast.1 + draw);
            }
            let draw = beta::draw(alpha, beta, &mut rng);
            if draw < y {
                naive = (naive.0 + 1.0, naive.1 + draw);
            }
        }
        let error = f64::sqrt(fast.0 + naive.0);
        assert!(
            naive.0 > 50.0 && (fast.0 - naive.0).abs() < 4.0 * error,
            "{chance:?} {fast:?} {naive:?}"
        );
        assert!(
            (fast.1 / fast.0 - naive.1 / naive.0).abs() < 0.01 * y,
            "{chance:?} {fast:?} {naive:?}"
        );
    }
}

#[test]
fn the_envelope_is_below_what_chernoff_lets_pass() {
    for chance in grid().filter(Chance::is_narrow) {
        let mean = chance.alpha / (chance.alpha + chance.beta);
        for share in 1..100 {
            let y = mean * f64::from(share) / 100.0;
            let exponent = chance.exponent_below(y);
            if exponent >= LEAST_EXPONENT {
                let (a, b) = (chance.alpha, chance.beta);
                let log_beta = ln_gamma(a) + ln_gamma(b) - ln_gamma(a + b);
                let power = a - (b - 1.0) * y / (1.0 - y);
                let log_envelope = a * y.ln() + (b - 1.0) * (-y).ln_1p() - log_beta - power.ln();
                assert!(power > 0.0 && log_envelope <= -exponent, "{chance:?} {y}");
            }
        }
    }
}

#[test]
fn whoever_is_surely_above_would_not_have_been_drawn() {
    let mut told = 0;
    for chance in grid().filter(Chance::is_narrow) {
        for bonus in [0.0, 0.3] {
            let chance = Chance { bonus, ..chance };
            for grain in (0..24).map(|bit| (1_u32 << bit) + (1 << bit) / 3) {
                let entrant = Entrant {
                    bound: chance.middle(),
                    grain,
                    chance,
                    id: id(1),
                };
                for share in 1..100 {
                    let y = f64::from(share) / 100.0 * chance.alpha / (chance.alpha + chance.beta);
                    if entrant.is_surely_above(y + bonus) {
                        let exponent = chance.exponent_below(y + bonus - bonus);
                        assert!(exponent >= LEAST_EXPONENT && exponent_of(grain) <= exponent);
                        told += 1;
                    }
                }
            }
        }
    }
    assert!(told > 10_000, "{told}");
}

#[test]
fn of_nobody_nobody_is_the_least() {
    let mut rng = ChaCha8Rng::seed_from_u64(13);
    assert_eq!(least_draw(std::iter::empty(), 0, &mut rng), None);
}
