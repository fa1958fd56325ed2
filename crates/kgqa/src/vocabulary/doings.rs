//! Which doings exclude one another? To edit is not to write, to dissolve is not to found, though vectors keep them close.
//!
//! Vectors put words near each other that stand in the same contexts, and what people do to the same things does. Here
//! stands a small closed list of general English: two words of different doings never mean the same; a word that is not
//! in it says nothing either way.

/// Each line is one doing, in the forms in which questions and predicates' labels write it.
const DOINGS: &[&[&str]] = &[
    &[
        "direct",
        "directs",
        "directed",
        "directing",
        "director",
        "directors",
        "filmmaker",
    ],
    &[
        "write",
        "writes",
        "wrote",
        "written",
        "writing",
        "writer",
        "writers",
        "author",
        "authors",
        "authored",
        "penned",
        "scripted",
        "screenwriter",
        "screenwriters",
        "scriptwriter",
        "scriptwriters",
        "screenplay",
        "screenplays",
    ],
    &[
        "act",
        "acts",
        "acted",
        "acting",
        "actor",
        "actors",
        "actress",
        "actresses",
        "star",
        "stars",
        "starred",
        "starring",
        "cast",
        "play",
        "plays",
        "played",
        "playing",
        "player",
        "players",
    ],
    &[
        "support",
        "supports",
        "supported",
        "supporter",
        "supporters",
        "fan",
        "fans",
    ],
    &[
        "produce",
        "produces",
        "produced",
        "producing",
        "producer",
        "producers",
    ],
    &["edit", "edits", "edited", "editing", "editor", "editors"],
    &[
        "compose",
        "composes",
        "composed",
        "composing",
        "composer",
        "composers",
    ],
    &["narrate", "narrates", "narrated", "narrator", "narrators"],
    &[
        "photographed",
        "filmed",
        "cinematographer",
        "cinematographers",
        "cinematography",
    ],
    &[
        "translate",
        "translates",
        "translated",
        "translator",
        "translators",
    ],
    &[
        "illustrate",
        "illustrates",
        "illustrated",
        "illustrator",
        "illustrators",
    ],
    &["paint", "paints", "painted", "painter", "painters"],
    &["sing", "sings", "sang", "sung", "singer", "singers"],
    &["cook", "cooks", "cooked", "chef", "chefs"],
    &[
        "distribute",
        "distributes",
        "distributed",
        "distributor",
        "distributors",
    ],
    &[
        "finance",
        "finances",
        "financed",
        "fund",
        "funds",
        "funded",
        "sponsor",
        "sponsors",
        "sponsored",
    ],
    &["discover", "discovers", "discovered", "discoverer"],
    &["invent", "invents", "invented", "inventor", "inventors"],
    &[
        "found",
        "founds",
        "founded",
        "founder",
        "founders",
        "founding",
        "established",
    ],
    &[
        "dissolve",
        "dissolves",
        "dissolved",
        "dissolution",
        "disbanded",
        "abolished",
    ],
    &["opened", "opening"],
    &["closed", "closing", "closure"],
    &["own", "owns", "owned", "owner", "owners"],
    &["buy", "buys", "bought", "buyer", "buyers"],
    &["sell", "sells", "sold", "seller", "sellers"],
    &["win", "wins", "won", "winner", "winners"],
    &["lose", "loses", "lost", "loser", "losers"],
    &["born", "birth", "birthplace", "birthdate", "birthday"],
    &[
        "live",
        "lives",
        "lived",
        "reside",
        "resides",
        "resided",
        "residence",
    ],
    &["die", "dies", "died", "death", "deceased"],
    &[
        "marry", "marries", "married", "wed", "spouse", "spouses", "wife", "husband",
    ],
    &["divorce", "divorces", "divorced"],
    &[
        "hired",
        "employ",
        "employs",
        "employed",
        "employer",
        "employers",
    ],
    &["fired", "dismissed", "sacked"],
];

/// The doing that a folded word tells, as the place of it in the list.
pub(crate) fn doing(word: &str) -> Option<usize> {
    DOINGS.iter().position(|forms| forms.contains(&word))
}

/// The doing of a word for a birth or a death.
pub(crate) fn life(word: &str) -> Option<usize> {
    let of_word = doing(word)?;
    let lives = ["born", "died"];
    lives
        .into_iter()
        .any(|one| doing(one) == Some(of_word))
        .then_some(of_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_word_tells_two_doings() {
        let mut seen = std::collections::BTreeSet::new();
        for word in DOINGS.iter().copied().flatten() {
            assert!(seen.insert(word), "{word}");
        }
    }

    #[test]
    fn opposites_and_neighbours_are_apart() {
        for (one, other) in [
            ("edited", "written"),
            ("founded", "dissolved"),
            ("support", "plays"),
            ("born", "died"),
        ] {
            assert_ne!(doing(one), doing(other), "{one}, {other}");
        }
        assert_eq!(doing("authored"), doing("written"));
        assert_eq!(doing("genre"), None);
    }
}
