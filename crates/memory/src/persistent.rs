//! Ordered maps and sets that share structure: a clone is a pointer, so publishing a snapshot costs nothing.
//!
//! They iterate in key order and serialise as their contents, whatever the history of their making.

pub(crate) type Map<K, V> = rpds::RedBlackTreeMapSync<K, V>;
pub(crate) type Set<T> = rpds::RedBlackTreeSetSync<T>;

/// The value at `key`, put there by `make` when it is missing.
pub(crate) fn entry<K: Ord + Clone, V: Clone>(
    map: &mut Map<K, V>,
    key: &K,
    make: impl FnOnce() -> V,
    change: impl FnOnce(&mut V),
) {
    if let Some(value) = map.get_mut(key) {
        change(value);
    } else {
        let mut value = make();
        change(&mut value);
        map.insert_mut(key.clone(), value);
    }
}
