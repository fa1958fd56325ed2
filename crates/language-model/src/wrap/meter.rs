//! Who asked how often, and what did it take?
//!
//! A ledger by stage, namespace and model. It stands next to the model, inside retries and repairs,
//! and so has a line for every request that was sent.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::{
    ChatRequest, Clock, Completion, LanguageModel, ModelError, MonotonicClock, Origin, Usage,
};

/// Lines that are kept apart; what comes after them is counted under the namespace `…`.
const MAX_LINES: usize = 65_536;
/// The namespace of what found no line of its own.
const OTHERS: &str = "…";

/// One line of the ledger.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MeterRow {
    /// The stage that asked.
    pub stage: String,
    /// On whose behalf.
    pub namespace: String,
    /// The model that was asked.
    pub model: String,
    /// Calls, failed ones included.
    pub calls: u64,
    /// Calls that failed.
    pub errors: u64,
    /// Calls whose tokens are estimates.
    pub estimated_calls: u64,
    /// Tokens of prompts.
    pub prompt_tokens: u64,
    /// Tokens of replies.
    pub completion_tokens: u64,
    /// Time within the calls.
    pub time: Duration,
}

type Lines = BTreeMap<(String, String), MeterRow>;

/// Counts calls, tokens, errors and time.
pub struct Meter<M> {
    inner: M,
    lines: Mutex<Lines>,
    clock: Arc<dyn Clock>,
}

impl<M: std::fmt::Debug> std::fmt::Debug for Meter<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Meter")
            .field("inner", &self.inner)
            .finish_non_exhaustive()
    }
}

impl<M> Meter<M> {
    /// An empty ledger; time is the machine's.
    pub fn new(inner: M) -> Self {
        Self::with_clock(inner, Arc::new(MonotonicClock))
    }

    /// An empty ledger with another clock.
    pub fn with_clock(inner: M, clock: Arc<dyn Clock>) -> Self {
        Self {
            inner,
            lines: Mutex::default(),
            clock,
        }
    }

    /// The ledger, by stage, then namespace.
    #[must_use]
    pub fn snapshot(&self) -> Vec<MeterRow> {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.values().cloned().collect()
    }

    /// The sum of all lines, with empty names.
    #[must_use]
    pub fn total(&self) -> MeterRow {
        let mut sum = MeterRow::default();
        for row in self.snapshot() {
            sum.calls += row.calls;
            sum.errors += row.errors;
            sum.estimated_calls += row.estimated_calls;
            sum.prompt_tokens += row.prompt_tokens;
            sum.completion_tokens += row.completion_tokens;
            sum.time += row.time;
        }
        sum
    }

    fn count(&self, request: &ChatRequest, usage: Usage, failed: bool, time: Duration)
    where
        M: LanguageModel,
    {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let mut key = (request.stage.clone(), request.namespace.clone());
        if lines.len() >= MAX_LINES && !lines.contains_key(&key) {
            key.1 = OTHERS.to_owned();
        }
        let row = lines.entry(key.clone()).or_insert_with(|| MeterRow {
            stage: key.0,
            namespace: key.1,
            model: self.inner.model().to_owned(),
            ..MeterRow::default()
        });
        row.calls += 1;
        row.errors += u64::from(failed);
        row.estimated_calls += u64::from(usage.estimated);
        row.prompt_tokens += usage.prompt_tokens;
        row.completion_tokens += usage.completion_tokens;
        row.time += time;
    }
}

impl<M: LanguageModel> LanguageModel for Meter<M> {
    fn complete(
        &self,
        request: &ChatRequest,
        stream: &mut dyn FnMut(&str),
    ) -> Result<Completion, ModelError> {
        let begin = self.clock.now();
        let reply = self.inner.complete(request, stream);
        let time = self.clock.now().saturating_duration_since(begin);
        match &reply {
            Ok(completion) => {
                let usage = match completion.origin {
                    Origin::Model | Origin::Replayed => completion.usage,
                    Origin::Coalesced | Origin::Cached => Usage::default(),
                };
                self.count(request, usage, false, time);
            }
            Err(error) => self.count(request, error.usage(), true, time),
        }
        reply
    }

    fn model(&self) -> &str {
        self.inner.model()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Message, Scripted, no_stream};

    #[test]
    fn the_ledger_is_what_the_calls_took_whoever_made_them() {
        let meter = Meter::new(Scripted::function(|request| Ok(request.stage.clone())));
        let request = |stage: &str, namespace: &str| {
            let mut request = ChatRequest::new(stage, vec![Message::user("a question")]);
            request.namespace = namespace.to_owned();
            request
        };
        let asked = [
            request("parse", "b"),
            request("parse", "a"),
            request("compile", "a"),
        ];
        let one: u64 = asked
            .iter()
            .map(|r| Usage::estimate(r, &r.stage).total())
            .sum();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for request in asked.iter().cycle().take(300) {
                        meter.complete(request, &mut no_stream).unwrap();
                    }
                });
            }
        });
        let rows = meter.snapshot();
        let names: Vec<_> = rows
            .iter()
            .map(|row| format!("{}/{}: {}", row.stage, row.namespace, row.calls))
            .collect();
        assert_eq!(names, ["compile/a: 400", "parse/a: 400", "parse/b: 400"]);
        let total = meter.total();
        assert_eq!(total.prompt_tokens + total.completion_tokens, 400 * one);
        assert_eq!((total.estimated_calls, total.errors), (1200, 0));
    }

    #[test]
    fn a_failed_call_is_counted_with_what_it_took() {
        let usage = Usage {
            prompt_tokens: 5,
            completion_tokens: 7,
            estimated: true,
        };
        let cut = ModelError::CutStream {
            endpoint: "e".into(),
            received: 3,
            usage,
        };
        let meter = Meter::new(Scripted::queue([Err(cut)]));
        let request = ChatRequest::new("s", vec![Message::user("q")]);
        assert!(meter.complete(&request, &mut no_stream).is_err());
        let total = meter.total();
        assert_eq!((total.calls, total.errors), (1, 1));
        assert_eq!((total.prompt_tokens, total.completion_tokens), (5, 7));
    }
}
