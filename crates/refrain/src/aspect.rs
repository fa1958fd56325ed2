//! What is a question about at its core? Its aspect, the second layer of the memory's index (CacheRAG §4.2).
//!
//! The label of the predicate that its words are most like; one of the domain's existing aspects when that is nearly the same.
//! Deterministic: the same question gets the same aspect as long as the predicates stay.

use kgqa::isr::Isr;
use kgqa::local_schema::{Schema, SchemaError};
use language_model::Embedder;
use memory::Memory;

/// From this cosine on two aspects are one.
const SAME_ASPECT: f32 = 0.8;

/// Existing aspects that are compared.
const MAX_COMPARED: usize = 256;

/// The aspect of a question that no predicate fits.
const UNKNOWN: &str = "general";

/// The aspect of a question.
///
/// # Errors
/// When a word cannot be embedded.
pub(crate) fn assign(
    memory: &Memory,
    domain: &str,
    isr: &Isr,
    schema: &Schema,
    embedder: &dyn Embedder,
) -> Result<String, SchemaError> {
    let mut best: Option<(f32, usize)> = None;
    for word in &isr.words {
        let gains = schema.gains(&word.text, embedder)?;
        for (position, gain) in gains.iter().enumerate() {
            if best.is_none_or(|(most, _)| *gain > most) {
                best = Some((*gain, position));
            }
        }
    }
    let Some((_, position)) = best else {
        return Ok(UNKNOWN.to_owned());
    };
    let label = schema.entries()[position].label.clone();
    let existing = memory.aspects(domain);
    if existing.is_empty() || existing.iter().any(|(known, _)| **known == *label) {
        return Ok(label);
    }
    let mut texts = vec![label.as_str()];
    texts.extend(
        existing
            .iter()
            .take(MAX_COMPARED)
            .map(|(known, _)| known.as_ref()),
    );
    let vectors = embedder.embed(&texts)?;
    let (own, others) = match vectors.split_first() {
        Some(split) => split,
        None => return Ok(label),
    };
    let nearest = others
        .iter()
        .zip(&existing)
        .map(|(vector, (known, _))| (own.cosine(vector), known))
        .max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| b.1.cmp(a.1)));
    Ok(match nearest {
        Some((cosine, known)) if cosine >= SAME_ASPECT => known.to_string(),
        _ => label,
    })
}
