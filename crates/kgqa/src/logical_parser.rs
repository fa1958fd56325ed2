//! What does the question name, ask and demand? Stage 1 of CacheRAG's semantic parsing, built-in form.
//!
//! Deterministic and microseconds long. It chooses no predicate: that is the backend adapter's work.

use crate::entity_linker::{self, LinkerConfig, Readings};
use crate::graph::{Graph, GraphError};
use crate::isr::{Comparator, Isr, Mention, QuestionType, Superlative, Word};
use crate::plan::Slot;
use crate::text::{Token, tokenise};
use crate::vocabulary;

mod markers;
mod relations;

use markers::{find_comparator, find_comparison, find_superlative};
use relations::{mark_relations, merge_phrases, split_grand};

/// Bounds of the parser.
#[derive(Debug, Clone, PartialEq)]
pub struct ParserConfig {
    /// Tokens of a question that are read; the rest is cut and reported.
    pub max_tokens: usize,
    /// The linker's bounds.
    pub linker: LinkerConfig,
}

impl Default for ParserConfig {
    fn default() -> Self {
        Self {
            max_tokens: 128,
            linker: LinkerConfig::default(),
        }
    }
}

/// Parses a question against a graph's labels.
///
/// # Errors
/// [`GraphError`] if the graph cannot be read.
pub fn parse(graph: &dyn Graph, question: &str, config: &ParserConfig) -> Result<Isr, GraphError> {
    let (tokens, truncated) = tokenise(question, config.max_tokens);
    let mut comparator = find_comparator(&tokens);
    let reserved = |i: usize| {
        comparator
            .as_ref()
            .is_some_and(|c| (c.first..c.end).contains(&i))
    };
    let linked = entity_linker::link(graph, question, &tokens, &reserved, &config.linker)?;
    if let Some(found) = &mut comparator {
        found.slot = Slot(u8::try_from(linked.best.len()).unwrap_or(u8::MAX));
    }
    Ok(assemble(question, tokens, linked, comparator, truncated))
}

/// The same question with another reading of its names.
#[must_use]
pub fn with_reading(isr: &Isr, mentions: Vec<Mention>) -> Isr {
    let comparator = isr.comparator.clone().map(|c| Comparator {
        slot: Slot(u8::try_from(mentions.len()).unwrap_or(u8::MAX)),
        ..c
    });
    let readings = Readings {
        best: mentions,
        others: Vec::new(),
        with_weak: Vec::new(),
    };
    assemble(
        &isr.question,
        isr.tokens.clone(),
        readings,
        comparator,
        isr.truncated,
    )
}

/// The same question where its superlative is a word of the graph's own: "who *first* climbed X" where things are "first
/// climbed by" someone.
#[must_use]
pub fn without_superlative(isr: &Isr) -> Isr {
    let mut plain = isr.clone();
    let Some(superlative) = plain.superlative.take() else {
        return plain;
    };
    plain.question_type = if plain.comparator.is_some() {
        QuestionType::Filter
    } else if plain.mentions.len() > 1 {
        QuestionType::Conjunction
    } else {
        QuestionType::Simple
    };
    let word = Word {
        text: plain.tokens[superlative.first].folded.clone(),
        token: superlative.first,
        weight: 1.0,
        relation: None,
    };
    let at = plain.words.partition_point(|w| w.token < word.token);
    plain.words.insert(at, word);
    plain
}

