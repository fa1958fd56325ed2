//! What does experience do to a stream of questions over documents?
//!
//! Each question is answered by extraction and learned from, in an order. Retrieval with the store is compared with
//! retrieval without it on the same questions, the gates are counted, and so is what could have been reused and was.

use std::time::{Duration, Instant};

use graph_rag::LinearRagConfig;
use graph_rag::answer::{Answer, AnswerConfig};
use graph_rag::experience::ExperienceList;
use graph_rag::linear_rag::Ranked;
use graph_rag::living_rag::{
    Candidate, LivingRag, LivingRagConfig, LivingRetrieval, NotKept, Verdict,
};
use language_model::{Embedder, StaticEmbedder};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use super::load::{Corpus, CorpusQuestion};
use super::measure::{Found, RetrievalFigures, contains_answer, figures, recall, wants_text};
use super::reuse::{Reuse, ReuseFigures};
use super::{IndexedCorpus, RETRIEVED};
use crate::options::{FeedbackMode, MemoryMode, Order};

/// Passages that are read and judged.
const READ: usize = 5;

/// Points of a curve.
const CURVE_POINTS: usize = 60;

/// How a stream is run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StreamSettings {
    /// Off: the store stays empty.
    pub memory: MemoryMode,
    /// Weights and bounds of experience.
    pub living: LivingRagConfig,
    /// Gold: which of the first five passages are evidence is told after each answer; never those that were missed.
    pub feedback: FeedbackMode,
    /// The order of the questions.
    pub order: Order,
    /// Seed of the shuffle.
    pub seed: u64,
}

/// A moment of the stream; all figures are of what was asked until then.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct StreamPoint {
    /// Questions asked.
    pub asked: usize,
    /// Mean Recall@5 with the store.
    pub recall_at_5: f64,
    /// Mean Recall@5 without it.
    pub recall_at_5_without: f64,
    /// Experiences in the store.
    pub stored: usize,
    /// Share of answers that passed the novelty gate.
    pub ns_pass: f64,
    /// Share of those that passed the grounding gate.
    pub gs_pass: f64,
}

/// A stream with experience.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct StreamFigures {
    /// Retrieval with the store.
    #[serde(flatten)]
    pub with: RetrievalFigures,
    /// Mean Recall@5 of the same questions without it.
    pub recall_at_5_without: f64,
    /// Questions whose Recall@5 is higher with the store than without.
    pub helped: usize,
    /// Questions whose Recall@5 is lower.
    pub hurt: usize,
    /// Share of the questions that were answered at all.
    pub answered: f64,
    /// Share of questions with a textual answer whose answer stands in the cited sentences.
    pub contain_match: f64,
    /// Experiences in the store at the end.
    pub stored: usize,
    /// Share of answers that passed the novelty gate; `None` with the memory off.
    pub ns_pass: Option<f64>,
    /// Share of those that passed the grounding gate; `None` with the memory off.
    pub gs_pass: Option<f64>,
    /// Questions in which experience was fused.
    pub fused: usize,
    /// Questions that had a scaffold.
    pub scaffolds: usize,
    /// What could have been reused, and what was.
    pub reuse: ReuseFigures,
    /// The way there.
    pub curve: Vec<StreamPoint>,
}

/// What is counted along the way.
#[derive(Default)]
struct Run {
    with: Vec<Found>,
    without: Vec<Found>,
    places: Vec<usize>,
    textual: usize,
    held: usize,
    candidates: usize,
    checked: usize,
    stored: usize,
    fused: usize,
    scaffolds: usize,
    judged: usize,
    recall: f64,
    recall_without: f64,
    helped: usize,
    hurt: usize,
    curve: Vec<StreamPoint>,
}

/// The places of questions in the order in which they are asked.
pub(crate) fn asked_order(questions: usize, order: Order, seed: u64) -> Vec<usize> {
    let mut places: Vec<usize> = (0..questions).collect();
    match order {
        Order::File => {}
        Order::Shuffle => places.shuffle(&mut ChaCha8Rng::seed_from_u64(seed)),
    }
    places
}

/// Streams the questions once.
pub(crate) fn stream(
    corpus: &Corpus,
    indexed: &IndexedCorpus,
    embedder: &dyn Embedder,
    settings: &StreamSettings,
) -> anyhow::Result<StreamFigures> {
    let order = asked_order(corpus.questions.len(), settings.order, settings.seed);
    let index = &indexed.index;
    let mut living = LivingRag::new(ExperienceList::default(), index, settings.living);
    let retrieval = LinearRagConfig {
        retrieval_top_k: RETRIEVED,
        ..LinearRagConfig::default()
    };
    let words = StaticEmbedder::builtin();
    let mut reuse = Reuse::new(corpus, index);
    let mut run = Run::default();
    let every = order.len().div_ceil(CURVE_POINTS).max(1);
    for (now, place) in (0_u64..).zip(order.iter().copied()) {
        let question = &corpus.questions[place];
        let start = Instant::now();
        let found = living.retrieve(index, &question.question, embedder, &retrieval, now)?;
        let time = start.elapsed();
        let without = index.search(&found.query, &found.query.seeds, &retrieval);
        reuse.note(place, &found, &without);
        run.note(question, place, indexed, &found, &without.passages, time);
        let answer = index
            .answer(
                &found.query,
                &found.found,
                &AnswerConfig::default(),
                words.as_ref(),
            )?
            .ok();
        run.note_answer(question, answer.as_ref());
        if let (MemoryMode::On, Some(answer)) = (settings.memory, &answer) {
            let gold = match settings.feedback {
                FeedbackMode::None => None,
                FeedbackMode::Gold => Some(gold(question, indexed, &found.found.passages)),
            };
            run.learn(&mut living, indexed, &found, answer, gold.as_ref(), now);
        }
        if (run.with.len()).is_multiple_of(every) || run.with.len() == order.len() {
            run.curve.push(run.point());
        }
    }
    let mut out = run.figures(corpus, settings.memory);
    out.reuse = reuse.figures(out.stored);
    Ok(out)
}

