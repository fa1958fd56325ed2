use proptest::prelude::*;

use super::*;
use crate::Ulid;

fn id(n: usize) -> ExperienceId {
    ExperienceId(Ulid(n as u128))
}

/// Any symmetric similarity, of so many different ones.
fn similarity(a: usize, b: usize, grains: usize) -> f32 {
    let (low, high) = (a.min(b), a.max(b));
    f32::from(u16::try_from((low * 7919 + high * 104_729) % grains).unwrap()) / 65_521.0
}

/// The similarities of `n` to those in `stored`, most similar first.
fn naive(n: usize, stored: &[usize], grains: usize) -> Vec<f64> {
    let others = stored.iter().filter(|other| **other != n);
    let mut all: Vec<f64> = others
        .map(|other| f64::from(similarity(n, *other, grains)))
        .collect();
    all.sort_by(|a, b| b.total_cmp(a));
    all.truncate(NEAREST);
    all
}

fn mean(near: &[f64]) -> Option<f64> {
    let mut count = 0.0;
    let mut sum = 0.0;
    for s in near {
        sum += s;
        count += 1.0;
    }
    (count > 0.0).then(|| sum / count)
}

proptest! {
    /// With few grains many are equally near.
    #[test]
    fn the_nearest_are_those_of_all_pairs(
        changes in prop::collection::vec((0_usize..90, any::<bool>()), 1..300),
        grains in prop_oneof![Just(65_521_usize), Just(5)],
        reread in any::<bool>(),
    ) {
        let mut known = Neighbourhood::default();
        let mut stored: Vec<usize> = Vec::new();
        for (n, enters) in changes {
            stored.retain(|m| *m != n);
            known.remove(id(n));
            if enters {
                let all: Vec<_> = stored.iter().map(|m| (id(*m), similarity(n, *m, grains))).collect();
                known.insert(id(n), &all);
                stored.push(n);
            }
            if reread {
                let bytes = postcard::to_allocvec(&known).unwrap();
                let back: Neighbourhood = postcard::from_bytes(&bytes).unwrap();
                prop_assert!(back == known);
                known = back;
            }
            for m in &stored {
                let naive = naive(*m, &stored, grains);
                let place = known.found[&id(*m)];
                prop_assert_eq!(known.closest(place), naive.first().copied());
                prop_assert_eq!(known.mean(place), mean(&naive));
            }
        }
    }
}

#[test]
fn one_of_whom_nothing_is_known_has_no_neighbours() {
    let mut known = Neighbourhood::default();
    let first = known.insert(id(1), &[]);
    let second = known.insert(id(2), &[]);
    assert_eq!((known.closest(first), known.mean(second)), (None, None));
    known.insert(id(3), &[(id(1), 0.5), (id(9), 0.9), (id(1), 0.5)]);
    assert_eq!(
        (known.closest(first), known.mean(first)),
        (Some(0.5), Some(0.5))
    );
    assert_eq!(known.closest(second), None);
}

#[test]
fn what_is_no_neighbourhood_is_not_read() {
    let mut known = Neighbourhood::default();
    known.insert(id(1), &[]);
    known.insert(id(2), &[(id(1), 0.5)]);
    let bytes = postcard::to_allocvec(&known).unwrap();
    for at in 0..bytes.len() {
        let mut bytes = bytes.clone();
        bytes[at] = bytes[at].wrapping_add(1);
        // Whatever is read can be used.
        if let Ok(mut back) = postcard::from_bytes::<Neighbourhood>(&bytes) {
            back.insert(id(3), &[(id(1), 0.1), (id(2), 0.2)]);
            back.remove(id(2));
        }
    }
    // The only place there is belongs to nobody, and somebody's place is not there.
    let (places, free) = (vec![(id(1), 7_usize)], Vec::<usize>::new());
    let (rows, nearest) = (vec![vec![0.0_f32]], Vec::<u8>::new());
    let rows = (places, free, rows, nearest);
    let bytes = postcard::to_allocvec(&rows).unwrap();
    assert!(postcard::from_bytes::<Neighbourhood>(&bytes).is_err());
}