fn assemble(
    question: &str,
    tokens: Vec<Token>,
    readings: Readings,
    comparator: Option<Comparator>,
    truncated: bool,
) -> Isr {
    let Readings {
        best: mentions,
        others: other_readings,
        with_weak,
    } = readings;
    let named = |i: usize| mentions.iter().any(|m| (m.first..m.end).contains(&i));
    let free: Vec<usize> = (0..tokens.len()).filter(|&i| !named(i)).collect();
    let compared = |i: usize| {
        comparator
            .as_ref()
            .is_some_and(|c| (c.first..c.end).contains(&i))
    };
    let word = |i: usize| tokens[i].folded.as_str();
    let superlative = find_superlative(&tokens, &free, &compared);
    let compares = find_comparison(&tokens, &mentions, superlative.as_ref());
    let negated = free.iter().filter(|&&i| !compared(i)).any(|&i| {
        vocabulary::is_negation(word(i))
            || (word(i) == "t" && tokens[i].after_apostrophe)
            || tokens.get(i + 1).is_some_and(|next| {
                matches!(
                    (word(i), next.folded.as_str()),
                    ("other", "than") | ("apart" | "aside", "from")
                )
            })
    });
    let sharing = free.iter().any(|&i| {
        vocabulary::is_sharing(word(i))
            || word(i).strip_prefix("co").is_some_and(|rest| {
                matches!(
                    rest,
                    "star" | "stars" | "starred" | "writers" | "authors" | "workers" | "directors"
                )
            })
    }) || other_of_the_same(&tokens, &named);
    let wh = free
        .iter()
        .map(|&i| word(i))
        .find(|w| vocabulary::is_wh(w))
        .unwrap_or("")
        .to_owned();
    let question_type = question_type(
        &tokens,
        &mentions,
        &free,
        superlative.as_ref(),
        comparator.as_ref(),
    );
    let superlative = match question_type {
        QuestionType::Superlative | QuestionType::Comparison => superlative,
        QuestionType::YesNo => compares,
        QuestionType::Simple
        | QuestionType::Count
        | QuestionType::Filter
        | QuestionType::Conjunction => None,
    };
    let mut words = content_words(
        &tokens,
        &free,
        superlative.as_ref(),
        &compared,
        question_type,
    );
    if wh == "where" {
        where_at_work(&mut words);
    }
    if wh == "what" && tokens.last().is_some_and(|t| t.folded == "do") {
        words.push(Word {
            text: "profession occupation".to_owned(),
            token: tokens.len() - 1,
            weight: 0.8,
            relation: None,
        });
    }
    if let [mention] = mentions.as_slice() {
        mark_relations(&tokens, mention, &mut words);
        split_grand(&mut words);
        merge_phrases(&tokens, &mut words);
    }
    let answer_type = answer_type(&tokens, &free, &words, &wh);
    drop_frames(&tokens, &mut words);
    let unknown_names = unknown_names(&tokens, &free, &compared);
    let masked = masked(&tokens, &mentions, comparator.as_ref());
    Isr {
        question: question.to_owned(),
        words,
        question_type,
        negated,
        sharing,
        answer_type,
        comparator,
        superlative,
        wh,
        unknown_names,
        masked,
        truncated,
        other_readings,
        with_weak,
        mentions,
        tokens,
    }
}

/// "the director of X's other films": the same relation, back again.
fn other_of_the_same(tokens: &[Token], named: &dyn Fn(usize) -> bool) -> bool {
    (0..tokens.len()).any(|i| {
        !named(i)
            && tokens[i].folded == "other"
            && tokens
                .get(i + 1)
                .is_some_and(|next| next.folded.ends_with('s') && next.folded.len() > 3)
    })
}

fn question_type(
    tokens: &[Token],
    mentions: &[Mention],
    free: &[usize],
    superlative: Option<&Superlative>,
    comparator: Option<&Comparator>,
) -> QuestionType {
    let words: Vec<&str> = free.iter().map(|&i| tokens[i].folded.as_str()).collect();
    let has = |pattern: &[&str]| words.windows(pattern.len()).any(|w| w == pattern);
    let between = mentions.windows(2).any(|pair| {
        pair[0].end < tokens.len() && (pair[0].end..pair[1].first).any(|i| tokens[i].folded == "or")
    });
    if between && mentions.len() >= 2 && superlative.is_some() {
        return QuestionType::Comparison;
    }
    let measured = words
        .windows(3)
        .any(|w| w[..2] == ["how", "many"] && vocabulary::is_unit(w[2]));
    if !measured && has(&["how", "many"])
        || has(&["the", "number", "of"])
        || has(&["the", "count", "of"])
        || has(&["the", "amount", "of"])
    {
        return QuestionType::Count;
    }
    let leads = free
        .first()
        .is_some_and(|&i| i == 0 && vocabulary::is_auxiliary(&tokens[0].folded));
    let polite = matches!(
        tokens.get(1).map(|t| t.folded.as_str()),
        Some("you" | "i" | "we")
    );
    if leads && !polite && mentions.len() >= 2 && !between {
        return QuestionType::YesNo;
    }
    if superlative.is_some_and(|s| s.temporal || !s.attribute.is_empty()) {
        return QuestionType::Superlative;
    }
    if comparator.is_some() {
        return QuestionType::Filter;
    }
    if mentions.len() >= 2 {
        return QuestionType::Conjunction;
    }
    QuestionType::Simple
}

