//! What is to be forgotten, and what is gone afterwards?
//!
//! Asking resolves to ids and hashes, so that the event of forgetting holds no text itself. What a forgotten answer
//! taught is subtracted; a masked question that no other answer or experience has is dropped with all its lessons.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::event::ForgetTargets;
use crate::evidence::{EvidenceKey, Triple};
use crate::experience::Stored;
use crate::gate::veto_key;
use crate::index::question_key;
use crate::memory::{AnswerRecord, Memory};
use crate::tenant::Tenant;
use crate::{AnswerId, ExperienceId};

/// What someone wants forgotten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ForgetSelector {
    /// One experience, and the answers that are it.
    Experience(ExperienceId),
    /// One answer, and the experience that is it.
    Answer(AnswerId),
    /// Every answer to a question, whatever its case and punctuation.
    Question(String),
    /// Every experience that rests on a triple of a source.
    Evidence {
        /// The source.
        source: String,
        /// The triple.
        triple: Triple,
    },
    /// Everything.
    Namespace,
}

/// What was forgotten.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// Experiences removed.
    pub experiences: Vec<ExperienceId>,
    /// How many of them were pinned: a pin keeps from eviction, not from being forgotten on demand.
    pub pinned: u64,
    /// Answers removed.
    pub answers: Vec<AnswerId>,
    /// Pairs of masked question and template removed.
    pub lessons: u64,
    /// Pairs of phrase and predicate removed.
    pub links: u64,
    /// Vetoes removed.
    pub vetoes: u64,
    /// Journal entries blanked; filled in by the keeper of the journal.
    pub journal_entries: u64,
}

impl Receipt {
    pub(crate) fn of_all(memory: &Memory) -> Self {
        Self {
            experiences: memory.experiences.keys().copied().collect(),
            pinned: memory.experiences().filter(|s| s.usage.pinned).count() as u64,
            answers: memory.answers.keys().copied().collect(),
            lessons: memory.lessons.values().map(|l| l.len() as u64).sum(),
            links: memory.lexicon.len() as u64,
            vetoes: memory.vetoes.size() as u64,
            journal_entries: 0,
        }
    }
}

impl Memory {
    /// What `selector` means now. Question hashes are kept, so that older entries of the journal are found too.
    #[must_use]
    pub fn resolve(&self, selector: &ForgetSelector) -> ForgetTargets {
        let mut experiences = BTreeSet::new();
        let mut answers = BTreeSet::new();
        let mut questions = BTreeSet::new();
        match selector {
            ForgetSelector::Namespace => {
                return ForgetTargets {
                    everything: true,
                    ..ForgetTargets::default()
                };
            }
            ForgetSelector::Experience(id) => {
                experiences.insert(*id);
            }
            ForgetSelector::Answer(id) => {
                answers.insert(*id);
                questions.extend(self.answers.get(id).map(|record| record.question_key));
            }
            ForgetSelector::Question(text) => {
                questions.insert(question_key(text));
            }
            ForgetSelector::Evidence { source, triple } => {
                experiences.extend(self.resting_on(source, triple));
                let ghosts = self.ghosts_resting_on(source, triple);
                questions.extend(ghosts.iter().map(|(_, question)| *question));
                experiences.extend(ghosts.into_iter().map(|(id, _)| id));
            }
        }
        questions.extend(experiences.iter().filter_map(|id| self.question_of(*id)));
        for key in &questions {
            experiences.extend(self.index().with_question(*key));
        }
        let gone = |record: &AnswerRecord| questions.contains(&record.question_key);
        answers.extend(
            self.answers
                .iter()
                .filter(|(_, record)| gone(record))
                .map(|(id, _)| *id),
        );
        ForgetTargets {
            experiences: experiences.into_iter().collect(),
            answers: answers.into_iter().collect(),
            questions: questions.into_iter().collect(),
            everything: false,
        }
    }

    /// The key of the question of one that is stored, or a ghost.
    fn question_of(&self, id: ExperienceId) -> Option<u64> {
        match self.stored(id) {
            Some(stored) => Some(question_key(&stored.experience.question)),
            None => self.ghosts.get(id).map(|ghost| ghost.question),
        }
    }

    /// Ghosts whose evidence the triple touches, with the keys of their questions.
    fn ghosts_resting_on(&self, source: &str, triple: &Triple) -> Vec<(ExperienceId, u64)> {
        let mut keys = EvidenceKey::touched_by(source, triple).to_vec();
        keys.sort_unstable();
        self.ghosts
            .iter()
            .filter(|(_, ghost)| share_one(&ghost.evidence, &keys))
            .map(|(id, ghost)| (id, ghost.question))
            .collect()
    }

