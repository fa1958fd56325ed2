//! Is it so? When a yes/no question is answered, and when the planner refrains.
//!
//! "Yes" needs a way between the two names that the words tell, or, where the words tell no relation ("is X in Y"), one edge
//! that joins them. "No" needs the very relation that the words tell to lead elsewhere, to something of the same kind.
//! Everything else is refused: what a graph does not say is not false.

use crate::answer::{AnswerError, Outcome, Planner, Refusal};
use crate::backend_adapter::{Candidate, Compiled};
use crate::execute::{self, Executed, Given};
use crate::graph::{Graph, GraphError, TermId};
use crate::guidance::Guidance;
use crate::isr::{Isr, Superlative, Word};
use crate::judge::was_wrong_to_refuse;
use crate::local_schema::{Schema, SchemaError, ValueKind, is_member_of_same};
use crate::plan::Plan;
use crate::vocabulary;

/// How much less a word may be like a step than like the nearest one, and still mean it.
const NEARLY: f32 = 0.3;

/// Things compared by kind.
const LOOKED_AT: usize = 16;

/// A plan that was run, and how well the words tell it.
struct Verdict {
    candidate: Candidate,
    executed: Executed,
    told: f32,
}

impl Verdict {
    fn is_yes(&self) -> bool {
        self.executed.given == Given::Truth(true)
    }

    fn hops(&self) -> usize {
        self.candidate.plan.hops()
    }
}

impl Planner {
    /// Answers a yes/no question from the plans that it could mean, or refrains.
    pub(crate) fn run_yes_no(
        &self,
        graph: &dyn Graph,
        schema: &Schema,
        isr: &Isr,
        guidance: &Guidance<'_>,
        compiled: Compiled,
        runs: &mut usize,
    ) -> Result<Outcome, AnswerError> {
        let words = self.telling(graph, schema, isr)?;
        let mut verdicts = Vec::new();
        for candidate in &compiled.candidates {
            if *runs >= self.config.judge.max_runs {
                break;
            }
            *runs += 1;
            let executed = execute::run(
                graph,
                &candidate.plan,
                &candidate.bindings,
                &self.config.limits,
            )?;
            // What cites nothing proves nothing.
            if executed.evidence.is_empty() || !executed.left_out.is_empty() {
                continue;
            }
            if Self::of_another_doing(schema, isr, guidance, candidate).is_some() {
                continue;
            }
            let told = self.strength(schema, &words, isr, guidance, candidate)?;
            verdicts.push(Verdict {
                candidate: candidate.clone(),
                executed,
                told,
            });
        }
        let chosen = match &isr.superlative {
            Some(by) => self.compared(graph, schema, isr, by, &words, &verdicts)?,
            None => self.is_so(graph, isr, &words, &verdicts)?,
        };
        let unheard = self.unheard(graph, schema, isr, guidance)?;
        let unheard = unheard.filter(|word| !was_wrong_to_refuse(guidance, word));
        let (Some(verdict), None) = (chosen.and_then(|at| verdicts.get(at)), &unheard) else {
            let word = unheard.or(words.first().map(|word| word.text.clone()));
            let refusal = word.map_or(Refusal::Empty { runs: *runs }, |word| {
                Refusal::Unsupported { word }
            });
            return Ok(Outcome::refused(isr, refusal, compiled, *runs));
        };
        if let Some(word) =
            Self::unaccounted(graph, isr, &verdict.candidate, &verdict.executed.given)?
        {
            return Ok(Outcome::refused(
                isr,
                Refusal::Unsupported { word },
                compiled,
                *runs,
            ));
        }
        let against = verdicts
            .iter()
            .filter(|other| other.is_yes() != verdict.is_yes() && other.told >= verdict.told)
            .map(|other| verdict.candidate.score - other.candidate.score)
            .fold(f32::INFINITY, f32::min);
        Ok(Outcome {
            isr: isr.clone(),
            chosen: Some(verdict.candidate.clone()),
            executed: Some(verdict.executed.clone()),
            refusal: None,
            margin: against.abs(),
            cold_margin: against.abs(),
            told: verdict.told,
            compiled,
            runs: *runs,
        })
    }