/// The question's own words that a plan has to account for.
fn content_words(
    tokens: &[Token],
    free: &[usize],
    superlative: Option<&Superlative>,
    compared: &dyn Fn(usize) -> bool,
    question_type: QuestionType,
) -> Vec<Word> {
    let descriptor = |i: usize| vocabulary::is_descriptor(&tokens[i].folded);
    let mut out = Vec::new();
    let mut skip = 0;
    for (n, &i) in free.iter().enumerate() {
        if skip > 0 {
            skip -= 1;
            continue;
        }
        if compared(i) || superlative.is_some_and(|s| (s.first..s.end).contains(&i)) {
            continue;
        }
        let run: Vec<&str> = free[n..]
            .iter()
            .enumerate()
            .take_while(|(k, j)| **j == i + k)
            .take(4)
            .map(|(_, &j)| tokens[j].folded.as_str())
            .collect();
        if let Some((meaning, length)) = vocabulary::idiom(&run) {
            skip = length - 1;
            out.extend(meaning.split(' ').take(1).map(|_| Word {
                text: meaning.to_owned(),
                token: i,
                weight: 0.8,
                relation: None,
            }));
            continue;
        }
        let word = match tokens[i].folded.as_str() {
            // "What is X about?", but not "words describing what X is about".
            "about" if i + 1 == tokens.len() && !free.iter().any(|&i| descriptor(i)) => "topic",
            word => word,
        };
        let counting = question_type == QuestionType::Count
            && matches!(word, "number" | "count" | "amount" | "many");
        let asking = vocabulary::is_asking(word) && i < 3;
        if vocabulary::is_function_word(word)
            || vocabulary::is_sharing(word)
            || counting
            || (asking && word != "describe")
        {
            continue;
        }
        out.push(Word {
            text: without_triples(word),
            token: i,
            weight: 1.0,
            relation: None,
        });
    }
    out
}

/// No English word has one letter three times in a row: "foootball" is a slip.
fn without_triples(word: &str) -> String {
    let mut out = String::with_capacity(word.len());
    for letter in word.chars() {
        if letter.is_alphabetic() && out.chars().rev().take(2).filter(|c| *c == letter).count() == 2
        {
            continue;
        }
        out.push(letter);
    }
    out
}

/// "Where does X work" asks who employs X, not for a place and a trade.
fn where_at_work(words: &mut Vec<Word>) {
    let at_work = |w: &Word| {
        w.text == vocabulary::EMPLOYER || matches!(w.text.as_str(), "work" | "works" | "worked")
    };
    if !words.iter().any(at_work) {
        return;
    }
    words.retain(|w| w.text != vocabulary::PLACE);
    for word in words.iter_mut().filter(|w| at_work(w)) {
        vocabulary::EMPLOYER.clone_into(&mut word.text);
    }
}

/// Words that only frame the question go, unless nothing else is left: "the *name* of the director", "which *person*",
/// "in a few *words*".
fn drop_frames(tokens: &[Token], words: &mut Vec<Word>) {
    let folded = |i: usize| tokens.get(i).map_or("", |t| t.folded.as_str());
    let describing = words.iter().any(|w| w.text.starts_with("descri"));
    let frame = |w: &Word| {
        vocabulary::is_person(&w.text)
            || (describing && matches!(w.text.as_str(), "word" | "words" | "few"))
            || (matches!(w.text.as_str(), "name" | "names") && folded(w.token + 1) == "of")
    };
    if words.iter().any(|w| !frame(w)) {
        words.retain(|w| !frame(w));
    }
}

/// What the answer is called: the noun behind "which", "what" or "name a"; "person" for "who".
fn answer_type(tokens: &[Token], free: &[usize], words: &[Word], wh: &str) -> String {
    if matches!(wh, "who" | "whom") {
        return "person".to_owned();
    }
    let Some(n) = free.iter().position(|&i| {
        matches!(tokens[i].folded.as_str(), "which" | "what")
            || (tokens[i].folded == "many" && i > 0 && tokens[i - 1].folded == "how")
            || (vocabulary::is_asking(&tokens[i].folded) && i < 3)
    }) else {
        return String::new();
    };
    let mut at = free[n] + 1;
    while tokens.get(at).is_some_and(|t| {
        matches!(
            t.folded.as_str(),
            "a" | "an" | "the" | "are" | "is" | "was" | "were" | "all" | "some" | "me"
        )
    }) {
        at += 1;
    }
    let (mut last, mut before_last) = ("", "");
    while let Some(word) = words.iter().find(|w| w.token == at && w.relation.is_none()) {
        // "What killed", "which films directed": a verb is no type.
        let verb = ["ed", "ing", "en"]
            .iter()
            .any(|end| word.text.len() > 4 && word.text.ends_with(end));
        if verb && (!last.is_empty() || word.text.ends_with("ed")) {
            break;
        }
        // "What kind of film" may ask for the kind or for the film: no type is safer than a wrong one.
        if word.text == vocabulary::KIND {
            return String::new();
        }
        before_last = last;
        last = &word.text;
        at += 1;
    }
    // "Which films star X": what stands right before a name, behind a noun, is a verb.
    while tokens
        .get(at)
        .is_some_and(|t| matches!(t.folded.as_str(), "both" | "either"))
    {
        at += 1;
    }
    if !before_last.is_empty() && at < tokens.len() && !free.contains(&at) {
        last = before_last;
    }
    if vocabulary::is_person(last) {
        return "person".to_owned();
    }
    last.to_owned()
}

