//! How does a question become an answer or a refusal? CacheRAG Algorithm 1 with built-in stages.
//!
//! Parse, compile, execute, judge; the next plan or reading is tried while the budget lasts. Reads only.

use std::sync::Arc;

use language_model::Embedder;

use crate::backend_adapter::{Candidate, CompileConfig, Compiled, Compiler};
use crate::execute::{self, ExecuteError, Executed, Given, Limits};
use crate::graph::{Graph, GraphError};
use crate::guidance::Guidance;
use crate::isr::{Isr, QuestionType};
use crate::judge::was_wrong_to_refuse;
use crate::local_schema::{GainConfig, Schema, SchemaError};
use crate::logical_parser::{self, ParserConfig};
use crate::plan::Plan;

/// All of the planner's bounds and prices.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PlannerConfig {
    /// The parser's.
    pub parser: ParserConfig,
    /// The schema's.
    pub gains: GainConfig,
    /// The compiler's.
    pub compile: CompileConfig,
    /// The executor's.
    pub limits: Limits,
    /// The judge's.
    pub judge: JudgeConfig,
}

/// When a plan's result is good enough, and when to refrain.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgeConfig {
    /// Plans run per question.
    pub max_runs: usize,
    /// How much worse told than the best plan a plan may be, in log-likelihood, when the best gives nothing.
    pub slack: f32,
    /// The same where several names restrict one set.
    pub conjunction_slack: f32,
    /// A word that asks for an attribute must be this similar to some predicate.
    pub support: f32,
    /// A content word that is less similar to every predicate is not known to the graph.
    pub heard: f32,
    /// An attribute asked for by name, a thing counted, a relation affirmed or denied: some word must be this similar to a
    /// step of the path.
    pub attribute: f32,
    /// Some word must be this similar to a step of the path that is run, if there are words that could be.
    pub told: f32,
}

impl Default for JudgeConfig {
    fn default() -> Self {
        Self {
            max_runs: 32,
            slack: 2.0,
            conjunction_slack: 1.5,
            support: 0.22,
            heard: 0.22,
            attribute: 0.45,
            told: 0.28,
        }
    }
}

/// How much worse told a plan may be than one whose values are of another class than the one asked for.
const CLASS_SLACK: f32 = 0.5;

/// Why no answer is given.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Refusal {
    /// Nothing in the question names anything in the graph.
    NothingNamed,
    /// The question names a thing and asks nothing about it.
    NothingAsked,
    /// A name in the question is not in the graph.
    UnknownName {
        /// The names.
        names: Vec<String>,
    },
    /// A yes-or-no question names one thing only: what is asked of it is not in the graph.
    HalfNamed,
    /// The question denies something, which a bounded look at the graph cannot prove.
    Negation,
    /// The graph has nothing like what is asked for.
    Unsupported {
        /// The word that nothing supports.
        word: String,
    },
    /// Every plausible plan gave nothing.
    Empty {
        /// How many plans were run.
        runs: usize,
    },
}

/// What the planner found.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The question in the reading that was answered.
    pub isr: Isr,
    /// The plan that was run, when one was chosen.
    pub chosen: Option<Candidate>,
    /// What it gave.
    pub executed: Option<Executed>,
    /// Why there is no answer.
    pub refusal: Option<Refusal>,
    /// Score over the best other plan with another answer; infinite without one.
    pub margin: f32,
    /// Score, votes apart, over the best other plan that was not seen to give nothing: below 0, the votes decided.
    pub cold_margin: f32,
    /// How well a word of the question tells the chosen path: the greatest similarity of a word and a step, in [-1, 1];
    /// 1 where no word could, or where no single path was chosen.
    pub told: f32,
    /// What compilation saw.
    pub compiled: Compiled,
    /// Plans run.
    pub runs: usize,
}

/// Why the planner failed (a refusal is not a failure).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AnswerError {
    /// The graph failed.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// The schema could not be made.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// A plan could not be run.
    #[error(transparent)]
    Execute(#[from] ExecuteError),
}

/// The built-in planner: an embedder and bounds.
#[derive(Clone)]
pub struct Planner {
    pub(crate) embedder: Arc<dyn Embedder>,
    pub(crate) config: PlannerConfig,
}

