//! How well do the words of a sentence cover an answer? F1 of words, after LoCoMo's evaluation, but without stemming.

use simulate::locomo::ConversationQuestion;

/// The best F1 that a sentence of these turns reaches, in [0, 1].
pub(super) fn best_sentence<'t>(
    asked: &ConversationQuestion,
    turns: impl Iterator<Item = &'t str>,
) -> f64 {
    turns
        .flat_map(|turn| turn.split_inclusive(['.', '!', '?']))
        .map(|sentence| score(asked, sentence))
        .fold(0.0, f64::max)
}

/// Several answers of one question are separated by commas; of a temporal or open one only what stands before a semicolon counts.
fn score(asked: &ConversationQuestion, given: &str) -> f64 {
    match asked.category {
        1 => {
            let expected: Vec<&str> = asked.answer.split(',').collect();
            let best = |part: &&str| {
                let parts = given.split(',');
                parts.map(|words| f1(part, words)).fold(0.0, f64::max)
            };
            #[expect(clippy::cast_precision_loss, reason = "a few parts")]
            let count = expected.len() as f64;
            expected.iter().map(best).sum::<f64>() / count
        }
        2 | 3 => f1(asked.answer.split(';').next().unwrap_or_default(), given),
        _ => f1(&asked.answer, given),
    }
}

fn words(text: &str) -> Vec<String> {
    let kept: String = text
        .to_lowercase()
        .chars()
        .filter(|letter| !letter.is_ascii_punctuation())
        .collect();
    kept.split_whitespace()
        .filter(|word| !["a", "an", "the", "and"].contains(word))
        .map(str::to_owned)
        .collect()
}

#[expect(clippy::cast_precision_loss, reason = "sentences are short")]
fn f1(expected: &str, given: &str) -> f64 {
    let (expected, mut given) = (words(expected), words(given));
    let (wanted, offered) = (expected.len() as f64, given.len() as f64);
    let mut common = 0.0;
    for word in &expected {
        if let Some(place) = given.iter().position(|other| other == word) {
            given.swap_remove(place);
            common += 1.0;
        }
    }
    if common == 0.0 {
        return 0.0;
    }
    2.0 * common / (wanted + offered)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(category: u8, answer: &str) -> ConversationQuestion {
        ConversationQuestion {
            question: String::new(),
            answer: answer.to_owned(),
            category,
            evidence: Vec::new(),
        }
    }

    #[test]
    fn articles_case_and_punctuation_do_not_count_and_repeated_words_count_once_each() {
        assert!((f1("The red, red door", "a RED door!") - 0.8).abs() < 1e-9);
        assert!(f1("red", "blue") == 0.0);
    }

    #[test]
    fn each_part_of_a_list_is_looked_for() {
        let question = asked(1, "Rome, Paris");
        assert!((score(&question, "Paris, of course") - 0.5).abs() < 1e-9);
        let question = asked(3, "yes; because he said so");
        assert!((score(&question, "Yes.") - 1.0).abs() < 1e-9);
    }

    #[test]
    fn the_best_sentence_of_all_turns_decides() {
        let question = asked(4, "by dancing");
        let turns = ["I was tired. By dancing!", "Hello."];
        assert!((best_sentence(&question, turns.into_iter()) - 1.0).abs() < 1e-9);
    }
}
