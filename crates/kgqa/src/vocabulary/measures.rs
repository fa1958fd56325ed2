//! What does an adjective of measure ask for? "How *high*" and "the *highest*" ask for a height, however its predicate is
//! called.
//!
//! General English only; which predicate is meant is told by similarity to these words.

/// Each line: the adjectives, and the nouns that predicates' labels use for what they measure, the most usual first.
const MEASURES: &[(&[&str], &str)] = &[
    (&["high", "tall"], "height elevation altitude"),
    (&["long", "lengthy"], "length duration runtime"),
    (&["old"], "age"),
    (&["big", "large"], "size area"),
    (&["far"], "distance"),
    (&["heavy"], "weight mass"),
    (&["deep"], "depth"),
    (&["fast"], "speed velocity"),
    (&["wide", "broad"], "width"),
    (&["expensive"], "price cost"),
    (&["populous"], "population inhabitants residents"),
];

/// The nouns of what an adjective measures, parted by blanks.
pub(crate) fn measure(adjective: &str) -> Option<&'static str> {
    let adjectives = MEASURES
        .iter()
        .find(|(adjectives, _)| adjectives.contains(&adjective));
    adjectives.map(|(_, nouns)| *nouns)
}

/// All nouns for what this noun measures, itself among them; the noun alone where it is in no line.
pub(crate) fn nouns_of(noun: &str) -> &str {
    // The largest of things that have people is that with the most of them.
    if noun == "size" {
        return "size area population";
    }
    let line = MEASURES
        .iter()
        .find(|(_, nouns)| nouns.split(' ').any(|one| one == noun));
    line.map_or(noun, |(_, nouns)| *nouns)
}

/// The adjective of measure that a misspelt word behind "how" means: two letters changed places, or one is wrong.
pub(crate) fn misspelt(word: &str) -> Option<&'static str> {
    let mut adjectives = MEASURES.iter().flat_map(|(adjectives, _)| *adjectives);
    let near = |adjective: &&&str| {
        adjective.len() >= 4
            && word.len() == adjective.len()
            && strsim::osa_distance(word, adjective) == 1
    };
    adjectives.find(near).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adjectives_and_nouns_meet() {
        assert_eq!(measure("tall"), measure("high"));
        assert_eq!(nouns_of("elevation"), "height elevation altitude");
        assert_eq!(nouns_of("awards"), "awards");
        assert_eq!(measure("hgih"), None);
        assert_eq!(misspelt("hgih"), Some("high"));
        assert_eq!(misspelt("good"), None);
    }
}
