//! Which English words carry structure? Function words, markers and idioms, as plain lists.
//!
//! General English only: nothing here names a data set's entities or predicates.

use crate::plan::{Extreme, Operator};
use crate::text::Token;

mod doings;
mod light;
mod measures;

pub(crate) use doings::{doing, life};
pub(crate) use light::is_light;
pub(crate) use measures::nouns_of;

/// Words without content of their own.
const FUNCTION_WORDS: &[&str] = &[
    "a", "about", "an", "and", "any", "are", "as", "at", "be", "been", "being", "by", "can",
    "could", "d", "did", "do", "does", "during", "each", "for", "from", "had", "has", "have",
    "having", "he", "her", "hers", "him", "his", "how", "i", "if", "in", "into", "is", "it", "its",
    "ll", "m", "many", "may", "me", "might", "much", "must", "my", "of", "on", "onto", "or", "our",
    "out", "over", "please", "re", "s", "shall", "she", "should", "so", "some", "such", "t",
    "that", "the", "their", "them", "there", "these", "they", "this", "those", "to", "under", "up",
    "upon", "us", "ve", "was", "we", "were", "what", "when", "where", "which", "who", "whom",
    "whose", "why", "will", "with", "would", "you", "your", "ever", "also", "both", "not", "no",
    "than", "then", "too", "same", "together", "other", "just", "only", "all", "one", "ones",
    "named", "called",
];

/// Verbs that only ask.
const ASKING: &[&str] = &[
    "name", "give", "tell", "list", "show", "find", "say", "describe", "state", "provide",
    "identify",
];

/// Whether a folded word has no content of its own.
pub(crate) fn is_function_word(word: &str) -> bool {
    FUNCTION_WORDS.contains(&word)
}

/// What "work for" and "where … work" stand for.
pub(crate) const EMPLOYER: &str = "employer organization institution company";

/// What "where" stands for.
pub(crate) const PLACE: &str = "place location country";

/// What "play in", "act in" and "appear in" stand for.
pub(crate) const ACTING: &str = "actor starring cast";

/// What "come from" stands for.
pub(crate) const ORIGIN: &str = "nationality origin";

/// What "what kind of" stands for.
pub(crate) const KIND: &str = "kind category genre";

/// Whether a folded word names or asks for what a thing is about: Dublin Core's subject, "the topic of the resource",
/// given as "keywords, key phrases". Such words are one another's synonyms in predicates' labels.
pub(crate) fn is_descriptor(word: &str) -> bool {
    matches!(
        word,
        "tag"
            | "tags"
            | "keyword"
            | "keywords"
            | "term"
            | "terms"
            | "topic"
            | "topics"
            | "subject"
            | "subjects"
            | "theme"
            | "themes"
            | "description"
            | "descriptions"
            | "describe"
            | "describes"
            | "described"
            | "describing"
    )
}

/// Whether "other half" stands here: a noun though it begins with a function word.
pub(crate) fn is_half(tokens: &[Token], i: usize) -> bool {
    let folded = |i: usize| tokens.get(i).map_or("", |t| t.folded.as_str());
    folded(i) == "other" && matches!(folded(i + 1), "half" | "halves")
}

/// Whether a folded word of a label says that one place is in another, so that what is in the one is in the other.
pub(crate) fn contains(word: &str) -> bool {
    matches!(
        word,
        "country"
            | "continent"
            | "region"
            | "province"
            | "county"
            | "located"
            | "location"
            | "part"
    )
}

/// Whether a folded word only asks ("name a film", "give the director").
pub(crate) fn is_asking(word: &str) -> bool {
    ASKING.contains(&word)
}

/// Whether a folded word says no more than "who".
pub(crate) fn is_person(word: &str) -> bool {
    matches!(
        word,
        "person" | "persons" | "people" | "individual" | "individuals" | "someone" | "somebody"
    )
}

/// Whether a folded word is an auxiliary with which a yes/no question begins.
pub(crate) fn is_auxiliary(word: &str) -> bool {
    matches!(
        word,
        "is" | "are"
            | "was"
            | "were"
            | "did"
            | "does"
            | "do"
            | "has"
            | "have"
            | "had"
            | "can"
            | "could"
            | "will"
            | "would"
    )
}

/// Whether a folded word asks.
pub(crate) fn is_wh(word: &str) -> bool {
    matches!(
        word,
        "who" | "whom" | "what" | "which" | "when" | "where" | "whose" | "how" | "why"
    )
}

/// Whether a folded word denies.
pub(crate) fn is_negation(word: &str) -> bool {
    matches!(
        word,
        "not"
            | "never"
            | "no"
            | "without"
            | "except"
            | "excluding"
            | "neither"
            | "nor"
            | "cannot"
            | "almost"
            | "nearly"
            | "hardly"
            | "barely"
            | "scarcely"
            | "unable"
            | "fail"
            | "fails"
            | "failed"
            | "refuse"
            | "refuses"
            | "refused"
    ) || is_undone(word)
}

