//! How is an id found fast? A hash map for finding only: nothing ever walks it, so its order cannot show.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::ExperienceId;

/// Values by id.
pub(super) type ById<T> = HashMap<ExperienceId, T, BuildHasherDefault<Fold>>;

/// Ids are made by ourselves and differ in their low bits, so one multiplication spreads them well enough.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Fold(u64);

impl Hasher for Fold {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u128(u128::from(*byte));
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "both halves are taken")]
    fn write_u128(&mut self, id: u128) {
        const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;
        let halves = self.0 ^ (id as u64) ^ ((id >> 64) as u64).rotate_left(32);
        self.0 = halves.wrapping_mul(SPREAD).rotate_left(29);
    }
}
