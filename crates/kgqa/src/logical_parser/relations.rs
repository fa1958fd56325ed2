//! Which words form relational phrases? "The *place of birth* of the *mother* of X", "X's *heir's* *son*".

use crate::isr::{Mention, Word};
use crate::kinship::{self, Kin};
use crate::text::Token;
use crate::vocabulary;

/// Numbers the relational phrases that hang on a mention: by "'s" behind it, by "of" before it.
pub(super) fn mark_relations(tokens: &[Token], mention: &Mention, words: &mut [Word]) {
    let mut number = 0;
    let content = |i: usize| {
        vocabulary::is_half(tokens, i)
            || (!vocabulary::is_function_word(&tokens[i].folded)
                && !vocabulary::is_sharing(&tokens[i].folded))
    };
    let mut set = |from: usize, end: usize, number: u8| {
        let mut any = false;
        for word in words.iter_mut().filter(|w| (from..end).contains(&w.token)) {
            word.relation = Some(number);
            any = true;
        }
        any
    };
    let mut at = mention.end;
    while at < tokens.len() && tokens[at].is_possessive() {
        let from = at + 1;
        let mut end = from;
        while end < tokens.len() && content(end) {
            end += 1;
        }
        // Behind the last "'s" the noun phrase may run into a verb: only its first word is sure.
        let last = !tokens.get(end).is_some_and(Token::is_possessive);
        if set(from, if last { end.min(from + 1) } else { end }, number) {
            number += 1;
        }
        at = end;
    }
    let mut end = mention.first;
    loop {
        let mut of = end;
        while of > 0
            && matches!(
                tokens[of - 1].folded.as_str(),
                "the" | "a" | "an" | "movie" | "film"
            )
        {
            of -= 1;
        }
        if of == 0 || tokens[of - 1].folded != "of" {
            return;
        }
        let mut from = of - 1;
        while from > 0 && content(from - 1) {
            from -= 1;
        }
        if !set(from, of - 1, number) {
            return;
        }
        number += 1;
        end = from;
    }
}

/// "grandson" is a son's son: two steps of one kind.
pub(super) fn split_grand(words: &mut Vec<Word>) {
    let mut i = 0;
    while i < words.len() {
        if let Some(kin) = words[i]
            .text
            .strip_prefix("grand")
            .filter(|rest| matches!(kinship::kin(rest), Some(Kin::Child | Kin::Parent)))
            .map(str::to_owned)
        {
            let Word {
                token,
                weight,
                relation,
                ..
            } = words[i];
            // The second step is a phrase of its own: numbered apart from all others.
            words[i].text.clone_from(&kin);
            words.insert(
                i,
                Word {
                    text: kin,
                    token,
                    weight,
                    relation: relation.map(|r| r.saturating_add(100)),
                },
            );
            i += 1;
        }
        i += 1;
    }
}

/// Makes one word of a relational phrase without "of" in it: "other half", "jersey number".
pub(super) fn merge_phrases(tokens: &[Token], words: &mut Vec<Word>) {
    let mut i = 0;
    while i < words.len() {
        if words[i].relation.is_some() {
            let other = words[i]
                .token
                .checked_sub(1)
                .filter(|&t| tokens[t].folded == "other");
            if other.is_some() {
                words[i].text.insert_str(0, "other ");
            }
            while i + 1 < words.len()
                && words[i + 1].relation == words[i].relation
                && words[i + 1].token
                    == words[i].token + words[i].text.split(' ').count()
                        - usize::from(other.is_some())
            {
                let next = words.remove(i + 1);
                words[i].text.push(' ');
                words[i].text.push_str(&next.text);
            }
        }
        i += 1;
    }
}
