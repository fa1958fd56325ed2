//! How does one source answer? Recall, reuse, plan (CacheRAG, Algorithm 1, with the memory in it).
//!
//! Level 1: a remembered plan is bound and run again. Level 2: what was learned guides the planner. What comes out is an answer and the
//! episode that it leaves.

use std::sync::Arc;
use std::time::Instant;

use kgqa::answer::{Outcome, Refusal};
use kgqa::backend_adapter::Candidate;
use kgqa::execute::{self, Executed, Given};
use kgqa::guidance::{Guidance, Lexicon, Neighbour};
use memory::recall::{Layers, RecallSettings};
use memory::{
    AnswerId, Episode, ExperienceId, Hit, LessonScope, Memory, Posterior, Provenance, RecallQuery,
    Recalled, Timestamp, Vector,
};

use crate::answer::{Answer, AskRequest, Cost, HitKind};
use crate::aspect;
use crate::budget::{Budget, Metered};
use crate::consult::plan::Consultation;
use crate::consult::unheard;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::evidence;
use crate::explain::{self, Trace};
use crate::recognise;
use crate::remember::{self, Circumstances, Ran, Remembered};
use crate::result;
use crate::reuse::{self, Asked, Considered, Reused};
use crate::router::{Fit, Route};
use crate::wording;

/// Lessons that guide the planner at most, and the least similarity they must have.
const LESSONS: usize = 24;
const LEAST_LESSON_SIMILARITY: f32 = 0.5;

/// A word this similar to a predicate tells it: nothing is taken off the confidence.
const TELLS: f32 = 0.5;

/// One question on its way through the sources.
pub(crate) struct Frame<'a> {
    pub(crate) engine: &'a Engine,
    pub(crate) request: &'a AskRequest,
    pub(crate) id: AnswerId,
    pub(crate) now: Timestamp,
    pub(crate) vector: Vector,
    /// `None` when the memory takes no part.
    pub(crate) memory: Option<&'a Memory>,
    pub(crate) provenance: Provenance,
    pub(crate) budget: &'a Budget,
    pub(crate) fits: Vec<Fit>,
}

/// What recall and reuse found.
struct Recollection {
    remembered: Remembered,
    aspect: String,
    recalled: Vec<Recalled>,
    considered: Vec<Considered>,
    micros: u128,
}

/// Learned word meanings as the planner asks for them.
struct LearnedWords<'a> {
    memory: &'a Memory,
    scope: LessonScope,
}

impl Lexicon for LearnedWords<'_> {
    fn meanings(&self, word: &str) -> Vec<(Arc<str>, f64, f64)> {
        let known = self.memory.meanings(self.scope, word).into_iter();
        known
            .map(|(predicate, tally)| (predicate, tally.successes, tally.failures))
            .collect()
    }
}

