//! What would a memory of a long conversation have needed to keep? LoCoMo as streams, without a language model.
//!
//! Three protocols. **P1**, answered questions: each question of a conversation is asked once and then offered as a record; a
//! hit is a retrieved record that rests on the same turn. **P2**, turns: the turns stream once, each question is asked at a
//! random time after its last evidence; a hit is a retrieved turn of its evidence. **P3** is P2, scored by the words of the
//! best retrieved sentence.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Deserialize;
use thiserror::Error;

use crate::workload::{Query, StreamStep, Vector, Workload};

/// LoCoMo cannot be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LocomoError {
    /// The file is missing or cannot be read.
    #[error("cannot read LoCoMo from {path}: get locomo10.json.gz and name its folder")]
    Read {
        /// Where it was looked for.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The file is no LoCoMo.
    #[error("{path} is not LoCoMo's JSON")]
    Format {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: serde_json::Error,
    },
}

/// One turn of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// `D<session>:<turn>`.
    pub id: String,
    /// Date, speaker and words, on one line.
    pub line: String,
    /// The words alone.
    pub text: String,
}

/// A question about a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationQuestion {
    /// Its words.
    pub question: String,
    /// The expected answer; of an adversarial question, the wrong one.
    pub answer: String,
    /// 1 multi-hop, 2 temporal, 3 open-domain, 4 single-hop, 5 adversarial.
    pub category: u8,
    /// Places of the turns it rests on, ascending.
    pub evidence: Vec<u32>,
}

/// A conversation with its questions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conversation {
    /// Its name.
    pub id: String,
    /// In order.
    pub turns: Vec<Turn>,
    /// In the file's order.
    pub questions: Vec<ConversationQuestion>,
}

#[derive(Deserialize)]
struct RawConversation {
    sample_id: String,
    conversation: BTreeMap<String, serde_json::Value>,
    qa: Vec<RawQuestion>,
}

#[derive(Deserialize)]
struct RawQuestion {
    question: String,
    answer: Option<serde_json::Value>,
    adversarial_answer: Option<serde_json::Value>,
    evidence: Vec<String>,
    category: u8,
}

#[derive(Deserialize)]
struct RawTurn {
    speaker: String,
    dia_id: String,
    text: String,
}

/// Reads `locomo10.json.gz` or `locomo10.json` in a folder.
///
/// # Errors
/// When there is no such file, or it is not LoCoMo.
pub fn load(folder: &Path) -> Result<Vec<Conversation>, LocomoError> {
    let packed = folder.join("locomo10.json.gz");
    let plain = folder.join("locomo10.json");
    let path = if packed.exists() { packed } else { plain };
    let read = || -> std::io::Result<String> {
        let mut text = String::new();
        let file = fs_err::File::open(&path)?;
        if path.extension().is_some_and(|end| end == "gz") {
            flate2::read::GzDecoder::new(file).read_to_string(&mut text)?;
        } else {
            std::io::BufReader::new(file).read_to_string(&mut text)?;
        }
        Ok(text)
    };
    let text = read().map_err(|source| LocomoError::Read {
        path: path.clone(),
        source,
    })?;
    let format = |source| LocomoError::Format {
        path: path.clone(),
        source,
    };
    let raw: Vec<RawConversation> = serde_json::from_str(&text).map_err(format)?;
    raw.into_iter()
        .map(conversation)
        .collect::<Result<_, _>>()
        .map_err(format)
}

fn words(value: Option<serde_json::Value>) -> String {
    match value {
        Some(serde_json::Value::String(text)) => text,
        Some(other) => other.to_string(),
        None => String::new(),
    }
}

fn conversation(raw: RawConversation) -> Result<Conversation, serde_json::Error> {
    let mut turns = Vec::new();
    let mut places = BTreeMap::new();
    for session in 1..=raw.conversation.len() {
        let Some(said) = raw.conversation.get(&format!("session_{session}")) else {
            continue;
        };
        let date = words(
            raw.conversation
                .get(&format!("session_{session}_date_time"))
                .cloned(),
        );
        for turn in Vec::<RawTurn>::deserialize(said)? {
            places.insert(
                turn.dia_id.clone(),
                u32::try_from(turns.len()).unwrap_or(u32::MAX),
            );
            turns.push(Turn {
                line: format!("[{date}] {} said: {}", turn.speaker, turn.text),
                id: turn.dia_id,
                text: turn.text,
            });
        }
    }
    let questions = raw.qa.into_iter().map(|qa| {
        let mut evidence: Vec<u32> = qa
            .evidence
            .iter()
            .flat_map(|ids| ids.split([';', ' ']))
            .filter_map(|id| places.get(id.trim()).copied())
            .collect();
        evidence.sort_unstable();
        evidence.dedup();
        ConversationQuestion {
            question: qa.question,
            answer: words(qa.answer.or(qa.adversarial_answer)),
            category: qa.category,
            evidence,
        }
    });
    Ok(Conversation {
        id: raw.sample_id,
        questions: questions.collect(),
        turns,
    })
}