    /// The verdict on "is A … B", by its place.
    fn is_so(
        &self,
        graph: &dyn Graph,
        isr: &Isr,
        words: &[&Word],
        verdicts: &[Verdict],
    ) -> Result<Option<usize>, AnswerError> {
        let bar = self.config.judge.attribute;
        let best = verdicts.iter().map(|v| v.told).fold(0.0, f32::max);
        let is_told = |v: &Verdict| v.told >= bar && v.told >= best - NEARLY;
        if words.is_empty() {
            return Ok(verdicts.iter().position(|v| v.is_yes() && v.hops() == 1));
        }
        let mut yes: Vec<usize> = (0..verdicts.len())
            .filter(|at| verdicts[*at].is_yes() && is_told(&verdicts[*at]))
            .collect();
        yes.sort_by_key(|at| verdicts[*at].hops());
        if let Some(at) = yes.first() {
            return Ok(Some(*at));
        }
        let is_joined = verdicts.iter().any(|v| v.is_yes() && v.hops() == 1);
        let names = self.config.gains.names_predicate;
        for (at, verdict) in verdicts.iter().enumerate() {
            let is_named = verdict.told >= names;
            if is_told(verdict)
                && (is_named || !is_joined)
                && self.is_comparable(graph, isr, &verdict.candidate)?
            {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }

    /// The verdict on "is A more … than B", by its place.
    fn compared(
        &self,
        graph: &dyn Graph,
        schema: &Schema,
        isr: &Isr,
        by: &Superlative,
        words: &[&Word],
        verdicts: &[Verdict],
    ) -> Result<Option<usize>, AnswerError> {
        let bar = self.config.judge.attribute;
        let mut fitting = Vec::new();
        for (at, verdict) in verdicts.iter().enumerate() {
            let Plan::Ask { input, .. } = &verdict.candidate.plan else {
                continue;
            };
            if !self.measures(graph, schema, isr, by, input)? {
                continue;
            }
            let told = verdict.told >= bar || words.is_empty() || !by.attribute.is_empty();
            let winners = execute::run(
                graph,
                input,
                &verdict.candidate.bindings,
                &self.config.limits,
            )?;
            // Of two alike neither is more.
            let is_decided = matches!(&winners.given, Given::Values(one) if one.len() == 1);
            if told && is_decided {
                fitting.push(at);
            }
        }
        let told = fitting.iter().find(|at| verdicts[**at].told >= bar);
        // Where no word tells which, there must be no choice.
        let only = fitting.first().filter(|_| fitting.len() == 1);
        Ok(told
            .filter(|_| !words.is_empty())
            .or(only)
            .or(fitting.first().filter(|_| !by.attribute.is_empty()))
            .copied())
    }

    /// Whether a plan orders or compares by what the question's superlative speaks of: a time for "first", never a birth
    /// unless it is told; numbers of what is like the noun for "longest".
    pub(crate) fn measures(
        &self,
        graph: &dyn Graph,
        schema: &Schema,
        isr: &Isr,
        by: &Superlative,
        plan: &Plan,
    ) -> Result<bool, AnswerError> {
        let (Plan::Compare { attribute, .. } | Plan::OrderLimit { attribute, .. }) = plan else {
            return Ok(true);
        };
        let Some(at) = schema.position_of(&attribute.hop.predicate) else {
            return Ok(true);
        };
        let entry = &schema.entries()[at];
        let kind = schema.value_kind(graph, entry.id)?;
        if !by.temporal {
            if by.attribute.is_empty() {
                return Ok(true);
            }
            let nouns = vocabulary::nouns_of(&by.attribute);
            let similarities = schema
                .similarities(nouns, self.embedder.as_ref())
                .map_err(SchemaError::from)?;
            return Ok(similarities[at] >= self.config.judge.attribute);
        }
        let adjective = isr.tokens.get(by.first).map_or("", |t| t.folded.as_str());
        let is_age = adjective.starts_with("old") || adjective.starts_with("young");
        let told = |doing: usize| {
            let mut words = isr.words.iter();
            words.any(|word| vocabulary::doing(&word.text) == Some(doing))
        };
        let lives = entry.words.iter().find_map(|word| vocabulary::life(word));
        Ok(kind == ValueKind::Time && (is_age || lives.is_none_or(told)))
    }

    /// The words that could tell a relation: no light ones, and no class of the graph.
    fn telling<'i>(
        &self,
        graph: &dyn Graph,
        schema: &Schema,
        isr: &'i Isr,
    ) -> Result<Vec<&'i Word>, AnswerError> {
        let mut out = Vec::new();
        for word in isr.words.iter().filter(|word| word.text != "name") {
            let is_light = vocabulary::is_light(&word.text)
                && vocabulary::doing(&word.text).is_none()
                || vocabulary::is_person(&word.text);
            if !is_light && schema.classes(graph, &word.text)?.is_empty() {
                out.push(word);
            }
        }
        Ok(out)
    }

