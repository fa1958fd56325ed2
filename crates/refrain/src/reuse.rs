//! May an experience answer this question? Reuse level 1 (memory.md): rebind and re-run.
//!
//! An experience with the very same wording is bound and run at once; another wording is `recognise`'s matter. It must pass the guards, be
//! trusted, fill its slots from the question and give something on the live graph. What was considered and why it was passed over is kept
//! for the explanation. A stored wording is served only where plan, bindings and evidence are what was verified.

use std::sync::Arc;

use kgqa::answer::Planner;
use kgqa::execute::{self, Binding, Bound, Executed, Given, Limits};
use kgqa::graph::Graph;
use kgqa::isr::Isr;
use kgqa::plan::{Plan, Slot};
use memory::{
    Experience, ExperienceId, LessonScope, Memory, Provenance, Signature, Stored, StoredPlan,
    Timestamp, guard,
};
use serde::Serialize;

use crate::error::EngineError;
use crate::evidence;

/// Experiences tried for one question at most.
pub(crate) const MAX_TRIED: usize = 8;

/// An experience must have proved right at least so often, in `[0, 1]`; what nobody judged must have been planned with a confidence of 0.6.
const LEAST_TRUST: f64 = 0.53;

/// What was thought of an experience.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Considered {
    pub(crate) experience: String,
    pub(crate) question: String,
    pub(crate) similarity: f32,
    pub(crate) verdict: String,
}

/// A question as reuse sees it.
pub(crate) struct Asked<'a> {
    pub(crate) graph: &'a dyn Graph,
    pub(crate) planner: &'a Planner,
    pub(crate) domain: &'a str,
    pub(crate) isr: &'a Isr,
    pub(crate) signature: &'a Signature,
    pub(crate) limits: &'a Limits,
    pub(crate) now: Timestamp,
    /// Which lessons count.
    pub(crate) lessons: LessonScope,
}

/// A plan from memory with what it gives now.
pub(crate) struct Reused {
    /// The experience whose plan it is.
    pub(crate) source: Arc<Experience>,
    /// How alike the questions are.
    pub(crate) similarity: f32,
    pub(crate) plan: Plan,
    pub(crate) bindings: Vec<Binding>,
    pub(crate) stored: StoredPlan,
    pub(crate) executed: Executed,
    /// The experience whose verified wording may be served.
    pub(crate) verified: Option<Arc<Experience>>,
}

/// The experiences to try: those with the same wording, then the recalled ones, each once.
pub(crate) fn candidates<'m>(
    memory: &'m Memory,
    asked: &Asked<'_>,
    recalled: &'m [memory::Recalled],
) -> Vec<(&'m Stored, f32)> {
    // A newer experience with the same words hides an older one, but never what was said of this very question.
    let mut out: Vec<(&Stored, f32)> = memory
        .same_question(asked.domain, &asked.isr.question, asked.now)
        .into_iter()
        .map(|stored| (stored, 1.0))
        .collect();
    for stored in memory.same_wording(asked.domain, &asked.signature.masked, asked.now) {
        let known = |(other, _): &(&Stored, f32)| other.experience.id == stored.experience.id;
        if !out.iter().any(known) {
            out.push((stored, 1.0));
        }
    }
    for found in recalled {
        let known =
            |(stored, _): &(&Stored, f32)| stored.experience.id == found.stored.experience.id;
        if !out.iter().any(known) {
            out.push((&found.stored, found.similarity));
        }
    }
    // What a person wrote goes before what was planned.
    out.sort_by_key(|(stored, _)| stored.experience.provenance != Provenance::Edited);
    out.truncate(MAX_TRIED);
    out
}

/// The first experience that may answer, and what was thought of each.
///
/// # Errors
/// When the graph cannot be read.
pub(crate) fn first(
    memory: &Memory,
    asked: &Asked<'_>,
    recalled: &[memory::Recalled],
) -> Result<(Option<Reused>, Vec<Considered>), EngineError> {
    let mut considered = Vec::new();
    for (stored, similarity) in candidates(memory, asked, recalled) {
        let experience = &stored.experience;
        let tried = attempt(memory, asked, stored, similarity)?;
        let verdict = match &tried {
            Ok(_) => "reused".to_owned(),
            Err(why) => why.clone(),
        };
        considered.push(Considered {
            experience: experience.id.to_string(),
            question: experience.question.clone(),
            similarity,
            verdict,
        });
        if let Ok(reused) = tried {
            return Ok((Some(reused), considered));
        }
    }
    Ok((None, considered))
}

