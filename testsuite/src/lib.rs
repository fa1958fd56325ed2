//! Dataset runners.
