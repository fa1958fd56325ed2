//! Which words of a question change what is asked, and which do not?
//!
//! Closed lists for English, each read as "this word belongs to that class". A word in no list is a content word, which
//! the guards want a counterpart for: what is unknown is never waved through.

/// Splits a masked question into lower-case tokens: words, numbers with their points, `⟨0⟩` slots, and `'s`.
pub(crate) fn tokens(masked: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut current = String::new();
    let mut in_slot = false;
    let mut chars = masked.chars().peekable();
    while let Some(c) = chars.next() {
        let next = chars.peek().copied();
        let inside_number = matches!(c, '.' | ',')
            && current.ends_with(|d: char| d.is_ascii_digit())
            && next.is_some_and(|d| d.is_ascii_digit());
        if c == '⟨' {
            flush(&mut current, &mut out);
            in_slot = true;
            current.push(c);
        } else if c == '⟩' && in_slot {
            current.push(c);
            in_slot = false;
            flush(&mut current, &mut out);
        } else if c.is_alphanumeric() || in_slot {
            current.extend(c.to_lowercase());
        } else if inside_number {
            if c == '.' {
                current.push(c);
            }
        } else if matches!(c, '\'' | '’') {
            if current.ends_with('n') && next == Some('t') {
                current.push('\'');
            } else {
                flush(&mut current, &mut out);
                if next == Some('s') {
                    current.push('\'');
                }
            }
        } else {
            flush(&mut current, &mut out);
            if matches!(c, '%' | '$' | '€' | '£') {
                out.push(c.to_string());
            }
        }
    }
    flush(&mut current, &mut out);
    out
}

fn flush(current: &mut String, out: &mut Vec<String>) {
    if !current.is_empty() {
        out.push(std::mem::take(current));
    }
}

/// Whether the token is a slot such as `⟨0⟩`.
pub(crate) fn is_slot(token: &str) -> bool {
    token.starts_with('⟨')
}

/// Whether the token turns the question round.
pub(crate) fn is_negation(token: &str) -> bool {
    token.ends_with("n't")
        || matches!(
            token,
            "not"
                | "no"
                | "never"
                | "without"
                | "except"
                | "excluding"
                | "neither"
                | "nor"
                | "none"
                | "nobody"
                | "nothing"
                | "cannot"
                | "non"
                | "besides"
                | "unlike"
                | "lack"
                | "lacks"
                | "lacking"
        )
}

/// The class of a word that has an opposite, or sets a scope; equal classes ask the same.
pub(crate) fn polarity(token: &str) -> Option<&'static str> {
    Some(match token {
        "first" | "earliest" | "earlier" | "sooner" | "soonest" => "time-min",
        "last" | "latest" | "later" | "newest" | "newer" | "recent" | "recently" => "time-max",
        "oldest" | "older" | "elder" | "eldest" => "age-max",
        "youngest" | "younger" => "age-min",
        "before" | "until" | "till" | "prior" => "before",
        "after" | "since" | "following" => "after",
        "between" => "between",
        "during" | "within" => "during",
        "most" | "max" | "maximum" | "maximal" => "most",
        "least" | "min" | "minimum" | "minimal" | "fewest" => "least",
        "more" | "over" | "above" | "exceeding" | "greater" => "more",
        "less" | "fewer" | "under" | "below" => "less",
        "highest" | "higher" | "tallest" | "taller" | "top" => "high",
        "lowest" | "lower" | "bottom" => "low",
        "largest" | "larger" | "biggest" | "bigger" | "greatest" => "large",
        "smallest" | "smaller" | "tiniest" | "shortest" | "shorter" => "small",
        "longest" | "longer" => "long",
        "best" | "better" => "best",
        "worst" | "worse" => "worst",
        "heaviest" | "heavier" => "heavy",
        "lightest" | "lighter" => "light",
        "fastest" | "faster" => "fast",
        "slowest" | "slower" => "slow",
        "nearest" | "closest" | "nearer" | "closer" => "near",
        "farthest" | "furthest" | "farther" | "further" => "far",
        "richest" | "richer" => "rich",
        "poorest" | "poorer" => "poor",
        "next" => "next",
        "previous" | "former" | "ex" => "previous",
        "only" | "solely" | "exclusively" => "only",
        "other" | "another" | "else" => "other",
        "same" | "equal" | "identical" => "same",
        "different" | "differ" | "differs" => "different",
        "both" => "both",
        "either" => "either",
        "all" | "every" | "each" => "all",
        "any" | "some" => return None,
        "alive" | "living" => "alive",
        "dead" | "deceased" => "dead",
        "male" | "female" | "man" | "woman" => return None,
        "inside" => "inside",
        "outside" => "outside",
        "north" | "northern" => "north",
        "south" | "southern" => "south",
        "east" | "eastern" => "east",
        "west" | "western" => "west",
        "increase" | "increased" => "increase",
        "decrease" | "decreased" => "decrease",
        "left" => "left",
        "right" => "right",
        "start" | "started" | "begin" | "began" => "start",
        "end" | "ended" | "finish" | "finished" => "end",
        "win" | "won" | "wins" => "win",
        "lose" | "lost" | "loses" => "lose",
        "average" | "mean" => "average",
        "total" | "sum" | "altogether" => "total",
        _ => return None,
    })
}

