//! Does a memory survive that its directory gets another embedder?

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::{Fixture, films, name, surroundings};
use language_model::{EmbedError, Embedder};
use refrain::{AskRequest, Config, DEFAULT_NAMESPACE, Engine, EngineError, HitKind};
use similarity::Embedding;

const DIMS: usize = 48;

/// Counts pairs of letters, and may fail from some text on, as a machine that goes down would.
struct Letters {
    texts_left: AtomicUsize,
}

impl Letters {
    fn new() -> Arc<Self> {
        Self::failing_after(usize::MAX)
    }

    fn failing_after(texts: usize) -> Arc<Self> {
        Arc::new(Self {
            texts_left: AtomicUsize::new(texts),
        })
    }
}

impl Embedder for Letters {
    fn embed(&self, texts: &[&str]) -> Result<Vec<Embedding>, EmbedError> {
        let one = |text: &&str| {
            let left = self.texts_left.fetch_sub(1, Ordering::Relaxed);
            let mut numbers = vec![0.01_f32; DIMS];
            for pair in text.as_bytes().windows(2) {
                numbers[(usize::from(pair[0]) * 31 + usize::from(pair[1]) * 17) % DIMS] += 1.0;
            }
            if left == 0 {
                numbers = vec![0.0; DIMS];
            }
            Embedding::new(numbers).map_err(|source| EmbedError::Vector {
                text: (*text).to_owned(),
                source,
            })
        };
        texts.iter().map(one).collect()
    }

    fn dims(&self) -> usize {
        DIMS
    }

    fn fingerprint(&self) -> &str {
        "letters"
    }
}

fn root(directory: &Path) -> std::path::PathBuf {
    directory.join("d")
}

fn reopened(directory: &Path) -> Engine {
    Engine::open_or_create(&root(directory), Config::default(), surroundings(2)).unwrap()
}

fn reopened_with(directory: &Path, embedder: Arc<dyn Embedder>) -> Result<Engine, EngineError> {
    let surroundings = surroundings(3);
    Engine::open_or_create_with(&root(directory), Config::default(), embedder, surroundings)
}

/// Numbers of every remembered vector, ascending by id.
fn vectors(engine: &Engine) -> Vec<Vec<f32>> {
    let listed = engine.experiences(DEFAULT_NAMESPACE, 100).unwrap();
    listed
        .iter()
        .flat_map(|listed| {
            let stored = engine.experience(DEFAULT_NAMESPACE, &listed.id).unwrap();
            [
                stored.experience.vector.as_slice().to_vec(),
                stored.experience.masked_vector.as_slice().to_vec(),
            ]
        })
        .collect()
}

fn asked(engine: &Engine, question: &str) -> HitKind {
    let answer = engine.ask(&AskRequest::new(question)).unwrap();
    engine.settle().unwrap();
    answer.hit_kind
}

/// A directory with two experiences, closed.
fn with_memory() -> tempfile::TempDir {
    let fixture = Fixture::with("films", &films(40));
    fixture.ask(&format!("who directed {}?", name(0)));
    fixture.ask(&format!("who wrote {}?", name(5)));
    let Fixture { engine, directory } = fixture;
    assert_eq!(vectors(&engine).len(), 4);
    drop(engine);
    directory
}

#[test]
fn another_embedder_embeds_the_memory_anew_and_reuse_and_learning_go_on() {
    let directory = with_memory();
    let engine = reopened_with(directory.path(), Letters::new()).unwrap();
    assert_eq!(engine.knowledge().embedder(), "letters");
    assert!(vectors(&engine).iter().all(|vector| vector.len() == DIMS));
    let kind = asked(&engine, &format!("who directed {}?", name(0)));
    assert_eq!(kind, HitKind::Exact);
    let before = vectors(&engine).len();
    asked(
        &engine,
        &format!("what is the release year of {}?", name(7)),
    );
    assert_eq!(vectors(&engine).len(), before + 2);
    drop(engine);
    // And it is durable: nothing is left to do at the next start.
    let engine = reopened_with(directory.path(), Letters::failing_after(0)).unwrap();
    assert_eq!(vectors(&engine).len(), before + 2);
}

#[test]
fn a_change_of_embedder_that_dies_midway_leaves_the_old_vectors() {
    let directory = with_memory();
    let engine = reopened(directory.path());
    let (old, fingerprint) = (vectors(&engine), engine.embedder_fingerprint().to_owned());
    drop(engine);
    for texts in 0..3 {
        let failed = reopened_with(directory.path(), Letters::failing_after(texts));
        assert!(matches!(failed, Err(EngineError::Embed(_))), "{failed:?}");
    }
    let engine = reopened(directory.path());
    assert_eq!(engine.knowledge().embedder(), fingerprint);
    assert_eq!(vectors(&engine), old);
    drop(engine);
    let engine = reopened_with(directory.path(), Letters::new()).unwrap();
    assert!(vectors(&engine).iter().all(|vector| vector.len() == DIMS));
}

/// A memory from which everything was forgotten still belonged to its first embedder: another one had no text to embed,
/// did not take it over, and everything it learned was refused.
#[test]
fn an_emptied_memory_is_taken_over_by_another_embedder() {
    let directory = with_memory();
    let engine = reopened(directory.path());
    engine
        .forget(DEFAULT_NAMESPACE, refrain::remembered::Forget::All)
        .unwrap();
    drop(engine);
    let engine = reopened_with(directory.path(), Letters::new()).unwrap();
    assert_eq!(engine.knowledge().embedder(), "letters");
    asked(&engine, &format!("who directed {}?", name(1)));
    assert_eq!(vectors(&engine).len(), 2);
}

#[cfg(feature = "minilm")]
#[test]
fn minilm_takes_a_memory_over_where_its_weights_are_found() {
    use language_model::{MiniLm, minilm};

    let directories = minilm::search_directories(None, |name| std::env::var_os(name));
    let Some(weights) = minilm::find_directory(&directories) else {
        println!("SKIPPED: no weights in {directories:?}; set REFRAIN_MODEL_DIR");
        return;
    };
    let directory = with_memory();
    let mut config = Config::default();
    config.embedder.kind = refrain::config::EmbedderKind::Minilm;
    config.embedder.model_dir = weights.to_owned();
    let open = || Engine::open(&root(directory.path()), config.clone(), surroundings(4)).unwrap();
    let engine = open();
    let model = MiniLm::from_dir(weights).unwrap();
    assert_eq!(engine.knowledge().embedder(), model.fingerprint());
    assert!(vectors(&engine).iter().all(|vector| vector.len() == 384));
    let kind = asked(&engine, &format!("who directed {}?", name(0)));
    assert_eq!(kind, HitKind::Exact);
}
