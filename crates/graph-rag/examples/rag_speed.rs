//! How fast are documents indexed and asked, beside LinearRAG to the letter in Python? `rag_speed DATA [PASSAGES]`.
//!
//! Both sides get the same passages and questions of 2WikiMultiHopQA in one run, one after the other on the same machine.
//! The Python side is `benches/linear_rag_reference/reference.py`, run with `python3` or what `PYTHON` names; it needs
//! numpy. Both embed with the same word vectors, handed over in a file; the built-in embedder is measured besides.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use flate2::read::MultiGzDecoder;
use graph_rag::{DocumentId, Index, IndexConfig, LinearRagConfig, Passage};
use language_model::{EmbedError, Embedder, StaticEmbedder};
use serde_json::Value;
use similarity::Embedding;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

const REFERENCE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../benches/linear_rag_reference/reference.py"
);

/// The normalised sum of a text's words, as the Python side has it.
struct WordSum {
    rows: HashMap<String, Vec<f32>>,
    dims: usize,
}

fn words(text: &str) -> impl Iterator<Item = String> {
    let words = text
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty());
    words.map(str::to_lowercase)
}

impl Embedder for WordSum {
    fn embed(&self, texts: &[&str]) -> std::result::Result<Vec<Embedding>, EmbedError> {
        let one = |text: &&str| {
            let mut sum = vec![0.0_f32; self.dims];
            for row in words(text).filter_map(|word| self.rows.get(&word)) {
                sum.iter_mut()
                    .zip(row)
                    .for_each(|(sum, value)| *sum += value);
            }
            // A text of unknown words points somewhere, as embeddings must.
            if sum.iter().all(|value| *value == 0.0) {
                sum[0] = 1.0;
            }
            Embedding::new(sum).map_err(|source| EmbedError::Vector {
                text: (*text).to_owned(),
                source,
            })
        };
        texts.iter().map(one).collect()
    }

    fn dims(&self) -> usize {
        self.dims
    }

    fn fingerprint(&self) -> &'static str {
        "sum of words"
    }
}

struct Speed {
    passages_per_s: f64,
    p50_ms: f64,
    p95_ms: f64,
}

fn measured(
    passages: &[Passage],
    questions: &[String],
    index: IndexConfig,
    settings: &LinearRagConfig,
    embedder: &dyn Embedder,
) -> Result<Speed> {
    let given = passages.to_vec();
    let start = Instant::now();
    let index = Index::build(given, [], index, embedder)?;
    let seconds = start.elapsed().as_secs_f64();
    let mut millis = Vec::with_capacity(questions.len());
    for question in questions {
        let start = Instant::now();
        index.retrieve(question, embedder, settings)?;
        millis.push(start.elapsed().as_secs_f64() * 1_000.0);
    }
    millis.sort_by(f64::total_cmp);
    let at = |hundredth: usize| {
        millis
            .get(millis.len() * hundredth / 100)
            .copied()
            .unwrap_or(0.0)
    };
    Ok(Speed {
        passages_per_s: passages.len() as f64 / seconds,
        p50_ms: at(50),
        p95_ms: at(95),
    })
}

fn json(path: &Path) -> Result<Vec<Value>> {
    let file = fs_err::File::open(path)?;
    Ok(serde_json::from_reader(std::io::BufReader::new(
        MultiGzDecoder::new(file),
    ))?)
}

fn text(value: &Value, field: &str) -> String {
    value
        .get(field)
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned()
}

