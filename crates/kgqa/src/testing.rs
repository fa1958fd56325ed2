//! An in-memory graph for tests.
