//! Which events hold what is to be forgotten, and what is left of them without it?

use crate::event::{Episode, Event, ForgetTargets};
use crate::{Experience, ExperienceId, Namespace, Stored};

impl Event {
    /// Whether it holds text that `targets` wants forgotten in `namespace`.
    #[must_use]
    pub fn mentions(&self, namespace: &Namespace, targets: &ForgetTargets) -> bool {
        match self {
            Self::Episode {
                namespace: owner,
                episode,
            } => owner == namespace && (targets.everything || targets.mention_episode(episode)),
            Self::Feedback {
                namespace: owner,
                feedback,
            } => {
                owner == namespace
                    && (targets.everything
                        || targets.answers.binary_search(&feedback.answer).is_ok())
            }
            Self::Import {
                namespace: owner,
                experiences,
                ..
            } => {
                owner == namespace
                    && (targets.everything
                        || experiences.iter().any(|e| targets.mention_experience(e)))
            }
            Self::Restored {
                namespace: owner,
                entries,
                ..
            } => {
                let forgotten = |stored: &Stored| targets.mention_experience(&stored.experience);
                owner == namespace && (targets.everything || entries.iter().any(forgotten))
            }
            Self::Noted {
                namespace: owner,
                notes,
                ..
            } => {
                owner == namespace
                    && (targets.everything || notes.iter().any(|e| targets.mention_experience(e)))
            }
            Self::Recalled {
                namespace: owner,
                notes,
                ..
            } => {
                let forgotten = |id: &ExperienceId| targets.experiences.binary_search(id).is_ok();
                owner == namespace && (targets.everything || notes.iter().any(forgotten))
            }
            Self::Forget { .. }
            | Self::SourceChanged { .. }
            | Self::Settings { .. }
            | Self::Reembedded { .. }
            | Self::Redacted
            | Self::Defaults { .. }
            | Self::Pinned { .. }
            | Self::NoteJudged { .. } => false,
        }
    }

    /// The event without what `targets` wants forgotten in `namespace`. Vectors made anew carry texts of every
    /// namespace, so such an event goes as a whole; the checkpoint that forgetting writes holds what is still needed.
    #[must_use]
    pub fn redacted(self, namespace: &Namespace, targets: &ForgetTargets) -> Self {
        match self {
            Self::Import {
                namespace: owner,
                at,
                embedder,
                lesson_weight,
                experiences,
            } if owner == *namespace && !targets.everything => {
                let experiences = experiences
                    .into_iter()
                    .filter(|e| !targets.mention_experience(e))
                    .collect();
                Self::Import {
                    namespace: owner,
                    at,
                    embedder,
                    lesson_weight,
                    experiences,
                }
            }
            Self::Restored {
                namespace: owner,
                at,
                embedder,
                lesson_weight,
                mut entries,
            } if owner == *namespace && !targets.everything => {
                entries.retain(|stored| !targets.mention_experience(&stored.experience));
                Self::Restored {
                    namespace: owner,
                    at,
                    embedder,
                    lesson_weight,
                    entries,
                }
            }
            Self::Reembedded { .. } => Self::Redacted,
            kept @ (Self::Forget { .. }
            | Self::SourceChanged { .. }
            | Self::Settings { .. }
            | Self::Redacted
            | Self::Defaults { .. }
            | Self::Pinned { .. }
            | Self::NoteJudged { .. }) => kept,
            Self::Noted {
                namespace: owner,
                at,
                embedder,
                mut notes,
            } if owner == *namespace && !targets.everything => {
                notes.retain(|note| !targets.mention_experience(note));
                Self::Noted {
                    namespace: owner,
                    at,
                    embedder,
                    notes,
                }
            }
            other @ (Self::Episode { .. }
            | Self::Feedback { .. }
            | Self::Import { .. }
            | Self::Restored { .. }
            | Self::Noted { .. }
            | Self::Recalled { .. }) => {
                if other.mentions(namespace, targets) {
                    Self::Redacted
                } else {
                    other
                }
            }
        }
    }
}

impl ForgetTargets {
    fn mention_episode(&self, episode: &Episode) -> bool {
        let candidate = episode
            .candidate
            .as_ref()
            .is_some_and(|c| self.experiences.binary_search(&c.id).is_ok());
        candidate
            || self.answers.binary_search(&episode.answer).is_ok()
            || self.mention_question(&episode.question)
    }

    fn mention_experience(&self, experience: &Experience) -> bool {
        self.experiences.binary_search(&experience.id).is_ok()
            || self.mention_question(&experience.question)
    }

    fn mention_question(&self, question: &str) -> bool {
        self.questions
            .binary_search(&crate::index::question_key(question))
            .is_ok()
    }
}
