//! Does the plan take up all that the question says? A year beside a name, another doing, who did it to whom.
//!
//! What a plan leaves aside must at least be true: "who directed X in 2011" is answered when X or the answer is of 2011, and
//! refused when the graph does not say so.

use crate::answer::Planner;
use crate::backend_adapter::Candidate;
use crate::execute::{Bound, Given};
use crate::graph::{Graph, GraphError, TermId};
use crate::guidance::Guidance;
use crate::isr::{Isr, Mention};
use crate::local_schema::{Schema, SchemaError};
use crate::plan::{Hop, Plan};
use crate::vocabulary;

/// Bound entities and values that are looked at.
const LOOKED_AT: usize = 16;
/// Values of one step that are read in the look.
const STEP: usize = 256;

impl Planner {
    /// A name, number or year of the question that the plan leaves aside and that the graph does not tie, by one step, to
    /// what the plan names or gives.
    pub(crate) fn unaccounted(
        graph: &dyn Graph,
        isr: &Isr,
        chosen: &Candidate,
        given: &Given,
    ) -> Result<Option<String>, GraphError> {
        let slots = chosen.plan.slots();
        // A year that reaches the answer by way of other things than the one named says nothing of either.
        let roundabout =
            |m: &Mention| matches!(chosen.plan, Plan::Intersect(_)) && is_number(&m.text);
        let aside = |m: &&Mention| !slots.contains(&m.slot) || roundabout(m);
        let mut left: Vec<(&str, Vec<TermId>)> = Vec::new();
        for mention in isr.mentions.iter().filter(aside) {
            left.push((&mention.text, mention.ids()));
        }
        // A number that this reading takes for no name.
        for number in isr.unknown_names.iter().filter(|n| is_number(n)) {
            let ids = graph.link(&crate::text::normalise(number), LOOKED_AT)?;
            left.push((number, ids));
        }
        if slots.is_empty() || left.is_empty() {
            return Ok(None);
        }
        let mut spoken_of: Vec<TermId> = Vec::new();
        for binding in &chosen.bindings {
            if let (Bound::Entities(ids), true) = (&binding.bound, slots.contains(&binding.slot)) {
                spoken_of.extend(ids.iter().take(LOOKED_AT));
            }
        }
        if let Given::Values(values) = given {
            spoken_of.extend(values.iter().take(LOOKED_AT));
        }
        for (text, own) in left {
            let mut tied = false;
            for id in spoken_of.iter().filter(|id| !own.contains(id)) {
                tied |= is_next_to(graph, *id, &own)?;
            }
            if !tied {
                return Ok(Some(text.to_owned()));
            }
        }
        Ok(None)
    }

    /// A word that tells another doing than the step it speaks for, or than every step of the plan: "edited" where the plan
    /// goes by "written by".
    pub(crate) fn of_another_doing(
        schema: &Schema,
        isr: &Isr,
        guidance: &Guidance<'_>,
        chosen: &Candidate,
    ) -> Option<String> {
        let predicates = chosen.plan.predicates();
        let doings_of = |predicate: &str| -> Vec<usize> {
            let position = schema.position_of(predicate);
            let words = position.map_or(&[][..], |at| &schema.entries()[at].words);
            words.iter().filter_map(|w| vocabulary::doing(w)).collect()
        };
        let has_meant_it = |word: &str| {
            guidance.lexicon.is_some_and(|lexicon| {
                let meanings = lexicon.meanings(word);
                meanings.iter().any(|(meaning, right, wrong)| {
                    right > wrong && predicates.contains(&meaning.as_ref())
                })
            })
        };
        let done: Vec<usize> = predicates.iter().flat_map(|p| doings_of(p)).collect();
        let told = isr
            .words
            .iter()
            .any(|word| vocabulary::doing(&word.text).is_some_and(|doing| done.contains(&doing)));
        // Music is written too, where nothing else is.
        let writes = vocabulary::doing("write");
        let composes = vocabulary::doing("compose");
        let is_written = schema
            .entries()
            .iter()
            .any(|entry| entry.words.iter().any(|w| vocabulary::doing(w) == writes));
        let is_another = |word: &str, doing: usize| {
            let spoken = chosen.alignment.iter().filter(|(said, _)| said == word);
            let mut steps: Vec<&str> = spoken.map(|(_, step)| step.as_str()).collect();
            if steps.is_empty() {
                steps.clone_from(&predicates);
            }
            // A step that tells no doing may be what is meant: "partner" for "spouse".
            !steps.is_empty()
                && steps.iter().all(|step| {
                    let doings = doings_of(step);
                    let composed = Some(doing) == writes
                        && !is_written
                        && doings.iter().any(|done| Some(*done) == composes);
                    !doings.is_empty() && !doings.contains(&doing) && !composed
                })
        };
        let words = isr.words.iter().map(|word| word.text.as_str());
        words
            .filter(|word| vocabulary::doing(word).is_some_and(|doing| is_another(word, doing)))
            // "Which *actor* was born in X": the trade of those asked for, where another word tells the step.
            .find(|word| !(has_meant_it(word) || told && *word == isr.answer_type))
            .map(str::to_owned)
    }

