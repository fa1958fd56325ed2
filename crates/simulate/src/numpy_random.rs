//! Which numbers did the published workloads draw? NumPy's `default_rng`: PCG64, seeded by `SeedSequence`.
//!
//! Only what those workloads need: standard normals (ziggurat of 256 layers, Doornik 2005), whole numbers below a bound
//! (Lemire 2019), and numbers in [0, 1). With it they are generated bit for bit, and no vectors need to be shipped.

use std::sync::LazyLock;

const MULTIPLIER: u128 = 0x2360_ED05_1FC6_5DA4_4385_DF64_9FCC_F645;

/// NumPy's `default_rng(seed)`.
#[derive(Debug, Clone)]
pub(crate) struct NumpyRandom {
    state: u128,
    increment: u128,
    /// The upper half of the last 64 bits, when only the lower was used.
    half: Option<u32>,
}

/// `SeedSequence(seed).generate_state(8)`.
fn seed_words(seed: u32) -> [u32; 8] {
    const SHIFT: u32 = 16;
    let mut constant = 0x43b0_d7e5_u32;
    let mut hash = |value: u32| {
        let mut value = value ^ constant;
        constant = constant.wrapping_mul(0x931e_8875);
        value = value.wrapping_mul(constant);
        value ^ (value >> SHIFT)
    };
    let mut pool = [hash(seed), hash(0), hash(0), hash(0)];
    for source in 0..4 {
        for target in 0..4 {
            if source != target {
                let hashed = hash(pool[source]);
                let mixed = pool[target]
                    .wrapping_mul(0xca01_f9dd)
                    .wrapping_sub(hashed.wrapping_mul(0x4973_f715));
                pool[target] = mixed ^ (mixed >> SHIFT);
            }
        }
    }
    let mut constant = 0x8b51_f9dd_u32;
    std::array::from_fn(|at| {
        let mut value = pool[at % 4] ^ constant;
        constant = constant.wrapping_mul(0x58f3_8ded);
        value = value.wrapping_mul(constant);
        value ^ (value >> SHIFT)
    })
}

impl NumpyRandom {
    pub(crate) fn new(seed: u32) -> Self {
        let words = seed_words(seed);
        let long = |at: usize| u128::from(words[2 * at]) | (u128::from(words[2 * at + 1]) << 32);
        let increment = (((long(2) << 64) | long(3)) << 1) | 1;
        let mut random = Self {
            state: 0,
            increment,
            half: None,
        };
        random.advance();
        random.state = random.state.wrapping_add((long(0) << 64) | long(1));
        random.advance();
        random
    }

    const fn advance(&mut self) {
        self.state = self
            .state
            .wrapping_mul(MULTIPLIER)
            .wrapping_add(self.increment);
    }

    #[expect(clippy::cast_possible_truncation, reason = "halves of 128 bits")]
    const fn next(&mut self) -> u64 {
        self.advance();
        let folded = (self.state >> 64) as u64 ^ self.state as u64;
        folded.rotate_right((self.state >> 122) as u32)
    }

    #[expect(clippy::cast_possible_truncation, reason = "halves of 64 bits")]
    fn next_half(&mut self) -> u32 {
        if let Some(half) = self.half.take() {
            return half;
        }
        let word = self.next();
        self.half = Some((word >> 32) as u32);
        word as u32
    }

    /// In [0, 1).
    #[expect(clippy::cast_precision_loss, reason = "53 bits are exact")]
    pub(crate) fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 / 9_007_199_254_740_992.0
    }

    /// Below `bound`, which is at least 1.
    #[expect(clippy::cast_possible_truncation, reason = "halves of 64 bits")]
    pub(crate) fn below(&mut self, bound: u32) -> u32 {
        if bound <= 1 {
            return 0;
        }
        let mut product = u64::from(self.next_half()) * u64::from(bound);
        if (product as u32) < bound {
            let threshold = bound.wrapping_neg() % bound;
            while (product as u32) < threshold {
                product = u64::from(self.next_half()) * u64::from(bound);
            }
        }
        (product >> 32) as u32
    }

    /// From the standard normal distribution.
    #[expect(clippy::cast_precision_loss, reason = "52 bits are exact")]
    pub(crate) fn normal(&mut self) -> f64 {
        let layers = &*LAYERS;
        loop {
            let word = self.next();
            let layer = (word & 0xff) as usize;
            let sign = if (word >> 8) & 1 == 1 { -1.0 } else { 1.0 };
            let bits = (word >> 9) & 0x000f_ffff_ffff_ffff;
            let x = bits as f64 * layers.width[layer];
            if bits < layers.inside[layer] {
                return sign * x;
            }
            if layer == 0 {
                let sign = if (bits >> 8) & 1 == 1 { -1.0 } else { 1.0 };
                return sign * self.tail();
            }
            let (above, below) = (layers.density[layer - 1], layers.density[layer]);
            if (above - below) * self.uniform() + below < (-0.5 * x * x).exp() {
                return sign * x;
            }
        }
    }

    /// Beyond the last layer.
    fn tail(&mut self) -> f64 {
        loop {
            let x = -(-self.uniform()).ln_1p() / START;
            let y = -(-self.uniform()).ln_1p();
            if y + y > x * x {
                return START + x;
            }
        }
    }
}

/// Where the tail starts, and the area of each layer.
const START: f64 = 3.654_152_885_361_009;
const AREA: f64 = 0.004_928_673_233_99;

struct Layers {
    inside: [u64; 256],
    width: [f64; 256],
    density: [f64; 256],
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the ratios lie between 0 and 1"
)]
static LAYERS: LazyLock<Layers> = LazyLock::new(|| {
    const BITS: f64 = 4_503_599_627_370_496.0;
    let density_at = |x: f64| (-0.5 * x * x).exp();
    let mut layers = Layers {
        inside: [0; 256],
        width: [0.0; 256],
        density: [0.0; 256],
    };
    let base = AREA / density_at(START);
    layers.inside[0] = (START / base * BITS) as u64;
    layers.width[0] = base / BITS;
    layers.density[0] = 1.0;
    layers.width[255] = START / BITS;
    layers.density[255] = density_at(START);
    let mut outer = START;
    for layer in (1..255).rev() {
        let inner = (-2.0 * (AREA / outer + density_at(outer)).ln()).sqrt();
        layers.inside[layer + 1] = (inner / outer * BITS) as u64;
        layers.width[layer] = inner / BITS;
        layers.density[layer] = density_at(inner);
        outer = inner;
    }
    layers.inside[1] = 0;
    layers
});