impl Frame<'_> {
    /// The answer of one source, and what it leaves for the learner.
    ///
    /// # Errors
    /// When the graph cannot be read.
    pub(crate) fn answer_in(
        &self,
        route: &Route,
    ) -> Result<(Answer, Option<Episode>), EngineError> {
        let Some(memory) = self.memory else {
            return self.plan(route, None);
        };
        let mut recollection = self.recall(memory, route)?;
        let started = Instant::now();
        let graph = Metered::new(&route.view.graph, self.budget);
        let asked = Asked {
            graph: &graph,
            planner: &self.engine.planner,
            domain: &route.view.source,
            isr: &route.isr,
            signature: &recollection.remembered.signature,
            limits: &self.engine.planner.config().limits,
            now: self.now,
            lessons: self.engine.config.memory.lessons,
        };
        let (reused, considered) = reuse::first(memory, &asked, &recollection.recalled)?;
        recollection.considered = considered;
        recollection.micros += started.elapsed().as_micros();
        match reused {
            Some(reused) => self.serve(route, reused, recollection),
            None => self.plan(route, Some((memory, recollection))),
        }
    }

    fn recall(&self, memory: &Memory, route: &Route) -> Result<Recollection, EngineError> {
        let started = Instant::now();
        let engine = self.engine;
        let isr = &route.isr;
        let domain = &route.view.source;
        let masked = remember::without_slots(&isr.masked);
        let masked_vector = engine.vector(&masked)?;
        let aspect = aspect::assign(
            memory,
            domain,
            isr,
            &route.view.schema,
            engine.embedder.as_ref(),
        )?;
        let settings = &engine.config.memory;
        let query = RecallQuery {
            domain,
            aspect: &aspect,
            masked: &isr.masked,
            vector: masked_vector.as_slice(),
            now: self.now,
        };
        let recalled = memory.recall(
            &query,
            &RecallSettings {
                examples: settings.examples,
                relevance_weight: settings.relevance_weight,
                layers: if settings.layers == 1 {
                    Layers::One
                } else {
                    Layers::Two
                },
                ..RecallSettings::default()
            },
        );
        let remembered = Remembered {
            at: self.now,
            answer: self.id,
            question: isr.question.clone(),
            embedder: engine.embedder.fingerprint().to_owned(),
            vector: self.vector.clone(),
            masked_vector,
            signature: remember::signature(isr),
            domain: domain.clone(),
            recalled: recalled
                .iter()
                .map(|found| (found.stored.experience.id, found.similarity))
                .collect(),
        };
        Ok(Recollection {
            remembered,
            aspect,
            recalled,
            considered: Vec::new(),
            micros: started.elapsed().as_micros(),
        })
    }

    /// An answer by a remembered plan.
    fn serve(
        &self,
        route: &Route,
        reused: Reused,
        recollection: Recollection,
    ) -> Result<(Answer, Option<Episode>), EngineError> {
        let graph = &route.view.graph;
        let id = reused.id();
        let mut answer = self.draft(route);
        self.fill(&mut answer, route, &reused.executed)?;
        answer.plan = Some(result::plan(graph, &reused.plan, &reused.bindings)?);
        answer.experience = Some(id.to_string());
        answer.similarity = Some(reused.similarity);
        answer.age_seconds = Some(self.now.millis_since(reused.source.created) / 1000);
        let trust = self
            .memory
            .and_then(|memory| memory.stored(reused.source.id))
            .map_or(0.5, |stored| share_right(stored.usage.posterior));
        answer.confidence = trust;
        answer.hit_kind = HitKind::Plan;
        let mut hit = Hit::Plan(id);
        if let Some(verified) = &reused.verified {
            hit = Hit::Exact(id);
            answer.hit_kind = HitKind::Exact;
            answer.text.clone_from(&verified.answer.text);
            if verified.provenance == Provenance::Edited {
                answer.corrected = true;
                answer.values = verified
                    .answer
                    .values
                    .iter()
                    .map(evidence::answer_value)
                    .collect();
            }
        }
        if self.request.explain {
            answer.explanation = Some(explain::reused(&self.trace(route, Some(&recollection))));
        }
        let ran = Ran {
            plan: &reused.plan,
            stored: reused.stored,
            executed: &reused.executed,
            links: reused.source.links.clone(),
            confidence: trust,
            text: answer.text.clone(),
        };
        let circumstances = self.circumstances(route, recollection.aspect.clone());
        let episode = remember::answered(
            recollection.remembered,
            graph,
            ran,
            hit,
            Vec::new(),
            circumstances,
        )?;
        Ok((answer, Some(episode)))
    }

    /// An answer planned anew, guided by what was learned.
    fn plan(
        &self,
        route: &Route,
        mut memory: Option<(&Memory, Recollection)>,
    ) -> Result<(Answer, Option<Episode>), EngineError> {
        let started = Instant::now();
        let graph = Metered::new(&route.view.graph, self.budget);
        let scope = self.engine.config.memory.lessons;
        let words = memory
            .as_ref()
            .map(|(memory, _)| LearnedWords { memory, scope });
        let guidance = Guidance {
            neighbours: memory
                .as_ref()
                .map_or_else(Vec::new, |(memory, recollection)| {
                    neighbours(memory, scope, recollection)
                }),
            lexicon: words.as_ref().map(|words| words as &dyn Lexicon),
        };
        let mut outcome =
            self.engine
                .planner
                .answer(&graph, &route.view.schema, &route.isr, &guidance)?;
        if let Some((memory, recollection)) = &memory {
            self.avoid_vetoed(memory, recollection, route, &mut outcome)?;
        }
        if let Some((remembering, mut recollection)) = memory.take() {
            match self.recognise(route, remembering, &mut recollection, &outcome)? {
                Some(reused) => return self.serve(route, reused, recollection),
                None => memory = Some((remembering, recollection)),
            }
        }
        let recalled = memory
            .as_ref()
            .map_or(&[][..], |(_, recollection)| &recollection.recalled);
        let consultation = self.consult(route, &graph, recalled, &mut outcome)?;
        if let (Some(_), Some((memory, recollection))) = (&consultation, &memory) {
            self.avoid_vetoed(memory, recollection, route, &mut outcome)?;
        }
        let mut answer = self.draft(route);
        answer.model = consultation.as_ref().and_then(Consultation::planned_by);
        if let Some(error) = consultation.as_ref().and_then(|c| c.error.as_ref()) {
            answer.cut.push(unheard(error));
        }
        if let Some(refusal) = &outcome.refusal {
            answer.reason = Some(wording::refusal(refusal) + &near_names(route, refusal)?);
        }
        if outcome.isr.truncated {
            answer
                .cut
                .push("the question: only its first words were read".to_owned());
        }
        if let Some(chosen) = &outcome.chosen {
            answer.plan = Some(result::plan(
                &route.view.graph,
                &chosen.plan,
                &chosen.bindings,
            )?);
        }
        let executed = outcome
            .executed
            .as_ref()
            .filter(|_| outcome.refusal.is_none());
        if let Some(executed) = executed {
            self.fill(&mut answer, route, executed)?;
            answer.confidence = confidence(outcome.margin, outcome.told);
            answer.reason = memory
                .as_ref()
                .map(|(_, recollection)| miss(&recollection.considered));
            self.word(&mut answer);
        }
        answer.cut.extend(self.budget.exhausted());
        if self.request.explain {
            let recollection = memory.as_ref().map(|(_, recollection)| recollection);
            let trace = self.trace(route, recollection);
            answer.explanation = Some(explain::planned(
                &outcome,
                &trace,
                consultation.as_ref(),
                started.elapsed(),
            ));
        }
        let episode = memory
            .map(|(_, recollection)| self.planned_episode(route, &outcome, &answer, recollection))
            .transpose()?;
        Ok((answer, episode))
    }

    /// The experience that means the plan that was chosen.
    fn recognise(
        &self,
        route: &Route,
        memory: &Memory,
        recollection: &mut Recollection,
        outcome: &Outcome,
    ) -> Result<Option<Reused>, EngineError> {
        if outcome.isr.masked != route.isr.masked {
            return Ok(None);
        }
        let graph = Metered::new(&route.view.graph, self.budget);
        let asked = Asked {
            graph: &graph,
            planner: &self.engine.planner,
            domain: &route.view.source,
            isr: &route.isr,
            signature: &recollection.remembered.signature,
            limits: &self.engine.planner.config().limits,
            now: self.now,
            lessons: self.engine.config.memory.lessons,
        };
        recognise::recognised(
            memory,
            &asked,
            &recollection.recalled,
            outcome,
            &mut recollection.considered,
        )
    }

    fn planned_episode(
        &self,
        route: &Route,
        outcome: &Outcome,
        answer: &Answer,
        recollection: Recollection,
    ) -> Result<Episode, EngineError> {
        let mut remembered = recollection.remembered;
        let (Some(chosen), Some(executed), false) =
            (&outcome.chosen, &outcome.executed, answer.refused)
        else {
            return Ok(Episode {
                links: remember::blamed(outcome.refusal.as_ref()),
                ..remember::refused(remembered)
            });
        };
        let graph = &route.view.graph;
        if outcome.isr.masked != route.isr.masked {
            // Another reading of the question's names was answered: that is the question that was learned from.
            remembered.signature = remember::signature(&outcome.isr);
            remembered.masked_vector = self
                .engine
                .vector(&remember::without_slots(&outcome.isr.masked))?;
        }
        let ran = Ran {
            plan: &chosen.plan,
            stored: evidence::stored_plan(graph, &chosen.plan, &chosen.bindings, &outcome.isr)?,
            executed,
            links: remember::links(chosen),
            confidence: answer.confidence,
            text: answer.text.clone(),
        };
        let helped: Vec<ExperienceId> = recollection
            .recalled
            .iter()
            .map(|found| &found.stored.experience)
            .filter(|experience| experience.template() == chosen.template)
            .map(|experience| experience.id)
            .collect();
        let circumstances = self.circumstances(route, recollection.aspect);
        Ok(remember::answered(
            remembered,
            graph,
            ran,
            Hit::None,
            helped,
            circumstances,
        )?)
    }

    fn circumstances(&self, route: &Route, aspect: String) -> Circumstances {
        Circumstances {
            id: ExperienceId(self.engine.fresh_id()),
            aspect,
            provenance: self.provenance,
            generation: route.view.graph.snapshot().generation(),
            volatile_hours: self.engine.config.memory.volatile_hours,
        }
    }

    /// Replaces a plan that a person called wrong for this question by the next that gives something.
    fn avoid_vetoed(
        &self,
        memory: &Memory,
        recollection: &Recollection,
        route: &Route,
        outcome: &mut Outcome,
    ) -> Result<(), EngineError> {
        let graph = Metered::new(&route.view.graph, self.budget);
        let masked = &recollection.remembered.signature.masked;
        let is_vetoed = |candidate: &Candidate| -> Result<bool, EngineError> {
            let stored =
                evidence::stored_plan(&graph, &candidate.plan, &candidate.bindings, &outcome.isr)?;
            Ok(memory.veto(&route.view.source, masked, &stored).is_some())
        };
        let Some(chosen) = &outcome.chosen else {
            return Ok(());
        };
        if !is_vetoed(chosen)? {
            return Ok(());
        }
        let mut next = None;
        let cold = |candidate: &Candidate| candidate.score - candidate.vote;
        let best = outcome.compiled.candidates.iter().map(cold);
        let least =
            best.fold(f32::NEG_INFINITY, f32::max) - self.engine.planner.config().judge.slack;
        for candidate in &outcome.compiled.candidates {
            if is_vetoed(candidate)? || cold(candidate) < least {
                continue;
            }
            let limits = &self.engine.planner.config().limits;
            let executed = execute::run(&graph, &candidate.plan, &candidate.bindings, limits)
                .map_err(kgqa::answer::AnswerError::from)?;
            if !gives_nothing(&executed) {
                next = Some((candidate.clone(), executed));
                break;
            }
        }
        match next {
            Some((candidate, executed)) => {
                outcome.chosen = Some(candidate);
                outcome.executed = Some(executed);
                outcome.margin = 0.0;
            }
            None => {
                outcome.refusal = Some(Refusal::Empty { runs: outcome.runs });
                outcome.executed = None;
            }
        }
        Ok(())
    }

    fn trace<'t>(&'t self, route: &'t Route, recollection: Option<&'t Recollection>) -> Trace<'t> {
        Trace {
            fits: &self.fits,
            isr: &route.isr,
            aspect: recollection.map(|recollection| recollection.aspect.as_str()),
            considered: recollection.map_or(&[], |recollection| recollection.considered.as_slice()),
            recall_micros: recollection.map(|recollection| recollection.micros),
        }
    }

    /// A refusal of a source, to be filled.
    pub(crate) fn refusing(&self, source: &str) -> Answer {
        Answer {
            id: self.id.to_string(),
            question: self.request.question.clone(),
            text: wording::REFUSED.to_owned(),
            values: Vec::new(),
            citations: Vec::new(),
            passages: Vec::new(),
            chain: Vec::new(),
            hit_kind: HitKind::None,
            experience: None,
            similarity: None,
            age_seconds: None,
            corrected: false,
            model: None,
            confidence: 0.0,
            refused: true,
            reason: None,
            source: Some(source.to_owned()),
            plan: None,
            cut: Vec::new(),
            cost: Cost::default(),
            explanation: None,
        }
    }

    /// A refusal, to be filled.
    fn draft(&self, route: &Route) -> Answer {
        self.refusing(&route.view.source)
    }

    /// Puts a result into an answer.
    fn fill(
        &self,
        answer: &mut Answer,
        route: &Route,
        executed: &Executed,
    ) -> Result<(), EngineError> {
        let graph = &route.view.graph;
        let settings = &self.engine.config.ask;
        let finding = result::finding(graph, &executed.given)?;
        answer.text = finding.sentence(settings.values_in_text);
        answer.values = finding.values();
        answer.citations = result::citations(graph, executed, settings.citations)?;
        answer.cut.extend(result::cuts(executed));
        answer.refused = false;
        Ok(())
    }
}

