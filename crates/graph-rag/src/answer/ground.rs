//! Are the words that say what is asked said there, or is something like them?

use language_model::Embedder;

use super::demand::is_said;
use super::kind::is_date_word;
use crate::GraphRagError;
use crate::recogniser::word_lists::is_function_word;
use crate::token::{Token, tokens};

/// Words of births and deaths, that a name's dates in parentheses tell without saying them.
const LIFE: &[&str] = &[
    "age",
    "birth",
    "birthdate",
    "birthday",
    "born",
    "dead",
    "death",
    "die",
    "died",
    "old",
    "older",
    "younger",
];

/// Families of words that tell the same bond, each from its side: a mother is told by "a son of".
const BONDS: [&[&str]; 3] = [
    &[
        "child",
        "children",
        "daughter",
        "daughters",
        "father",
        "mother",
        "parent",
        "parents",
        "son",
        "sons",
    ],
    &[
        "husband", "marriage", "married", "marry", "spouse", "wed", "wife",
    ],
    &[
        "brother", "brothers", "sibling", "siblings", "sister", "sisters",
    ],
];

/// What is said: by a sentence with the way to it, or by all that was read.
pub(super) struct Ground {
    /// Its words, folded as [`language_model::words`] has them.
    pub(super) words: Vec<String>,
    /// Whether it gives dates of a life.
    pub(super) dates: bool,
}

impl Ground {
    /// The words that stand nowhere in it, and that nothing in it is like: no cosine reaches `least`.
    pub(super) fn unsaid(
        &self,
        words: &[String],
        least: f64,
        embedder: &dyn Embedder,
    ) -> Result<Vec<String>, GraphRagError> {
        let lacking: Vec<&String> = words
            .iter()
            .filter(|word| !is_said(word, &self.words))
            .filter(|word| !(self.dates && LIFE.contains(&word.as_str())))
            .filter(|word| !tells_bond(word, &self.words))
            .collect();
        if lacking.is_empty() {
            return Ok(Vec::new());
        }
        let mut said: Vec<&str> = self.words.iter().map(String::as_str).collect();
        said.retain(|word| !is_function_word(word));
        said.sort_unstable();
        said.dedup();
        let mut texts: Vec<&str> = lacking.iter().map(|word| word.as_str()).collect();
        texts.extend(said);
        let vectors = embedder.embed(&texts)?;
        let (asked, said) = vectors.split_at(lacking.len().min(vectors.len()));
        let likeness = |vector: &similarity::Embedding| {
            let nearest = said.iter().map(|other| f64::from(vector.cosine(other)));
            nearest.fold(-1.0, f64::max)
        };
        Ok(lacking
            .into_iter()
            .zip(asked)
            .filter(|(_, vector)| likeness(vector) < least)
            .map(|(word, _)| word.clone())
            .collect())
    }
}

/// Whether dates stand in parentheses, as those of a life do behind a name; with a place, where one is asked for.
pub(super) fn gives_life(text: &str, place: bool) -> bool {
    text.split('(').skip(1).any(|inside| {
        let inside = tokens(inside.split(')').next().unwrap_or_default());
        let names = |t: &Token<'_>| t.is_capitalised() && !is_date_word(t.text);
        inside.iter().any(|t| is_date_word(t.text)) && (!place || inside.iter().any(names))
    })
}

/// Whether a bond is told from one of its sides.
fn tells_bond(word: &str, said: &[String]) -> bool {
    let bond = BONDS.iter().find(|bond| bond.contains(&word));
    bond.is_some_and(|bond| said.iter().any(|other| bond.contains(&other.as_str())))
}
