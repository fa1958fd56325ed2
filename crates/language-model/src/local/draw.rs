//! Which token is drawn? From a model's numbers, a temperature and what is allowed.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::RngCore;

/// Tokens that are drawn and may prove not to be allowed before all are asked.
const TRIES: usize = 8;

/// Draws a token: at temperature 0 the likeliest that is allowed (of equals the lowest), else in proportion to
/// exp(number / temperature) among those allowed. Nothing, where none is.
///
/// Asking all tokens of a vocabulary takes long; drawing from all, and again if the token is not allowed, has the same
/// distribution.
pub(super) fn draw(
    numbers: &[f32],
    temperature: f64,
    rng: &mut ChaCha8Rng,
    allowed: &dyn Fn(u32) -> bool,
) -> Option<u32> {
    let mut left: Vec<(u32, f32)> = (0_u32..).zip(numbers.iter().copied()).collect();
    left.retain(|(_, number)| number.is_finite());
    for _ in 0..TRIES {
        let at = pick(&left, temperature, rng)?;
        let (token, _) = left[at];
        if allowed(token) {
            return Some(token);
        }
        left.remove(at);
    }
    left.retain(|(token, _)| allowed(*token));
    Some(left[pick(&left, temperature, rng)?].0)
}

fn pick(tokens: &[(u32, f32)], temperature: f64, rng: &mut ChaCha8Rng) -> Option<usize> {
    let most = tokens.iter().map(|t| t.1).fold(f32::NEG_INFINITY, f32::max);
    let likeliest = tokens.iter().position(|t| t.1 >= most)?;
    if temperature <= 0.0 {
        return Some(likeliest);
    }
    let weight = |number: f32| (f64::from(number - most) / temperature).exp();
    let sum: f64 = tokens.iter().map(|t| weight(t.1)).sum();
    let mut rest = unit(rng) * sum;
    for (at, token) in tokens.iter().enumerate() {
        rest -= weight(token.1);
        if rest < 0.0 {
            return Some(at);
        }
    }
    Some(likeliest)
}

/// A number in [0, 1).
fn unit(rng: &mut ChaCha8Rng) -> f64 {
    f64::from(rng.next_u32()) / (f64::from(u32::MAX) + 1.0)
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng;

    use super::*;

    #[test]
    fn at_temperature_0_the_likeliest_that_is_allowed_comes_and_of_equals_the_first() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let numbers = [1.0, 5.0, 3.0, 3.0, f32::NAN];
        assert_eq!(draw(&numbers, 0.0, &mut rng, &|_| true), Some(1));
        assert_eq!(draw(&numbers, 0.0, &mut rng, &|t| t != 1), Some(2));
        assert_eq!(draw(&numbers, 0.0, &mut rng, &|t| t == 4), None);
        assert_eq!(draw(&[], 1.0, &mut rng, &|_| true), None);
    }

    /// The last tokens are so unlikely that they are only found once all are asked.
    #[test]
    fn draws_follow_the_distribution_of_what_is_allowed() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let mut numbers = vec![50.0_f32; 30];
        numbers.extend([0.0, 3.0_f32.ln()]);
        let mut counts = [0_u32; 2];
        for _ in 0..4_000 {
            let token = draw(&numbers, 1.0, &mut rng, &|t| t >= 30).unwrap();
            counts[if token == 30 { 0 } else { 1 }] += 1;
        }
        assert!(
            (900..1_100).contains(&counts[0]),
            "a quarter is expected: {counts:?}"
        );
    }
}
