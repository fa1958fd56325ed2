//! What does a language model add to a warm start, and what may it cost?
//!
//! One call a star words its questions as people would; what the planner then is unsure of it may plan. Calls are counted
//! over the whole run: no call is begun that could pass the bound.

use std::time::{Duration, Instant};

use kgqa::auto_generation::Generated;
use kgqa::auto_generation::rephrase::{RephraseConfig, RephraseError, Rephrased, rephrase};
use language_model::{Retry, RetryConfig, Structured};

use super::{WarmReport, WarmRequest};
use crate::answer::ModelUse;
use crate::budget::Budget;
use crate::config::BudgetConfig;
use crate::consult::Drawn;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::source::View;

/// Calls that one star's wordings may take: a reply that cannot be used is asked for once more.
const CALLS_A_STAR: u32 = 2;
/// Tokens of instructions, schema and reply of one call, about.
const TOKENS_A_CALL: u64 = 700;

impl Engine {
    /// Wordings of a star's questions; none without a model, or when its calls are used up.
    pub(super) fn wordings(
        &self,
        view: &View,
        questions: &[Generated],
        request: &WarmRequest<'_>,
        report: &mut WarmReport,
    ) -> Result<Vec<Generated>, EngineError> {
        let left = request.model_calls.saturating_sub(report.model_calls);
        let Some(model) = self.model.as_deref().filter(|_| left > 0) else {
            return Ok(Vec::new());
        };
        let budget = Budget::new(&BudgetConfig {
            model_calls: left.min(CALLS_A_STAR),
            ..self.config.budget.clone()
        });
        let asked = Structured::new(Retry::new(
            Drawn::new(model, &budget),
            RetryConfig::default(),
            || 0.5,
        ));
        let config = RephraseConfig {
            namespace: request.namespace.clone(),
            deadline: Some(Instant::now() + Duration::from_secs(self.config.model.timeout_s)),
        };
        let rephrased = rephrase(&asked, &view.graph, questions, &config);
        report.model_calls += budget.calls();
        report.tokens += budget.tokens();
        let rephrased = match rephrased {
            Ok(rephrased) => rephrased,
            Err(RephraseError::Generation(error)) => return Err(error.into()),
            // The templates' questions stand without the wordings.
            Err(error) => {
                report.model_error.get_or_insert(error.to_string());
                Rephrased::default()
            }
        };
        for (why, count) in rephrased.left_out {
            *report.left_out.entry(why.to_owned()).or_default() += count;
        }
        Ok(rephrased.questions)
    }

    /// Whether a model may plan a generated question: while a question's whole budget of calls is left.
    pub(super) fn may_plan(&self, request: &WarmRequest<'_>, report: &WarmReport) -> ModelUse {
        let most = self.config.budget.model_calls;
        if report.model_calls.saturating_add(most) <= request.model_calls {
            ModelUse::Allowed
        } else {
            ModelUse::Off
        }
    }

    /// Adds what a star's questions would cost, about.
    pub(super) fn estimate(
        &self,
        questions: &[Generated],
        request: &WarmRequest<'_>,
        report: &mut WarmReport,
    ) {
        report.made += questions.len();
        if self.model.is_none() || questions.is_empty() || report.model_calls >= request.model_calls
        {
            return;
        }
        report.model_calls += 1;
        let texts = questions.iter();
        let tokens = texts.map(|q| language_model::estimate_tokens(&q.question));
        report.tokens += TOKENS_A_CALL + 2 * tokens.sum::<u64>();
    }
}
