//! Which plan does a language model choose? The backend adapter's second form (CacheRAG §4.3, stage 2): schema in, typed plan out.
//!
//! The model sees the local schema as an enumeration of steps, and its reply can name nothing else; the reply is parsed by a
//! pure function, bounded, and run on the graph like any other plan. A small model gets a narrower task: one of the plans
//! that the built-in planner ranked.

use language_model::{ChatRequest, Constraint, LanguageModel, Message, ModelError, no_stream};
use serde::{Deserialize, Serialize};

use crate::answer::{AnswerError, Outcome, Planner, Refusal};
use crate::backend_adapter::Candidate;
use crate::execute::{self, Bound, Executed, Given};
use crate::graph::Graph;
use crate::guidance::Guidance;
use crate::isr::{Isr, QuestionType};
use crate::local_schema::Schema;
use crate::plan::Plan;
use crate::vocabulary;

mod prompt;
mod reply;
mod steps;

pub use reply::{ReplyError, parse_plan};
pub use steps::{Step, Steps};

/// Name and version of the prompts; a recording made with other ones does not replay.
pub const COMPILE_PROMPT: &str = "compile/1";
/// The same of the narrower task.
pub const CHOOSE_PROMPT: &str = "choose/1";

/// What the model is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Task {
    /// A typed plan over the local schema.
    #[default]
    Plan,
    /// One of the plans that the built-in planner ranked: for small models.
    Choose,
}

/// Bounds of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelConfig {
    /// What the model is asked for.
    pub task: Task,
    /// Steps in the enumeration; the least similar to the question are cut, and the count is told.
    pub max_steps: usize,
    /// Examples and ranked plans in the prompt, each.
    pub max_examples: usize,
    /// Tokens of the reply.
    pub max_tokens: u32,
    /// The tenant for whom is asked.
    pub namespace: String,
    /// When the reply is of no use any more.
    pub deadline: Option<std::time::Instant>,
}

impl Default for ModelConfig {
    fn default() -> Self {
        Self {
            task: Task::Plan,
            max_steps: 96,
            max_examples: 5,
            max_tokens: 400,
            namespace: "default".to_owned(),
            deadline: None,
        }
    }
}

impl ModelConfig {
    fn request(&self, prompt_version: &str, messages: Vec<Message>) -> ChatRequest {
        ChatRequest {
            namespace: self.namespace.clone(),
            prompt_version: prompt_version.to_owned(),
            seed: Some(0),
            deadline: self.deadline,
            ..ChatRequest::new("compile", messages)
        }
    }
}

/// An earlier question with the plan that proved right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    /// The question.
    pub question: String,
    /// Its plan's template.
    pub template: String,
}

/// What became of the call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Its plan was run and gave something.
    Used {
        /// The plan's template.
        template: String,
    },
    /// It says that the schema cannot say what is asked.
    Declined,
    /// Its plan gave nothing.
    Empty {
        /// The plan's template.
        template: String,
    },
    /// Its plan does not take up all that the question says, or gives another form of answer.
    Unheld {
        /// What it leaves aside.
        word: String,
    },
    /// Its reply was no plan.
    Unusable {
        /// What was wrong with it.
        why: String,
    },
}

/// What the model did for one question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Consulted {
    /// What became of the call.
    pub verdict: Verdict,
    /// Steps that did not fit into the enumeration.
    pub steps_cut: usize,
}

/// Why the model could not be asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConsultError {
    /// The model failed.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The graph failed.
    #[error(transparent)]
    Answer(#[from] AnswerError),
}

impl Planner {
    /// Asks a model for the plan, and puts it in the place of the built-in one where it gives something.
    ///
    /// `outcome` is the built-in planner's; a question that names nothing is left as it is, without a call.
    ///
    /// # Errors
    /// [`ConsultError`] when the model or the graph fails; `outcome` is then unchanged.
    pub fn consult(
        &self,
        model: &dyn LanguageModel,
        config: &ModelConfig,
        graph: &dyn Graph,
        schema: &Schema,
        examples: &[Example],
        outcome: &mut Outcome,
    ) -> Result<Option<Consulted>, ConsultError> {
        if outcome.isr.mentions.is_empty() {
            return Ok(None);
        }
        let isr = outcome.isr.clone();
        let (candidate, steps_cut) = match config.task {
            Task::Plan => {
                let steps = self.steps(graph, schema, &isr, config.max_steps)?;
                let cut = steps.cut;
                (
                    ask_for_plan(model, config, &isr, &steps, examples, outcome)?,
                    cut,
                )
            }
            Task::Choose => (ask_to_choose(model, config, schema, &isr, outcome)?, 0),
        };
        let verdict = match candidate {
            Err(why) => Verdict::Unusable { why },
            Ok(None) => Verdict::Declined,
            Ok(Some(candidate)) => self.adopt(graph, schema, candidate, outcome)?,
        };
        Ok(Some(Consulted { verdict, steps_cut }))
    }

