//! Does the graph know what the question's words mean? A word that speaks for no predicate and no class is not passed by.
//!
//! "Who cooked X" is not who wrote it, though nothing else in the schema is nearer; "the former husband of X" is not the
//! husband. Only words that restrict nothing may go unheard ("the *main* language", "which genre does X *fall* under").

use crate::answer::{AnswerError, Planner};
use crate::backend_adapter::Candidate;
use crate::graph::Graph;
use crate::guidance::Guidance;
use crate::isr::{Isr, Word};
use crate::local_schema::{Schema, SchemaError};
use crate::plan::Plan;
use crate::vocabulary;

impl Planner {
    /// The first word of the question that the graph knows nothing like.
    pub(crate) fn unheard(
        &self,
        graph: &dyn Graph,
        schema: &Schema,
        isr: &Isr,
        guidance: &Guidance<'_>,
    ) -> Result<Option<String>, AnswerError> {
        for word in content(isr) {
            if vocabulary::is_light(&word.text) {
                continue;
            }
            let similarities = self.nearness(schema, &word.text, guidance)?;
            let best = similarities.into_iter().fold(f32::MIN, f32::max);
            if best < self.config.judge.heard
                && !schema.is_class_noun(graph, &word.text, self.embedder.as_ref())?
            {
                return Ok(Some(word.text.clone()));
            }
        }
        Ok(None)
    }

    /// How well the words tell the path that was chosen: the greatest similarity of a word and a step of it, with the word
    /// that is nearest to telling it. `None` when the question has no word that could ("who is from X").
    pub(crate) fn told(
        &self,
        graph: &dyn Graph,
        schema: &Schema,
        isr: &Isr,
        guidance: &Guidance<'_>,
        chosen: &Candidate,
    ) -> Result<Option<(f32, String)>, AnswerError> {
        if crate::measured::path_of(&chosen.plan).is_none() {
            return Ok(None);
        }
        let steps: Vec<usize> = chosen
            .plan
            .predicates()
            .into_iter()
            .filter_map(|predicate| schema.position_of(predicate))
            .collect();
        let mut best: Option<(f32, String)> = None;
        for word in content(isr) {
            if schema.is_class_noun(graph, &word.text, self.embedder.as_ref())? {
                continue;
            }
            let similarities = self.nearness(schema, &word.text, guidance)?;
            let nearest = steps.iter().map(|step| similarities[*step]);
            let mut nearest = nearest.fold(f32::MIN, f32::max);
            if chosen.alignment.is_empty() {
                nearest = nearest.min(0.0);
            }
            if best.as_ref().is_none_or(|(found, _)| nearest > *found) {
                best = Some((nearest, word.text.clone()));
            }
        }
        Ok(best)
    }

    /// The attribute by which the most extreme was to be found, when the plan orders by something not like it: "the film
    /// with the most awards" is not the newest.
    pub(crate) fn unmeasured(
        &self,
        schema: &Schema,
        isr: &Isr,
        chosen: &Candidate,
    ) -> Result<Option<String>, SchemaError> {
        let (
            Some(superlative),
            Plan::OrderLimit { attribute, .. } | Plan::Compare { attribute, .. },
        ) = (&isr.superlative, &chosen.plan)
        else {
            return Ok(None);
        };
        let noun = &superlative.attribute;
        if superlative.temporal || noun.is_empty() {
            return Ok(None);
        }
        let similarities =
            schema.similarities(vocabulary::nouns_of(noun), self.embedder.as_ref())?;
        let like = schema
            .position_of(&attribute.hop.predicate)
            .is_some_and(|at| similarities[at] >= self.config.judge.heard);
        Ok((!like).then(|| noun.clone()))
    }

    /// How similar a word is to each predicate; near enough where its opposite is told by it ("son" by "parents") and
    /// where the word has meant it.
    pub(crate) fn nearness(
        &self,
        schema: &Schema,
        word: &str,
        guidance: &Guidance<'_>,
    ) -> Result<Vec<f32>, SchemaError> {
        let near = self.config.gains.names_predicate;
        let mut similarities = schema.similarities(word, self.embedder.as_ref())?;
        if let Some(backward) = schema.backward_gains(word) {
            for (similarity, gain) in similarities.iter_mut().zip(backward.iter()) {
                if *gain > 0.0 {
                    *similarity = similarity.max(near);
                }
            }
        }
        let meanings = guidance.lexicon.map(|lexicon| lexicon.meanings(word));
        for (predicate, right, wrong) in meanings.into_iter().flatten() {
            if let (Some(at), true) = (schema.position_of(&predicate), right > wrong) {
                similarities[at] = similarities[at].max(near);
            }
        }
        Ok(similarities)
    }
}

/// The words that say something: not "name".
fn content(isr: &Isr) -> impl Iterator<Item = &Word> {
    isr.words.iter().filter(|word| word.text != "name")
}
