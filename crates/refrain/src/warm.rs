//! How does a memory start with something in it? Warm start (CacheRAG §4.4) with the built-in generator.
//!
//! Entities are sampled evenly over their types, questions are made of their stars, the planner answers each, and those that it answers as
//! the generating plan does are handed to the learner. Each star has its own random numbers, so that a run that was stopped goes on where
//! it ended.

mod worded;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use kgqa::auto_generation::{self, Generated, GenerationConfig, SecondLook, Star, Verdict};
use kgqa::execute::Given;
use memory::{Namespace, Provenance};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::answer::{AskRequest, Cost, MemoryUse};
use crate::directory::replace_file;
use crate::engine::Engine;
use crate::error::{EngineError, check_name};
use crate::source::View;

/// Dropped questions that a report quotes.
const EXAMPLES_QUOTED: usize = 10;

/// What to warm, and how.
pub struct WarmRequest<'a> {
    /// The source; `None`: every source.
    pub source: Option<String>,
    /// The tenant whose memory is filled.
    pub namespace: String,
    /// Entities sampled.
    pub entities: usize,
    /// Questions made an entity.
    pub questions_per_entity: usize,
    /// Seed of the sample.
    pub seed: u64,
    /// Calls of the language model at most; 0: none.
    pub model_calls: u32,
    /// Only count what would be asked, and estimate what it would cost.
    pub dry_run: bool,
    /// Whether to go on where an earlier run stopped.
    pub resume: Resume,
    /// Told after each entity: source, done, of how many.
    pub progress: &'a (dyn Fn(&str, usize, usize) + Sync),
    /// Set to stop after the entity at hand.
    pub cancel: &'a AtomicBool,
}

/// Whether to go on where an earlier run stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resume {
    /// Go on.
    Yes,
    /// Start over.
    No,
}

/// What warming one source did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct WarmReport {
    /// The source.
    pub source: String,
    /// Entities whose stars were looked at in this run.
    pub entities: usize,
    /// Entities that an earlier run had done.
    pub resumed_after: usize,
    /// Questions made.
    pub made: usize,
    /// Questions kept.
    pub kept: usize,
    /// Questions dropped, by reason.
    pub dropped: BTreeMap<String, usize>,
    /// Questions made, by kind.
    pub kinds: BTreeMap<String, usize>,
    /// Some that were dropped, with the reason.
    pub examples: Vec<(String, String)>,
    /// Wordings of a language model that were left out before they were asked, by reason.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub left_out: BTreeMap<String, usize>,
    /// Wordings of a language model that were kept.
    pub worded: usize,
    /// Calls of a language model; in a dry run, those that would be made at most.
    pub model_calls: u32,
    /// Tokens of these; in a dry run an estimate.
    pub tokens: u64,
    /// What went wrong with a language model, the first of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_error: Option<String>,
    /// Whether it was stopped before its end.
    pub interrupted: bool,
}

/// How far a warm start got.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Bookmark {
    seed: u64,
    entities: usize,
    generation: u64,
    done: usize,
}

/// What the planner gave for a generated question, with the episode that would be remembered.
#[derive(Default)]
struct Planned {
    given: Option<Given>,
    episode: Option<memory::Episode>,
    cost: Cost,
}

impl Engine {
    /// Fills the memory with questions that the graphs themselves suggest.
    ///
    /// # Errors
    /// When a source is unknown or cannot be read, or what was learned cannot be kept.
    pub fn warm(&self, request: &WarmRequest<'_>) -> Result<Vec<WarmReport>, EngineError> {
        check_name("namespace", &request.namespace)?;
        let mut reports = Vec::new();
        for view in self.views(request.source.as_deref())? {
            reports.push(self.warm_source(&view, request)?);
        }
        self.settle()?;
        Ok(reports)
    }

