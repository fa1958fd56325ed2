//! What does an answer leave for the learner? Its episode.
//!
//! Pure assembly: from what was asked, planned or reused to a `memory::Episode`. Nothing is written here.

use kgqa::answer::Refusal;
use kgqa::backend_adapter::Candidate as Planned;
use kgqa::execute::Executed;
use kgqa::graph::{Graph, GraphError};
use kgqa::guidance::UNSUPPORTED;
use kgqa::isr::Isr;
use kgqa::plan::Plan;
use memory::{
    AnswerId, AnswerText, Candidate, Episode, ExperienceId, Grounding, Hit, Judge, Lifetime, Link,
    Provenance, Signature, StoredPlan, Timestamp, Vector,
};

use crate::evidence;

/// Sentences kept of an answer's reasoning.
const SCAFFOLD_SENTENCES: usize = 8;

/// Below this confidence a plan nobody judged is no lesson: it must not confirm itself.
const LEAST_LESSON_CONFIDENCE: f32 = 0.75;

/// A plan that nobody judged counts this much of one that was called right.
const LESSON_SHARE: f64 = 0.25;

const MILLIS_PER_HOUR: u64 = 3_600_000;

/// A question as the memory sees it.
#[derive(Debug, Clone)]
pub(crate) struct Remembered {
    pub(crate) at: Timestamp,
    pub(crate) answer: AnswerId,
    pub(crate) question: String,
    pub(crate) embedder: String,
    pub(crate) vector: Vector,
    pub(crate) masked_vector: Vector,
    pub(crate) signature: Signature,
    pub(crate) domain: String,
    pub(crate) recalled: Vec<(ExperienceId, f32)>,
}

/// What was run for it, and what came of it.
pub(crate) struct Ran<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) stored: StoredPlan,
    pub(crate) executed: &'a Executed,
    pub(crate) links: Vec<Link>,
    pub(crate) confidence: f32,
    pub(crate) text: String,
}

/// What goes with a candidate.
pub(crate) struct Circumstances {
    pub(crate) id: ExperienceId,
    pub(crate) aspect: String,
    pub(crate) provenance: Provenance,
    pub(crate) generation: u64,
    pub(crate) volatile_hours: u64,
}

/// The signature of a question: what the guards compare.
pub(crate) fn signature(isr: &Isr) -> Signature {
    let mut slots: Vec<(u8, String)> = isr
        .mentions
        .iter()
        .map(|mention| (mention.slot.0, kgqa::text::normalise(&mention.text)))
        .collect();
    slots.extend(
        isr.comparator
            .iter()
            .map(|found| (found.slot.0, kgqa::text::normalise(&found.text))),
    );
    slots.sort();
    slots.dedup_by_key(|(slot, _)| *slot);
    Signature::extract(
        &isr.masked,
        slots.into_iter().map(|(_, text)| text).collect(),
    )
}

/// A masked question without its slots, as it is embedded.
pub(crate) fn without_slots(masked: &str) -> String {
    let words = masked.split_whitespace();
    words
        .filter(|word| !word.starts_with('⟨'))
        .collect::<Vec<_>>()
        .join(" ")
}

/// The word that a refusal blamed, as a link that a verdict on the refusal confirms or refutes.
pub(crate) fn blamed(refusal: Option<&Refusal>) -> Vec<Link> {
    match refusal {
        Some(Refusal::Unsupported { word }) => vec![Link {
            phrase: word.clone(),
            predicate: UNSUPPORTED.to_owned(),
        }],
        Some(_) | None => Vec::new(),
    }
}

/// The episode of a refusal.
pub(crate) fn refused(remembered: Remembered) -> Episode {
    Episode {
        at: remembered.at,
        answer: remembered.answer,
        question: remembered.question,
        embedder: remembered.embedder,
        vector: remembered.vector,
        masked_vector: remembered.masked_vector,
        signature: remembered.signature,
        domain: remembered.domain,
        recalled: remembered.recalled,
        hit: Hit::None,
        helped: Vec::new(),
        plan: None,
        links: Vec::new(),
        quality: None,
        lesson_weight: 0.0,
        candidate: None,
    }
}

/// The episode of an answer that was planned, or whose remembered plan was run again.
pub(crate) fn answered(
    remembered: Remembered,
    graph: &dyn Graph,
    ran: Ran<'_>,
    hit: Hit,
    helped: Vec<ExperienceId>,
    circumstances: Circumstances,
) -> Result<Episode, GraphError> {
    let candidate = match hit {
        Hit::Exact(_) => None,
        Hit::None | Hit::Plan(_) => Some(Box::new(candidate(
            &remembered,
            graph,
            &ran,
            circumstances,
        )?)),
    };
    let confidence = f64::from(ran.confidence.clamp(0.0, 1.0));
    let is_lesson = matches!(hit, Hit::None) && ran.confidence >= LEAST_LESSON_CONFIDENCE;
    Ok(Episode {
        hit,
        helped,
        plan: Some(ran.stored),
        links: ran.links,
        quality: Some(confidence),
        lesson_weight: if is_lesson {
            LESSON_SHARE * confidence
        } else {
            0.0
        },
        candidate,
        ..refused(remembered)
    })
}

fn candidate(
    remembered: &Remembered,
    graph: &dyn Graph,
    ran: &Ran<'_>,
    circumstances: Circumstances,
) -> Result<Candidate, GraphError> {
    let lifetime = if remembered.signature.volatile {
        let millis = circumstances.volatile_hours.saturating_mul(MILLIS_PER_HOUR);
        Lifetime::Absolute(remembered.at.plus_millis(millis))
    } else {
        Lifetime::Unlimited
    };
    Ok(Candidate {
        id: circumstances.id,
        aspect: circumstances.aspect,
        payloads: Vec::new(),
        scaffold: evidence::scaffold(graph, ran.executed, SCAFFOLD_SENTENCES)?,
        answer: AnswerText {
            text: ran.text.clone(),
            values: evidence::values(graph, ran.executed)?,
        },
        evidence: evidence::evidence(graph, &remembered.domain, ran.plan, ran.executed)?,
        // That the values follow from the evidence is exact, since they are read from it; what is uncertain is whether the plan means
        // the question, and that is the posterior's matter.
        grounding: Grounding {
            confidence: 1.0,
            judge: Judge::Evidence,
        },
        lifetime,
        generation: circumstances.generation,
        provenance: circumstances.provenance,
    })
}

/// Words and the predicates that they were taken for, and the construction that they stand in.
pub(crate) fn links(chosen: &Planned) -> Vec<Link> {
    let mut links: Vec<Link> = chosen
        .alignment
        .iter()
        .chain(&chosen.construction)
        .map(|(word, predicate)| Link {
            phrase: word.clone(),
            predicate: predicate.clone(),
        })
        .collect();
    links.sort();
    links.dedup();
    links
}
