//! What may an unknown chance be? Draws from beta distributions.

use rand::RngCore;

/// A number in (0, 1).
pub(super) fn uniform(rng: &mut dyn RngCore) -> f64 {
    const STEP: f64 = 1.0 / 9_007_199_254_740_992.0;
    #[expect(clippy::cast_precision_loss, reason = "53 bits are exact")]
    let bits = (rng.next_u64() >> 11) as f64;
    (bits + 0.5) * STEP
}

/// Two independent draws from the standard normal distribution (polar method).
fn normals(rng: &mut dyn RngCore) -> (f64, f64) {
    loop {
        let (x, y) = (2.0 * uniform(rng) - 1.0, 2.0 * uniform(rng) - 1.0);
        let square = x * x + y * y;
        if square < 1.0 && square > 0.0 {
            let scale = (-2.0 * square.ln() / square).sqrt();
            return (x * scale, y * scale);
        }
    }
}

/// A draw from the gamma distribution of `shape` at least 1 (Marsaglia and Tsang 2000), from a normal draw to begin with.
fn gamma(shape: f64, mut x: f64, rng: &mut dyn RngCore) -> f64 {
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let root = 1.0 + c * x;
        if root > 0.0 {
            let v = root * root * root;
            let square = x * x;
            let u = uniform(rng);
            if u < 1.0 - 0.0331 * square * square || u.ln() < 0.5 * square + d * (1.0 - v + v.ln())
            {
                return d * v;
            }
        }
        x = normals(rng).0;
    }
}

/// A draw from Beta(alpha, beta), both at least 1.
pub(super) fn draw(alpha: f64, beta: f64, rng: &mut dyn RngCore) -> f64 {
    let (x, y) = normals(rng);
    let a = gamma(alpha.max(1.0), x, rng);
    let b = gamma(beta.max(1.0), y, rng);
    a / (a + b)
}

/// Checks that draws have the mean and the variance of Beta(α, β).
#[cfg(test)]
pub(super) fn assert_moments(draws: &[f64], alpha: f64, beta: f64) {
    let count = draws.len() as f64;
    let mean = draws.iter().sum::<f64>() / count;
    let variance = draws.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / count;
    let total = alpha + beta;
    let expected = alpha * beta / (total * total * (total + 1.0));
    assert!((mean - alpha / total).abs() < 4.0 * (expected / count).sqrt());
    assert!(
        (variance / expected - 1.0).abs() < 0.06,
        "{variance} {expected}"
    );
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;

    #[test]
    fn mean_and_variance_are_those_of_the_distribution() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        for (alpha, beta) in [(1.0, 1.0), (2.0, 1.0), (7.0, 1.35), (40.0, 12.0)] {
            let draws: Vec<f64> = (0..20_000).map(|_| draw(alpha, beta, &mut rng)).collect();
            assert_moments(&draws, alpha, beta);
        }
    }
}
