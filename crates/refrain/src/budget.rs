//! How much may one question still use?
//!
//! One [`Budget`] a question; every stage draws from it. Graph reads are drawn by [`Metered`], which stands between the planner and the
//! graph, so that no plan can read past the bound: what is over it comes back as an empty page with more behind, which the planner reports
//! as cut.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use kgqa::graph::{Edge, Graph, GraphError, Page, PredicateCount, TermId};
use language_model::{BudgetKind, ModelError};
use oxrdf::Term;

use crate::config::BudgetConfig;

/// What one question may use, and has used.
#[derive(Debug)]
pub struct Budget {
    limits: BudgetConfig,
    started: Instant,
    rows: AtomicU64,
    exhausted: AtomicBool,
    calls: AtomicU32,
    tokens: AtomicU64,
}

impl Budget {
    /// A fresh budget; its time starts now.
    pub fn new(limits: &BudgetConfig) -> Self {
        Self {
            limits: limits.clone(),
            started: Instant::now(),
            rows: AtomicU64::new(0),
            exhausted: AtomicBool::new(false),
            calls: AtomicU32::new(0),
            tokens: AtomicU64::new(0),
        }
    }

    /// Takes one call of a language model, if one is left and its prompt, of about so many tokens, fits.
    ///
    /// # Errors
    /// [`ModelError::BudgetExhausted`] when the calls or the tokens are used up; a reply may take more than is left.
    pub fn draw_call(&self, prompt_tokens: u64) -> Result<(), ModelError> {
        if self.tokens().saturating_add(prompt_tokens) > self.limits.tokens {
            return Err(ModelError::BudgetExhausted {
                which: BudgetKind::Tokens,
                limit: self.limits.tokens,
            });
        }
        let most = self.limits.model_calls;
        let more = |calls: u32| (calls < most).then_some(calls + 1);
        self.calls
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, more)
            .map(|_| ())
            .map_err(|_| ModelError::BudgetExhausted {
                which: BudgetKind::Calls,
                limit: u64::from(most),
            })
    }

    /// Counts tokens that a call took.
    pub fn spend_tokens(&self, tokens: u64) {
        self.tokens.fetch_add(tokens, Ordering::Relaxed);
    }

    /// Model calls made.
    pub fn calls(&self) -> u32 {
        self.calls.load(Ordering::Relaxed)
    }

    /// Tokens sent to and received from a model.
    pub fn tokens(&self) -> u64 {
        self.tokens.load(Ordering::Relaxed)
    }

    /// How many of `wanted` rows may be read now.
    fn allow(&self, wanted: usize) -> usize {
        let used = self.rows.load(Ordering::Relaxed);
        let left = self.limits.rows.saturating_sub(used);
        let allowed = wanted.min(usize::try_from(left).unwrap_or(usize::MAX));
        if allowed == 0 || self.elapsed() > Duration::from_millis(self.limits.time_ms) {
            self.exhausted.store(true, Ordering::Relaxed);
            return 0;
        }
        allowed
    }

    fn spend(&self, rows: usize) {
        self.rows
            .fetch_add(u64::try_from(rows).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// Rows read.
    pub fn rows(&self) -> u64 {
        self.rows.load(Ordering::Relaxed)
    }

    /// Time since the question was asked.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// What ran out, in words; `None` while nothing has.
    pub fn exhausted(&self) -> Option<String> {
        if !self.exhausted.load(Ordering::Relaxed) {
            return None;
        }
        Some(if self.rows() >= self.limits.rows {
            format!(
                "the question's budget of {} rows was used up",
                self.limits.rows
            )
        } else {
            format!(
                "the question's time of {} ms was used up",
                self.limits.time_ms
            )
        })
    }
}

/// A graph whose reads are drawn from a budget.
pub struct Metered<'a> {
    graph: &'a dyn Graph,
    budget: &'a Budget,
}

impl<'a> Metered<'a> {
    /// `graph`, drawing from `budget`.
    pub fn new(graph: &'a dyn Graph, budget: &'a Budget) -> Self {
        Self { graph, budget }
    }
}

impl Graph for Metered<'_> {
    fn generation(&self) -> u64 {
        self.graph.generation()
    }

    fn term(&self, id: TermId) -> Result<Term, GraphError> {
        self.graph.term(id)
    }

    fn id(&self, term: &Term) -> Result<Option<TermId>, GraphError> {
        self.graph.id(term)
    }

    fn label(&self, id: TermId) -> Result<String, GraphError> {
        self.graph.label(id)
    }

    fn link(&self, normalised: &str, limit: usize) -> Result<Vec<TermId>, GraphError> {
        self.graph.link(normalised, limit)
    }

    fn link_fuzzy(&self, normalised: &str, limit: usize) -> Result<Vec<(TermId, u32)>, GraphError> {
        if self.budget.allow(limit) == 0 {
            return Ok(Vec::new());
        }
        self.graph.link_fuzzy(normalised, limit)
    }

    fn signature(&self, id: TermId) -> Result<Arc<[Edge]>, GraphError> {
        self.graph.signature(id)
    }

    fn step(&self, id: TermId, edge: Edge, limit: usize) -> Result<Page, GraphError> {
        let allowed = self.budget.allow(limit);
        if allowed == 0 {
            return Ok(Page {
                ids: Vec::new(),
                more: true,
            });
        }
        let page = self.graph.step(id, edge, allowed)?;
        self.budget.spend(page.ids.len());
        Ok(page)
    }

    fn sample(&self, predicate: TermId, limit: usize) -> Result<Vec<(TermId, TermId)>, GraphError> {
        // What a sample finds is kept for all later questions, so it is not this one's to pay or to cut short.
        self.graph.sample(predicate, limit)
    }

    fn predicates(&self) -> Result<Arc<[PredicateCount]>, GraphError> {
        self.graph.predicates()
    }
}