/// Whether a polarity class picks an extreme out of many.
pub(crate) fn is_extreme(class: &str) -> bool {
    matches!(
        class,
        "time-min"
            | "time-max"
            | "age-max"
            | "age-min"
            | "most"
            | "least"
            | "high"
            | "low"
            | "large"
            | "small"
            | "long"
            | "best"
            | "worst"
            | "heavy"
            | "light"
            | "fast"
            | "slow"
            | "near"
            | "far"
            | "rich"
            | "poor"
    )
}

/// Words that make an answer true only for a while.
pub(crate) fn is_volatile(token: &str) -> bool {
    matches!(
        token,
        "current"
            | "currently"
            | "now"
            | "today"
            | "todays"
            | "tonight"
            | "nowadays"
            | "presently"
            | "latest"
            | "yesterday"
            | "tomorrow"
            | "recent"
            | "recently"
            | "incumbent"
    )
}

/// The value of a number word or ordinal, `None` for anything else.
pub(crate) fn number_word(token: &str) -> Option<&'static str> {
    const WORDS: [&str; 13] = [
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
        "eleven", "twelve",
    ];
    const ORDINALS: [&str; 13] = [
        "zeroth", "", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth",
        "tenth", "eleventh", "twelfth",
    ];
    const DIGITS: [&str; 13] = [
        "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12",
    ];
    let place = WORDS
        .iter()
        .position(|w| *w == token)
        .or_else(|| ORDINALS.iter().position(|w| *w == token));
    place.map(|p| DIGITS[p]).or(match token {
        "twice" | "pair" | "couple" => None,
        "dozen" => Some("12"),
        "hundred" => Some("100"),
        "thousand" => Some("1000"),
        "million" => Some("1000000"),
        "billion" => Some("1000000000"),
        _ => None,
    })
}

/// Whether the token names a month or a weekday.
pub(crate) fn is_calendar(token: &str) -> bool {
    matches!(
        token,
        "january"
            | "february"
            | "march"
            | "april"
            | "june"
            | "july"
            | "august"
            | "september"
            | "october"
            | "november"
            | "december"
            | "monday"
            | "tuesday"
            | "wednesday"
            | "thursday"
            | "friday"
            | "saturday"
            | "sunday"
            | "bc"
            | "ad"
            | "bce"
            | "ce"
    )
}

