//! How does a question become an answer? The frame: bound, snapshot, route, attempt, hand over.
//!
//! Nothing here writes, and no lock is held while it runs. The episode goes to the learner's queue when the answer is ready.

use std::sync::Arc;

use memory::{Episode, Memory, Namespace, Provenance, Vector};

use crate::answer::{Answer, AskRequest, MemoryUse};
use crate::attempt::Frame;
use crate::budget::Budget;
use crate::corpus::Corpus;
use crate::engine::Engine;
use crate::error::{EngineError, check_name};
use crate::knowledge::Knowledge;
use crate::router::{self, MAX_SOURCES_ASKED, Route};
use crate::source::View;
use crate::wording;

/// Longest question that is read, in bytes; the rest is cut, and the answer says so.
pub const MAX_QUESTION_BYTES: usize = 4096;

/// Graphs, then corpora.
type AskedSources = (Vec<Arc<View>>, Vec<Arc<Corpus>>);

impl Engine {
    /// Answers a question, or refrains.
    ///
    /// # Errors
    /// When a source is unknown or cannot be read. That there is no answer is not an error.
    pub fn ask(&self, request: &AskRequest) -> Result<Answer, EngineError> {
        let (answer, episode) = self.answer(request, Provenance::Online)?;
        if let Some(episode) = episode.filter(|_| request.memory.writes()) {
            self.learner
                .learn(Namespace::new(&request.namespace), episode);
        }
        Ok(answer)
    }

    /// Answers without handing anything to the learner.
    pub(crate) fn answer(
        &self,
        request: &AskRequest,
        provenance: Provenance,
    ) -> Result<(Answer, Option<Episode>), EngineError> {
        let budget = Budget::new(&self.config.budget);
        check_name("namespace", &request.namespace)?;
        let (question, shortened) = bounded(&request.question);
        let knowledge = self.learner.knowledge();
        let namespace = Namespace::new(&request.namespace);
        let blank = Memory::default();
        let memory = match request.memory {
            _ if !self.config.memory.enabled => None,
            MemoryUse::Off => None,
            MemoryUse::On | MemoryUse::ReadOnly => Some(knowledge.memory(&namespace)),
            // What is learned from has to be taken apart as if it were looked up; here it finds nothing.
            MemoryUse::WriteOnly => Some(&blank),
        };
        let vector = self.vector(question)?;
        let (graphs, corpora) = self.asked_sources(request)?;
        let routes = self.routes(graphs, request, question, &vector, &knowledge, &budget)?;
        let mut frame = Frame {
            engine: self,
            request,
            id: self.fresh_answer_id(),
            now: self.surroundings.clock.now(),
            vector,
            memory,
            provenance,
            budget: &budget,
            fits: routes.iter().map(|route| route.fit.clone()).collect(),
        };
        let (mut answer, mut episode) = try_sources(&frame, &routes, &corpora, question)?;
        if is_too_old(request, &answer) {
            frame.memory = Some(&blank);
            (answer, episode) = try_sources(&frame, &routes, &corpora, question)?;
        }
        if shortened {
            answer.cut.push(format!(
                "the question: only its first {MAX_QUESTION_BYTES} bytes were read"
            ));
        }
        answer.cost.model_calls = budget.calls();
        answer.cost.tokens = budget.tokens();
        answer.cost.rows = budget.rows();
        answer.cost.micros = u64::try_from(budget.elapsed().as_micros()).unwrap_or(u64::MAX);
        Ok((answer, episode))
    }

    /// The graphs and the corpora that may be asked: the one that is named, or all.
    fn asked_sources(&self, request: &AskRequest) -> Result<AskedSources, EngineError> {
        let default = Some(self.config.ask.source.as_str()).filter(|name| !name.is_empty());
        let named = request.source.as_deref().or(default);
        if let Some(corpus) = named.and_then(|name| self.corpora.get(name)) {
            return Ok((Vec::new(), vec![corpus]));
        }
        let corpora = match named {
            Some(_) => Vec::new(),
            None => self.corpora.all(),
        };
        if corpora.is_empty() || !self.sources().is_empty() {
            return Ok((self.views(request.source.as_deref())?, corpora));
        }
        Ok((Vec::new(), corpora))
    }