    /// Runs the model's plan.
    fn adopt(
        &self,
        graph: &dyn Graph,
        schema: &Schema,
        candidate: Candidate,
        outcome: &mut Outcome,
    ) -> Result<Verdict, AnswerError> {
        if !is_of_the_form(&outcome.isr, &candidate.plan) {
            let word = outcome.isr.question_type.name().to_owned();
            return Ok(Verdict::Unheld { word });
        }
        let executed = execute::run(
            graph,
            &candidate.plan,
            &candidate.bindings,
            &self.config().limits,
        )?;
        outcome.runs += 1;
        let template = candidate.template.clone();
        if is_empty(&executed) {
            return Ok(Verdict::Empty { template });
        }
        let isr = &outcome.isr;
        let unheld = match Self::unaccounted(graph, isr, &candidate, &executed.given)? {
            Some(word) => Some(word),
            None => Self::of_another_doing(schema, isr, &Guidance::default(), &candidate),
        };
        if let Some(word) = unheld {
            return Ok(Verdict::Unheld { word });
        }
        let agrees = outcome.refusal.is_none()
            && outcome
                .chosen
                .as_ref()
                .is_some_and(|c| c.template == template);
        if !agrees {
            outcome.margin = MODEL_MARGIN;
            outcome.cold_margin = MODEL_MARGIN;
            outcome.told = 1.0;
        }
        outcome.chosen = Some(candidate);
        outcome.executed = Some(executed);
        outcome.refusal = None;
        Ok(Verdict::Used { template })
    }
}

/// The margin of a plan that only the model chose: it is as sure as a plan that is told clearly, and no surer.
const MODEL_MARGIN: f32 = 1.0;

/// Words that ask for a number of things, beside "how many".
const COUNTING: [&str; 4] = ["number", "count", "total", "amount"];

/// Whether a plan gives what the question asks for: a count where one is asked for, yes or no where that is.
fn is_of_the_form(isr: &Isr, plan: &Plan) -> bool {
    match plan {
        Plan::Count(_) => {
            let counting = |word: &str| COUNTING.contains(&word);
            isr.question_type == QuestionType::Count
                || isr.tokens.iter().any(|token| counting(&token.folded))
        }
        Plan::Ask { .. } => isr.question_type == QuestionType::YesNo,
        Plan::Path(_)
        | Plan::Intersect(_)
        | Plan::Filter { .. }
        | Plan::OrderLimit { .. }
        | Plan::Compare { .. }
        | Plan::Sparql(_) => true,
    }
}

fn is_empty(executed: &Executed) -> bool {
    matches!(&executed.given, Given::Values(values) if values.is_empty())
}

type Asked = Result<Option<Candidate>, String>;

fn ask_for_plan(
    model: &dyn LanguageModel,
    config: &ModelConfig,
    isr: &Isr,
    steps: &Steps,
    examples: &[Example],
    outcome: &Outcome,
) -> Result<Asked, ConsultError> {
    let request = ChatRequest {
        constraint: Constraint::JsonSchema {
            name: "plan".to_owned(),
            schema: reply::schema(isr, steps),
        },
        max_tokens: config.max_tokens,
        ..config.request(
            COMPILE_PROMPT,
            vec![
                Message::system(include_str!("../prompts/compile.txt")),
                Message::user(prompt::plan(
                    isr,
                    steps,
                    examples,
                    outcome,
                    config.max_examples,
                )),
            ],
        )
    };
    let completion = model.complete(&request, &mut no_stream)?;
    Ok(match parse_plan(&completion.text, isr, steps) {
        Ok(plan) => Ok(plan.map(|plan| candidate(isr, plan))),
        Err(error) => Err(error.to_string()),
    })
}

fn ask_to_choose(
    model: &dyn LanguageModel,
    config: &ModelConfig,
    schema: &Schema,
    isr: &Isr,
    outcome: &Outcome,
) -> Result<Asked, ConsultError> {
    let ranked: Vec<&Candidate> = outcome
        .compiled
        .candidates
        .iter()
        .take(config.max_examples)
        .collect();
    if ranked.is_empty() {
        return Ok(Ok(None));
    }
    let numbers = (0..=ranked.len()).map(|n| n.to_string()).collect();
    let request = ChatRequest {
        constraint: Constraint::OneOf(numbers),
        max_tokens: 8,
        ..config.request(
            CHOOSE_PROMPT,
            vec![
                Message::system(include_str!("../prompts/choose.txt")),
                Message::user(prompt::choice(schema, isr, &ranked)),
            ],
        )
    };
    let completion = model.complete(&request, &mut no_stream)?;
    let chosen: Result<usize, _> = completion.text.trim().parse();
    Ok(match chosen {
        Ok(0) => Ok(None),
        Ok(n) if n <= ranked.len() => Ok(ranked.get(n - 1).map(|c| (*c).clone())),
        Ok(_) | Err(_) => Err("no number of a plan".to_owned()),
    })
}

/// A plan of the model's as a candidate; what fills its slots comes from the question alone.
fn candidate(isr: &Isr, plan: Plan) -> Candidate {
    let mut bindings: Vec<execute::Binding> = isr
        .mentions
        .iter()
        .map(|m| execute::Binding {
            slot: m.slot,
            bound: Bound::Entities(m.ids()),
        })
        .collect();
    bindings.extend(isr.comparator.as_ref().map(|c| execute::Binding {
        slot: c.slot,
        bound: Bound::Number(c.number),
    }));
    Candidate {
        template: plan.template(),
        bindings,
        plan,
        score: 0.0,
        vote: 0.0,
        alignment: Vec::new(),
        construction: None,
    }
}

/// Whether a refusal is one that another reading of the words could lift; a denial, or a name that is not there, stands.
#[must_use]
pub fn may_be_consulted(refusal: &Refusal) -> bool {
    match refusal {
        // "Only", "would have": what no plan can say, whoever plans.
        Refusal::Unsupported { word } => {
            !vocabulary::is_beyond_plans(word) && !word.ends_with(" have")
        }
        Refusal::Empty { .. } | Refusal::HalfNamed => true,
        Refusal::NothingNamed
        | Refusal::NothingAsked
        | Refusal::UnknownName { .. }
        | Refusal::Negation => false,
    }
}
