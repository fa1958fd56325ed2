//! What is answered, and are questions that nothing answers refused?
//!
//! Unanswerable ones are made of the questions of a set: a name, the last word of a name, or a verb is replaced by one that
//! fits nothing. The questions are halved by their place in the file, so that a bound found on one half is judged on the
//! other.

use graph_rag::LinearRagConfig;
use graph_rag::answer::{Answer, AnswerConfig};
use language_model::{Embedder, StaticEmbedder};
use serde::Serialize;

use super::IndexedCorpus;
use super::load::{Corpus, CorpusQuestion};
use super::measure::{contains_answer, wants_text};
use super::stream::share;

/// Bounds that are compared; above 1 only the word itself counts.
const LIKENESS: [f64; 7] = [-1.0, 0.35, 0.4, 0.45, 0.5, 0.6, 1.01];

/// Names that nobody has.
const NAMES: [&str; 6] = [
    "Quellmere",
    "Zorvath",
    "Ubbendahl",
    "Trivanko",
    "Mossgrift",
    "Velkorra",
];

/// What nobody in the sets does.
const VERBS: [&str; 8] = [
    "laminated",
    "vaccinated",
    "knitted",
    "pickled",
    "fumigated",
    "juggled",
    "varnished",
    "tattooed",
];

/// Words of questions that are no verbs and no names.
const PLAIN: [&str; 24] = [
    "what", "which", "when", "where", "who", "whom", "whose", "how", "the", "and", "was", "did",
    "does", "were", "are", "for", "from", "that", "with", "film", "has", "had", "than", "its",
];

/// One half of the questions with one bound. Shares are in `0..=1`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct RefusalFigures {
    /// [`AnswerConfig::minimum_likeness`].
    pub likeness: f64,
    /// The half: questions at odd places of the file.
    pub odd: bool,
    /// Questions that are answered.
    pub answered: f64,
    /// Of the questions with a textual answer, those whose first sentence has it.
    pub first_right: f64,
    /// Of the questions with a textual answer, those whose cited sentences have it.
    pub cited_right: f64,
    /// Of the questions with a name replaced, those that are refused.
    pub refused_other_name: f64,
    /// Of the questions with the last word of a name replaced, those that are refused.
    pub refused_other_part: f64,
    /// Of the questions with a word outside of names replaced by a verb, those that are refused.
    pub refused_other_verb: f64,
}

/// Measures both halves with every bound.
pub(crate) fn refusals(
    corpus: &Corpus,
    indexed: &IndexedCorpus,
    embedder: &dyn Embedder,
) -> anyhow::Result<Vec<RefusalFigures>> {
    let mut out = Vec::new();
    for likeness in LIKENESS {
        for odd in [false, true] {
            let config = AnswerConfig {
                minimum_likeness: likeness,
                ..AnswerConfig::default()
            };
            let questions = corpus.questions.iter().enumerate();
            let half: Vec<(usize, &CorpusQuestion)> = questions
                .filter(|(place, _)| (place % 2 == 1) == odd)
                .collect();
            let figures = measured(&half, indexed, embedder, &config)?;
            out.push(RefusalFigures {
                likeness,
                odd,
                ..figures
            });
        }
    }
    Ok(out)
}

fn measured(
    questions: &[(usize, &CorpusQuestion)],
    indexed: &IndexedCorpus,
    embedder: &dyn Embedder,
    config: &AnswerConfig,
) -> anyhow::Result<RefusalFigures> {
    let settings = LinearRagConfig::default();
    let index = &indexed.index;
    let words = StaticEmbedder::builtin();
    let ask = |question: &str| -> anyhow::Result<(Option<Answer>, Vec<String>)> {
        let query = index.query(question, embedder, &settings)?;
        let found = index.search(&query, &query.seeds, &settings);
        let answer = index.answer(&query, &found, config, words.as_ref())?.ok();
        Ok((answer, query.mentions))
    };
    let (mut answered, mut textual, mut first, mut cited) = (0, 0, 0, 0);
    let mut made = [0; 3];
    let mut refused = [0; 3];
    for (place, question) in questions {
        let (answer, mentions) = ask(&question.question)?;
        answered += usize::from(answer.is_some());
        if wants_text(question) {
            textual += 1;
            let holds = |text: &str| contains_answer(text, &question.answers);
            let best = answer.as_ref().and_then(|a| a.citations.first());
            first += usize::from(best.is_some_and(|c| holds(&c.text)));
            cited += usize::from(answer.as_ref().is_some_and(|a| holds(&a.text())));
        }
        let asked = question.question.as_str();
        let others = [
            other_name(asked, &mentions, NAMES[place % NAMES.len()], false),
            other_name(asked, &mentions, NAMES[place % NAMES.len()], true),
            other_verb(asked, &mentions, VERBS[place % VERBS.len()]),
        ];
        for (kind, other) in others.into_iter().enumerate() {
            let Some(other) = other else { continue };
            made[kind] += 1;
            refused[kind] += usize::from(ask(&other)?.0.is_none());
        }
    }
    Ok(RefusalFigures {
        answered: share(answered, questions.len()),
        first_right: share(first, textual),
        cited_right: share(cited, textual),
        refused_other_name: share(refused[0], made[0]),
        refused_other_part: share(refused[1], made[1]),
        refused_other_verb: share(refused[2], made[2]),
        ..RefusalFigures::default()
    })
}

/// The question with its longest name replaced, or only the last word of it.
fn other_name(question: &str, mentions: &[String], name: &str, part: bool) -> Option<String> {
    let spoken = question.is_ascii().then(|| question.to_ascii_lowercase())?;
    let letters = |m: &&String| m.chars().all(|c| !c.is_ascii_digit());
    let found = mentions.iter().filter(letters);
    let longest = found.max_by_key(|mention| mention.len())?;
    let start = spoken.find(longest.as_str())?;
    let end = start + longest.len();
    let from = match (part, longest.rfind(' ')) {
        (false, _) => start,
        (true, Some(space)) => start + space + 1,
        (true, None) => return None,
    };
    Some(format!("{}{name}{}", &question[..from], &question[end..]))
}

/// The question with its last word outside of names, unless it is a plain one, replaced by a verb.
fn other_verb(question: &str, mentions: &[String], verb: &str) -> Option<String> {
    let named = |word: &str| mentions.iter().any(|mention| mention.contains(word));
    let mut words: Vec<&str> = question.split(' ').collect();
    let is_said = |word: &&str| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        bare.len() > 2
            && bare.chars().all(|c| c.is_ascii_lowercase())
            && !PLAIN.contains(&bare)
            && !named(bare)
    };
    let place = words.iter().rposition(is_said)?;
    words[place] = verb;
    Some(format!("{}?", words.join(" ").trim_end_matches('?')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_made_unanswerable_by_one_word() {
        let question = "When did Lothair the Lame die?";
        let mentions = ["lothair the lame".to_owned()];
        assert_eq!(
            other_name(question, &mentions, "Zorvath", false).as_deref(),
            Some("When did Zorvath die?")
        );
        assert_eq!(
            other_name(question, &mentions, "Zorvath", true).as_deref(),
            Some("When did Lothair the Zorvath die?")
        );
        assert_eq!(
            other_verb(question, &mentions, "knitted").as_deref(),
            Some("When did Lothair the Lame knitted?")
        );
    }
}