    fn routes(
        &self,
        views: Vec<Arc<View>>,
        request: &AskRequest,
        question: &str,
        vector: &Vector,
        knowledge: &Knowledge,
        budget: &Budget,
    ) -> Result<Vec<Route>, EngineError> {
        let memory = knowledge.memory(&Namespace::new(&request.namespace));
        let (is_routed, scope) = (views.len() > 1, self.config.memory.lessons);
        let answered = |domain: &str| {
            if !is_routed {
                return 0.0;
            }
            let near = memory.lessons_near(scope, domain, vector.as_slice(), 1, 0.0);
            near.first().map_or(0.0, |lesson| lesson.similarity)
        };
        router::rank(&self.planner, views, question, vector, budget, answered)
    }

    /// A text's vector; an empty one when it has no direction.
    pub(crate) fn vector(&self, text: &str) -> Result<Vector, EngineError> {
        let vector = self.embedder.embed(&[text])?.into_iter().next();
        Ok(vector.map(Vector::from).unwrap_or_default())
    }
}

/// Asks the graphs in order, then the likeliest graph and the corpora together, then the corpora, until one answers; the first one's refusal stands when none
/// does, with what each corpus says.
fn try_sources(
    frame: &Frame<'_>,
    routes: &[Route],
    corpora: &[Arc<Corpus>],
    question: &str,
) -> Result<(Answer, Option<Episode>), EngineError> {
    let mut refusal = None;
    for route in routes {
        let (answer, episode) = frame.answer_in(route)?;
        if !answer.refused {
            return Ok(match frame.other_half(route, corpora, question, &answer)? {
                Some(whole) => (whole, None),
                None => (answer, episode),
            });
        }
        refusal.get_or_insert((answer, episode));
    }
    if let Some(route) = routes.first()
        && let Some(answer) = frame.answer_from_both(route, corpora, question)?
    {
        return Ok((answer, None));
    }
    let mut best: Option<(Answer, Option<Episode>)> = None;
    let mut unsaid = Vec::new();
    for corpus in corpora.iter().take(MAX_SOURCES_ASKED) {
        let (answer, episode) = frame.answer_from(corpus, question)?;
        if answer.refused {
            unsaid.push(wording::of_source(corpus.name(), answer.reason.as_deref()));
            refusal.get_or_insert((answer, episode));
        } else if best
            .as_ref()
            .is_none_or(|(best, _)| answer.confidence > best.confidence)
        {
            best = Some((answer, episode));
        }
    }
    if let Some(best) = best {
        return Ok(best);
    }
    let (mut answer, episode) = refusal.ok_or(EngineError::NoSources)?;
    if !routes.is_empty() && !unsaid.is_empty() {
        let reasons = answer.reason.into_iter().chain(unsaid);
        answer.reason = Some(reasons.collect::<Vec<_>>().join(" "));
    }
    Ok((answer, episode))
}

/// Whether the answer reuses something older than the request allows.
fn is_too_old(request: &AskRequest, answer: &Answer) -> bool {
    let limits = request.max_age.zip(answer.age_seconds);
    limits.is_some_and(|(most, age)| age > most.as_secs())
}

/// The question, at most [`MAX_QUESTION_BYTES`] of it, and whether that cut it.
fn bounded(question: &str) -> (&str, bool) {
    let question = question.trim();
    if question.len() <= MAX_QUESTION_BYTES {
        return (question, false);
    }
    let mut end = MAX_QUESTION_BYTES;
    while !question.is_char_boundary(end) {
        end -= 1;
    }
    (&question[..end], true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_question_is_cut_between_characters() {
        let long = "é".repeat(MAX_QUESTION_BYTES);
        let (kept, cut) = bounded(&long);
        assert!(cut && kept.len() <= MAX_QUESTION_BYTES && kept.chars().all(|c| c == 'é'));
        assert_eq!(bounded("  who?\n"), ("who?", false));
    }
}
