//! Which words are no names by themselves?
//!
//! Closed classes of English: function words, question words, words for kinds of things that stand before names,
//! months, and the connectors inside names.

/// Words that never make an entity alone and are stripped from the start of one, folded and sorted.
const FUNCTION_WORDS: &[&str] = &[
    "a",
    "about",
    "above",
    "according",
    "additionally",
    "after",
    "afterwards",
    "again",
    "against",
    "all",
    "along",
    "also",
    "although",
    "among",
    "an",
    "and",
    "another",
    "any",
    "are",
    "as",
    "at",
    "because",
    "been",
    "before",
    "being",
    "below",
    "between",
    "both",
    "but",
    "by",
    "can",
    "could",
    "despite",
    "did",
    "do",
    "does",
    "due",
    "during",
    "each",
    "either",
    "even",
    "every",
    "few",
    "following",
    "for",
    "from",
    "further",
    "furthermore",
    "had",
    "has",
    "have",
    "he",
    "hence",
    "her",
    "here",
    "hers",
    "herself",
    "him",
    "himself",
    "his",
    "how",
    "however",
    "i",
    "if",
    "in",
    "indeed",
    "initially",
    "instead",
    "into",
    "is",
    "it",
    "its",
    "itself",
    "just",
    "later",
    "least",
    "less",
    "like",
    "many",
    "may",
    "me",
    "meanwhile",
    "might",
    "more",
    "moreover",
    "most",
    "much",
    "must",
    "my",
    "neither",
    "no",
    "nor",
    "not",
    "now",
    "of",
    "off",
    "on",
    "once",
    "one",
    "only",
    "onto",
    "or",
    "originally",
    "other",
    "others",
    "our",
    "out",
    "over",
    "own",
    "per",
    "rather",
    "same",
    "several",
    "shall",
    "she",
    "should",
    "since",
    "so",
    "some",
    "soon",
    "still",
    "subsequently",
    "such",
    "than",
    "that",
    "the",
    "their",
    "theirs",
    "them",
    "themselves",
    "then",
    "there",
    "thereafter",
    "therefore",
    "these",
    "they",
    "this",
    "those",
    "though",
    "three",
    "through",
    "throughout",
    "thus",
    "to",
    "today",
    "together",
    "too",
    "toward",
    "towards",
    "two",
    "under",
    "unlike",
    "until",
    "up",
    "upon",
    "us",
    "was",
    "we",
    "were",
    "what",
    "when",
    "where",
    "whereas",
    "whether",
    "which",
    "while",
    "who",
    "whom",
    "whose",
    "why",
    "will",
    "with",
    "within",
    "without",
    "would",
    "yes",
    "yet",
    "you",
    "your",
];

/// Words for kinds of things that stand before names, folded and sorted.
const GENERIC_HEADS: &[&str] = &[
    "actor",
    "actress",
    "album",
    "author",
    "band",
    "book",
    "city",
    "composer",
    "country",
    "director",
    "film",
    "films",
    "magazine",
    "movie",
    "movies",
    "novel",
    "performer",
    "play",
    "producer",
    "singer",
    "song",
    "songs",
    "writer",
];

/// The months, in order.
pub(crate) const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// Lower-case words that may stand inside a name, sorted.
const CONNECTORS: &[&str] = &[
    "&", "a", "al", "an", "and", "at", "bin", "da", "de", "del", "den", "der", "di", "du", "el",
    "for", "ibn", "in", "la", "le", "of", "on", "the", "to", "van", "von", "with", "y",
];

/// Titles and abbreviations after which a full stop does not end a name.
const ABBREVIATED: &[&str] = &["dr", "jr", "mr", "mrs", "sr", "st"];

pub(crate) fn is_function_word(folded: &str) -> bool {
    FUNCTION_WORDS.binary_search(&folded).is_ok()
}

pub(crate) fn is_generic_head(folded: &str) -> bool {
    GENERIC_HEADS.binary_search(&folded).is_ok()
}

pub(crate) fn is_month(folded: &str) -> bool {
    MONTHS.contains(&folded)
}

pub(crate) fn is_connector(word: &str) -> bool {
    CONNECTORS.binary_search(&word).is_ok()
}

pub(crate) fn is_abbreviated(folded: &str) -> bool {
    folded.chars().count() <= 2 || ABBREVIATED.binary_search(&folded).is_ok()
}

/// Whether a word does not make an entity alone.
pub(crate) fn is_stop_word(folded: &str) -> bool {
    is_function_word(folded) || is_generic_head(folded) || is_month(folded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted_since_they_are_searched_by_halves() {
        for list in [FUNCTION_WORDS, GENERIC_HEADS, CONNECTORS, ABBREVIATED] {
            assert!(list.is_sorted(), "{list:?}");
        }
        assert!(is_stop_word("the") && is_stop_word("film") && !is_stop_word("lothair"));
    }
}
