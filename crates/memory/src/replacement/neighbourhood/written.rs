//! How is a neighbourhood written down? As all similarities; who is nearest follows from them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{NEAREST, Neighbourhood, UNKNOWN};
use crate::ExperienceId;

/// What is written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Written {
    places: BTreeMap<ExperienceId, usize>,
    free: Vec<usize>,
    /// By place and place, both ways.
    rows: Vec<Vec<f32>>,
    /// Not read: it follows from the rows.
    nearest: Vec<[(f32, usize); NEAREST]>,
}

/// What was written is no neighbourhood.
#[derive(Debug, Error)]
#[error("places, free places and similarities of a neighbourhood do not go together")]
pub(super) struct NoNeighbourhood;

impl From<&Neighbourhood> for Written {
    fn from(known: &Neighbourhood) -> Self {
        let count = known.ids.len();
        let taken = |place: &usize| known.ids[*place].is_some();
        let mut rows = vec![vec![UNKNOWN; count]; count];
        for a in (0..count).filter(taken) {
            for b in (0..a).filter(taken) {
                rows[a][b] = known.similarity(a, b);
                rows[b][a] = rows[a][b];
            }
        }
        let ids = known.ids.iter().enumerate();
        Self {
            places: ids.filter_map(|(at, id)| Some(((*id)?, at))).collect(),
            free: known.free.clone(),
            nearest: rows.iter().map(|row| nearest(row)).collect(),
            rows,
        }
    }
}

impl From<Neighbourhood> for Written {
    fn from(known: Neighbourhood) -> Self {
        Self::from(&known)
    }
}

/// The nearest of one, most similar first; of equals, the first place.
fn nearest(row: &[f32]) -> [(f32, usize); NEAREST] {
    let known = row.iter().copied().zip(0..).filter(|(s, _)| *s > UNKNOWN);
    let mut all: Vec<(f32, usize)> = known.collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    std::array::from_fn(|at| all.get(at).copied().unwrap_or((UNKNOWN, usize::MAX)))
}

impl TryFrom<Written> for Neighbourhood {
    type Error = NoNeighbourhood;

    fn try_from(written: Written) -> Result<Self, NoNeighbourhood> {
        let count = written.rows.len();
        let mut ids: Vec<Option<ExperienceId>> = vec![None; count];
        for (id, place) in &written.places {
            let seat = ids.get_mut(*place).ok_or(NoNeighbourhood)?;
            if seat.replace(*id).is_some() {
                return Err(NoNeighbourhood);
            }
        }
        let mut free = written.free.clone();
        free.sort_unstable();
        free.dedup();
        let is_free = |place: &usize| ids.get(*place).is_some_and(Option::is_none);
        let whole = written.rows.iter().all(|row| row.len() == count)
            && free.iter().all(is_free)
            && free.len() == written.free.len()
            && free.len() + written.places.len() == count;
        if !whole {
            return Err(NoNeighbourhood);
        }
        let mut known = Self::default();
        for (place, id) in ids.iter().enumerate() {
            // A free place is taken for a while, so that each place is what it was.
            let standing = id.unwrap_or(ExperienceId(crate::Ulid(place as u128)));
            known.take_place(standing);
            known.ids[place] = *id;
            let row = place * known.room;
            known.rows[row..row + place].copy_from_slice(&written.rows[place][..place]);
        }
        known.free = written.free;
        known.found = written.places.into_iter().collect();
        for place in (0..count).filter(|place| ids[*place].is_some()) {
            known.draw_up(place);
            known.weigh(place);
        }
        Ok(known)
    }
}