/// Whether the token is a unit of measure or a currency.
pub(crate) fn is_unit(token: &str) -> bool {
    matches!(
        token,
        "%" | "$"
            | "€"
            | "£"
            | "percent"
            | "dollar"
            | "dollars"
            | "usd"
            | "euro"
            | "euros"
            | "eur"
            | "pound"
            | "pounds"
            | "yen"
            | "km"
            | "kilometer"
            | "kilometers"
            | "kilometre"
            | "kilometres"
            | "meter"
            | "meters"
            | "metre"
            | "metres"
            | "mile"
            | "miles"
            | "foot"
            | "feet"
            | "inch"
            | "inches"
            | "cm"
            | "mm"
            | "kg"
            | "kilogram"
            | "kilograms"
            | "gram"
            | "grams"
            | "ton"
            | "tons"
            | "tonnes"
            | "lb"
            | "lbs"
            | "ounce"
            | "ounces"
            | "second"
            | "seconds"
            | "minute"
            | "minutes"
            | "hour"
            | "hours"
            | "day"
            | "days"
            | "week"
            | "weeks"
            | "month"
            | "months"
            | "years"
            | "decade"
            | "decades"
            | "century"
            | "centuries"
            | "celsius"
            | "fahrenheit"
            | "kelvin"
            | "liter"
            | "liters"
            | "litre"
            | "litres"
            | "gallon"
            | "gallons"
            | "acres"
            | "hectares"
            | "watts"
            | "volts"
    )
}

/// Whether the word carries no content of its own: articles, auxiliaries, question words, polite forms.
pub(crate) fn is_stop(token: &str) -> bool {
    matches!(
        token,
        "a" | "an"
            | "the"
            | "of"
            | "in"
            | "on"
            | "at"
            | "to"
            | "for"
            | "from"
            | "by"
            | "with"
            | "as"
            | "and"
            | "or"
            | "than"
            | "that"
            | "which"
            | "who"
            | "whom"
            | "whose"
            | "what"
            | "when"
            | "where"
            | "how"
            | "why"
            | "is"
            | "are"
            | "was"
            | "were"
            | "be"
            | "been"
            | "being"
            | "do"
            | "does"
            | "did"
            | "done"
            | "has"
            | "have"
            | "had"
            | "having"
            | "can"
            | "could"
            | "will"
            | "would"
            | "shall"
            | "should"
            | "may"
            | "might"
            | "it"
            | "its"
            | "he"
            | "she"
            | "his"
            | "her"
            | "him"
            | "they"
            | "them"
            | "their"
            | "this"
            | "these"
            | "those"
            | "there"
            | "you"
            | "me"
            | "i"
            | "we"
            | "us"
            | "my"
            | "your"
            | "our"
            | "please"
            | "tell"
            | "give"
            | "name"
            | "list"
            | "show"
            | "find"
            | "know"
            | "want"
            | "like"
            | "say"
            | "get"
            | "also"
            | "one"
            | "ones"
            | "many"
            | "much"
            | "some"
            | "any"
            | "about"
            | "into"
            | "out"
            | "up"
            | "s"
            | "'s"
            | "t"
            | "d"
            | "so"
            | "then"
            | "if"
            | "just"
            | "ever"
            | "called"
            | "named"
            | "number"
            | "count"
            | "person"
            | "people"
            | "thing"
            | "things"
            | "someone"
            | "somebody"
            | "something"
    )
}

/// The stem under which two content words count as the same: plural, participle and agent endings are cut.
pub(crate) fn stem(word: &str) -> String {
    let irregular = match word {
        "wrote" | "written" | "writes" | "writing" | "writer" | "writers" => "writ",
        "born" | "birth" | "births" | "birthplace" | "birthdate" => "birth",
        "died" | "death" | "dies" | "die" | "deaths" => "death",
        "wife" | "wives" => "wife",
        "children" | "child" => "child",
        "film" | "films" | "movie" | "movies" | "picture" | "pictures" => "film",
        "star" | "stars" | "starred" | "starring" => "star",
        "acted" | "actor" | "actors" | "act" | "acts" | "acting" | "actress" | "actresses" => "act",
        "made" | "make" | "makes" | "making" | "maker" => "mak",
        "released" | "release" | "releases" | "releasing" => "releas",
        _ => "",
    };
    if !irregular.is_empty() {
        return irregular.to_owned();
    }
    for ending in [
        "ations", "ation", "ings", "ing", "ors", "ers", "ies", "ed", "or", "er", "es", "s", "e",
        "y",
    ] {
        if let Some(rest) = word.strip_suffix(ending)
            && rest.chars().count() >= 4
            && !(ending == "s" && rest.ends_with('s'))
        {
            return rest.to_owned();
        }
    }
    word.to_owned()
}
