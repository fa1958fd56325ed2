//! May an experience answer this question? Reuse level 1 (memory.md): rebind and re-run.
//!
//! An experience with the very same wording is bound and run at once. Another wording must, to the planner, mean the same plan; then its words
//! are accounted for. Each must pass the guards, be trusted, fill its slots from the question and give something on the live graph. What was considered and why it was passed over is kept for the
//! explanation. A stored wording is served only where plan, bindings and evidence are what was verified.

use std::collections::BTreeSet;
use std::sync::Arc;

use kgqa::answer::{Outcome, Planner};
use kgqa::backend_adapter::Candidate;
use kgqa::execute::{self, Binding, Bound, Executed, Given, Limits};
use kgqa::graph::Graph;
use kgqa::isr::Isr;
use kgqa::logical_parser;
use kgqa::plan::{Plan, Slot};
use memory::{
    Experience, ExperienceId, GuardRefusal, Memory, Provenance, Signature, Stored, StoredPlan,
    Timestamp, guard,
};
use serde::Serialize;

use crate::error::EngineError;
use crate::evidence;

/// Experiences tried for one question at most.
pub(crate) const MAX_TRIED: usize = 8;

/// An experience must have proved right at least so often, in `[0, 1]`.
const LEAST_TRUST: f64 = 0.5;

/// The same, for a question in other words; what nobody judged must have been planned with a confidence of 0.6.
const LEAST_TRUST_ELSEWHERE: f64 = 0.53;

/// The planner's lead, in log-likelihood, with which it must take other words to mean the remembered plan: less than the price of going
/// against a predicate's direction, since the same words told by an inverse predicate are no other meaning.
const LEAST_MARGIN_ELSEWHERE: f32 = 0.4;

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
    let mut out: Vec<(&Stored, f32)> = memory
        .same_wording(asked.domain, &asked.signature.masked, asked.now)
        .into_iter()
        .map(|stored| (stored, 1.0))
        .collect();
    for found in recalled {
        let known =
            |(stored, _): &(&Stored, f32)| stored.experience.id == found.stored.experience.id;
        if !out.iter().any(known) {
            out.push((&found.stored, found.similarity));
        }
    }
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

/// The experience whose plan the planner, too, takes the question to mean, so that other words are accounted for.
///
/// When the planner chose the plan without the votes of memory, its own reading stands for the words: the guards that compare words
/// (polarity, direction, form) yield to it, since the plan itself says first or last, before or after, and which way. The guards on what
/// a plan does not say (entities, numbers, negation, who against what) never yield.
///
/// # Errors
/// When the graph cannot be read.
pub(crate) fn recognised(
    memory: &Memory,
    asked: &Asked<'_>,
    recalled: &[memory::Recalled],
    outcome: &Outcome,
    considered: &mut Vec<Considered>,
) -> Result<Option<Reused>, EngineError> {
    let (Some(chosen), Some(executed), None) =
        (&outcome.chosen, &outcome.executed, &outcome.refusal)
    else {
        return Ok(None);
    };
    // Of several names, one plan that gives something and one that gives nothing differ by who does what to whom.
    let is_second_choice = matches!(chosen.plan, Plan::Intersect(_))
        && outcome
            .compiled
            .candidates
            .first()
            .is_some_and(|best| best.template != chosen.template);
    if outcome.margin < LEAST_MARGIN_ELSEWHERE || is_second_choice {
        return Ok(None);
    }
    let chosen_cold = outcome.cold_margin >= 0.0;
    let orders = chosen.plan.orders();
    let mut found = candidates(memory, asked, recalled);
    for order in &orders {
        for stored in memory.same_template(asked.domain, &order.template(), MAX_TRIED, asked.now) {
            if !found
                .iter()
                .any(|(known, _)| known.experience.id == stored.experience.id)
            {
                let words =
                    similarity(&stored.experience.signature.masked, &asked.signature.masked);
                found.push((stored, words));
            }
        }
    }
    for (stored, similarity) in found {
        let experience = &stored.experience;
        let plan = experience
            .plan()
            .and_then(|remembered| remembered.template.parse::<Plan>().ok());
        let verdict = match &plan {
            None => Some("it holds no plan".to_owned()),
            Some(plan) if !orders.contains(&plan.renumbered(&|slot| slot)) => {
                Some("the question means another plan".to_owned())
            }
            Some(_) => match guard::check(&experience.signature, asked.signature) {
                Err(refusal) if !(chosen_cold && yields(&refusal)) => Some(refusal.to_string()),
                Ok(()) | Err(_) => match built_otherwise(asked, experience, chosen)? {
                    Some(difference) => Some(difference.to_owned()),
                    None if stored.usage.posterior.mean() < LEAST_TRUST_ELSEWHERE => {
                        Some("it is not sure enough to serve other words".to_owned())
                    }
                    None => distrust(memory, asked, stored),
                },
            },
        };
        if let Some(verdict) = verdict {
            note(considered, experience, similarity, verdict);
            continue;
        }
        let bound = evidence::stored_plan(asked.graph, &chosen.plan, &chosen.bindings, asked.isr)?;
        let verified = verified(memory, asked, &chosen.plan, &bound, executed)?;
        note(considered, experience, similarity, "reused".to_owned());
        return Ok(Some(Reused {
            source: Arc::clone(experience),
            similarity,
            plan: chosen.plan.clone(),
            bindings: chosen.bindings.clone(),
            stored: bound,
            executed: executed.clone(),
            verified,
        }));
    }
    Ok(None)
}

