//! How is the real engine put under test?
//!
//! Each run has a directory of its own and loads its graphs anew, unless a work folder is given: there a
//! graph that was loaded before is used again. Each memory is a namespace nobody used before.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use anyhow::{Context, bail};
use refrain::warm::{Resume, WarmRequest};
use refrain::{
    Answer, AskRequest, Config, Engine, EngineError, MemoryUse, Surroundings, SystemClock, Verdict,
};
use tempfile::TempDir;

use crate::dataset::{GraphName, load_questions};
use crate::gold_model::GoldModel;
use crate::options::{Ablations, Capacity, EvalOptions, MemoryMode, ModelUnderTest};
use crate::system::{HitKind, HitSource, Reply, System, Value};

/// A run ends when the engine fails at so many questions in a row.
const FAILURES_ENDURED: usize = 20;

/// The engine of the `refrain` crate, with a directory of its own.
#[derive(Debug)]
pub struct EngineUnderTest {
    engine: Engine,
    memory: MemoryUse,
    namespace: String,
    namespaces: u64,
    run: u64,
    failures_in_a_row: usize,
    warm_start: bool,
    /// Removed when the run is over.
    _folder: Option<TempDir>,
}

impl EngineUnderTest {
    /// A fresh engine under the settings of `options`.
    ///
    /// # Errors
    /// When the directory cannot be made or opened.
    pub fn open(options: &EvalOptions) -> anyhow::Result<Self> {
        let (root, folder) = directory(options)?;
        let surroundings = Surroundings {
            clock: Arc::new(SystemClock),
            seed: options.seed,
        };
        let engine = Engine::open_or_create(&root, configuration(options), surroundings)
            .with_context(|| format!("cannot open an engine in {}", root.display()))?;
        let engine = match &options.model {
            ModelUnderTest::None => engine,
            ModelUnderTest::Given(model) => engine.with_model(Arc::clone(model)),
            ModelUnderTest::Gold => {
                let questions = load_questions(options.dataset, &options.data)?;
                engine.with_model(Arc::new(GoldModel::of(&questions)))
            }
        };
        Ok(Self {
            engine,
            memory: match options.memory {
                MemoryMode::Off => MemoryUse::Off,
                MemoryMode::On => MemoryUse::On,
            },
            namespace: String::new(),
            namespaces: 0,
            run: u64::from(std::process::id()),
            failures_in_a_row: 0,
            // A pair's memory must hold its first question and nothing else.
            warm_start: options.memory == MemoryMode::On
                && !options.ablations.no_warm
                && !options.dataset.is_pairs(),
            _folder: folder,
        })
    }
}

/// The work folder, or a temporary one that goes with the run.
fn directory(options: &EvalOptions) -> anyhow::Result<(PathBuf, Option<TempDir>)> {
    if let Some(folder) = &options.work_dir {
        return Ok((folder.clone(), None));
    }
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    Ok((folder.path().join("refrain"), Some(folder)))
}

/// The engine's settings with memory mode and ablations applied.
fn configuration(options: &EvalOptions) -> Config {
    let mut config = options.config.clone();
    config.memory.enabled = options.memory == MemoryMode::On;
    if let Some(Capacity::Experiences(count)) = options.capacity {
        config.memory.capacity = count;
    }
    ablate(&mut config, options.ablations);
    config
}

/// No depth: one hop. No breadth: behind the first hop, only the relation its words speak for most.
fn ablate(config: &mut Config, ablations: Ablations) {
    if ablations.no_depth {
        config.planner.max_depth = 1;
    }
    if ablations.no_breadth {
        config.planner.breadth = false;
    }
    if ablations.one_layer {
        config.memory.layers = 1;
    }
    if ablations.no_mmr {
        config.memory.relevance_weight = 1.0;
    }
}

impl System for EngineUnderTest {
    fn load_graph(&mut self, name: GraphName, file: &Path) -> anyhow::Result<u64> {
        if self.engine.source(name.as_str()).is_err() {
            self.engine.load(refrain::LoadRequest {
                source: name.as_str().to_owned(),
                inputs: vec![refrain::graph_store::Source::path(file)],
                format: None,
                lenient: false,
                description: None,
                progress: None,
                cancel: None,
            })?;
        }
        Ok(self.engine.source(name.as_str())?.summary()?.statements)
    }

    fn fresh_memory(&mut self) -> anyhow::Result<()> {
        self.namespaces += 1;
        self.namespace = format!("eval-{}-{}", self.run, self.namespaces);
        if self.warm_start {
            self.warm()?;
        }
        Ok(())
    }

    fn ask(&mut self, graph: GraphName, question: &str) -> anyhow::Result<Reply> {
        let request = AskRequest {
            namespace: self.namespace.clone(),
            source: Some(graph.as_str().to_owned()),
            memory: self.memory,
            ..AskRequest::new(question)
        };
        let begun = Instant::now();
        let asked = self.engine.ask(&request);
        let micros = u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX);
        let answer = match asked {
            Ok(answer) => answer,
            Err(error) => return self.failed(&error, micros),
        };
        self.failures_in_a_row = 0;
        Ok(Reply {
            source: self.source_of(&answer),
            micros,
            ..reply(answer)
        })
    }

    fn feedback(&mut self, answer_id: &str, right: bool) -> anyhow::Result<()> {
        if answer_id.is_empty() {
            return Ok(());
        }
        let verdict = if right { Verdict::Good } else { Verdict::Bad };
        self.engine.feedback(&self.namespace, answer_id, verdict)?;
        Ok(())
    }

    fn remembered(&self) -> anyhow::Result<Option<usize>> {
        let stats = self.engine.stats(&self.namespace)?;
        Ok(Some(stats.experiences))
    }

    fn settle(&mut self) -> anyhow::Result<()> {
        self.engine.settle()?;
        Ok(())
    }
}

