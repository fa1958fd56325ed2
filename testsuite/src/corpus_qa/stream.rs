//! What does experience do to a stream of questions over documents?
//!
//! Each question is answered by extraction and learned from, in an order. Retrieval with the store is compared with
//! retrieval without it on the same questions, and the gates are counted.

use std::time::{Duration, Instant};

use graph_rag::LinearRagConfig;
use graph_rag::answer::AnswerConfig;
use graph_rag::experience::ExperienceList;
use graph_rag::living_rag::{Candidate, LivingRag, LivingRagConfig, NotKept};
use language_model::Embedder;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use super::load::Corpus;
use super::measure::{LatencyMs, contains_answer, latency, recall, wants_text};
use super::{IndexedCorpus, RETRIEVED};

/// A stream with experience.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct StreamFigures {
    /// Questions asked.
    pub questions: usize,
    /// Mean Recall@5 with the store, over questions whose gold is in the corpus.
    pub recall_at_5: f64,
    /// The same questions without it.
    pub recall_at_5_without: f64,
    /// Share of the questions that were answered at all.
    pub answered: f64,
    /// Share of questions with a textual answer whose answer stands in the cited sentences.
    pub contain_match: f64,
    /// Experiences in the store at the end.
    pub stored: usize,
    /// Share of answers that passed the novelty gate.
    pub ns_pass: f64,
    /// Share of those that passed the grounding gate.
    pub gs_pass: f64,
    /// Questions in which experience was fused.
    pub fused: usize,
    /// Questions that had a scaffold.
    pub scaffolds: usize,
    /// Time of retrieval with the store.
    pub latency_ms: LatencyMs,
}

#[derive(Default)]
struct Sums {
    out: StreamFigures,
    judged: usize,
    textual: usize,
    held: usize,
    candidates: usize,
    checked: usize,
    times: Vec<Duration>,
}

/// Streams all questions once, in the file's order for seed 0, in a drawn one otherwise.
pub(crate) fn stream(
    corpus: &Corpus,
    indexed: &IndexedCorpus,
    embedder: &dyn Embedder,
    config: LivingRagConfig,
    seed: u64,
) -> anyhow::Result<StreamFigures> {
    let mut order: Vec<usize> = (0..corpus.questions.len()).collect();
    if seed > 0 {
        order.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    }
    let mut living = LivingRag::new(ExperienceList::default(), &indexed.index, config);
    let retrieval = LinearRagConfig {
        retrieval_top_k: RETRIEVED,
        ..LinearRagConfig::default()
    };
    let mut sums = Sums::default();
    for (now, place) in (0_u64..).zip(order) {
        let question = &corpus.questions[place];
        let start = Instant::now();
        let found = living.retrieve(
            &indexed.index,
            &question.question,
            embedder,
            &retrieval,
            now,
        )?;
        sums.times.push(start.elapsed());
        let without = indexed
            .index
            .search(&found.query, &found.query.seeds, &retrieval);
        let places = |list: &[graph_rag::linear_rag::Ranked]| -> Vec<usize> {
            list.iter()
                .map(|r| indexed.places[r.passage as usize])
                .collect()
        };
        if !question.gold.is_empty() {
            sums.judged += 1;
            sums.out.recall_at_5 += recall(&places(&found.found.passages), &question.gold, 5);
            sums.out.recall_at_5_without += recall(&places(&without.passages), &question.gold, 5);
        }
        sums.out.fused += usize::from(!found.used.is_empty());
        sums.out.scaffolds += usize::from(found.scaffold.is_some());
        let answer = indexed
            .index
            .answer(&found.query, &found.found, &AnswerConfig::default())
            .ok();
        let text = answer
            .as_ref()
            .map_or_else(String::new, graph_rag::answer::Answer::text);
        if wants_text(question) {
            sums.textual += 1;
            sums.held += usize::from(contains_answer(&text, &question.answers));
        }
        let Some(answer) = answer else { continue };
        sums.candidates += 1;
        let passages: Vec<u32> = found
            .found
            .passages
            .iter()
            .take(5)
            .map(|r| r.passage)
            .collect();
        let candidate = Candidate {
            retrieval: &found,
            explanation: &text,
            answer: answer.citations.first().map_or("", |c| c.text.as_str()),
            passages: &passages,
        };
        match living.learn(&indexed.index, &candidate, now) {
            Ok(_) => {
                sums.checked += 1;
                sums.out.stored += 1;
            }
            Err(NotKept::Ungrounded { .. }) => sums.checked += 1,
            Err(NotKept::Known { .. }) => {}
        }
    }
    Ok(sums.figures(corpus.questions.len()))
}

impl Sums {
    fn figures(mut self, questions: usize) -> StreamFigures {
        let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
        let judged = self.judged.max(1) as f64;
        self.out.questions = questions;
        self.out.recall_at_5 /= judged;
        self.out.recall_at_5_without /= judged;
        self.out.answered = share(self.candidates, questions);
        self.out.contain_match = share(self.held, self.textual);
        self.out.ns_pass = share(self.checked, self.candidates);
        self.out.gs_pass = share(self.out.stored, self.checked);
        self.out.latency_ms = latency(self.times);
        self.out
    }
}