/// Tries one experience; the inner error says why it is passed over.
fn attempt(
    memory: &Memory,
    asked: &Asked<'_>,
    stored: &Stored,
    similarity: f32,
) -> Result<Result<Reused, String>, EngineError> {
    let experience = &stored.experience;
    if experience.signature.masked != asked.signature.masked {
        return Ok(Err("it is worded otherwise".to_owned()));
    }
    if let Err(refusal) = guard::check(&experience.signature, asked.signature) {
        return Ok(Err(refusal.to_string()));
    }
    // What a person wrote is theirs: its plan may have proved wrong, its wording did not.
    let is_edited = experience.provenance == Provenance::Edited;
    if let Some(distrust) = distrust(memory, asked, stored).filter(|_| !is_edited) {
        return Ok(Err(distrust));
    }
    let Some(remembered) = experience.plan() else {
        return Ok(Err("it holds no plan".to_owned()));
    };
    let plan: Plan = match remembered.template.parse() {
        Ok(plan) => plan,
        Err(error) => return Ok(Err(format!("its plan cannot be read: {error}"))),
    };
    let Some(bindings) = rebind(&plan, asked.isr) else {
        return Ok(Err("the question does not fill its slots".to_owned()));
    };
    let executed = match execute::run(asked.graph, &plan, &bindings, asked.limits) {
        Ok(executed) => executed,
        Err(error) => return Ok(Err(format!("its plan does not run any more: {error}"))),
    };
    if matches!(&executed.given, Given::Values(values) if values.is_empty()) {
        return Ok(Err("its plan gives nothing for this question".to_owned()));
    }
    let bound = evidence::stored_plan(asked.graph, &plan, &bindings, asked.isr)?;
    let is_vetoed = memory
        .veto(asked.domain, &asked.signature.masked, &bound)
        .is_some();
    if is_vetoed && !is_edited {
        return Ok(Err("a person called that answer wrong".to_owned()));
    }
    let verified = verified(memory, asked, &plan, &bound, &executed)?;
    // A no and a none may only say that the plan does not fit these names: where it was not so before, it is planned anew.
    let says_nothing = match &executed.given {
        Given::Truth(truth) => !truth,
        Given::Number(number) => *number == 0.0,
        Given::Values(_) => false,
    };
    if says_nothing && verified.is_none() {
        return Ok(Err("its plan finds nothing for this question".to_owned()));
    }
    if is_edited && verified.is_none() {
        return Ok(Err(
            "a person's answer holds for its own question and facts only".to_owned(),
        ));
    }
    Ok(Ok(Reused {
        source: Arc::clone(experience),
        similarity,
        plan,
        bindings,
        stored: bound,
        executed,
        verified,
    }))
}

/// Why an experience is not trusted to answer on its own; `None` when it is.
pub(crate) fn distrust(memory: &Memory, asked: &Asked<'_>, stored: &Stored) -> Option<String> {
    let mean = stored.usage.posterior.mean();
    if mean < LEAST_TRUST {
        return Some(format!("it proved right too seldom ({mean:.2})"));
    }
    let template = stored.experience.template();
    for masked in [&stored.experience.signature.masked, &asked.signature.masked] {
        let tally = memory.lesson(asked.lessons, asked.domain, masked, template);
        if let Some(tally) = tally
            && tally.failures > tally.successes
        {
            return Some("its plan proved wrong for this wording".to_owned());
        }
    }
    None
}

/// The plan's slots filled from the question.
fn rebind(plan: &Plan, isr: &Isr) -> Option<Vec<Binding>> {
    plan.slots().iter().map(|slot| bound(*slot, isr)).collect()
}

fn bound(slot: Slot, isr: &Isr) -> Option<Binding> {
    if let Some(comparator) = isr.comparator.as_ref().filter(|found| found.slot == slot) {
        return Some(Binding {
            slot,
            bound: Bound::Number(comparator.number),
        });
    }
    let mention = isr.mentions.iter().find(|mention| mention.slot == slot)?;
    let ids = mention.ids();
    (!ids.is_empty()).then_some(Binding {
        slot,
        bound: Bound::Entities(ids),
    })
}

/// The experience whose wording was verified on this very plan, these bindings and this evidence.
pub(crate) fn verified(
    memory: &Memory,
    asked: &Asked<'_>,
    plan: &Plan,
    bound: &StoredPlan,
    executed: &Executed,
) -> Result<Option<Arc<Experience>>, EngineError> {
    let Some(twin) = memory.same_plan(asked.domain, bound, &asked.signature.masked, asked.now)
    else {
        return Ok(None);
    };
    if twin.usage.suspect {
        return Ok(None);
    }
    let now = evidence::evidence(asked.graph, asked.domain, plan, executed)?;
    if now.fingerprint != twin.experience.evidence.fingerprint {
        return Ok(None);
    }
    let is_edited = twin.experience.provenance == Provenance::Edited;
    let values = evidence::values(asked.graph, executed)?;
    let same_values = values == twin.experience.answer.values;
    Ok((is_edited || same_values).then(|| Arc::clone(&twin.experience)))
}

/// The id of the experience that was reused.
impl Reused {
    pub(crate) fn id(&self) -> ExperienceId {
        self.verified
            .as_ref()
            .map_or(self.source.id, |verified| verified.id)
    }
}
