//! Who holds a Refrain directory open, and what can be done with it?
//!
//! One engine a directory and process. Questions read snapshots; only loading, updating and the learner write.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use kgqa::answer::{Planner, PlannerConfig};
use language_model::{Embedder, LanguageModel};
use memory::{AnswerId, Event, Settings, Ulid, Vector};
use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::clock::Clock;
use crate::config::Config;
use crate::corpus::Corpora;
use crate::directory::{Directory, DirectoryLock};
use crate::embedder;
use crate::error::{EngineError, check_name};
use crate::journal::{RedbJournal, RedbOptions};
use crate::learner::{Learner, LearnerConfig, Shrunk};
use crate::remember::without_slots;
use crate::source::{self, Descriptions, Source, View};
use crate::suggest::closest;

/// Texts that are embedded at once when a memory changes its embedder.
const EMBED_BATCH: usize = 256;

/// What an engine is told about the world.
#[derive(Clone)]
pub struct Surroundings {
    /// Who knows the time.
    pub clock: Arc<dyn Clock>,
    /// Seed of the ids' random part.
    pub seed: u64,
}

/// An open Refrain directory.
pub struct Engine {
    pub(crate) directory: Directory,
    pub(crate) config: Config,
    pub(crate) embedder: Arc<dyn Embedder>,
    pub(crate) planner: Planner,
    pub(crate) model: Option<Arc<dyn LanguageModel>>,
    pub(crate) surroundings: Surroundings,
    pub(crate) learner: Learner,
    random: Mutex<ChaCha8Rng>,
    sources: RwLock<BTreeMap<String, Arc<Source>>>,
    pub(crate) corpora: Corpora,
    _lock: DirectoryLock,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine")
            .field("directory", &self.directory)
            .finish_non_exhaustive()
    }
}

impl Engine {
    /// Opens a directory that exists.
    ///
    /// # Errors
    /// When there is none, another process has it open, or something in it cannot be read.
    pub fn open(
        root: &Path,
        config: Config,
        surroundings: Surroundings,
    ) -> Result<Self, EngineError> {
        let directory = Directory::existing(root)?;
        let embedder = embedder::open(&config.embedder)?;
        Self::of(directory, config, embedder, surroundings)
    }

    /// Opens a directory, after making it where need be.
    ///
    /// # Errors
    /// As [`Engine::open`], and when the directory cannot be made.
    pub fn open_or_create(
        root: &Path,
        config: Config,
        surroundings: Surroundings,
    ) -> Result<Self, EngineError> {
        let embedder = embedder::open(&config.embedder)?;
        Self::open_or_create_with(root, config, embedder, surroundings)
    }

    /// Opens a directory, after making it where need be, with an embedder of the caller's in place of the settings' own.
    ///
    /// A memory that another embedder made is embedded anew before this returns: all of it or, after a crash, nothing.
    ///
    /// # Errors
    /// As [`Engine::open_or_create`].
    pub fn open_or_create_with(
        root: &Path,
        config: Config,
        embedder: Arc<dyn Embedder>,
        surroundings: Surroundings,
    ) -> Result<Self, EngineError> {
        Self::of(Directory::create(root)?, config, embedder, surroundings)
    }

    fn of(
        directory: Directory,
        config: Config,
        embedder: Arc<dyn Embedder>,
        surroundings: Surroundings,
    ) -> Result<Self, EngineError> {
        let lock = DirectoryLock::take(&directory)?;
        let planner = Planner::new(Arc::clone(&embedder), planner_config(&config));
        let about = Descriptions::read(&directory.descriptions())?.about;
        let mut sources = BTreeMap::new();
        for name in source::names(&directory)? {
            let description = about.get(&name).cloned().unwrap_or_default();
            let source = Source::open(&directory, &name, description)?;
            // A first load that was killed leaves a graph that never held anything: there is no such source yet.
            if source.snapshot()?.generation() > 0 {
                sources.insert(name, Arc::new(source));
            }
        }
        let random = Mutex::new(ChaCha8Rng::seed_from_u64(surroundings.seed));
        let engine = Self {
            learner: learner(&directory, &config)?,
            corpora: Corpora::open(&directory)?,
            directory,
            config,
            embedder,
            planner,
            model: None,
            surroundings,
            random,
            sources: RwLock::new(sources),
            _lock: lock,
        };
        engine.adopt_embedder()?;
        Ok(engine)
    }

    /// The same engine with a language model for what the built-in stages are unsure of.
    #[must_use]
    pub fn with_model(mut self, model: Arc<dyn LanguageModel>) -> Self {
        self.model = Some(model);
        self
    }

    /// The directory.
    pub fn directory(&self) -> &Directory {
        &self.directory
    }

    /// The settings.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The memories that were too large for the settings when the directory was opened, and were shrunk by the policy.
    pub fn shrunk(&self) -> &[Shrunk] {
        self.learner.shrunk()
    }

    /// Every source, by name.
    pub fn sources(&self) -> Vec<Arc<Source>> {
        let sources = self.sources.read().unwrap_or_else(PoisonError::into_inner);
        sources.values().map(Arc::clone).collect()
    }

    /// One source.
    ///
    /// # Errors
    /// When there is none of that name; the error suggests the nearest.
    pub fn source(&self, name: &str) -> Result<Arc<Source>, EngineError> {
        let sources = self.sources.read().unwrap_or_else(PoisonError::into_inner);
        sources.get(name).map(Arc::clone).ok_or_else(|| {
            let known: Vec<String> = sources.keys().cloned().collect();
            EngineError::UnknownSource {
                name: name.to_owned(),
                suggestion: closest(name, known.iter().map(String::as_str)).map(str::to_owned),
                known,
            }
        })
    }

