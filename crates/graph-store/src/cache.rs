//! What has been computed already?
//!
//! A bounded map for many readers: sixteen locks, and a full part is emptied rather than kept in order, which costs
//! nothing on a hit and bounds the memory all the same.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, RandomState};
use std::sync::{Mutex, PoisonError};

const PARTS: usize = 16;

pub(crate) struct Cache<K, V> {
    hasher: RandomState,
    parts: [Mutex<HashMap<K, V>>; PARTS],
    part_capacity: usize,
}

impl<K: Hash + Eq, V: Clone> Cache<K, V> {
    /// Keeps at most about `capacity` entries; none when it is 0.
    pub(crate) fn new(capacity: usize) -> Self {
        Self {
            hasher: RandomState::new(),
            parts: std::array::from_fn(|_| Mutex::default()),
            part_capacity: capacity.div_ceil(PARTS),
        }
    }

    fn part(&self, key: &K) -> &Mutex<HashMap<K, V>> {
        let at = usize::from(self.hasher.hash_one(key).to_le_bytes()[7]) % PARTS;
        &self.parts[at]
    }

    pub(crate) fn get(&self, key: &K) -> Option<V> {
        let part = self
            .part(key)
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        part.get(key).cloned()
    }

    pub(crate) fn insert(&self, key: K, value: V) {
        if self.part_capacity == 0 {
            return;
        }
        let mut part = self
            .part(&key)
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if part.len() >= self.part_capacity {
            part.clear();
        }
        part.insert(key, value);
    }
}