    /// The greatest similarity of a word and a step of a plan; 1 for what the very same words have proved to mean, and
    /// where no word could tell.
    fn strength(
        &self,
        schema: &Schema,
        words: &[&Word],
        isr: &Isr,
        guidance: &Guidance<'_>,
        candidate: &Candidate,
    ) -> Result<f32, AnswerError> {
        let is_proven = guidance.neighbours.iter().any(|known| {
            known.masked == isr.masked
                && known.template == candidate.template
                && known.successes > known.failures
        });
        if is_proven || words.is_empty() {
            return Ok(1.0);
        }
        let steps: Vec<usize> = candidate
            .plan
            .predicates()
            .into_iter()
            .filter_map(|predicate| schema.position_of(predicate))
            .collect();
        let mut best = f32::MIN;
        let mut told = vec![f32::MIN; steps.len()];
        for word in words {
            let similarities = self.nearness(schema, &word.text, guidance)?;
            for (step, told) in steps.iter().zip(&mut told) {
                *told = told.max(similarities[*step]);
                best = best.max(*told);
            }
        }
        // Who is born in a town is born in its country; but what no word tells leads anywhere else.
        let bar = self.config.judge.attribute;
        let paths = candidate.plan.paths();
        let against = |iri: &str| {
            let mut hops = paths.iter().flat_map(|path| &path.hops);
            hops.any(|hop| hop.predicate == iri && hop.inverse)
        };
        let leads_off = steps.iter().zip(&told).any(|(step, told)| {
            let entry = &schema.entries()[*step];
            let mut label = entry.words.iter();
            *told < bar && !label.any(|word| vocabulary::contains(word))
                || *told < bar && against(&entry.iri) && starts_at_first(isr, candidate)
        });
        let hops = candidate.plan.hops();
        let is_plain = hops <= words.len().max(1) || steps.len() == hops;
        Ok(if hops > 1 && (leads_off || !is_plain) {
            best.min(0.0)
        } else {
            best
        })
    }

    /// Whether what the plan's path gives and what was asked for are of one kind, so that one excludes the other.
    fn is_comparable(
        &self,
        graph: &dyn Graph,
        isr: &Isr,
        candidate: &Candidate,
    ) -> Result<bool, AnswerError> {
        let Plan::Ask { input, value } = &candidate.plan else {
            return Ok(false);
        };
        let found = execute::run(graph, input, &candidate.bindings, &self.config.limits)?;
        let Given::Values(values) = found.given else {
            return Ok(false);
        };
        let asked: Vec<TermId> = isr
            .mentions
            .iter()
            .filter(|mention| mention.slot == *value)
            .flat_map(|mention| mention.ids())
            .collect();
        for value in values.iter().take(LOOKED_AT) {
            for asked in asked.iter().take(LOOKED_AT) {
                if are_alike(graph, *value, *asked)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

/// Whether two things are of one class, or, where one has none, have an edge of one kind.
fn are_alike(graph: &dyn Graph, one: TermId, other: TermId) -> Result<bool, GraphError> {
    if let Some(same) = is_member_of_same(graph, one, other)? {
        return Ok(same);
    }
    let theirs = graph.signature(other)?;
    Ok(graph
        .signature(one)?
        .iter()
        .any(|edge| theirs.contains(edge)))
}

/// Whether a plan looks from the name that stands first in the question.
fn starts_at_first(isr: &Isr, candidate: &Candidate) -> bool {
    let first = isr.mentions.first().map(|mention| mention.slot);
    let paths = candidate.plan.paths();
    paths.first().map(|path| path.anchor) == first
}
