//! May other words be answered with a remembered plan? Recognition: the planner chose that very plan, and both questions are built alike.
//!
//! A likeness of wordings cannot tell "genre" from "kind" and "director" from "writer"; the planner's own reading can. What a plan does not
//! say is compared by the guards, and what the planner may have got wrong by how the questions are built.

use std::collections::BTreeSet;
use std::sync::Arc;

use kgqa::answer::Outcome;
use kgqa::backend_adapter::Candidate;
use kgqa::isr::Isr;
use kgqa::logical_parser;
use kgqa::plan::Plan;
use memory::{Experience, GuardRefusal, Memory, guard};

use crate::error::EngineError;
use crate::evidence;
use crate::reuse::{Asked, Considered, MAX_TRIED, Reused, candidates, distrust, verified};

/// An experience must have proved right at least so often, in `[0, 1]`, to answer other words; what nobody judged must have been planned with a confidence of 0.6.
const LEAST_TRUST_ELSEWHERE: f64 = 0.53;

/// The planner's lead, in log-likelihood, with which it must take other words to mean the remembered plan: less than the price of going
/// against a predicate's direction, since the same words told by an inverse predicate are no other meaning.
const LEAST_MARGIN_ELSEWHERE: f32 = 0.4;

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
        } else if guessed(&stored, construction(experience))
            != guessed(
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
