//! What stands between a stage and its model?
//!
//! Wrappers that are models themselves. From the outside in, the usual order is [`ExactCache`],
//! [`Coalesce`], [`Structured`], [`Retry`], [`RateLimit`], [`Budget`], [`Meter`], then the model: so each
//! request that reaches a server, retries and repairs included, is limited, budgeted and metered.

mod budget;
mod coalesce;
mod exact_cache;
mod meter;
mod rate_limit;
mod retry;
mod structured;

pub use budget::{Budget, BudgetConfig, Price, Spent};
pub use coalesce::Coalesce;
pub use exact_cache::ExactCache;
pub use meter::{Meter, MeterRow};
pub use rate_limit::{RateLimit, RateLimitConfig};
#[cfg(feature = "openai")]
pub(crate) use retry::Attempts;
pub use retry::{Retry, RetryConfig};
pub use structured::Structured;
