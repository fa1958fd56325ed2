//! Which passages and questions does a set of questions over documents hold?
//!
//! The sample files of HippoRAG's tuning and test sets, plain or gzipped. A question's gold is a set of passages, by place
//! in the file.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context, bail};
use flate2::read::MultiGzDecoder;
use serde_json::Value;

/// A set of questions over documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CorpusName {
    /// 2WikiMultiHopQA: 6,119 passages.
    TwoWiki,
    /// MuSiQue: 1,890 passages.
    Musique,
    /// HotpotQA: 994 passages.
    Hotpot,
}

impl CorpusName {
    /// Every set.
    pub const ALL: [Self; 3] = [Self::TwoWiki, Self::Musique, Self::Hotpot];

    /// The name on the command line, in reports and of its folders.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TwoWiki => "2wikimultihopqa",
            Self::Musique => "musique100",
            Self::Hotpot => "hotpotqa100",
        }
    }

    /// The share of a stream that passes LivingRAG's novelty gate, as its paper prints it for the whole set.
    pub(crate) fn published_novelty(self) -> f64 {
        match self {
            Self::TwoWiki => 0.138,
            Self::Musique => 0.363,
            Self::Hotpot => 0.633,
        }
    }

    fn files(self) -> (&'static str, &'static str) {
        match self {
            Self::TwoWiki => ("2wikimultihopqa_corpus.json", "questions.json"),
            Self::Musique => ("musique_train_corpus.json", "musique_train.json"),
            Self::Hotpot => ("hotpotqa_train_corpus.json", "hotpotqa_train.json"),
        }
    }
}

impl FromStr for CorpusName {
    type Err = anyhow::Error;

    fn from_str(name: &str) -> anyhow::Result<Self> {
        let known = Self::ALL.into_iter().find(|set| set.as_str() == name);
        known.with_context(|| format!("there is no set \"{name}\" of questions over documents"))
    }
}

/// A title and a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) title: String,
    pub(crate) text: String,
}

/// A question with what is expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CorpusQuestion {
    pub(crate) question: String,
    /// The answer and its other spellings.
    pub(crate) answers: Vec<String>,
    /// The passages that hold the answer's evidence; empty when they are not all in the file.
    pub(crate) gold: BTreeSet<usize>,
    /// Gold facts as (subject, relation, object), where the set gives them.
    pub(crate) evidence: Vec<[String; 3]>,
}

/// Passages and questions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Corpus {
    pub(crate) entries: Vec<Entry>,
    pub(crate) questions: Vec<CorpusQuestion>,
}

/// Reads a set from a data folder, with `corpus/<set>` and `dev/<set>`.
pub(crate) fn load(name: CorpusName, data: &Path) -> anyhow::Result<Corpus> {
    let (corpus, questions) = name.files();
    let corpus = read(&data.join("corpus").join(name.as_str()).join(corpus))?;
    let questions = read(&data.join("dev").join(name.as_str()).join(questions))?;
    let entries = entries(&corpus)?;
    let places = Places::new(&entries);
    let list = questions.as_array().context("questions are not a list")?;
    let questions: Option<Vec<CorpusQuestion>> =
        list.iter().map(|q| question(name, q, &places)).collect();
    Ok(Corpus {
        questions: questions.context("a question lacks a field")?,
        entries,
    })
}

fn read(path: &PathBuf) -> anyhow::Result<Value> {
    let zipped = PathBuf::from(format!("{}.gz", path.display()));
    if path.exists() {
        return Ok(serde_json::from_slice(&fs_err::read(path)?)?);
    }
    let mut text = Vec::new();
    let file = fs_err::File::open(&zipped)?;
    MultiGzDecoder::new(file).read_to_end(&mut text)?;
    Ok(serde_json::from_slice(&text)?)
}

fn entries(corpus: &Value) -> anyhow::Result<Vec<Entry>> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    match corpus {
        Value::Array(list) => Ok(list
            .iter()
            .map(|entry| Entry {
                title: text(&entry["title"]),
                text: text(&entry["text"]),
            })
            .collect()),
        Value::Object(titles) => Ok(titles
            .iter()
            .map(|(title, sentences)| Entry {
                title: title.clone(),
                text: sentences
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(Value::as_str)
                    .collect(),
            })
            .collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            bail!("the corpus is neither a list nor a map")
        }
    }
}

struct Places<'e> {
    by_title: BTreeMap<&'e str, usize>,
    by_both: BTreeMap<(&'e str, &'e str), usize>,
}

impl<'e> Places<'e> {
    fn new(entries: &'e [Entry]) -> Self {
        let numbered = || entries.iter().enumerate();
        Self {
            by_title: numbered()
                .map(|(place, e)| (e.title.as_str(), place))
                .collect(),
            by_both: numbered()
                .map(|(place, e)| ((e.title.as_str(), e.text.as_str()), place))
                .collect(),
        }
    }

    fn titles<'t>(&self, titles: impl Iterator<Item = &'t Value>) -> BTreeSet<usize> {
        let places: Option<BTreeSet<usize>> = titles
            .map(|title| self.by_title.get(title.as_str()?).copied())
            .collect();
        places.unwrap_or_default()
    }
}

fn question(name: CorpusName, value: &Value, places: &Places<'_>) -> Option<CorpusQuestion> {
    let mut answers = vec![value["answer"].as_str()?.to_owned()];
    let (mut gold, mut evidence) = (BTreeSet::new(), Vec::new());
    match name {
        CorpusName::TwoWiki => {
            if value["gold_titles_complete"].as_bool()? {
                gold = places.titles(value["gold_titles"].as_array()?.iter());
            }
            for triple in value["evidence"].as_array()? {
                let part = |at: usize| triple[at].as_str().map(str::to_owned);
                evidence.push([part(0)?, part(1)?, part(2)?]);
            }
        }
        CorpusName::Musique => {
            let aliases = value["answer_aliases"].as_array()?.iter();
            answers.extend(aliases.filter_map(Value::as_str).map(str::to_owned));
            let supporting = value["paragraphs"].as_array()?.iter();
            let supporting = supporting.filter(|p| p["is_supporting"].as_bool() == Some(true));
            let found: Option<BTreeSet<usize>> = supporting
                .map(|p| {
                    let both = (p["title"].as_str()?, p["paragraph_text"].as_str()?);
                    places.by_both.get(&both).copied()
                })
                .collect();
            gold = found.unwrap_or_default();
        }
        CorpusName::Hotpot => {
            gold = places.titles(
                value["supporting_facts"]
                    .as_array()?
                    .iter()
                    .map(|fact| &fact[0]),
            );
        }
    }
    Some(CorpusQuestion {
        question: value["question"].as_str()?.to_owned(),
        answers,
        gold,
        evidence,
    })
}
