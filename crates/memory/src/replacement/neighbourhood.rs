//! How near are the stored items to each other? Kept from what is known when each of them enters.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::by_id::ById;
use crate::ExperienceId;

/// Neighbours that are kept at hand for each item.
const NEAREST: usize = 3;

/// Similarities of all pairs, and the three nearest of each. Memory grows with the square of the number of items, so this
/// is for the policies of SOLAR's reference code, at the capacities it was made for.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Neighbourhood {
    places: BTreeMap<ExperienceId, usize>,
    free: Vec<usize>,
    /// By place and place; `f32::MIN` where nothing is known. What stands at a free place is of no meaning.
    rows: Vec<Vec<f32>>,
    nearest: Vec<[(f32, usize); NEAREST]>,
    #[serde(skip)]
    found: Found,
}

/// `places` once more, for finding only: a newcomer looks for all who are stored.
#[derive(Debug, Clone, Default)]
struct Found(ById<usize>);

/// It follows from `places`, and may not have been made yet.
impl PartialEq for Found {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

const NOBODY: (f32, usize) = (f32::MIN, usize::MAX);

#[inline]
fn keep(best: &mut [(f32, usize); NEAREST], similarity: f32, place: usize) {
    if similarity <= best[NEAREST - 1].0 {
        return;
    }
    best[NEAREST - 1] = (similarity, place);
    let mut at = NEAREST - 1;
    while at > 0 && best[at].0 > best[at - 1].0 {
        best.swap(at, at - 1);
        at -= 1;
    }
}

impl Neighbourhood {
    /// Takes in an item with its similarities to the stored ones; the unknown among them are passed over. Returns its place,
    /// for [`Self::nearest`].
    pub(super) fn insert(
        &mut self,
        id: ExperienceId,
        similarities: &[(ExperienceId, f32)],
    ) -> usize {
        self.remove(id);
        if self.found.0.len() != self.places.len() {
            self.found.0 = self.places.iter().map(|(id, at)| (*id, *at)).collect();
        }
        let place = self.free.pop().unwrap_or(self.rows.len());
        if place == self.rows.len() {
            for row in &mut self.rows {
                row.push(f32::MIN);
            }
            self.rows.push(vec![f32::MIN; place + 1]);
            self.nearest.push([NOBODY; NEAREST]);
        }
        let mut own = [NOBODY; NEAREST];
        let mut row = std::mem::take(&mut self.rows[place]);
        row.fill(f32::MIN);
        for (other, similarity) in similarities {
            if let Some(at) = self.found.0.get(other).copied() {
                row[at] = *similarity;
                self.rows[at][place] = *similarity;
                keep(&mut own, *similarity, at);
                keep(&mut self.nearest[at], *similarity, place);
            }
        }
        // Whoever had this place before may be known to those whom the newcomer is not.
        for (at, _) in row.iter().enumerate().filter(|(_, s)| **s == f32::MIN) {
            if at != place {
                self.rows[at][place] = f32::MIN;
            }
        }
        self.rows[place] = row;
        self.nearest[place] = own;
        self.places.insert(id, place);
        self.found.0.insert(id, place);
        place
    }

    pub(super) fn remove(&mut self, id: ExperienceId) {
        let Some(place) = self.places.remove(&id) else {
            return;
        };
        self.found.0.remove(&id);
        self.nearest[place] = [NOBODY; NEAREST];
        self.free.push(place);
        for (row, nearest) in self.rows.iter().zip(&mut self.nearest) {
            if nearest.iter().any(|(_, near)| *near == place) {
                *nearest = [NOBODY; NEAREST];
                for (other, similarity) in row.iter().enumerate() {
                    if *similarity > nearest[NEAREST - 1].0 && !self.free.contains(&other) {
                        keep(nearest, *similarity, other);
                    }
                }
            }
        }
    }

    /// Similarities to the nearest others, at most `count` (up to three).
    pub(super) fn nearest(&self, place: usize, count: usize) -> impl Iterator<Item = f64> {
        self.nearest[place]
            .iter()
            .take(count)
            .filter(|(_, near)| *near != usize::MAX)
            .map(|(similarity, _)| f64::from(*similarity))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Ulid;

    fn id(n: usize) -> ExperienceId {
        ExperienceId(Ulid(n as u128))
    }

    /// Any symmetric similarity without ties.
    fn similarity(a: usize, b: usize) -> f32 {
        let (low, high) = (a.min(b), a.max(b));
        f32::from(u16::try_from((low * 7919 + high * 104_729) % 65_521).unwrap()) / 65_521.0
    }

    proptest! {
        #[test]
        fn the_nearest_are_those_of_all_pairs(changes in prop::collection::vec((0_usize..20, any::<bool>()), 1..80)) {
            let mut known = Neighbourhood::default();
            let mut stored: Vec<usize> = Vec::new();
            for (n, enters) in changes {
                stored.retain(|m| *m != n);
                known.remove(id(n));
                if enters {
                    let all: Vec<_> = stored.iter().map(|m| (id(*m), similarity(n, *m))).collect();
                    known.insert(id(n), &all);
                    stored.push(n);
                }
                for m in &stored {
                    let mut naive: Vec<f32> = stored.iter().filter(|o| *o != m).map(|o| similarity(*m, *o)).collect();
                    naive.sort_by(|a, b| b.total_cmp(a));
                    naive.truncate(NEAREST);
                    let found: Vec<f64> = known.nearest(known.places[&id(*m)], NEAREST).collect();
                    prop_assert_eq!(found, naive.into_iter().map(f64::from).collect::<Vec<_>>());
                }
            }
        }
    }
}