/// Capitalised words inside the question that no mention covers.
fn unknown_names(
    tokens: &[Token],
    free: &[usize],
    compared: &dyn Fn(usize) -> bool,
) -> Vec<String> {
    free.iter()
        .filter(|&&i| {
            i > 0
                && !compared(i)
                && (is_number(&tokens[i])
                    || tokens[i].is_capitalised()
                        && !vocabulary::is_function_word(&tokens[i].folded))
        })
        .filter(|&&i| {
            is_number(&tokens[i])
                || tokens[i].text.chars().any(char::is_lowercase)
                || tokens[i].text.chars().count() > 1
        })
        .map(|&i| tokens[i].text.clone())
        .collect()
}

/// A number or year that nothing in the graph and no condition takes up.
fn is_number(token: &Token) -> bool {
    // "The 2000s" are a number, too.
    let text = token.text.strip_suffix('s').unwrap_or(&token.text);
    text.chars().any(|c| c.is_ascii_digit())
        && text
            .chars()
            .all(|c| c.is_ascii_digit() || c == '.' || c == ',')
}

fn masked(tokens: &[Token], mentions: &[Mention], comparator: Option<&Comparator>) -> String {
    let mut out = Vec::new();
    let mut i = 0;
    while i < tokens.len() {
        if let Some(mention) = mentions.iter().find(|m| m.first == i) {
            out.push(format!("⟨{}⟩", mention.slot.0));
            i = mention.end;
        } else if let Some(found) = comparator.filter(|c| c.at == i) {
            out.push(format!("⟨{}⟩", found.slot.0));
            i += 1;
        } else {
            out.push(tokens[i].folded.clone());
            i += 1;
        }
    }
    out.join(" ")
}

/// Whether a question asks for yes or no though it names one thing only: "is X good", but not "is X a man or a woman".
#[must_use]
pub fn asks_yes_or_no(isr: &Isr) -> bool {
    let folded = |i: usize| isr.tokens.get(i).map_or("", |t| t.folded.as_str());
    isr.mentions.len() == 1
        && isr.mentions[0].first > 0
        && isr.wh.is_empty()
        && vocabulary::is_auxiliary(folded(0))
        && !matches!(folded(1), "you" | "i" | "we")
        && !isr.tokens.iter().any(|t| t.folded == "or")
}

/// Whether a content word is what "where" or "come from" stands for.
#[must_use]
pub fn tells_where(word: &str) -> bool {
    word == vocabulary::PLACE || word == vocabulary::ORIGIN
}

/// The content word directly behind "which", "what" or "how many".
#[must_use]
pub fn asked_noun(isr: &Isr) -> Option<String> {
    let asks = |i: usize| match isr.tokens[i].folded.as_str() {
        "which" | "what" => true,
        "many" => i > 0 && isr.tokens[i - 1].folded == "how",
        _ => false,
    };
    let at = (0..isr.tokens.len()).find(|i| asks(*i))? + 1;
    let word = isr.words.iter().find(|word| word.token == at)?;
    Some(word.text.clone())
}

/// The words that name the asked-for attribute: "what is the *shoe size* of …", "who is the *mayor* of …", "how *tall* is …"
/// (as its nouns).
#[must_use]
pub fn asked_attribute(isr: &Isr) -> Option<Vec<String>> {
    let tokens = &isr.tokens;
    let folded = |i: usize| tokens.get(i).map_or("", |t| t.folded.as_str());
    if folded(0) == "how" {
        let run: Vec<&str> = (0..4).map(folded).collect();
        if let Some((meaning, _)) = vocabulary::idiom(&run) {
            return Some(meaning.split(' ').map(str::to_owned).collect());
        }
    }
    if !matches!(folded(0), "what" | "who")
        || !vocabulary::is_auxiliary(folded(1))
        || folded(2) != "the"
    {
        return None;
    }
    let first_name = isr.mentions.first().map_or(tokens.len(), |m| m.first);
    let mut from = 3;
    loop {
        let of = (from..first_name).find(|&i| matches!(folded(i), "of" | "for" | "in"))?;
        let words: Vec<String> = isr
            .words
            .iter()
            .filter(|w| (from..of).contains(&w.token))
            .map(|w| w.text.clone())
            .collect();
        if words.is_empty() || words == ["name"] || words == [vocabulary::KIND] {
            from = of + 1;
            continue;
        }
        return Some(words);
    }
}
