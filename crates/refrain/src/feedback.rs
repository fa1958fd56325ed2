//! What does a person's verdict change?

use memory::{AnswerId, AnswerText, Effect, Event, Feedback, Judge, Memory, Namespace, Value};
use oxrdf::Literal;
use serde::Serialize;

use crate::engine::Engine;
use crate::error::{EngineError, check_name};
use crate::named;

/// The name of the newest answer.
pub const LAST: &str = "last";

/// A person's verdict on an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It was right.
    Good,
    /// It was wrong.
    Bad,
    /// This would have been right; several values are set apart by semicolons.
    Edit(String),
}

impl Verdict {
    fn name(&self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Bad => "bad",
            Self::Edit(_) => "edit",
        }
    }
}

/// What a verdict changed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct BlastRadius {
    /// The answer that was judged.
    pub answer: String,
    /// The verdict: "good", "bad" or "edit".
    pub verdict: String,
    /// Experiences that are gone.
    pub retracted: Vec<String>,
    /// Experiences that are gone because they derived from one of those.
    pub dropped: Vec<String>,
    /// Experiences that are trusted less.
    pub lowered: Vec<String>,
    /// Experiences that are trusted more.
    pub raised: Vec<String>,
    /// The experience that holds the corrected answer.
    pub corrected: Option<String>,
    /// Lessons changed.
    pub lessons: u64,
    /// Word meanings changed.
    pub links: u64,
    /// Whether this answer to this question is kept from coming back.
    pub vetoed: bool,
}

impl Engine {
    /// Takes a verdict; durable when it returns. The answer is named by its id, the beginning of it, or [`LAST`].
    ///
    /// # Errors
    /// When the namespace has no such answer, or the verdict cannot be made durable.
    pub fn feedback(
        &self,
        namespace: &str,
        answer: &str,
        verdict: Verdict,
    ) -> Result<BlastRadius, EngineError> {
        check_name("namespace", namespace)?;
        self.settle()?;
        let namespace = Namespace::new(namespace);
        let knowledge = self.learner.knowledge();
        let memory = knowledge.memory(&namespace);
        let id = self.answer_id(memory, answer)?;
        let name = verdict.name();
        let is_refusal = memory
            .answer(id)
            .is_some_and(|record| record.template.is_empty());
        if is_refusal && matches!(verdict, Verdict::Edit(_)) {
            return Err(EngineError::EditedRefusal { id: id.to_string() });
        }
        let verdict = match verdict {
            Verdict::Good => memory::Verdict::Good,
            Verdict::Bad => memory::Verdict::Bad,
            Verdict::Edit(text) => memory::Verdict::Edit(self.corrected(memory, id, &text)?),
        };
        let feedback = Feedback {
            at: self.surroundings.clock.now(),
            answer: id,
            verdict,
            judge: Judge::Person,
        };
        let effect = self.learner.submit(Event::Feedback {
            namespace,
            feedback,
        })?;
        if let Effect::Judged(judged) = effect {
            return Ok(in_words(name, judged?));
        }
        Err(EngineError::UnknownAnswer {
            id: answer.to_owned(),
        })
    }

    /// Waits until everything asked so far is learned and durable, and keeps what was seen of the graphs' schemas.
    ///
    /// # Errors
    /// When the journal or a schema cannot be written.
    pub fn settle(&self) -> Result<(), EngineError> {
        self.learner.settle()?;
        self.sources()
            .iter()
            .try_for_each(|source| source.keep_learned())
    }

    /// The id of the answer that a person means.
    pub(crate) fn answer_id(&self, memory: &Memory, text: &str) -> Result<AnswerId, EngineError> {
        if text == LAST {
            let newest = memory.answers().next().map(|(id, _)| id);
            return newest.ok_or_else(|| EngineError::UnknownAnswer {
                id: text.to_owned(),
            });
        }
        named::answer(memory, text)
    }

    /// A person's answer: labels of the source's nodes become those nodes, everything else is text.
    fn corrected(
        &self,
        memory: &Memory,
        id: AnswerId,
        text: &str,
    ) -> Result<AnswerText, EngineError> {
        let domain = memory.answer(id).map(|record| record.domain.clone());
        let source = domain.and_then(|domain| self.source(&domain).ok());
        let mut values = Vec::new();
        for part in text
            .split(';')
            .map(str::trim)
            .filter(|part| !part.is_empty())
        {
            let node = match &source {
                Some(source) => {
                    let snapshot = source.snapshot()?;
                    let found = snapshot.labels().exact(&graph_store::normalise(part), 1)?;
                    found.first().map(|id| snapshot.term(*id)).transpose()?
                }
                None => None,
            };
            let term = node.unwrap_or_else(|| Literal::new_simple_literal(part).into());
            values.push(Value {
                label: part.to_owned(),
                term: term.to_string(),
            });
        }
        Ok(AnswerText {
            text: text.trim().to_owned(),
            values,
        })
    }
}

fn in_words(verdict: &str, radius: memory::BlastRadius) -> BlastRadius {
    let texts = |ids: &[memory::ExperienceId]| ids.iter().map(ToString::to_string).collect();
    BlastRadius {
        answer: radius.answer.to_string(),
        verdict: verdict.to_owned(),
        retracted: texts(&radius.retracted),
        dropped: texts(&radius.dropped),
        lowered: texts(&radius.lowered),
        raised: texts(&radius.raised),
        corrected: radius.corrected.map(|id| id.to_string()),
        lessons: radius.lessons,
        links: radius.links,
        vetoed: radius.vetoed,
    }
}
