//! How does a set meet a system, question after question?

use std::collections::{BTreeMap, HashMap};

use anyhow::Context;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::dataset::{GraphName, Question, normalise_label};
use crate::metrics::{self, Judged};
use crate::options::{EvalOptions, FeedbackMode, MemoryMode, Order};
use crate::progress::Progress;
use crate::report::{FailureExample, FailureKind, FalseHit, QuestionReport};
use crate::system::{Reply, System, Value};

/// Windows of the learning curve.
const CURVE_POINTS: usize = 40;
/// A report quotes at most this many values of an answer.
const VALUES_QUOTED: usize = 8;
/// More kinds of question than this are path shapes, not types: the report lists only the worst.
const FAILURE_KINDS_KEPT: usize = 40;
/// False hits a report quotes.
const FALSE_HITS_QUOTED: usize = 20;
/// The running accuracy in the progress bar is renewed every so many questions.
const NOTE_EVERY: usize = 10;

/// Puts `items` into the order that `options` ask for and cuts them at their limit.
pub(crate) fn arrange<T>(items: &mut Vec<T>, options: &EvalOptions) {
    match options.order {
        Order::File => {}
        Order::Shuffle => items.shuffle(&mut ChaCha8Rng::seed_from_u64(options.seed)),
    }
    if let Some(limit) = options.limit {
        items.truncate(limit);
    }
}

/// Asks the questions of a set and judges the answers.
///
/// # Errors
/// When the graph cannot be loaded or the system fails; wrong answers are figures, not errors.
pub fn run_questions(
    system: &mut dyn System,
    mut questions: Vec<Question>,
    options: &EvalOptions,
    progress: &mut dyn Progress,
) -> anyhow::Result<QuestionReport> {
    arrange(&mut questions, options);
    let graphs: Vec<GraphName> = options.dataset.graphs().to_vec();
    let statements = load_graphs(system, &graphs, options, progress)?;
    system.fresh_memory()?;
    let mut stream = Stream::new(options);
    progress.begin(options.dataset.as_str(), questions.len());
    let mut interrupted = false;
    for (index, question) in questions.iter().enumerate() {
        if progress.stopped() {
            interrupted = true;
            break;
        }
        stream.ask(system, question)?;
        if index % NOTE_EVERY == 0 {
            progress.advance(index, &format!("accuracy {:.3}", stream.accuracy()));
        }
    }
    progress.finish();
    Ok(QuestionReport {
        remembered: system.remembered()?,
        ..stream.report(options, statements, interrupted)
    })
}

/// Loads `graphs`; gives the statements of all together.
pub(crate) fn load_graphs(
    system: &mut dyn System,
    graphs: &[GraphName],
    options: &EvalOptions,
    progress: &mut dyn Progress,
) -> anyhow::Result<u64> {
    progress.begin("loading", graphs.len());
    let mut statements = 0;
    for (index, graph) in graphs.iter().enumerate() {
        let file = graph.locate(&options.data)?;
        statements += system
            .load_graph(*graph, &file)
            .with_context(|| format!("cannot load {}", file.display()))?;
        progress.advance(index + 1, graph.as_str());
    }
    progress.finish();
    Ok(statements)
}

/// A stream of questions under judgement.
struct Stream<'a> {
    options: &'a EvalOptions,
    judged: Vec<Judged>,
    right: usize,
    /// Gold answers of the questions asked so far, by text: whose answer a hit may have served.
    asked: HashMap<String, Vec<String>>,
    failures: BTreeMap<(String, &'static str), FailureKind>,
    false_hits: Vec<FalseHit>,
}

impl<'a> Stream<'a> {
    fn new(options: &'a EvalOptions) -> Self {
        Self {
            options,
            judged: Vec::new(),
            right: 0,
            asked: HashMap::new(),
            failures: BTreeMap::new(),
            false_hits: Vec::new(),
        }
    }

    fn accuracy(&self) -> f64 {
        metrics::share(self.right, self.judged.len())
    }

    fn ask(&mut self, system: &mut dyn System, question: &Question) -> anyhow::Result<()> {
        let reply = system
            .ask(question.graph, &question.text)
            .with_context(|| format!("question {}: {}", question.id, question.text))?;
        let right = question.gold.accepts(&reply.values, reply.refused);
        if self.options.memory == MemoryMode::On {
            if self.options.feedback == FeedbackMode::Gold {
                system.feedback(&reply.id, right)?;
            }
            system.settle()?;
        }
        if !right {
            self.note_failure(question, &reply);
        }
        let judged = self.judge(question, &reply, right);
        self.note_false_hit(question, &reply, &judged);
        self.right += usize::from(right);
        self.judged.push(judged);
        let mut expected = question.gold.labels();
        expected.sort();
        self.asked.insert(question.text.clone(), expected);
        Ok(())
    }

