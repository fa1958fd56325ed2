//! Which template worked for a question worded like this, and which did not?
//!
//! The planner's experience kernel: for each masked question and template, successes and failures. Entities do not
//! appear, so what was learned for one film counts for all. Failures are kept as well as successes: they make the planner
//! try its second choice. Questions with the same masked text share one row of the matrix.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::matrix::Matrix;
use crate::persistent::Map;
use crate::tally::{Tallies, Tally};
use crate::vector::Vector;

type Key = (Arc<str>, Arc<str>);

/// A lesson near a question.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbour {
    /// Cosine of the masked questions, in [-1, 1].
    pub similarity: f32,
    /// The neighbour's masked question.
    pub masked: Arc<str>,
    /// The template that was used for it.
    pub template: Arc<str>,
    /// How often that was right, weighted.
    pub successes: f64,
    /// How often that was wrong, weighted.
    pub failures: f64,
}

#[derive(Serialize, Deserialize)]
struct Parts {
    tallies: Tallies<Key>,
    vectors: Map<Arc<str>, Vector>,
}

/// The lessons of one domain.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(from = "Parts", into = "Parts")]
pub struct Lessons {
    tallies: Tallies<Key>,
    vectors: Map<Arc<str>, Vector>,
    matrix: Matrix<Arc<str>>,
}

impl From<Parts> for Lessons {
    fn from(parts: Parts) -> Self {
        let mut matrix = Matrix::default();
        for (masked, vector) in parts.vectors.iter() {
            matrix.insert(masked, vector);
        }
        Self {
            tallies: parts.tallies,
            vectors: parts.vectors,
            matrix,
        }
    }
}

impl From<Lessons> for Parts {
    fn from(lessons: Lessons) -> Self {
        Self {
            tallies: lessons.tallies,
            vectors: lessons.vectors,
        }
    }
}

impl Lessons {
    /// How many pairs of masked question and template there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tallies.len()
    }

    /// Whether nothing was learned.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many distinct masked questions there are.
    #[must_use]
    pub fn questions(&self) -> usize {
        self.vectors.size()
    }

    /// The lessons of the `k` masked questions nearest to `embedding` with a cosine of at least `minimum_similarity`:
    /// nearest first, ties by text, then by template.
    #[must_use]
    pub fn kernel(&self, embedding: &[f32], k: usize, minimum_similarity: f32) -> Vec<Neighbour> {
        let near = self.matrix.nearest(embedding, k, minimum_similarity);
        near.into_iter()
            .flat_map(|(similarity, masked)| {
                self.of(masked)
                    .map(move |(template, tally)| neighbour(similarity, masked, template, tally))
            })
            .collect()
    }

    /// What was learned from exactly this masked question, by template.
    #[must_use]
    pub fn exact(&self, masked: &str) -> Vec<Neighbour> {
        let masked: Arc<str> = Arc::from(masked);
        self.of(&masked)
            .map(|(template, tally)| neighbour(1.0, &masked, template, tally))
            .collect()
    }

    /// What was learned of one pair.
    #[must_use]
    pub fn tally(&self, masked: &str, template: &str) -> Option<Tally> {
        self.tallies
            .get(&(Arc::from(masked), Arc::from(template)))
            .copied()
    }

    fn of<'s>(
        &'s self,
        masked: &Arc<str>,
    ) -> impl Iterator<Item = (&'s Arc<str>, &'s Tally)> + use<'s> {
        let wanted = Arc::clone(masked);
        let from: Key = (Arc::clone(masked), Arc::from(""));
        self.tallies
            .map()
            .range(from..)
            .take_while(move |((text, _), _)| *text == wanted)
            .map(|((_, template), tally)| (template, tally))
    }

    /// Gives how many lessons had to leave for it.
    pub(crate) fn add(
        &mut self,
        lesson: (&str, &str),
        vector: &Vector,
        evidence: (f64, f64),
        step: u64,
        capacity: usize,
    ) -> usize {
        let key: Key = (Arc::from(lesson.0), Arc::from(lesson.1));
        let left = self
            .tallies
            .add(&key, evidence.0, evidence.1, step, capacity);
        if self.tallies.get(&key).is_some() && !self.vectors.contains_key(&key.0) {
            self.vectors.insert_mut(Arc::clone(&key.0), vector.clone());
            self.matrix.insert(&key.0, vector);
        }
        for (masked, _) in &left {
            self.drop_unused(masked);
        }
        left.len()
    }

    pub(crate) fn subtract(&mut self, lesson: (&str, &str), evidence: (f64, f64)) {
        let key: Key = (Arc::from(lesson.0), Arc::from(lesson.1));
        if self.tallies.subtract(&key, evidence.0, evidence.1) {
            self.drop_unused(&key.0);
        }
    }

    /// Forgets all that was learned from a masked question.
    pub(crate) fn forget(&mut self, masked: &str) {
        let masked: Arc<str> = Arc::from(masked);
        let templates: Vec<Arc<str>> = self
            .of(&masked)
            .map(|(template, _)| Arc::clone(template))
            .collect();
        for template in templates {
            self.tallies.remove(&(Arc::clone(&masked), template));
        }
        self.drop_unused(&masked);
    }

    pub(crate) fn masked(&self) -> impl Iterator<Item = &Arc<str>> {
        self.vectors.keys()
    }

    /// Replaces every vector; a text without a new one is not found by similarity.
    pub(crate) fn reembed(&mut self, vector_of: impl Fn(&str) -> Vector) {
        let texts: Vec<Arc<str>> = self.vectors.keys().cloned().collect();
        self.matrix = Matrix::default();
        for text in texts {
            let vector = vector_of(&text);
            self.matrix.insert(&text, &vector);
            self.vectors.insert_mut(text, vector);
        }
    }

    fn drop_unused(&mut self, masked: &Arc<str>) {
        if self.of(masked).next().is_none() {
            self.vectors.remove_mut(masked);
            self.matrix.remove(masked);
        }
    }
}