/// "Did you mean …?" for a name that the graph does not have, when it has one nearly like it.
fn near_names(route: &Route, refusal: &Refusal) -> Result<String, EngineError> {
    let Refusal::UnknownName { names } = refusal else {
        return Ok(String::new());
    };
    let snapshot = route.view.graph.snapshot();
    let mut near = Vec::new();
    for name in names {
        let found = snapshot.labels().fuzzy(&graph_store::normalise(name), 1)?;
        for found in found {
            near.push(snapshot.label(found.id)?);
        }
    }
    if near.is_empty() {
        return Ok(String::new());
    }
    Ok(format!(" Did you mean {}?", near.join(" or ")))
}

/// How often it proved right, without the prior.
fn share_right(posterior: Posterior) -> f32 {
    let prior = Posterior::default();
    let right = posterior.alpha - prior.alpha;
    let all = right + posterior.beta - prior.beta;
    if all <= 0.0 {
        return 0.5;
    }
    #[expect(clippy::cast_possible_truncation, reason = "a share between 0 and 1")]
    let share = (right / all) as f32;
    share
}

fn gives_nothing(executed: &Executed) -> bool {
    matches!(&executed.given, Given::Values(values) if values.is_empty())
}

/// The lessons near a question, as the planner takes them.
fn neighbours(memory: &Memory, scope: LessonScope, recollection: &Recollection) -> Vec<Neighbour> {
    let remembered = &recollection.remembered;
    memory
        .lessons_near(
            scope,
            &remembered.domain,
            remembered.masked_vector.as_slice(),
            LESSONS,
            LEAST_LESSON_SIMILARITY,
        )
        .into_iter()
        .map(|lesson| Neighbour {
            similarity: lesson.similarity,
            masked: Arc::clone(&lesson.masked).to_string(),
            template: lesson.template.to_string(),
            successes: lesson.successes,
            failures: lesson.failures,
        })
        .collect()
}

/// Why nothing was reused.
fn miss(considered: &[Considered]) -> String {
    match considered.first() {
        None => "nothing like it is remembered".to_owned(),
        Some(nearest) => format!(
            "\"{}\" is remembered, but {}",
            nearest.question, nearest.verdict
        ),
    }
}

/// The chance of being right: against the runner-up (scores are log-likelihoods, so their margin is a log-odds), and of
/// the path being meant at all, which is less the less any word tells it.
pub(crate) fn confidence(margin: f32, told: f32) -> f32 {
    (told / TELLS).clamp(0.0, 1.0) / (1.0 + (-margin).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wide_margin_is_sure_and_none_is_even() {
        assert!((confidence(0.0, 1.0) - 0.5).abs() < 1e-6);
        assert!((confidence(f32::INFINITY, 1.0) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn what_hardly_a_word_tells_is_not_sure() {
        assert!((confidence(f32::INFINITY, 0.3) - 0.6).abs() < 1e-6);
        assert!(confidence(f32::INFINITY, -1.0).abs() < 1e-6);
    }
}