/// An embedder: unit vectors of texts, in order.
pub type Embed<'e> = dyn Fn(&[&str]) -> Vec<Vector> + 'e;

/// A conversation as numbers: what every seed and protocol shares.
#[derive(Debug, Clone)]
pub struct EmbeddedConversation {
    /// The words.
    pub conversation: Conversation,
    turns: Vec<Vector>,
    questions: Vec<Vector>,
    records: Vec<Vector>,
}

impl EmbeddedConversation {
    /// Embeds turns, questions, and records of question and answer.
    pub fn new(conversation: Conversation, embed: &Embed<'_>) -> Self {
        let turns: Vec<&str> = conversation.turns.iter().map(|t| t.line.as_str()).collect();
        let asked: Vec<&str> = conversation
            .questions
            .iter()
            .map(|q| q.question.as_str())
            .collect();
        let records: Vec<String> = conversation
            .questions
            .iter()
            .map(|q| format!("{} {}", q.question, q.answer))
            .collect();
        let records: Vec<&str> = records.iter().map(String::as_str).collect();
        Self {
            turns: embed(&turns),
            questions: embed(&asked),
            records: embed(&records),
            conversation,
        }
    }

    /// P1: four fifths of the questions as warm-up, the rest scored, both in an order of the seed.
    #[must_use]
    pub fn answered_questions(&self, seed: u64) -> Workload {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let all = &self.conversation.questions;
        let mut order: Vec<u32> = (0..u32::try_from(all.len()).unwrap_or(u32::MAX)).collect();
        order.shuffle(&mut rng);
        let shares = |a: &[u32], b: &[u32]| a.iter().any(|turn| b.binary_search(turn).is_ok());
        let queries = all.iter().enumerate().map(|(at, asked)| Query {
            vector: self.questions[at].clone(),
            relevant: (0..)
                .zip(all)
                .filter(|(other, q)| *other as usize != at && shares(&q.evidence, &asked.evidence))
                .map(|(other, _)| other)
                .collect(),
            topic: u32::from(asked.category),
        });
        let stream = order.iter().map(|at| StreamStep {
            query: Some(*at),
            item: Some(*at),
        });
        let mut workload = Workload::new(
            "locomo-p1",
            self.conversation.id.clone(),
            self.records.clone(),
            queries.collect(),
            stream.collect(),
        );
        workload.warmup = (all.len() * 4).div_ceil(5);
        workload
    }

    /// P2 and P3: the turns stream once, each question that has an answer is asked at a random later time.
    #[must_use]
    pub fn turns(&self, seed: u64) -> Workload {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let count = u32::try_from(self.turns.len()).unwrap_or(u32::MAX);
        let mut due: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let mut queries = Vec::new();
        for (at, asked) in self.conversation.questions.iter().enumerate() {
            let answerable = asked.category != 5;
            let last = asked.evidence.last().filter(|_| answerable);
            if let Some(last) = last {
                let turn = rng.random_range(*last..count);
                due.entry(turn)
                    .or_default()
                    .push(u32::try_from(queries.len()).unwrap_or(u32::MAX));
                queries.push(Query {
                    vector: self.questions[at].clone(),
                    relevant: asked.evidence.clone(),
                    topic: u32::try_from(at).unwrap_or(u32::MAX),
                });
            }
        }
        let mut stream = Vec::new();
        for turn in 0..count {
            stream.push(StreamStep {
                query: None,
                item: Some(turn),
            });
            for query in due.remove(&turn).unwrap_or_default() {
                stream.push(StreamStep {
                    query: Some(query),
                    item: None,
                });
            }
        }
        Workload::new(
            "locomo-p2",
            self.conversation.id.clone(),
            self.turns.clone(),
            queries,
            stream,
        )
    }
}