    /// The named source, or the only one.
    ///
    /// # Errors
    /// When there is no such source, none at all, or several and none is named.
    pub fn source_or_only(&self, name: Option<&str>) -> Result<Arc<Source>, EngineError> {
        if let Some(name) = name {
            return self.source(name);
        }
        let mut all = self.sources();
        match all.len() {
            0 => Err(EngineError::NoSources),
            1 => Ok(all.remove(0)),
            _ => Err(EngineError::SourceNeeded {
                known: all.iter().map(|source| source.name().to_owned()).collect(),
            }),
        }
    }

    /// The source of that name, made empty where there is none.
    pub(crate) fn source_or_new(&self, name: &str) -> Result<Arc<Source>, EngineError> {
        check_name("source", name)?;
        let mut sources = self.sources.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(source) = sources.get(name) {
            return Ok(Arc::clone(source));
        }
        let source = Arc::new(Source::open(&self.directory, name, String::new())?);
        sources.insert(name.to_owned(), Arc::clone(&source));
        Ok(source)
    }

    /// Says what a source is about.
    ///
    /// # Errors
    /// When there is no such source, or the description cannot be written.
    pub fn describe_source(&self, name: &str, text: &str) -> Result<(), EngineError> {
        let source = self.source(name)?;
        let path = self.directory.descriptions();
        let mut descriptions = Descriptions::read(&path)?;
        descriptions.about.insert(name.to_owned(), text.to_owned());
        descriptions.write(&path)?;
        source.describe(text);
        Ok(())
    }

    /// Takes a source out of use and gives it back for removal.
    pub(crate) fn detach(&self, name: &str) -> Result<Arc<Source>, EngineError> {
        let source = self.source(name)?;
        let mut sources = self.sources.write().unwrap_or_else(PoisonError::into_inner);
        sources.remove(name);
        Ok(source)
    }

    /// What a question sees of the source asked for, or of all.
    pub(crate) fn views(&self, source: Option<&str>) -> Result<Vec<Arc<View>>, EngineError> {
        let named =
            source.or(Some(self.config.ask.source.as_str()).filter(|name| !name.is_empty()));
        let sources = match named {
            Some(name) => vec![self.source(name)?],
            None => self.sources(),
        };
        if sources.is_empty() {
            return Err(EngineError::NoSources);
        }
        let embedder = self.embedder.as_ref();
        sources
            .iter()
            .map(|source| source.view(&self.planner, embedder))
            .collect()
    }

    /// Makes the memory's vectors anew when another embedder made them.
    ///
    /// One event carries all vectors, so a crash leaves the old ones and the next start begins again.
    fn adopt_embedder(&self) -> Result<(), EngineError> {
        let fingerprint = self.embedder.fingerprint();
        let Some(texts) = self.learner.texts_to_embed(fingerprint)? else {
            return Ok(());
        };
        tracing::info!(
            texts = texts.len(),
            embedder = fingerprint,
            "the memory was made by another embedder and is embedded anew"
        );
        let plain: Vec<String> = texts.iter().map(|text| without_slots(text)).collect();
        let mut vectors = Vec::with_capacity(texts.len());
        for (texts, plain) in texts.chunks(EMBED_BATCH).zip(plain.chunks(EMBED_BATCH)) {
            let plain: Vec<&str> = plain.iter().map(String::as_str).collect();
            let embedded = self.embedder.embed(&plain)?;
            vectors.extend(
                texts
                    .iter()
                    .cloned()
                    .zip(embedded.into_iter().map(Vector::from)),
            );
        }
        self.learner.submit(Event::Reembedded {
            embedder: fingerprint.to_owned(),
            vectors,
        })?;
        Ok(())
    }

    /// A fresh id.
    pub(crate) fn fresh_id(&self) -> Ulid {
        let mut random = self.random.lock().unwrap_or_else(PoisonError::into_inner);
        let low = u128::from(random.next_u64());
        let high = u128::from(random.next_u64());
        Ulid::from_parts(self.surroundings.clock.now(), (high << 64) | low)
    }

    pub(crate) fn fresh_answer_id(&self) -> AnswerId {
        AnswerId(self.fresh_id())
    }
}

/// The planner's bounds as the settings have them.
fn planner_config(config: &Config) -> PlannerConfig {
    let mut planner = PlannerConfig::default();
    planner.compile.max_depth = config.planner.max_depth;
    planner.compile.max_degree = config.planner.max_degree;
    planner.compile.breadth = config.planner.breadth;
    let rows = usize::try_from(config.budget.rows).unwrap_or(usize::MAX);
    planner.limits.rows = planner.limits.rows.min(rows);
    planner
}

/// The memory's bounds as the settings have them.
fn memory_settings(config: &Config) -> Settings {
    Settings {
        capacity: config.memory.capacity,
        bucket_capacity: config.memory.bucket_capacity,
        minimum_grounding: f64::from(config.memory.minimum_grounding),
        policy: config.memory.policy,
        ..Settings::default()
    }
}

fn learner(directory: &Directory, config: &Config) -> Result<Learner, EngineError> {
    let (journal, torn) = RedbJournal::open(&directory.memory(), RedbOptions::default())?;
    if let Some(torn) = torn {
        tracing::warn!(
            from = torn.positions.start(),
            to = torn.positions.end(),
            "the end of the journal was torn and has been cut off"
        );
    }
    let settings = LearnerConfig {
        settings: memory_settings(config),
        ..LearnerConfig::default()
    };
    Ok(Learner::start(Box::new(journal), settings)?)
}
