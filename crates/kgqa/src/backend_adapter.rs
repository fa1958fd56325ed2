//! Which plans could the question mean on this graph? Stage 2 of CacheRAG's semantic parsing, built-in form.
//!
//! Every path that the schema allows out of the named entities, up to the depth bound, is scored by the alignment of
//! the question's words with it, by the neighbours' votes and by its length; markers wrap the best sets into counts,
//! orders, filters, comparisons and yes/no. Nothing is run here.

use language_model::Embedder;

use crate::alignment::{AlignmentConfig, WordGains};
use crate::execute::{Binding, Bound};
use crate::graph::Graph;
use crate::guidance::{Guidance, VoteConfig, Votes};
use crate::isr::{Isr, QuestionType};
use crate::local_schema::{Schema, SchemaError};
use crate::plan::Plan;

mod constructions;
mod paths;
mod sets;
mod words;

use constructions::Spoken;

/// Bounds and prices of compilation.
#[derive(Debug, Clone, PartialEq)]
pub struct CompileConfig {
    /// Most hops of a path (K_depth ≤ 3).
    pub max_depth: usize,
    /// Edges followed per node, the best by similarity (K_degree = 30).
    pub max_degree: usize,
    /// Whether a path that goes on branches into all of these edges (σ_breadth), or follows the one next relation with
    /// which it scores best (σ_depth alone). The first hop, the local schema of the named entities, always branches.
    pub breadth: bool,
    /// Paths kept per depth.
    pub beam: usize,
    /// Paths kept per name when several names restrict one set.
    pub paths_per_name: usize,
    /// Whether relations that a thing lacks, though things of its kind have them, are considered: asked for, they are
    /// refused.
    pub missing_facts: bool,
    /// Plans whose constructions are read.
    pub considered: usize,
    /// Plans returned.
    pub plans: usize,
    /// Prices of the alignment.
    pub alignment: AlignmentConfig,
    /// Evidence at which a word's learned meaning counts as much as its similarity.
    pub lexicon_prior: f64,
    /// How votes count.
    pub votes: VoteConfig,
}

impl Default for CompileConfig {
    fn default() -> Self {
        Self {
            max_depth: 3,
            max_degree: 30,
            breadth: true,
            beam: 600,
            paths_per_name: 24,
            missing_facts: true,
            considered: 64,
            plans: 24,
            lexicon_prior: 3.0,
            alignment: AlignmentConfig::default(),
            votes: VoteConfig::default(),
        }
    }
}

/// A plan with its bindings and its score.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The plan.
    pub plan: Plan,
    /// Its canonical text.
    pub template: String,
    /// What fills its slots.
    pub bindings: Vec<Binding>,
    /// Log-likelihood, higher is better; comparable within one question only.
    pub score: f32,
    /// The part of the score that the votes gave.
    pub vote: f32,
    /// Which word speaks for which predicate (IRI).
    pub alignment: Vec<(String, String)>,
    /// The question and the plan with those words and predicates left open.
    pub construction: Option<(String, String)>,
}

/// What compilation found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Compiled {
    /// Plans, best first.
    pub candidates: Vec<Candidate>,
    /// Edges left out by `max_degree`.
    pub edges_cut: usize,
    /// Paths left out by `beam`.
    pub paths_cut: usize,
    /// Predicates of the local schema, by label.
    pub schema: Vec<String>,
}

/// Everything compilation reads.
pub(crate) struct Compiler<'a> {
    pub(crate) graph: &'a dyn Graph,
    pub(crate) schema: &'a Schema,
    pub(crate) embedder: &'a dyn Embedder,
    pub(crate) guidance: &'a Guidance<'a>,
    pub(crate) config: &'a CompileConfig,
}

impl Compiler<'_> {
    /// The plans that the question could mean, best first.
    pub(crate) fn compile(&self, isr: &Isr) -> Result<Compiled, SchemaError> {
        let mut out = Compiled::default();
        if isr.mentions.is_empty() {
            return Ok(out);
        }
        let votes = Votes::count(&isr.masked, self.guidance, &self.config.votes);
        let words = self.word_gains(isr)?;
        match isr.question_type {
            QuestionType::YesNo => self.yes_no(isr, &words, &mut out)?,
            QuestionType::Comparison => self.comparison(isr, &words, &mut out)?,
            QuestionType::Simple
            | QuestionType::Count
            | QuestionType::Superlative
            | QuestionType::Filter
            | QuestionType::Conjunction => self.set_valued(isr, &words, &mut out)?,
        }
        for candidate in &mut out.candidates {
            candidate.template = candidate.plan.template();
            candidate.vote = if votes.is_empty() {
                0.0
            } else {
                votes.of(&candidate.template)
            };
            candidate.score += candidate.vote;
        }
        out.candidates.sort_by(|a, b| {
            b.score
                .total_cmp(&a.score)
                .then_with(|| a.template.cmp(&b.template))
        });
        out.candidates
            .dedup_by(|a, b| a.template == b.template && a.bindings == b.bindings);
        out.candidates
            .truncate(self.config.considered.max(self.config.plans));
        for candidate in &mut out.candidates {
            self.read_construction(isr, &words, candidate);
        }
        out.candidates.sort_by(|a, b| {
            b.score
                .total_cmp(&a.score)
                .then_with(|| a.template.cmp(&b.template))
        });
        out.candidates.truncate(self.config.plans);
        Ok(out)
    }

    /// Notes which words speak for which predicates, and lets experience with such a construction vote.
    fn read_construction(&self, isr: &Isr, words: &[WordGains], candidate: &mut Candidate) {
        let spoken = self.trace(isr, words, &candidate.plan);
        candidate.alignment = spoken
            .iter()
            .map(|&(w, p)| {
                (
                    isr.words[w].text.clone(),
                    self.schema.entries()[p].iri.clone(),
                )
            })
            .collect();
        // A word that is only put up with, for want of a better step, is no open place.
        let spoken: Vec<Spoken<'_>> = spoken
            .iter()
            .filter(|&&(w, p)| words[w].speaks_for(p))
            .map(|&(w, p)| Spoken {
                word: &isr.words[w],
                predicate: &self.schema.entries()[p].iri,
            })
            .collect();
        candidate.construction = constructions::construction(isr, &spoken, &candidate.template);
        if let (Some(lexicon), Some(construction)) =
            (self.guidance.lexicon, &candidate.construction)
        {
            let vote = constructions::vote(lexicon, construction, &self.config.votes);
            candidate.vote += vote;
            candidate.score += vote;
        }
    }

    fn bindings(&self, isr: &Isr) -> Vec<Binding> {
        let mut out: Vec<Binding> = isr
            .mentions
            .iter()
            .map(|m| Binding {
                slot: m.slot,
                bound: Bound::Entities(m.ids()),
            })
            .collect();
        if let Some(found) = &isr.comparator {
            out.push(Binding {
                slot: found.slot,
                bound: Bound::Number(found.number),
            });
        }
        out
    }

    fn candidate(&self, isr: &Isr, plan: Plan, score: f32) -> Candidate {
        Candidate {
            template: String::new(),
            bindings: self.bindings(isr),
            plan,
            score,
            vote: 0.0,
            alignment: Vec::new(),
            construction: None,
        }
    }
}
