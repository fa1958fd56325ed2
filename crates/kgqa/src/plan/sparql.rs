//! How does a plan read as SPARQL?