impl Planner {
    /// A planner that compares words by `embedder`.
    #[must_use]
    pub fn new(embedder: Arc<dyn Embedder>, config: PlannerConfig) -> Self {
        Self { embedder, config }
    }

    /// The bounds and prices in force.
    #[must_use]
    pub fn config(&self) -> &PlannerConfig {
        &self.config
    }

    /// Reads a graph's schema; keep it for as long as the graph's generation stands.
    ///
    /// # Errors
    /// [`SchemaError`] if the graph or the embedder fails.
    pub fn schema(&self, graph: &dyn Graph) -> Result<Schema, SchemaError> {
        Schema::build(graph, self.embedder.as_ref(), &self.config.gains)
    }

    /// Takes a question apart (stage 1).
    ///
    /// # Errors
    /// [`GraphError`] if the graph cannot be read.
    pub fn parse(&self, graph: &dyn Graph, question: &str) -> Result<Isr, GraphError> {
        logical_parser::parse(graph, question, &self.config.parser)
    }

    /// Answers a parsed question, or refrains.
    ///
    /// # Errors
    /// [`AnswerError`] if the graph or the embedder fails.
    pub fn answer(
        &self,
        graph: &dyn Graph,
        schema: &Schema,
        isr: &Isr,
        guidance: &Guidance<'_>,
    ) -> Result<Outcome, AnswerError> {
        if let Some(refusal) = self.refuse_early(schema, isr)? {
            return Ok(Outcome::refused(isr, refusal, Compiled::default(), 0));
        }
        let compiler = Compiler {
            graph,
            schema,
            embedder: self.embedder.as_ref(),
            guidance,
            config: &self.config.compile,
        };
        let mut runs = 0;
        let mut best: Option<Outcome> = None;
        let more = self.with_unexplained_names(graph, schema, isr)?;
        let readings = more.into_iter().chain([isr.clone()]).chain(
            isr.other_readings
                .iter()
                .map(|r| logical_parser::with_reading(isr, r.clone())),
        );
        for reading in readings {
            let reading = Self::in_the_graphs_words(graph, schema, reading)?;
            let compiled = compiler.compile(&reading)?;
            let outcome = if reading.question_type == QuestionType::YesNo {
                self.run_yes_no(graph, schema, &reading, guidance, compiled, &mut runs)?
            } else {
                self.run_best(graph, schema, &reading, guidance, compiled, &mut runs)?
            };
            let better = match (&best, &outcome.executed) {
                (None, _) => true,
                (Some(b), Some(_)) if b.executed.is_none() => true,
                (Some(b), Some(_)) => score(&outcome) > score(b) + 1.0,
                // Which word the graph does not know says more than that some reading gave nothing.
                (Some(b), None) => {
                    matches!(b.refusal, Some(Refusal::Empty { .. }))
                        && matches!(outcome.refusal, Some(Refusal::Unsupported { .. }))
                }
            };
            if better {
                best = Some(outcome);
            }
            let strong = isr
                .mentions
                .iter()
                .any(|m| m.strength >= self.config.parser.linker.strong);
            if (strong && best.as_ref().is_some_and(|b| b.executed.is_some()))
                || runs >= self.config.judge.max_runs
            {
                break;
            }
        }
        Ok(best.unwrap_or_else(|| {
            Outcome::refused(isr, Refusal::Empty { runs }, Compiled::default(), runs)
        }))
    }

    /// The reading in which words that the schema does not explain ("magic") are names as well.
    fn with_unexplained_names(
        &self,
        graph: &dyn Graph,
        schema: &Schema,
        isr: &Isr,
    ) -> Result<Option<Isr>, AnswerError> {
        let mut mentions = Vec::new();
        for mention in &isr.with_weak {
            let strong = isr.mentions.iter().any(|m| m.first == mention.first);
            let word = crate::text::normalise(&mention.text);
            if !strong && self.is_explained(graph, schema, &word)? {
                continue;
            }
            mentions.push(mention.clone());
        }
        if mentions.len() <= isr.mentions.len() {
            return Ok(None);
        }
        for (slot, mention) in (0u8..).zip(&mut mentions) {
            mention.slot = crate::plan::Slot(slot);
        }
        Ok(Some(logical_parser::with_reading(isr, mentions)))
    }

