//! In which orders are quads kept, and how is a quad packed into one sortable number?
//!
//! A key is four ids side by side in a `u128`, so the order of numbers is the order of quads.

/// Four 32-bit ids in one number; the most significant id is the first in the index's order.
pub(crate) type Key = u128;

/// A quad as ids: subject, predicate, object, graph (0 = the default graph).
pub(crate) type IdQuad = [u32; 4];

pub(crate) fn join(parts: [u32; 4]) -> Key {
    (Key::from(parts[0]) << 96)
        | (Key::from(parts[1]) << 64)
        | (Key::from(parts[2]) << 32)
        | Key::from(parts[3])
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "taking the four 32-bit quarters of the number is the point"
)]
pub(crate) fn split(key: Key) -> [u32; 4] {
    [
        (key >> 96) as u32,
        (key >> 64) as u32,
        (key >> 32) as u32,
        key as u32,
    ]
}

/// The smallest and largest key that start with `prefix` (at most four ids).
pub(crate) fn prefix_range(prefix: &[u32]) -> (Key, Key) {
    let mut low = [0; 4];
    let mut high = [u32::MAX; 4];
    for (at, id) in prefix.iter().take(4).enumerate() {
        low[at] = *id;
        high[at] = *id;
    }
    (join(low), join(high))
}

/// An order of a quad's four positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    Spog,
    Posg,
    Opsg,
    /// Named graphs only: statements of the default graph are not in this index.
    Gspo,
}

impl Order {
    pub(crate) const ALL: [Self; 4] = [Self::Spog, Self::Posg, Self::Opsg, Self::Gspo];

    pub(crate) fn pack(self, [s, p, o, g]: IdQuad) -> Key {
        join(match self {
            Self::Spog => [s, p, o, g],
            Self::Posg => [p, o, s, g],
            Self::Opsg => [o, p, s, g],
            Self::Gspo => [g, s, p, o],
        })
    }

    pub(crate) fn unpack(self, key: Key) -> IdQuad {
        let [a, b, c, d] = split(key);
        match self {
            Self::Spog => [a, b, c, d],
            Self::Posg => [c, a, b, d],
            Self::Opsg => [c, b, a, d],
            Self::Gspo => [b, c, d, a],
        }
    }

    /// Whether the index in this order holds the quad at all.
    pub(crate) fn holds(self, quad: IdQuad) -> bool {
        match self {
            Self::Spog | Self::Posg | Self::Opsg => true,
            Self::Gspo => quad[3] != 0,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Spog => "spog",
            Self::Posg => "posg",
            Self::Opsg => "opsg",
            Self::Gspo => "gspo",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing_is_undone_by_unpacking_in_every_order() {
        for order in Order::ALL {
            let quad = [1, u32::MAX, 3, 4];
            assert_eq!(order.unpack(order.pack(quad)), quad);
        }
    }

    #[test]
    fn a_prefix_range_holds_exactly_the_keys_with_that_prefix() {
        let (low, high) = prefix_range(&[5, 6]);
        assert!(low <= join([5, 6, 0, 0]) && join([5, 6, u32::MAX, 9]) <= high);
        assert!(join([5, 5, u32::MAX, u32::MAX]) < low && high < join([5, 7, 0, 0]));
    }
}