fn neighbour(similarity: f32, masked: &Arc<str>, template: &Arc<str>, tally: &Tally) -> Neighbour {
    Neighbour {
        similarity,
        masked: Arc::clone(masked),
        template: Arc::clone(template),
        successes: tally.successes,
        failures: tally.failures,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use similarity::Embedding;

    fn vector(x: f32, y: f32) -> Vector {
        Vector::from(Embedding::new(vec![x, y]).unwrap())
    }

    #[test]
    fn equal_lessons_merge_and_share_one_row() {
        let mut lessons = Lessons::default();
        for step in 0..5 {
            lessons.add(
                ("who directed ⟨0⟩", "$0/<director>"),
                &vector(1.0, 0.0),
                (1.0, 0.0),
                step,
                100,
            );
        }
        lessons.add(
            ("who directed ⟨0⟩", "$0/<writer>"),
            &vector(1.0, 0.0),
            (0.0, 1.0),
            6,
            100,
        );
        assert_eq!((lessons.len(), lessons.questions()), (2, 1));
        let near = lessons.kernel(vector(1.0, 0.1).as_slice(), 5, 0.5);
        let counts: Vec<(&str, f64, f64)> = near
            .iter()
            .map(|n| (n.template.as_ref(), n.successes, n.failures))
            .collect();
        assert_eq!(
            counts,
            [("$0/<director>", 5.0, 0.0), ("$0/<writer>", 0.0, 1.0)]
        );
    }

    #[test]
    fn what_is_too_far_is_not_a_neighbour() {
        let mut lessons = Lessons::default();
        lessons.add(("a", "t"), &vector(1.0, 0.0), (1.0, 0.0), 1, 100);
        assert!(
            lessons
                .kernel(vector(0.0, 1.0).as_slice(), 5, 0.75)
                .is_empty()
        );
    }

    #[test]
    fn a_text_without_lessons_left_leaves_the_matrix() {
        let mut lessons = Lessons::default();
        lessons.add(("a", "t"), &vector(1.0, 0.0), (0.5, 0.0), 1, 1);
        lessons.add(("b", "t"), &vector(0.0, 1.0), (1.0, 0.0), 2, 1);
        assert_eq!((lessons.len(), lessons.questions()), (1, 1));
        lessons.subtract(("b", "t"), (1.0, 0.0));
        assert!(lessons.is_empty() && lessons.kernel(&[0.0, 1.0], 3, -1.0).is_empty());
    }
}