/// "unreleased", "unfinished": a participle that denies itself.
fn is_undone(word: &str) -> bool {
    word.strip_prefix("un")
        .is_some_and(|rest| rest.len() > 4 && rest.ends_with("ed"))
        && !matches!(word, "united" | "unified")
}

/// Whether a folded word asks for a calculation or a rank that no plan of the algebra gives: such a word is not passed by.
pub(crate) fn is_beyond_plans(word: &str) -> bool {
    matches!(
        word,
        "second"
            | "third"
            | "fourth"
            | "fifth"
            | "sixth"
            | "seventh"
            | "eighth"
            | "ninth"
            | "tenth"
            | "penultimate"
            | "average"
            | "between"
            | "median"
            | "percentage"
            | "percent"
            | "ratio"
            | "twice"
            | "next"
            | "previous"
            | "former"
            | "formerly"
            | "upcoming"
            | "besides"
            | "future"
            | "only"
            | "exclusively"
    )
}

/// Whether a folded word says that something is shared.
pub(crate) fn is_sharing(word: &str) -> bool {
    matches!(
        word,
        "same"
            | "share"
            | "shares"
            | "shared"
            | "sharing"
            | "also"
            | "together"
            | "common"
            | "co"
            | "jointly"
            | "alongside"
            | "fellow"
    )
}

/// What the words behind a number say: "2010 *or later*", "50 *or more*".
pub(crate) fn comparator_behind(words: [&str; 2]) -> Option<(Operator, bool, usize)> {
    Some(match words {
        ["or", "later" | "after" | "newer"] => (Operator::GreaterOrEqual, true, 2),
        ["or", "earlier" | "before" | "older"] => (Operator::LessOrEqual, true, 2),
        [
            "or",
            "more" | "above" | "over" | "higher" | "greater" | "longer" | "larger" | "bigger"
            | "taller" | "heavier",
        ] => (Operator::GreaterOrEqual, false, 2),
        [
            "or",
            "less" | "fewer" | "below" | "under" | "lower" | "shorter" | "smaller" | "lighter",
        ] => (Operator::LessOrEqual, false, 2),
        ["onward" | "onwards", _] => (Operator::GreaterOrEqual, true, 1),
        _ => return None,
    })
}

/// What a word behind a number multiplies it by.
pub(crate) fn multiplier(word: &str) -> Option<f64> {
    Some(match word {
        "thousand" => 1e3,
        "million" | "millions" => 1e6,
        "billion" | "billions" => 1e9,
        _ => return None,
    })
}

/// Whether a folded word is a unit of measure: numbers without it are not known to be in it.
pub(crate) fn is_unit(word: &str) -> bool {
    const UNITS: &[&str] = &[
        "second",
        "seconds",
        "minute",
        "minutes",
        "min",
        "mins",
        "hour",
        "hours",
        "hrs",
        "day",
        "days",
        "week",
        "weeks",
        "month",
        "months",
        "decade",
        "decades",
        "century",
        "centuries",
        "millimeters",
        "mm",
        "cm",
        "centimeters",
        "centimetres",
        "meter",
        "meters",
        "metre",
        "metres",
        "km",
        "kilometer",
        "kilometers",
        "kilometre",
        "kilometres",
        "inch",
        "inches",
        "foot",
        "feet",
        "yard",
        "yards",
        "mile",
        "miles",
        "gram",
        "grams",
        "kg",
        "kilos",
        "kilogram",
        "kilograms",
        "ounces",
        "pound",
        "pounds",
        "lbs",
        "ton",
        "tons",
        "tonnes",
        "liters",
        "litres",
        "gallons",
        "dollar",
        "dollars",
        "usd",
        "euro",
        "euros",
        "eur",
        "yen",
        "percent",
        "degrees",
        "celsius",
        "fahrenheit",
        "stars",
        "pages",
    ];
    UNITS.contains(&word)
}