impl EngineUnderTest {
    /// A question that the engine could not execute is an unanswered one with a plan that did not
    /// run; an engine that fails at every question is broken and ends the run.
    fn failed(&mut self, error: &EngineError, micros: u64) -> anyhow::Result<Reply> {
        self.failures_in_a_row += 1;
        if self.failures_in_a_row >= FAILURES_ENDURED {
            bail!("{FAILURES_ENDURED} questions in a row failed, the last with: {error}");
        }
        Ok(Reply {
            refused: true,
            reason: Some(format!("error: {error}")),
            executable: Some(false),
            micros,
            ..Reply::default()
        })
    }

    /// The experience an answer was served from; `None` when it is gone again.
    fn source_of(&self, answer: &Answer) -> Option<HitSource> {
        let id = answer.experience.as_ref()?;
        let stored = self.engine.experience(&self.namespace, id).ok()?;
        let experience = &stored.experience;
        Some(HitSource {
            id: id.clone(),
            question: experience.question.clone(),
            values: experience
                .answer
                .values
                .iter()
                .map(|value| Value {
                    label: value.label.clone(),
                    iri: node(&value.term).iri,
                })
                .collect(),
        })
    }

    /// Fills the fresh memory with questions that the graphs suggest.
    fn warm(&self) -> anyhow::Result<()> {
        let settings = &self.engine.config().warm;
        self.engine.warm(&WarmRequest {
            source: None,
            namespace: self.namespace.clone(),
            entities: settings.entities,
            questions_per_entity: settings.questions_per_entity,
            seed: settings.seed,
            resume: Resume::No,
            progress: &|_, _, _| {},
            cancel: &AtomicBool::new(false),
        })?;
        Ok(())
    }
}

fn reply(answer: Answer) -> Reply {
    let retrieved = retrieved(&answer);
    Reply {
        id: answer.id,
        values: answer.values.into_iter().map(value).collect(),
        refused: answer.refused,
        reason: answer.reason,
        hit_kind: match answer.hit_kind {
            refrain::HitKind::None => HitKind::None,
            refrain::HitKind::Exact => HitKind::Exact,
            refrain::HitKind::Plan => HitKind::Plan,
        },
        source: None,
        // A plan that cannot be executed is an error of `ask`; one that is in an answer was.
        executable: answer.plan.as_ref().map(|_| true),
        sparql: answer.plan.map(|plan| plan.sparql),
        retrieved: Some(retrieved),
        micros: answer.cost.micros,
        model_calls: answer.cost.model_calls,
    }
}

fn value(value: refrain::AnswerValue) -> Value {
    Value {
        label: value.label,
        iri: value.iri,
    }
}

/// What the retrieval reached as far as the answer shows it: the values, and every node of the
/// triples cited.
fn retrieved(answer: &Answer) -> Vec<Value> {
    let cited = answer
        .citations
        .iter()
        .flat_map(|citation| [&citation.subject, &citation.object])
        .map(|term| node(term));
    answer
        .values
        .iter()
        .cloned()
        .map(value)
        .chain(cited)
        .collect()
}

/// A term in N-Triples form as a value.
fn node(term: &str) -> Value {
    if let Some(iri) = term
        .strip_prefix('<')
        .and_then(|rest| rest.strip_suffix('>'))
    {
        return Value {
            label: iri.to_owned(),
            iri: Some(iri.to_owned()),
        };
    }
    let lexical = term
        .strip_prefix('"')
        .and_then(|rest| rest.rsplit_once('"'))
        .map_or(term, |(lexical, _)| lexical);
    Value {
        label: lexical.to_owned(),
        iri: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::DatasetName;

    #[test]
    fn cited_terms_become_values() {
        assert_eq!(node("<http://e/a>").iri.as_deref(), Some("http://e/a"));
        assert_eq!(node("\"1999\"^^<http://e/year>").label, "1999");
        assert_eq!(node("_:b0").label, "_:b0");
    }

    #[test]
    fn a_capacity_reaches_the_engines_settings() {
        let mut options = EvalOptions::new(DatasetName::Pq2h, "d");
        let own = configuration(&options).memory.capacity;
        options.capacity = Some(Capacity::Experiences(7));
        assert_eq!(configuration(&options).memory.capacity, 7);
        assert_ne!(own, 7);
    }

    #[test]
    fn ablations_reach_the_engines_settings() {
        let mut options = EvalOptions::new(DatasetName::Pq2h, "d");
        let full = configuration(&options);
        options.ablations = Ablations {
            no_depth: true,
            no_breadth: true,
            no_mmr: true,
            one_layer: true,
            no_warm: false,
        };
        let ablated = configuration(&options);
        assert!(!full.memory.enabled && full.planner.max_depth > 1 && full.planner.breadth);
        assert_eq!(ablated.planner.max_depth, 1);
        assert!(!ablated.planner.breadth);
        assert_eq!(ablated.planner.max_degree, full.planner.max_degree);
        assert_eq!((full.memory.layers, ablated.memory.layers), (2, 1));
        assert!((ablated.memory.relevance_weight - 1.0).abs() < f32::EPSILON);
    }
}
