//! How much may be spent?
//!
//! Calls, tokens and money. A call is let through while what was spent is below every limit, counting
//! for each call in flight the most it can take; so however many threads ask, what is spent exceeds a
//! limit by less than one call. A call that finds its limit taken by calls in flight waits for them.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::{BudgetKind, ChatRequest, Completion, LanguageModel, ModelError, Usage, tokens};

/// How long a waiting call sleeps before it looks at its deadline again.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// What a model charges.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Price {
    /// Dollars for a million tokens of prompt.
    pub prompt_dollars_per_million: f64,
    /// Dollars for a million tokens of reply.
    pub completion_dollars_per_million: f64,
}

impl Price {
    /// The cost in billionths of a millionth of a dollar (10⁻¹² dollars): integers, so that sums do not
    /// depend on the order of calls.
    #[must_use]
    pub fn picodollars(&self, usage: Usage) -> u128 {
        let part = |tokens: u64, dollars: f64| u128::from(tokens) * u128::from(micro(dollars));
        part(usage.prompt_tokens, self.prompt_dollars_per_million)
            + part(usage.completion_tokens, self.completion_dollars_per_million)
    }

    fn highest(&self) -> f64 {
        self.prompt_dollars_per_million
            .max(self.completion_dollars_per_million)
    }
}

/// Dollars in millionths; 0 for what is no amount, at most 10¹² of them.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to a range that fits"
)]
fn micro(dollars: f64) -> u64 {
    (dollars * 1e6).round().clamp(0.0, 1e12) as u64
}

/// The limits of [`Budget`]; what is absent has none.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct BudgetConfig {
    /// Calls, at most.
    pub max_calls: Option<u64>,
    /// Tokens of prompts and replies, at most.
    pub max_tokens: Option<u64>,
    /// Dollars, at most, by [`price`](Self::price).
    pub max_dollars: Option<f64>,
    /// What the model charges.
    pub price: Price,
}

/// What was spent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spent {
    /// Calls that were let through.
    pub calls: u64,
    /// Tokens of prompts and replies.
    pub tokens: u64,
    /// Money, in 10⁻¹² dollars.
    pub picodollars: u128,
}

#[derive(Debug, Default)]
struct Account {
    spent: Spent,
    reserved_tokens: u64,
    reserved_picodollars: u128,
    in_flight: u32,
}

/// Lets calls through until a limit is reached.
#[derive(Debug)]
pub struct Budget<M> {
    inner: M,
    config: BudgetConfig,
    account: Mutex<Account>,
    settled: Condvar,
}

/// What a call in flight holds; given back when it ends, even by a panic.
struct Reservation<'a> {
    account: &'a Mutex<Account>,
    settled: &'a Condvar,
    price: Price,
    tokens: u64,
    picodollars: u128,
    usage: Usage,
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        let mut account = self.account.lock().unwrap_or_else(PoisonError::into_inner);
        account.in_flight -= 1;
        account.reserved_tokens -= self.tokens;
        account.reserved_picodollars -= self.picodollars;
        account.spent.tokens = account.spent.tokens.saturating_add(self.usage.total());
        account.spent.picodollars += self.price.picodollars(self.usage);
        drop(account);
        self.settled.notify_all();
    }
}

impl<M> Budget<M> {
    /// A budget of which nothing is spent.
    pub fn new(inner: M, config: BudgetConfig) -> Self {
        Self::resumed(inner, config, Spent::default())
    }

    /// A budget of which something was spent before, such as in an interrupted run.
    pub fn resumed(inner: M, config: BudgetConfig, spent: Spent) -> Self {
        Self {
            inner,
            config,
            account: Mutex::new(Account {
                spent,
                ..Account::default()
            }),
            settled: Condvar::new(),
        }
    }

    /// What was spent so far, calls in flight not counted but as calls.
    #[must_use]
    pub fn spent(&self) -> Spent {
        self.lock().spent
    }

    fn lock(&self) -> MutexGuard<'_, Account> {
        self.account.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn max_picodollars(&self) -> Option<u128> {
        let dollars = self.config.max_dollars?;
        Some(u128::from(micro(dollars)) * 1_000_000)
    }

    /// The limit that what was spent has reached.
    fn exhausted(&self, spent: &Spent) -> Option<ModelError> {
        let of = |which, limit| ModelError::BudgetExhausted { which, limit };
        let (calls, tokens) = (self.config.max_calls, self.config.max_tokens);
        if let Some(limit) = calls.filter(|limit| spent.calls >= *limit) {
            return Some(of(BudgetKind::Calls, limit));
        }
        if let Some(limit) = tokens.filter(|limit| spent.tokens >= *limit) {
            return Some(of(BudgetKind::Tokens, limit));
        }
        let dollars = self.max_picodollars();
        dollars
            .filter(|limit| spent.picodollars >= *limit)
            .map(|_| {
                of(
                    BudgetKind::MicroDollars,
                    micro(self.config.max_dollars.unwrap_or(0.0)),
                )
            })
    }

    /// Whether calls in flight may use up a limit that is not used up yet.
    fn taken(&self, account: &Account) -> bool {
        let spent = &account.spent;
        let tokens = spent.tokens.saturating_add(account.reserved_tokens);
        let picodollars = spent.picodollars + account.reserved_picodollars;
        self.config.max_tokens.is_some_and(|limit| tokens >= limit)
            || self
                .max_picodollars()
                .is_some_and(|limit| picodollars >= limit)
    }

    fn reserve(&self, request: &ChatRequest) -> Result<Reservation<'_>, ModelError>
    where
        M: LanguageModel,
    {
        let begin = Instant::now();
        let tokens = tokens::upper_bound(request);
        let picodollars = u128::from(tokens) * u128::from(micro(self.config.price.highest()));
        let mut account = self.lock();
        loop {
            if let Some(error) = self.exhausted(&account.spent) {
                return Err(error);
            }
            if account.in_flight == 0 || !self.taken(&account) {
                break;
            }
            if request.deadline.is_some_and(|end| Instant::now() >= end) {
                return Err(ModelError::Timeout {
                    endpoint: format!("the budget of {}", self.inner.model()),
                    limit: begin.elapsed(),
                    usage: Usage::default(),
                });
            }
            let waited = self.settled.wait_timeout(account, LOOK_AGAIN);
            account = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        account.spent.calls += 1;
        account.in_flight += 1;
        account.reserved_tokens += tokens;
        account.reserved_picodollars += picodollars;
        Ok(Reservation {
            account: &self.account,
            settled: &self.settled,
            price: self.config.price,
            tokens,
            picodollars,
            usage: Usage::default(),
        })
    }
}

impl<M: LanguageModel> LanguageModel for Budget<M> {
    fn complete(
        &self,
        request: &ChatRequest,
        stream: &mut dyn FnMut(&str),
    ) -> Result<Completion, ModelError> {
        let mut reservation = self.reserve(request)?;
        let reply = self.inner.complete(request, stream);
        reservation.usage = match &reply {
            Ok(completion) => completion.usage,
            Err(error) => error.usage(),
        };
        reply
    }

    fn model(&self) -> &str {
        self.inner.model()
    }
}

#[cfg(test)]
mod tests;
