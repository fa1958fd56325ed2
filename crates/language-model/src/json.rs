//! How is JSON read that a model wrote?
//!
//! [`candidates`] reads what is meant, [`schema::check`] holds it against a schema. Both are
//! pure, bounded and never panic, whatever the text is.

pub mod schema;

mod lenient;
mod thoughts;

pub use lenient::{Candidate, candidates};
pub use thoughts::without_thoughts;