    /// Whether a word speaks for some predicate or class, or is no content word at all.
    fn is_explained(
        &self,
        graph: &dyn Graph,
        schema: &Schema,
        word: &str,
    ) -> Result<bool, AnswerError> {
        if crate::vocabulary::is_function_word(word)
            || crate::vocabulary::superlative(word).is_some()
        {
            return Ok(true);
        }
        Ok(
            self.best_similarity(schema, word)? >= self.config.judge.support
                || schema.is_class_noun(graph, word, self.embedder.as_ref())?,
        )
    }

    /// Runs the candidates in order until one gives something, then looks for the runner-up.
    fn run_best(
        &self,
        graph: &dyn Graph,
        schema: &Schema,
        isr: &Isr,
        guidance: &Guidance<'_>,
        compiled: Compiled,
        runs: &mut usize,
    ) -> Result<Outcome, AnswerError> {
        let mut chosen: Option<(Candidate, Executed)> = None;
        let mut margin = f32::INFINITY;
        let mut skipped = f32::NEG_INFINITY;
        let mut looks = 0;
        let mut empty = Vec::new();
        let mut floor = f32::NEG_INFINITY;
        let cold = |c: &Candidate| c.score - c.vote;
        let best_cold = compiled
            .candidates
            .iter()
            .filter(|c| !Self::is_of_the_doer(schema, isr, &c.plan))
            .map(cold)
            .fold(f32::NEG_INFINITY, f32::max);
        for (at, candidate) in compiled.candidates.iter().enumerate() {
            if self.is_turned_round(schema, isr, &candidate.plan)
                || Self::is_of_other_kin(schema, isr, &candidate.plan)
                || Self::is_of_the_doer(schema, isr, &candidate.plan)
                || self.is_of_the_wrong_kind(graph, schema, isr, &candidate.plan)?
            {
                continue;
            }
            if *runs >= self.config.judge.max_runs || looks >= 2 {
                break;
            }
            if chosen.is_none() && Self::goes_too_far(schema, isr, candidate) {
                chosen = Self::stopped_short(graph, schema, candidate, &self.config.limits)?;
                if chosen.is_none() {
                    let word = isr.answer_type.clone();
                    return Ok(Outcome::refused(
                        isr,
                        Refusal::Unsupported { word },
                        compiled,
                        *runs,
                    ));
                }
                continue;
            }
            // A plan that the words tell much worse than the best is not what was asked: where the best gives nothing,
            // nothing is recorded. Only experience can recommend such a plan.
            let is_conjunction = matches!(candidate.plan, Plan::Intersect(_));
            let slack = if is_conjunction {
                self.config.judge.conjunction_slack
            } else {
                self.config.judge.slack
            };
            let recommended = candidate.vote > 0.0 && !is_conjunction;
            if !recommended && cold(candidate) < (best_cold - slack).max(floor) {
                skipped = skipped.max(candidate.score);
                continue;
            }
            *runs += 1;
            let executed = execute::run(
                graph,
                &candidate.plan,
                &candidate.bindings,
                &self.config.limits,
            )?;
            if is_empty(&executed.given)
                || counts_nothing(&candidate.plan, &executed.given)
                || Self::gives_back_a_name(isr, &candidate.plan, &executed.given)
                || Self::is_not_done_to(graph, schema, isr, &candidate.plan, &executed.given)?
            {
                empty.push(at);
                continue;
            }
            if Self::takes_a_detour(isr, candidate) {
                empty.push(at);
                continue;
            }
            let counted = if let Plan::Count(input) = &candidate.plan {
                execute::run(graph, input, &candidate.bindings, &self.config.limits)?.given
            } else {
                executed.given.clone()
            };
            if self.is_of_another_class(graph, schema, isr, &counted)? {
                // Only a plan that the words tell hardly worse may be what was meant instead.
                floor = floor.max(cold(candidate) - CLASS_SLACK);
                empty.push(at);
                continue;
            }
            match &chosen {
                None => chosen = Some((candidate.clone(), executed)),
                Some((first, given)) => {
                    looks += 1;
                    if given.given != executed.given {
                        margin = first.score - candidate.score;
                        break;
                    }
                }
            }
        }
        let Some((candidate, executed)) = chosen else {
            return Ok(Outcome::refused(
                isr,
                Refusal::Empty { runs: *runs },
                compiled,
                *runs,
            ));
        };
        if let Some(word) = self.unspoken(graph, schema, isr, &candidate)? {
            return Ok(Outcome::refused(
                isr,
                Refusal::Unsupported { word },
                compiled,
                *runs,
            ));
        }
        let told = self.told(graph, schema, isr, guidance, &candidate)?;
        let strength = told.as_ref().map_or(1.0, |(nearest, _)| *nearest);
        // Only the very same words may have proved that they mean this; what is like them says nothing of a strange word.
        let is_proven = guidance.neighbours.iter().any(|known| {
            known.masked == isr.masked
                && known.template == candidate.template
                && known.successes > known.failures
        });
        let mut beyond = Vec::new();
        if !is_proven {
            beyond.push(self.unheard(graph, schema, isr, guidance)?);
            let untold = told.filter(|(nearest, _)| *nearest < self.config.judge.told);
            beyond.push(untold.map(|(_, word)| word));
            beyond.push(self.unmeasured(schema, isr, &candidate)?);
            beyond.push(self.untold_relation(graph, schema, isr, guidance, &candidate)?);
            beyond.push(self.untold_attribute(graph, schema, isr, guidance, &candidate)?);
            beyond.push(self.uncounted(graph, schema, isr, guidance, &candidate)?);
            beyond.push(self.unordered(graph, schema, isr, &candidate)?);
            beyond.push(Self::of_another_doing(schema, isr, guidance, &candidate));
        }
        beyond.push(Self::unaccounted(graph, isr, &candidate, &executed.given)?);
        if candidate.vote <= 0.0 {
            beyond.push(self.unsupported(schema, isr)?);
        }
        let mut beyond = beyond.into_iter().flatten();
        if let Some(word) = beyond.find(|word| !was_wrong_to_refuse(guidance, word)) {
            return Ok(Outcome::refused(
                isr,
                Refusal::Unsupported { word },
                compiled,
                *runs,
            ));
        }
        // What was not tried might have given something else.
        margin = margin.min((candidate.score - skipped).max(0.0));
        let others = compiled
            .candidates
            .iter()
            .enumerate()
            .filter(|(at, c)| !empty.contains(at) && c.template != candidate.template);
        let best_other = others
            .map(|(_, c)| cold(c))
            .fold(f32::NEG_INFINITY, f32::max);
        let cold_margin = cold(&candidate) - best_other;
        Ok(Outcome {
            isr: isr.clone(),
            chosen: Some(candidate),
            executed: Some(executed),
            refusal: None,
            margin,
            cold_margin,
            told: strength,
            compiled,
            runs: *runs,
        })
    }
}

/// A count of nothing may only say that the plan does not fit.
fn counts_nothing(plan: &Plan, given: &Given) -> bool {
    matches!((plan, given), (Plan::Count(_), Given::Number(number)) if *number == 0.0)
}

fn is_empty(given: &Given) -> bool {
    matches!(given, Given::Values(values) if values.is_empty())
}

fn score(outcome: &Outcome) -> f32 {
    let linked: f32 = outcome.isr.mentions.iter().map(|m| m.strength).sum();
    outcome
        .chosen
        .as_ref()
        .map_or(f32::NEG_INFINITY, |c| c.score)
        + linked
}

impl Outcome {
    /// No answer, with the reason.
    pub(crate) fn refused(isr: &Isr, refusal: Refusal, compiled: Compiled, runs: usize) -> Self {
        Self {
            isr: isr.clone(),
            chosen: None,
            executed: None,
            refusal: Some(refusal),
            margin: f32::INFINITY,
            cold_margin: f32::INFINITY,
            told: 1.0,
            compiled,
            runs,
        }
    }
}