    /// A relation of the name that no step of the path tells: "who directed the *sequel* of X" is not who directed X.
    pub(crate) fn untold_relation(
        &self,
        graph: &dyn Graph,
        schema: &Schema,
        isr: &Isr,
        guidance: &Guidance<'_>,
        chosen: &Candidate,
    ) -> Result<Option<String>, SchemaError> {
        let (Plan::Path(path), [_]) = (&chosen.plan, isr.mentions.as_slice()) else {
            return Ok(None);
        };
        if path.hops.len() >= isr.phrases() {
            return Ok(None);
        }
        for word in isr.words.iter().filter(|word| word.relation.is_some()) {
            let similarities = self.nearness(schema, &word.text, guidance)?;
            // To be put up with, for want of a better step, is not to be told.
            let told = chosen.alignment.iter().any(|(said, step)| {
                let at = schema.position_of(step);
                *said == word.text
                    && at.is_some_and(|at| similarities[at] >= self.config.judge.told)
            });
            if !told
                && word.text != "name"
                && word.text != isr.answer_type
                && !vocabulary::is_light(&word.text)
                && !schema.is_class_noun(graph, &word.text, self.embedder.as_ref())?
                && self.best_similarity(schema, &word.text)? < self.config.gains.names_predicate
            {
                return Ok(Some(word.text.clone()));
            }
        }
        Ok(None)
    }

    /// Whether a plan for "who did X direct" leads to those who did it: it goes along a "… by" edge, or over other things.
    /// So does one of several steps for "who directed X", or one that goes the other way.
    pub(crate) fn is_of_the_doer(schema: &Schema, isr: &Isr, plan: &Plan) -> bool {
        let Plan::Path(path) = plan else {
            return false;
        };
        if is_one_doing(isr) {
            let against = |hop: &Hop| hop.inverse && is_by(schema, &hop.predicate);
            return path.hops.len() > 1 || path.hops.iter().any(against);
        }
        if doer(isr).is_none() {
            return false;
        }
        let [hop] = path.hops.as_slice() else {
            return true;
        };
        !hop.inverse && is_by(schema, &hop.predicate)
    }

    /// Whether "who did X direct" is answered with things: none of the values shares any kind of edge with X, who is
    /// someone.
    pub(crate) fn is_not_done_to(
        graph: &dyn Graph,
        schema: &Schema,
        isr: &Isr,
        plan: &Plan,
        given: &Given,
    ) -> Result<bool, GraphError> {
        let (Plan::Path(path), Given::Values(values)) = (plan, given) else {
            return Ok(false);
        };
        let by = path
            .hops
            .first()
            .is_some_and(|hop| is_by(schema, &hop.predicate));
        let (Some(mention), true) = (doer(isr), by) else {
            return Ok(false);
        };
        let mut own = Vec::new();
        for id in mention.ids().into_iter().take(LOOKED_AT) {
            own.extend(graph.signature(id)?.iter().copied());
        }
        for value in values.iter().take(LOOKED_AT) {
            if graph
                .signature(*value)?
                .iter()
                .any(|edge| own.contains(edge))
            {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Whether a question says one doing of one name, and nothing else: "who directed X", "which actor directed X".
fn is_one_doing(isr: &Isr) -> bool {
    let [mention] = isr.mentions.as_slice() else {
        return false;
    };
    let word = |at: usize| isr.tokens.get(at).map_or("", |t| t.folded.as_str());
    let verb = match word(0) {
        "who" => 1,
        "which" | "what" if word(1) == isr.answer_type => 2,
        _ => return false,
    };
    vocabulary::doing(word(verb)).is_some()
        && mention.first == verb + 1
        && mention.end == isr.tokens.len()
}

/// X in "who did X direct": the one who does what the only word tells.
fn doer(isr: &Isr) -> Option<&Mention> {
    let ([mention], [verb]) = (isr.mentions.as_slice(), isr.words.as_slice()) else {
        return None;
    };
    let word = |at: usize| isr.tokens.get(at).map_or("", |t| t.folded.as_str());
    let is_active = matches!(word(0), "who" | "whom")
        && matches!(word(1), "did" | "does" | "do")
        && mention.first == 2
        && verb.token >= mention.end;
    is_active.then_some(mention)
}

fn is_number(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_digit())
}

fn is_by(schema: &Schema, predicate: &str) -> bool {
    schema
        .position_of(predicate)
        .is_some_and(|at| schema.entries()[at].label.ends_with(" by"))
}

/// Whether one of `others` is among the first values of some step from `id`.
fn is_next_to(graph: &dyn Graph, id: TermId, others: &[TermId]) -> Result<bool, GraphError> {
    for edge in graph.signature(id)?.iter() {
        let page = graph.step(id, *edge, STEP)?;
        if page.ids.iter().any(|value| others.contains(value)) {
            return Ok(true);
        }
    }
    Ok(false)
}
