//! Placeholder so that the manifest parses; MEMORY replaces it.
fn main() {}