    fn judge(&self, question: &Question, reply: &Reply, right: bool) -> Judged {
        let unanswerable = question.gold == crate::dataset::Gold::Refusal;
        Judged {
            kind: question.kind.clone(),
            right,
            hit_at_1: if unanswerable {
                right
            } else {
                !reply.refused
                    && reply
                        .values
                        .first()
                        .is_some_and(|first| question.gold.contains(first))
            },
            refused: reply.refused,
            unanswerable,
            executable: reply.executable,
            hit_kind: reply.hit_kind,
            false_hit: !right && self.served_another_answer(question, reply),
            retrieval_recall: reply
                .retrieved
                .as_ref()
                .filter(|_| !unanswerable)
                .map(|retrieved| question.gold.recall(retrieved)),
            micros: reply.micros,
            model_calls: reply.model_calls,
        }
    }

    /// A hit that gives the values of an experience whose question expects something else.
    /// A hit on a question with the same expected answer repeats a mistake, which is no false hit.
    fn served_another_answer(&self, question: &Question, reply: &Reply) -> bool {
        let Some(source) = reply.source.as_ref().filter(|_| reply.hit_kind.is_hit()) else {
            return false;
        };
        if !same_values(&reply.values, &source.values)
            || normalise_label(&source.question) == normalise_label(&question.text)
        {
            return false;
        }
        let mut expected = question.gold.labels();
        expected.sort();
        self.asked.get(&source.question) != Some(&expected)
    }

    fn note_false_hit(&mut self, question: &Question, reply: &Reply, judged: &Judged) {
        let Some(source) = reply.source.as_ref().filter(|_| judged.false_hit) else {
            return;
        };
        if self.false_hits.len() < FALSE_HITS_QUOTED {
            self.false_hits.push(FalseHit {
                question: question.text.clone(),
                from: source.question.clone(),
                expected: quote(question.gold.labels()),
                given: quote(labels(&reply.values)),
            });
        }
    }

    fn note_failure(&mut self, question: &Question, reply: &Reply) {
        let how = how_it_failed(question, reply);
        let failure = self
            .failures
            .entry((question.kind.clone(), how))
            .or_insert_with(|| FailureKind {
                kind: question.kind.clone(),
                how,
                count: 0,
                examples: Vec::new(),
            });
        failure.count += 1;
        if failure.examples.len() < self.options.examples_per_kind {
            failure.examples.push(FailureExample {
                question: question.text.clone(),
                expected: quote(question.gold.labels()),
                given: quote(labels(&reply.values)),
                reason: reply.reason.clone(),
                sparql: reply.sparql.clone(),
            });
        }
    }

    fn report(self, options: &EvalOptions, statements: u64, interrupted: bool) -> QuestionReport {
        let mut failures: Vec<FailureKind> = self.failures.into_values().collect();
        failures.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.kind.cmp(&b.kind)));
        failures.truncate(FAILURE_KINDS_KEPT);
        QuestionReport {
            dataset: options.dataset,
            figures: metrics::figures(&self.judged),
            thirds: metrics::thirds(&self.judged),
            by_type: metrics::by_kind(&self.judged),
            failures,
            false_hit_examples: self.false_hits,
            curve: metrics::curve(&self.judged, CURVE_POINTS),
            statements,
            remembered: None,
            unbounded: None,
            interrupted,
            settings: options.settings(),
        }
    }
}

fn how_it_failed(question: &Question, reply: &Reply) -> &'static str {
    if reply.refused || reply.values.is_empty() {
        return "refused";
    }
    if question.gold == crate::dataset::Gold::Refusal {
        return "answered";
    }
    let known = reply
        .values
        .iter()
        .filter(|value| question.gold.contains(value))
        .count();
    if known == 0 {
        "wrong"
    } else if known == reply.values.len() {
        "partial"
    } else if question.gold.recall(&reply.values) >= 1.0 {
        "too many"
    } else {
        "mixed"
    }
}

/// The same set of values, by IRI and label, in whatever order.
pub(crate) fn same_values(a: &[Value], b: &[Value]) -> bool {
    let keys = |values: &[Value]| {
        let mut keys: Vec<String> = values
            .iter()
            .map(|value| {
                value
                    .iri
                    .clone()
                    .unwrap_or_else(|| normalise_label(&value.label))
            })
            .collect();
        keys.sort();
        keys.dedup();
        keys
    };
    keys(a) == keys(b)
}

pub(crate) fn labels(values: &[Value]) -> Vec<String> {
    values.iter().map(|value| value.label.clone()).collect()
}

pub(crate) fn quote(mut labels: Vec<String>) -> Vec<String> {
    let all = labels.len();
    if all > VALUES_QUOTED {
        labels.truncate(VALUES_QUOTED);
        labels.push(format!("… {} more", all - VALUES_QUOTED));
    }
    labels
}

#[cfg(test)]
mod tests;
