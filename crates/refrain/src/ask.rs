//! How does a question become an answer? The frame around the planner (CacheRAG, Algorithm 1).
//!
//! Bound the question, take snapshots, route, answer, word. Nothing here writes, and no lock is held while it runs.

use std::time::Instant;

use kgqa::answer::Outcome;
use kgqa::guidance::Guidance;
use memory::AnswerId;
use similarity::Embedding;

use crate::answer::{Answer, AskRequest, Cost, HitKind};
use crate::budget::{Budget, Metered};
use crate::engine::Engine;
use crate::error::{EngineError, check_name};
use crate::explain;
use crate::result;
use crate::router::{self, Route};
use crate::wording;

/// Longest question that is read, in bytes; the rest is cut, and the answer says so.
pub const MAX_QUESTION_BYTES: usize = 4096;

impl Engine {
    /// Answers a question, or refrains.
    ///
    /// # Errors
    /// When a source is unknown or cannot be read. That there is no answer is not an error.
    pub fn ask(&self, request: &AskRequest) -> Result<Answer, EngineError> {
        let budget = Budget::new(&self.config.budget);
        check_name("namespace", &request.namespace)?;
        let id = self.fresh_answer_id();
        let (question, shortened) = bounded(&request.question);
        let views = self.views(request.source.as_deref())?;
        let vector = self.vector(question)?;
        let routes = router::rank(&self.planner, views, question, vector.as_ref(), &budget, |_| 0.0)?;
        let mut answer = self.try_routes(id, request, &routes, &budget)?;
        if shortened {
            answer.cut.push(format!(
                "the question: only its first {MAX_QUESTION_BYTES} bytes were read"
            ));
        }
        answer.cost = Cost {
            rows: budget.rows(),
            micros: u64::try_from(budget.elapsed().as_micros()).unwrap_or(u64::MAX),
            ..answer.cost
        };
        Ok(answer)
    }

    /// The question's vector; `None` when it has no direction, as an empty one.
    fn vector(&self, question: &str) -> Result<Option<Embedding>, EngineError> {
        Ok(self.embedder.embed(&[question])?.into_iter().next())
    }

    /// Asks the sources in order until one answers; the first one's refusal stands when none does.
    fn try_routes(
        &self,
        id: AnswerId,
        request: &AskRequest,
        routes: &[Route],
        budget: &Budget,
    ) -> Result<Answer, EngineError> {
        let mut refusal = None;
        for route in routes {
            let answer = self.answer_in(id, request, route, routes, budget)?;
            if !answer.refused {
                return Ok(answer);
            }
            refusal.get_or_insert(answer);
        }
        refusal.ok_or(EngineError::NoSources)
    }

    fn answer_in(
        &self,
        id: AnswerId,
        request: &AskRequest,
        route: &Route,
        routes: &[Route],
        budget: &Budget,
    ) -> Result<Answer, EngineError> {
        let started = Instant::now();
        let graph = Metered::new(&route.view.graph, budget);
        let guidance = Guidance::default();
        let outcome = self
            .planner
            .answer(&graph, &route.view.schema, &route.isr, &guidance)?;
        let mut answer = self.worded(id, request, route, &outcome)?;
        answer.cut.extend(budget.exhausted());
        if request.explain {
            let fits = routes.iter().map(|route| route.fit.clone()).collect();
            answer.explanation = Some(explain::planned(&outcome, fits, started.elapsed()));
        }
        Ok(answer)
    }

    /// The planner's outcome as an answer.
    fn worded(
        &self,
        id: AnswerId,
        request: &AskRequest,
        route: &Route,
        outcome: &Outcome,
    ) -> Result<Answer, EngineError> {
        let graph = &route.view.graph;
        let mut answer = Answer {
            id: id.to_string(),
            question: request.question.clone(),
            text: wording::REFUSED.to_owned(),
            values: Vec::new(),
            citations: Vec::new(),
            hit_kind: HitKind::None,
            experience: None,
            similarity: None,
            age_seconds: None,
            confidence: 0.0,
            refused: true,
            reason: outcome.refusal.as_ref().map(wording::refusal),
            source: Some(route.view.source.clone()),
            plan: None,
            cut: Vec::new(),
            cost: Cost::default(),
            explanation: None,
        };
        if outcome.isr.truncated {
            answer.cut.push("the question: only its first words were read".to_owned());
        }
        if let Some(chosen) = &outcome.chosen {
            answer.plan = Some(result::plan(graph, &chosen.plan, &chosen.bindings)?);
        }
        let Some(executed) = outcome.executed.as_ref().filter(|_| outcome.refusal.is_none()) else {
            return Ok(answer);
        };
        let finding = result::finding(graph, &executed.given)?;
        answer.text = finding.sentence(self.config.ask.values_in_text);
        answer.values = finding.values();
        answer.citations = result::citations(graph, executed, self.config.ask.citations)?;
        answer.cut.extend(result::cuts(executed));
        answer.confidence = confidence(outcome.margin);
        answer.refused = false;
        Ok(answer)
    }
}

/// The chance of being right against the runner-up: scores are log-likelihoods, so their margin is a log-odds.
fn confidence(margin: f32) -> f32 {
    1.0 / (1.0 + (-margin).exp())
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

    #[test]
    fn a_wide_margin_is_sure_and_none_is_even() {
        assert!((confidence(0.0) - 0.5).abs() < 1e-6);
        assert!((confidence(f32::INFINITY) - 1.0).abs() < 1e-6);
    }
}