/// What in the build of two questions differs that no plan may bridge: a number of steps that the plan does not have, and whether they speak
/// of something shared. Where the planner took both to mean one plan all the same, it was wrong about one of them.
fn built_otherwise(
    asked: &Asked<'_>,
    experience: &Experience,
    chosen: &Candidate,
) -> Result<Option<&'static str>, EngineError> {
    let stored = asked.planner.parse(asked.graph, &experience.question)?;
    let paths = chosen.plan.paths();
    let hops: usize = paths.iter().map(|path| path.hops.len()).sum();
    let labels: Vec<Vec<String>> = paths
        .iter()
        .flat_map(|path| &path.hops)
        .map(|hop| kgqa::text::words(tail(&hop.predicate)))
        .collect();
    let steps = stored
        .relations_beside(&labels)
        .max(asked.isr.relations_beside(&labels));
    Ok(
        if steps > hops.max(1)
            && stored.relations() != asked.isr.relations()
            && stored.phrases() != asked.isr.phrases()
        {
            Some("it names another number of steps")
        } else if stored.sharing != asked.isr.sharing {
            Some("only one of them speaks of something shared")
        } else if !place_is_told(&stored, asked.isr, experience, chosen) {
            Some("only one of them asks where")
        } else if is_guessed(&stored, construction(experience))
            || is_guessed(
                asked.isr,
                chosen
                    .construction
                    .as_ref()
                    .map(|(words, _)| words.as_str()),
            )
        {
            Some("a step of one of them was only guessed")
        } else {
            None
        },
    )
}

/// The last part of an IRI.
fn tail(iri: &str) -> &str {
    iri.rsplit(['/', '#']).next().unwrap_or(iri)
}

/// The share of words that two masked questions have in common, in `[0, 1]`.
fn similarity(a: &str, b: &str) -> f32 {
    let (a, b): (BTreeSet<&str>, BTreeSet<&str>) = (a.split(' ').collect(), b.split(' ').collect());
    let shared = u16::try_from(a.intersection(&b).count()).unwrap_or(u16::MAX);
    let all = u16::try_from(a.union(&b).count()).unwrap_or(u16::MAX);
    f32::from(shared) / f32::from(all.max(1))
}

/// Whether a guard compares only words, which the plan itself accounts for.
fn yields(refusal: &GuardRefusal) -> bool {
    match refusal {
        GuardRefusal::Polarity { .. }
        | GuardRefusal::Direction { .. }
        | GuardRefusal::QuestionType { .. } => true,
        GuardRefusal::Asks { stored, asked } => {
            let person = |asks: &str| asks == "who";
            let thing = |asks: &str| asks == "what";
            !(person(stored) && thing(asked) || thing(stored) && person(asked))
        }
        GuardRefusal::Entities { .. }
        | GuardRefusal::Number { .. }
        | GuardRefusal::Date { .. }
        | GuardRefusal::Unit { .. }
        | GuardRefusal::Negation { .. }
        | GuardRefusal::Unaccounted { .. }
        | _ => false,
    }
}

/// The words of the construction that an experience was learned with.
fn construction(experience: &Experience) -> Option<&str> {
    let mut links = experience.links.iter();
    links
        .find(|link| link.predicate.contains("{1}"))
        .map(|link| link.phrase.as_str())
}

/// The relational words of a question that speak for nothing in its plan: its construction has them as they are.
fn guessed<'w>(isr: &'w Isr, construction: Option<&str>) -> BTreeSet<&'w str> {
    let Some(construction) = construction else {
        return BTreeSet::new();
    };
    let words = isr.words.iter().filter(|word| word.relation.is_some());
    words
        .map(|word| word.text.as_str())
        .filter(|word| construction.split(' ').any(|token| token == *word))
        .collect()
}

/// Whether, where only one question asks "where", its plan has a step that says where: else "where does X work" would be X's profession.
fn place_is_told(stored: &Isr, asked: &Isr, experience: &Experience, chosen: &Candidate) -> bool {
    if (stored.wh == "where") == (asked.wh == "where") {
        return true;
    }
    let told = |word: &str| logical_parser::tells_where(word);
    if asked.wh == "where" {
        chosen.alignment.iter().any(|(word, _)| told(word))
    } else {
        experience.links.iter().any(|link| told(&link.phrase))
    }
}

/// Writes down what was thought of an experience, over what was thought before.
fn note(
    considered: &mut Vec<Considered>,
    experience: &Experience,
    similarity: f32,
    verdict: String,
) {
    let id = experience.id.to_string();
    match considered.iter_mut().find(|c| c.experience == id) {
        Some(known) => known.verdict = verdict,
        None => considered.push(Considered {
            experience: id,
            question: experience.question.clone(),
            similarity,
            verdict,
        }),
    }
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
fn distrust(memory: &Memory, asked: &Asked<'_>, stored: &Stored) -> Option<String> {
    let mean = stored.usage.posterior.mean();
    if mean < LEAST_TRUST {
        return Some(format!("it proved right too seldom ({mean:.2})"));
    }
    let template = stored.experience.template();
    for masked in [&stored.experience.signature.masked, &asked.signature.masked] {
        let tally = memory
            .lessons(asked.domain)
            .and_then(|lessons| lessons.tally(masked, template));
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
fn verified(
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
