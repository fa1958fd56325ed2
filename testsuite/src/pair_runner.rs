//! Is a question ever served with another question's answer, and are paraphrases recognised?

use std::collections::BTreeMap;

use anyhow::Context;

use crate::dataset::{GraphName, Pair};
use crate::metrics;
use crate::options::{EvalOptions, FeedbackMode};
use crate::progress::Progress;
use crate::report::{PairExample, PairFigures, PairReport};
use crate::runner::{arrange, labels, load_graphs, quote, same_values};
use crate::system::{Reply, System};

/// Examples kept of each thing that can go wrong.
const EXAMPLES_PER_FAULT: usize = 20;
/// The running figures in the progress bar are renewed every so many pairs.
const NOTE_EVERY: usize = 10;

/// Asks each pair's first question, then its second, in a memory of their own.
///
/// # Errors
/// When a graph cannot be loaded or the system fails.
pub fn run_pairs(
    system: &mut dyn System,
    mut pairs: Vec<Pair>,
    options: &EvalOptions,
    progress: &mut dyn Progress,
) -> anyhow::Result<PairReport> {
    arrange(&mut pairs, options);
    let mut graphs: Vec<GraphName> = pairs.iter().map(|pair| pair.graph).collect();
    graphs.sort_unstable();
    graphs.dedup();
    load_graphs(system, &graphs, options, progress)?;
    let mut all = Tally::default();
    let mut kinds: BTreeMap<String, Tally> = BTreeMap::new();
    let mut examples = Examples::default();
    let mut interrupted = false;
    progress.begin(options.dataset.as_str(), pairs.len());
    for (index, pair) in pairs.iter().enumerate() {
        if progress.stopped() {
            interrupted = true;
            break;
        }
        let asked = ask_pair(system, pair, options)?;
        all.add(pair, &asked);
        kinds
            .entry(pair.kind.clone())
            .or_default()
            .add(pair, &asked);
        examples.add(pair, &asked);
        if index % NOTE_EVERY == 0 {
            progress.advance(index, &all.note());
        }
    }
    progress.finish();
    Ok(PairReport {
        dataset: options.dataset,
        questions: all.asked,
        figures: all.figures(),
        by_kind: kinds
            .into_iter()
            .map(|(kind, tally)| (kind, tally.figures()))
            .collect(),
        examples: examples.kept,
        interrupted,
        settings: options.settings(),
    })
}

/// Both replies of a pair, judged.
struct AskedPair {
    first_right: bool,
    second_right: bool,
    /// The second was a hit through the experience that the first made.
    through_first: bool,
    same_values: bool,
    same_query: bool,
    second: Reply,
}

fn ask_pair(
    system: &mut dyn System,
    pair: &Pair,
    options: &EvalOptions,
) -> anyhow::Result<AskedPair> {
    system.fresh_memory()?;
    let first = system
        .ask(pair.graph, &pair.first)
        .with_context(|| format!("pair {}: {}", pair.id, pair.first))?;
    let first_right = pair.first_gold.accepts(&first.values, first.refused);
    if options.feedback == FeedbackMode::Gold {
        system.feedback(&first.id, first_right)?;
    }
    system.settle()?;
    let second = system
        .ask(pair.graph, &pair.second)
        .with_context(|| format!("pair {}: {}", pair.id, pair.second))?;
    Ok(AskedPair {
        first_right,
        second_right: pair.second_gold.accepts(&second.values, second.refused),
        // The memory is fresh: whatever was hit that the system cannot name came from the first.
        through_first: second.hit_kind.is_hit()
            && second
                .source
                .as_ref()
                .is_none_or(|source| source.question == pair.first),
        same_values: !second.values.is_empty() && same_values(&first.values, &second.values),
        same_query: second.sparql.is_some() && first.sparql == second.sparql,
        second,
    })
}

impl AskedPair {
    fn false_hit(&self, pair: &Pair) -> bool {
        !pair.same && self.through_first && self.same_values
    }

    fn reused(&self) -> bool {
        self.second.hit_kind.is_hit()
    }
}

/// Counts over pairs.
#[derive(Debug, Default)]
struct Tally {
    asked: usize,
    second_right: usize,
    figures: PairFigures,
    hit_micros: Vec<u64>,
}

impl Tally {
    fn add(&mut self, pair: &Pair, asked: &AskedPair) {
        self.asked += 1;
        self.second_right += usize::from(asked.second_right);
        let figures = &mut self.figures;
        if pair.same {
            figures.paraphrases += 1;
            if asked.first_right {
                figures.paraphrases_possible += 1;
                figures.paraphrases_reused += usize::from(asked.reused());
                figures.reused_right += usize::from(asked.reused() && asked.second_right);
            }
        } else {
            figures.different += 1;
            figures.false_hits += usize::from(asked.false_hit(pair));
            figures.reused_template_same_entity +=
                usize::from(asked.through_first && asked.same_query);
            figures.wrong_hits += usize::from(asked.reused() && !asked.second_right);
        }
        if asked.reused() {
            self.hit_micros.push(asked.second.micros);
        }
    }

    fn figures(self) -> PairFigures {
        let possible = self.figures.paraphrases_possible;
        PairFigures {
            paraphrase_reuse: (possible > 0)
                .then(|| metrics::share(self.figures.paraphrases_reused, possible)),
            second_accuracy: metrics::share(self.second_right, self.asked),
            hit_latency_ms: metrics::latency(self.hit_micros.into_iter()),
            ..self.figures
        }
    }

    fn note(&self) -> String {
        format!(
            "false hits {}, reused {}/{}",
            self.figures.false_hits,
            self.figures.paraphrases_reused,
            self.figures.paraphrases_possible
        )
    }
}

/// The pairs a report quotes.
#[derive(Debug, Default)]
struct Examples {
    kept: Vec<PairExample>,
}

impl Examples {
    fn add(&mut self, pair: &Pair, asked: &AskedPair) {
        let what = if asked.false_hit(pair) {
            "false hit"
        } else if !pair.same && asked.reused() && !asked.second_right {
            "wrong hit"
        } else if pair.same && asked.first_right && !asked.reused() {
            "not reused"
        } else {
            return;
        };
        let already = self.kept.iter().filter(|one| one.what == what).count();
        if already < EXAMPLES_PER_FAULT {
            self.kept.push(PairExample {
                what,
                kind: pair.kind.clone(),
                first: pair.first.clone(),
                second: pair.second.clone(),
                given: quote(labels(&asked.second.values)),
                reason: asked.second.reason.clone(),
            });
        }
    }
}

#[cfg(test)]
mod tests;