    fn resting_on(&self, source: &str, triple: &Triple) -> Vec<ExperienceId> {
        let keys = EvidenceKey::touched_by(source, triple);
        let mut ids: Vec<ExperienceId> = self.resting_on_any(&keys).collect();
        // Evidence too large to be kept whole cannot be shown not to hold the triple.
        let rests = |id: &ExperienceId| {
            self.stored(*id).is_some_and(|s| {
                let evidence = &s.experience.evidence;
                evidence.triples.contains(triple) || evidence.total > evidence.triples.len() as u64
            })
        };
        ids.retain(rests);
        ids
    }

    /// The experiences whose evidence has one of the keys, by id.
    pub(crate) fn resting_on_any(
        &self,
        keys: &[EvidenceKey],
    ) -> impl Iterator<Item = ExperienceId> {
        let mut wanted = keys.to_vec();
        wanted.sort_unstable();
        let touches = move |stored: &&Stored| share_one(&stored.experience.evidence.keys, &wanted);
        self.experiences()
            .filter(touches)
            .map(|stored| stored.experience.id)
    }

    pub(crate) fn texts(&self) -> Vec<String> {
        let stored = self.experiences.values().flat_map(|s| {
            [
                s.experience.question.clone(),
                s.experience.signature.masked.clone(),
            ]
        });
        let lessons = self
            .lessons
            .values()
            .flat_map(|l| l.masked().map(ToString::to_string));
        stored.chain(lessons).collect()
    }
}

/// Whether two ascending lists have a key in common; the shorter is looked up in the longer.
fn share_one(a: &[EvidenceKey], b: &[EvidenceKey]) -> bool {
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    short.iter().any(|key| long.binary_search(key).is_ok())
}

impl Tenant {
    pub(crate) fn forget(&mut self, targets: &ForgetTargets) -> Receipt {
        self.memory.step += 1;
        let mut receipt = Receipt::default();
        let before = (self.lesson_count(), self.memory.lexicon.len() as u64);
        let mut wordings: BTreeSet<(String, String)> = BTreeSet::new();
        for id in &targets.answers {
            let Some(record) = self.memory.answers.get(id).cloned() else {
                continue;
            };
            self.memory.answers.remove_mut(id);
            receipt.answers.push(*id);
            receipt.vetoes += u64::from(self.unteach(&record));
            wordings.insert((record.domain.clone(), record.masked.clone()));
        }
        for id in self.traces(&targets.questions) {
            self.remove_traces(id);
        }
        for id in &targets.experiences {
            let Some(stored) = self.remove(*id) else {
                continue;
            };
            receipt.experiences.push(*id);
            receipt.pinned += u64::from(stored.usage.pinned);
            wordings.insert((
                stored.experience.domain.clone(),
                stored.experience.signature.masked.clone(),
            ));
        }
        for (domain, masked) in &wordings {
            self.forget_wording(domain, masked);
        }
        self.memory.counters.forgotten += receipt.experiences.len() as u64;
        receipt.lessons = before.0 - self.lesson_count();
        receipt.links = before.1.saturating_sub(self.memory.lexicon.len() as u64);
        receipt
    }

    /// Those that are not stored, but that a ghost tier or a shadow keeps, of the questions with these ascending keys.
    fn traces(&self, questions: &[u64]) -> BTreeSet<ExperienceId> {
        let mut ids: BTreeSet<ExperienceId> =
            self.memory.ghosts.asking(questions).into_iter().collect();
        for shadow in &self.shadows {
            ids.extend(shadow.asking(questions));
        }
        ids.retain(|id| self.memory.stored(*id).is_none());
        ids
    }

    fn lesson_count(&self) -> u64 {
        self.memory
            .lessons
            .values()
            .map(|lessons| lessons.len() as u64)
            .sum()
    }

    /// Subtracts what an answer taught. Returns whether a veto went with it.
    fn unteach(&mut self, record: &AnswerRecord) -> bool {
        if let Some(lessons) = self.memory.lessons.get_mut(record.domain.as_str()) {
            lessons.subtract((&record.masked, &record.template), record.lesson);
        }
        for (link, successes, failures) in &record.links {
            self.memory.lexicon.subtract(link, (*successes, *failures));
        }
        self.lift_veto(veto_key(
            &record.domain,
            &record.masked,
            &record.template,
            &record.bindings,
        ))
    }

    fn forget_wording(&mut self, domain: &str, masked: &str) {
        let stored = self
            .memory
            .index
            .domain(domain)
            .is_some_and(|index| index.texts.contains_key(masked));
        let answered = || {
            self.memory
                .answers
                .values()
                .any(|record| record.domain == domain && record.masked == masked)
        };
        if stored || answered() {
            return;
        }
        if let Some(lessons) = self.memory.lessons.get_mut(domain) {
            lessons.forget(masked);
        }
    }
}