    fn warm_source(
        &self,
        view: &View,
        request: &WarmRequest<'_>,
    ) -> Result<WarmReport, EngineError> {
        let config = GenerationConfig {
            stars: request.entities,
            per_star: request.questions_per_entity,
            ..GenerationConfig::default()
        };
        let mut rng = ChaCha8Rng::seed_from_u64(request.seed);
        let stars = auto_generation::sample(&view.graph, &config, &mut rng)?;
        let mut bookmark = self.bookmark(view, request)?;
        let mut report = WarmReport {
            source: view.source.clone(),
            resumed_after: bookmark.done.min(stars.len()),
            ..WarmReport::default()
        };
        let mut look = SecondLook::default();
        for (position, star) in stars.iter().enumerate().skip(bookmark.done) {
            if request.cancel.load(Ordering::Relaxed) {
                report.interrupted = true;
                break;
            }
            self.warm_star(
                view,
                star,
                position,
                &config,
                request,
                &mut look,
                &mut report,
            )?;
            report.entities += 1;
            bookmark.done = position + 1;
            (request.progress)(&view.source, position + 1, stars.len());
        }
        self.settle()?;
        if !request.dry_run {
            self.keep_bookmark(view, request, &bookmark)?;
        }
        account(&look, &mut report);
        Ok(report)
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "the run's state is passed through, not kept in a struct of its own"
    )]
    fn warm_star(
        &self,
        view: &View,
        star: &Star,
        position: usize,
        config: &GenerationConfig,
        request: &WarmRequest<'_>,
        look: &mut SecondLook,
        report: &mut WarmReport,
    ) -> Result<(), EngineError> {
        let seed = request.seed.wrapping_add(1 + position as u64);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let questions = auto_generation::questions(&view.graph, star, config, &mut rng)?;
        if request.dry_run {
            self.estimate(&questions, request, report);
            return Ok(());
        }
        let wordings = self.wordings(view, &questions, request, report)?;
        let templates = questions.len();
        for (at, generated) in questions.into_iter().chain(wordings).enumerate() {
            let mut episode = None;
            let mut answer = |question: &str| -> Result<Option<Given>, EngineError> {
                let ask = AskRequest {
                    namespace: request.namespace.clone(),
                    source: Some(view.source.clone()),
                    memory: MemoryUse::On,
                    model: self.may_plan(request, report),
                    ..AskRequest::new(question)
                };
                let answered = self.answer_planned(&ask, view)?;
                report.model_calls += answered.cost.model_calls;
                report.tokens += answered.cost.tokens;
                episode = answered.episode;
                Ok(answered.given)
            };
            let verdict = look.judge(&generated, &mut answer)?;
            report.worded += usize::from(verdict == Verdict::Kept && at >= templates);
            match (verdict, episode) {
                (Verdict::Kept, Some(episode)) => {
                    self.learner
                        .learn_waiting(Namespace::new(&request.namespace), episode)?;
                }
                (Verdict::Kept, None) => {}
                (Verdict::Unanswered | Verdict::AnsweredOtherwise | Verdict::Repeated, _) => {
                    quote(report, &generated, verdict);
                }
            }
        }
        Ok(())
    }

    /// What the planner gives for a generated question, with the episode that would be remembered.
    fn answer_planned(&self, ask: &AskRequest, view: &View) -> Result<Planned, EngineError> {
        let (answer, episode) = self.answer(ask, Provenance::Warm)?;
        let cost = answer.cost;
        if answer.refused {
            return Ok(Planned {
                cost,
                ..Planned::default()
            });
        }
        Ok(Planned {
            given: given(view, &answer)?,
            episode,
            cost,
        })
    }

    fn bookmark_path(&self, view: &View, request: &WarmRequest<'_>) -> std::path::PathBuf {
        let name = format!("{}--{}.json", request.namespace, view.source);
        self.directory.warm().join(name)
    }

    fn bookmark(&self, view: &View, request: &WarmRequest<'_>) -> Result<Bookmark, EngineError> {
        let fresh = Bookmark {
            seed: request.seed,
            entities: request.entities,
            generation: view.graph.snapshot().generation(),
            done: 0,
        };
        if request.resume == Resume::No {
            return Ok(fresh);
        }
        let text = match fs_err::read_to_string(self.bookmark_path(view, request)) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(fresh),
            Err(error) => return Err(EngineError::Files(error)),
        };
        // A bookmark of another sample, or one that cannot be read, is no bookmark of this one.
        let kept: Bookmark = serde_json::from_str(&text).unwrap_or_default();
        let same = Bookmark {
            done: 0,
            ..kept.clone()
        } == fresh;
        Ok(if same { kept } else { fresh })
    }

    fn keep_bookmark(
        &self,
        view: &View,
        request: &WarmRequest<'_>,
        bookmark: &Bookmark,
    ) -> Result<(), EngineError> {
        fs_err::create_dir_all(self.directory.warm()).map_err(EngineError::Files)?;
        let text = serde_json::to_string(bookmark).unwrap_or_default();
        replace_file(&self.bookmark_path(view, request), text.as_bytes())
    }
}

/// An answer's values as the planner's ids again.
fn given(view: &View, answer: &crate::Answer) -> Result<Option<Given>, EngineError> {
    let mut ids = Vec::new();
    for value in &answer.values {
        let text = match (&value.iri, &value.literal) {
            (Some(blank), _) if blank.starts_with("_:") => blank.clone(),
            (Some(iri), _) => format!("<{iri}>"),
            (None, Some(literal)) => literal.clone(),
            (None, None) => return Ok(None),
        };
        if let Some(truth) = text.strip_suffix("^^<http://www.w3.org/2001/XMLSchema#boolean>") {
            return Ok(Some(Given::Truth(truth == "\"true\"")));
        }
        let Ok(term) = text.parse::<oxrdf::Term>() else {
            return Ok(None);
        };
        match view.graph.snapshot().id(&term)? {
            Some(id) => ids.push(kgqa::graph::TermId(id.0)),
            // A number that is no node of the graph was counted.
            None => return Ok(value.label.parse().ok().map(Given::Number)),
        }
    }
    ids.sort_unstable();
    Ok(Some(
        match (answer.plan.as_ref(), answer.values.as_slice()) {
            (Some(plan), [only]) if plan.template.starts_with("count(") => match only.label.parse()
            {
                Ok(number) => Given::Number(number),
                Err(_) => Given::Values(ids),
            },
            _ => Given::Values(ids),
        },
    ))
}

fn quote(report: &mut WarmReport, generated: &Generated, verdict: Verdict) {
    if report.examples.len() < EXAMPLES_QUOTED {
        let why = verdict.name().to_owned();
        report.examples.push((generated.question.clone(), why));
    }
}

fn account(look: &SecondLook, report: &mut WarmReport) {
    for ((kind, verdict), count) in look.account() {
        report.made += count;
        *report.kinds.entry(kind.name().to_owned()).or_default() += count;
        match verdict {
            Verdict::Kept => report.kept += count,
            Verdict::Unanswered | Verdict::AnsweredOtherwise | Verdict::Repeated => {
                *report.dropped.entry(verdict.name().to_owned()).or_default() += count;
            }
        }
    }
}