/// Writes a vector for each word of the texts, and gives them as an embedder.
fn word_vectors<'t>(texts: impl Iterator<Item = &'t str>, directory: &Path) -> Result<WordSum> {
    let all: BTreeSet<String> = texts.flat_map(words).collect();
    let embedder = StaticEmbedder::builtin();
    let mut rows = HashMap::new();
    let (mut names, mut bytes) = (Vec::new(), Vec::new());
    for word in &all {
        let vector = embedder
            .embed(&[word])?
            .into_iter()
            .next()
            .ok_or("a word has no vector")?;
        bytes.extend(
            vector
                .as_slice()
                .iter()
                .flat_map(|value| value.to_le_bytes()),
        );
        names.push(word.as_str());
        rows.insert(word.clone(), vector.into_vec());
    }
    fs_err::write(directory.join("words.txt"), names.join("\n"))?;
    fs_err::write(directory.join("words.f32"), bytes)?;
    Ok(WordSum {
        rows,
        dims: embedder.dims(),
    })
}

#[expect(clippy::print_stdout, reason = "an example talks to a person")]
fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [data, rest @ ..] = arguments.as_slice() else {
        println!(
            "nothing was measured: give the folder of the data sets, and perhaps a number of passages"
        );
        return Ok(());
    };
    let limit = rest.first().map_or(Ok(usize::MAX), |text| text.parse())?;
    let corpus = Path::new(data).join("corpus/2wikimultihopqa/2wikimultihopqa_corpus.json.gz");
    let asked = Path::new(data).join("dev/2wikimultihopqa/questions.json.gz");
    let passages: Vec<Passage> = json(&corpus)?
        .iter()
        .take(limit)
        .enumerate()
        .map(|(n, entry)| Passage {
            document: DocumentId(format!("{n:06}")),
            ordinal: 0,
            title: text(entry, "title"),
            text: text(entry, "text"),
        })
        .collect();
    let questions: Vec<String> = json(&asked)?
        .iter()
        .map(|entry| text(entry, "question"))
        .collect();
    let directory = tempfile::tempdir()?;
    let texts = passages
        .iter()
        .flat_map(|p| [p.title.as_str(), p.text.as_str()]);
    let same = word_vectors(
        texts.chain(questions.iter().map(String::as_str)),
        directory.path(),
    )?;

    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let mut command = Command::new(&python);
    command
        .arg(REFERENCE)
        .arg(&corpus)
        .arg(&asked)
        .arg(directory.path())
        .arg(passages.len().to_string());
    let output = command.output()?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(format!("the reference failed: {said}").into());
    }
    let reference: Value = serde_json::from_slice(&output.stdout)?;
    let number = |field: &str| {
        reference
            .get(field)
            .and_then(Value::as_f64)
            .unwrap_or(f64::NAN)
    };
    let reference = Speed {
        passages_per_s: number("index_passages_per_s"),
        p50_ms: number("p50_ms"),
        p95_ms: number("p95_ms"),
    };

    let builtin = StaticEmbedder::builtin();
    let (ours, papers) = (LinearRagConfig::default(), LinearRagConfig::reference());
    let rows = [
        (
            "paper's settings, same vectors",
            measured(
                &passages,
                &questions,
                IndexConfig::reference(),
                &papers,
                &same,
            )?,
        ),
        (
            "as shipped, same vectors",
            measured(&passages, &questions, IndexConfig::default(), &ours, &same)?,
        ),
        (
            "as shipped, built-in embedder",
            measured(
                &passages,
                &questions,
                IndexConfig::default(),
                &ours,
                builtin.as_ref(),
            )?,
        ),
    ];
    println!("{} passages, {} questions", passages.len(), questions.len());
    println!(
        "| system | passages/s | times | p50 ms | times | p95 ms |\n|---|---|---|---|---|---|"
    );
    let row = |name: &str, speed: &Speed| {
        println!(
            "| {name} | {:.0} | {:.1} | {:.2} | {:.1} | {:.2} |",
            speed.passages_per_s,
            speed.passages_per_s / reference.passages_per_s,
            speed.p50_ms,
            reference.p50_ms / speed.p50_ms,
            speed.p95_ms
        );
    };
    row("LinearRAG to the letter, Python", &reference);
    rows.iter().for_each(|(name, speed)| row(name, speed));
    Ok(())
}