/// What the words before a number say: operator, whether they speak of time, how many tokens they are.
pub(crate) fn comparator(words: &[&str]) -> Option<(Operator, bool, usize)> {
    let three = words.len().checked_sub(3).map(|at| &words[at..]);
    let found = match three {
        Some(["in" | "on" | "during", "or", "after"] | ["no" | "not", "earlier", "than"]) => {
            Some((Operator::GreaterOrEqual, true))
        }
        Some(["in" | "on" | "during", "or", "before"] | ["no" | "not", "later", "than"]) => {
            Some((Operator::LessOrEqual, true))
        }
        Some(["no" | "not", "less" | "fewer" | "lower", "than"]) => {
            Some((Operator::GreaterOrEqual, false))
        }
        Some(["no" | "not", "more" | "greater" | "higher", "than"]) => {
            Some((Operator::LessOrEqual, false))
        }
        _ => None,
    };
    if let Some((operator, temporal)) = found {
        return Some((operator, temporal, 3));
    }
    let two = if words.len() >= 2 {
        Some((words[words.len() - 2], words[words.len() - 1]))
    } else {
        None
    };
    if let Some(pair) = two {
        let found = match pair {
            ("prior", "to") | ("earlier", "than") => Some((Operator::Less, true)),
            ("later", "than") => Some((Operator::Greater, true)),
            ("more", "than")
            | ("greater", "than")
            | ("higher", "than")
            | ("larger", "than")
            | ("bigger", "than")
            | ("longer", "than")
            | ("heavier", "than") => Some((Operator::Greater, false)),
            ("less", "than")
            | ("fewer", "than")
            | ("lower", "than")
            | ("smaller", "than")
            | ("shorter", "than")
            | ("lighter", "than") => Some((Operator::Less, false)),
            ("at", "least") => Some((Operator::GreaterOrEqual, false)),
            ("at", "most") | ("up", "to") => Some((Operator::LessOrEqual, false)),
            _ => None,
        };
        if let Some((operator, temporal)) = found {
            return Some((operator, temporal, 2));
        }
    }
    match *words.last()? {
        "before" => Some((Operator::Less, true, 1)),
        "after" => Some((Operator::Greater, true, 1)),
        "since" => Some((Operator::GreaterOrEqual, true, 1)),
        "until" | "till" => Some((Operator::LessOrEqual, true, 1)),
        "over" | "above" | "exceeding" => Some((Operator::Greater, false, 1)),
        "under" | "below" => Some((Operator::Less, false, 1)),
        _ => None,
    }
}

/// A superlative or comparative adjective: which end, whether it speaks of time, and the attribute's noun.
pub(crate) fn superlative(word: &str) -> Option<(Extreme, bool, &'static str)> {
    Some(match word {
        "first" | "earliest" | "oldest" | "earlier" | "older" => (Extreme::Least, true, ""),
        "last" | "latest" | "newest" | "later" | "newer" | "recent" | "youngest" | "younger" => {
            (Extreme::Most, true, "")
        }
        "highest" | "tallest" | "higher" | "taller" => (Extreme::Most, false, "height"),
        "lowest" | "shortest" | "lower" | "shorter" => (Extreme::Least, false, "height"),
        "longest" | "longer" => (Extreme::Most, false, "length"),
        "largest" | "biggest" | "larger" | "bigger" => (Extreme::Most, false, "size"),
        "smallest" | "smaller" => (Extreme::Least, false, "size"),
        "heaviest" | "heavier" => (Extreme::Most, false, "weight"),
        "lightest" | "lighter" => (Extreme::Least, false, "weight"),
        "cheapest" | "cheaper" => (Extreme::Least, false, "price"),
        "priciest" | "costliest" | "expensive" => (Extreme::Most, false, "price"),
        "fastest" | "faster" => (Extreme::Most, false, "speed"),
        "slowest" | "slower" => (Extreme::Least, false, "speed"),
        "strongest" | "stronger" => (Extreme::Most, false, "strength"),
        "weakest" | "weaker" => (Extreme::Least, false, "strength"),
        "richest" | "richer" => (Extreme::Most, false, "wealth"),
        "deepest" | "deeper" => (Extreme::Most, false, "depth"),
        "widest" | "wider" => (Extreme::Most, false, "width"),
        "best" | "better" => (Extreme::Most, false, "rating"),
        "worst" | "worse" => (Extreme::Least, false, "rating"),
        "most" | "maximum" | "maximal" | "greatest" | "more" => (Extreme::Most, false, ""),
        "least" | "minimum" | "minimal" | "fewest" | "less" | "fewer" => {
            (Extreme::Least, false, "")
        }
        _ => return None,
    })
}

/// What an asking word or idiom stands for: the words that a predicate's label would use.
pub(crate) fn idiom(words: &[&str]) -> Option<(&'static str, usize)> {
    Some(match words {
        [
            "how",
            "many",
            "people" | "persons",
            "live" | "lives" | "lived" | "living",
        ] => ("population", 4),
        ["how", "many", "inhabitants" | "residents" | "citizens", ..] => ("population", 3),
        ["how", adjective, ..] => {
            let meant = measures::misspelt(adjective).unwrap_or(adjective);
            (measures::measure(meant)?, 2)
        }
        ["other" | "better", "half" | "halves", ..] => ("spouse", 2),
        ["work" | "works" | "worked", "for" | "at", ..] => (EMPLOYER, 2),
        [
            "play" | "plays" | "played" | "act" | "acts" | "acted" | "appear" | "appears"
            | "appeared",
            "in",
            ..,
        ] => (ACTING, 2),
        ["cast", ..] => (ACTING, 1),
        ["for", "a", "living", ..] => ("profession occupation", 3),
        [
            "kind" | "kinds" | "type" | "types" | "sort" | "sorts",
            "of",
            ..,
        ] => (KIND, 2),
        ["kinds" | "types" | "sorts", ..] => (KIND, 1),
        ["when", ..] => ("date year", 1),
        ["where", ..] => (PLACE, 1),
        ["come" | "comes" | "came" | "coming", "out", ..] => ("release", 2),
        ["come", "from", ..] | ["comes", "from", ..] | ["came", "from", ..] => (ORIGIN, 2),
        _ => return None,
    })
}