/// Which of the passages read are evidence, and what share of it they are.
fn gold(question: &CorpusQuestion, indexed: &IndexedCorpus, found: &[Ranked]) -> (f64, Vec<u32>) {
    let read = found.iter().take(READ).map(|r| r.passage);
    let right: Vec<u32> = read
        .filter(|p| question.gold.contains(&indexed.places[*p as usize]))
        .collect();
    let score = right.len() as f64 / question.gold.len().max(1) as f64;
    (score, right)
}

impl Run {
    fn note(
        &mut self,
        question: &CorpusQuestion,
        place: usize,
        indexed: &IndexedCorpus,
        found: &LivingRetrieval,
        without: &[Ranked],
        time: Duration,
    ) {
        let files = |list: &[Ranked]| -> Vec<usize> {
            list.iter()
                .map(|r| indexed.places[r.passage as usize])
                .collect()
        };
        let (with, without) = (files(&found.found.passages), files(without));
        if !question.gold.is_empty() {
            let recalls = [&with, &without].map(|list| recall(list, &question.gold, READ));
            self.judged += 1;
            self.recall += recalls[0];
            self.recall_without += recalls[1];
            self.helped += usize::from(recalls[0] > recalls[1]);
            self.hurt += usize::from(recalls[0] < recalls[1]);
        }
        self.fused += usize::from(!found.used.is_empty());
        self.scaffolds += usize::from(found.scaffold.is_some());
        self.places.push(place);
        let found = |passages| Found { passages, time };
        self.with.push(found(with));
        self.without.push(found(without));
    }

    fn note_answer(&mut self, question: &CorpusQuestion, answer: Option<&Answer>) {
        if wants_text(question) {
            let text = answer.map_or_else(String::new, Answer::text);
            self.textual += 1;
            self.held += usize::from(contains_answer(&text, &question.answers));
        }
        self.candidates += usize::from(answer.is_some());
    }

    fn learn(
        &mut self,
        living: &mut LivingRag<ExperienceList>,
        indexed: &IndexedCorpus,
        found: &LivingRetrieval,
        answer: &Answer,
        gold: Option<&(f64, Vec<u32>)>,
        now: u64,
    ) {
        let read = found.found.passages.iter().take(READ);
        let passages: Vec<u32> = read.map(|r| r.passage).collect();
        let text = answer.text();
        let candidate = Candidate {
            retrieval: found,
            explanation: &text,
            answer: answer.citations.first().map_or("", |c| c.text.as_str()),
            passages: &passages,
            verdict: gold.map(|(score, passages)| Verdict {
                score: *score,
                passages,
            }),
        };
        match living.learn(&indexed.index, &candidate, now) {
            Ok(_) => {
                self.checked += 1;
                self.stored += 1;
            }
            Err(NotKept::Ungrounded { .. }) => self.checked += 1,
            Err(NotKept::Known { .. }) => {}
        }
        if let Some((_, right)) = gold {
            living.judge(found, right, &passages);
        }
        // Nothing that was read is evidence: what led there was wrong.
        if gold.is_some_and(|(_, right)| right.is_empty()) {
            living.blame(&found.used, &indexed.index);
        }
    }

    fn point(&self) -> StreamPoint {
        let judged = self.judged.max(1) as f64;
        StreamPoint {
            asked: self.with.len(),
            recall_at_5: self.recall / judged,
            recall_at_5_without: self.recall_without / judged,
            stored: self.stored,
            ns_pass: share(self.checked, self.candidates),
            gs_pass: share(self.stored, self.checked),
        }
    }

    fn figures(self, corpus: &Corpus, memory: MemoryMode) -> StreamFigures {
        // As the corpus has them.
        let in_order = |found: Vec<Found>| {
            let mut placed: Vec<(usize, Found)> = self.places.iter().copied().zip(found).collect();
            placed.sort_by_key(|(place, _)| *place);
            placed.into_iter().map(|(_, f)| f).collect::<Vec<_>>()
        };
        let gate = |rate| (memory == MemoryMode::On).then_some(rate);
        StreamFigures {
            with: figures(corpus, &in_order(self.with)),
            recall_at_5_without: figures(corpus, &in_order(self.without)).recall_at_5,
            helped: self.helped,
            hurt: self.hurt,
            answered: share(self.candidates, self.places.len()),
            contain_match: share(self.held, self.textual),
            stored: self.stored,
            ns_pass: gate(share(self.checked, self.candidates)),
            gs_pass: gate(share(self.stored, self.checked)),
            fused: self.fused,
            scaffolds: self.scaffolds,
            reuse: ReuseFigures::default(),
            curve: self.curve,
        }
    }
}

/// A part of a whole, 0 of nothing.
pub(super) fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}
