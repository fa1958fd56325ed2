//! Does a sentence say what a claim says, as far as words can tell?
//!
//! The stand-in for an entailment model, always labelled lexical: entities, numbers and rare words of the claim must
//! stand in the premise, and both must deny or affirm. It does not understand: a paraphrase fails, a swap of subject and
//! object passes.

use similarity::bm25::Bm25;

use crate::recogniser::word_lists::is_function_word;
use crate::recogniser::{Casing, Recogniser};
use crate::token::{Encoded, fold, tokens};

const NEGATIONS: [&str; 9] = [
    "cannot", "neither", "never", "no", "nobody", "none", "nor", "not", "without",
];

/// A claim, taken apart once.
#[derive(Debug, Clone)]
pub(crate) struct Claim {
    entities: Vec<String>,
    numbers: Vec<String>,
    words: Vec<String>,
    negative: bool,
}

impl Claim {
    pub(crate) fn new(text: &str, recogniser: &Recogniser) -> Self {
        let mentions = recogniser.mentions(text, Casing::of(text));
        let words = tokens(text);
        Self {
            entities: mentions
                .into_iter()
                .map(|m| Encoded::new(&text[m.span]).text)
                .collect(),
            numbers: words
                .iter()
                .filter(|t| t.is_number())
                .map(|t| Encoded::new(t.text).text)
                .collect(),
            words: content_words(text),
            negative: negative(text),
        }
    }

    /// Whether it says anything that can be checked.
    pub(crate) fn is_checkable(&self) -> bool {
        !self.entities.is_empty() || !self.numbers.is_empty()
    }

    /// The claim's words that say something.
    pub(crate) fn words(&self) -> &[String] {
        &self.words
    }
}

/// The words of a text that are no function words, as [`language_model::words`] has them.
pub(crate) fn content_words(text: &str) -> Vec<String> {
    let words = language_model::words::words(text).into_iter();
    words.filter(|word| !is_function_word(word)).collect()
}

/// Whether a text denies: an odd number of "not", "never" and the like.
pub(crate) fn negative(text: &str) -> bool {
    let denies = |word: &str| NEGATIONS.contains(&word) || word.ends_with("n't");
    tokens(text)
        .iter()
        .filter(|t| denies(&fold(t.text)))
        .count()
        % 2
        == 1
}

/// The least weight of a word: in a few documents every word is in most of them, and still says something.
const LEAST_WEIGHT: f64 = 0.05;

/// The share, by weight, of words that stand in `text`, whatever their endings; 1 without words.
pub(crate) fn word_cover(words: &[String], text: &[String], idf: &Bm25) -> f64 {
    let weight = |word: &String| f64::from(idf.idf(word)).max(LEAST_WEIGHT);
    let total: f64 = words.iter().map(weight).sum();
    let covered: f64 = words
        .iter()
        .filter(|w| stands_in(w, text))
        .map(weight)
        .sum();
    if total > 0.0 { covered / total } else { 1.0 }
}

/// Whether a word stands in a text, with this or another ending.
pub(crate) fn stands_in(word: &str, text: &[String]) -> bool {
    text.iter().any(|other| is_inflected(word, other))
}

/// Whether two words are one word with two endings ("die", "died"), as far as their letters tell.
fn is_inflected(a: &str, b: &str) -> bool {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if short == long {
        return true;
    }
    let ends = |stem: &str, endings: &[&str]| {
        stem.len() >= 2
            && long
                .strip_prefix(stem)
                .is_some_and(|end| endings.contains(&end))
    };
    short.len() >= 3
        && (ends(short, &["s", "es", "d", "ed", "ing", "n", "en"])
            || short
                .strip_suffix('e')
                .is_some_and(|stem| ends(stem, &["ing"]))
            || short
                .strip_suffix('y')
                .is_some_and(|stem| ends(stem, &["ies", "ied"])))
}

fn share(parts: &[String], text: &str) -> f64 {
    let covered = parts
        .iter()
        .filter(|part| text.contains(part.as_str()))
        .count();
    if parts.is_empty() {
        1.0
    } else {
        covered as f64 / parts.len() as f64
    }
}

/// How well `sentence`, read with its `context` before it, supports the claim, in [0, 1]:
/// `min(entity cover, number cover) · (0.5 + 0.5 · idf-weighted word cover)`, and 0 where one denies and the other affirms.
pub(crate) fn support(claim: &Claim, context: &str, sentence: &str, idf: &Bm25) -> f64 {
    if claim.negative != negative(sentence) {
        return 0.0;
    }
    let premise = format!("{context} {sentence}");
    let encoded = Encoded::new(&premise).text;
    let entities = share(&claim.entities, &encoded);
    let numbers = share(&claim.numbers, &encoded);
    let words = word_cover(&claim.words, &content_words(&premise), idf);
    entities.min(numbers) * (0.5 + 0.5 * words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(claim: &str, sentence: &str) -> f64 {
        let idf = Bm25::new([["a"]]);
        support(
            &Claim::new(claim, &Recogniser::default()),
            "",
            sentence,
            &idf,
        )
    }

    #[test]
    fn entities_numbers_words_and_denial_all_count() {
        let said = "Lothair married Teutberga in 855.";
        assert!((of(said, said) - 1.0).abs() < 1e-9);
        assert!(of("Lothair married Waldrada in 855.", said) < 0.6);
        assert_eq!(of("Lothair married Teutberga in 860.", said), 0.0);
        assert_eq!(of("Lothair never married Teutberga in 855.", said), 0.0);
        let other_words = of("Lothair wedded Teutberga in 855.", said);
        assert!(other_words > 0.5 && other_words < 1.0);
    }
}
