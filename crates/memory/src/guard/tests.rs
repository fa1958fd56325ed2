use proptest::prelude::*;

use super::*;

fn sig(masked: &str) -> Signature {
    let slots = (0..9)
        .filter(|i| masked.contains(&format!("⟨{i}⟩")))
        .map(|i| format!("e{i}"))
        .collect();
    Signature::extract(masked, slots)
}

fn refused_by(stored: &str, asked: &str) -> Option<&'static str> {
    check(&sig(stored), &sig(asked))
        .err()
        .map(|refusal| refusal.name())
}

#[test]
fn each_guard_refuses_its_trap() {
    let traps = [
        ("who directed ⟨0⟩", "who directed ⟨0⟩ and ⟨1⟩", "entities"),
        (
            "the 3 best films of ⟨0⟩",
            "the 5 best films of ⟨0⟩",
            "number",
        ),
        ("the three films of ⟨0⟩", "the 4 films of ⟨0⟩", "number"),
        ("the two films of ⟨0⟩", "the three films of ⟨0⟩", "number"),
        (
            "films by ⟨0⟩ released before 1997",
            "films by ⟨0⟩ released before 1999",
            "date",
        ),
        ("films by ⟨0⟩ in july", "films by ⟨0⟩ in june", "date"),
        (
            "films by ⟨0⟩ from the 1980s",
            "films by ⟨0⟩ from the 1990s",
            "date",
        ),
        (
            "is ⟨0⟩ over 100 km long",
            "is ⟨0⟩ over 100 miles long",
            "unit",
        ),
        ("who directed ⟨0⟩?", "who did not direct ⟨0⟩?", "negation"),
        (
            "films of ⟨0⟩ with ⟨1⟩",
            "films of ⟨0⟩ without ⟨1⟩",
            "negation",
        ),
        (
            "what is the first film directed by ⟨0⟩?",
            "what is the latest film directed by ⟨0⟩?",
            "polarity",
        ),
        (
            "films by ⟨0⟩ released before ⟨1⟩",
            "films by ⟨0⟩ released after ⟨1⟩",
            "polarity",
        ),
        (
            "which was released earlier, ⟨0⟩ or ⟨1⟩",
            "which was released later, ⟨0⟩ or ⟨1⟩",
            "polarity",
        ),
        (
            "the film of ⟨0⟩ with the most awards",
            "the film of ⟨0⟩ with the least awards",
            "polarity",
        ),
        ("who directed ⟨0⟩", "who else directed ⟨0⟩", "polarity"),
        (
            "which films did ⟨0⟩ direct?",
            "how many films did ⟨0⟩ direct?",
            "question_type",
        ),
        (
            "did ⟨0⟩ direct films",
            "which films did ⟨0⟩ direct",
            "question_type",
        ),
        ("where was ⟨0⟩ born", "when was ⟨0⟩ born", "asks"),
        ("why did ⟨0⟩ leave ⟨1⟩", "when did ⟨0⟩ leave ⟨1⟩", "asks"),
        ("how did ⟨0⟩ die", "where did ⟨0⟩ die", "asks"),
        ("how old is ⟨0⟩", "where is ⟨0⟩", "asks"),
        ("who directed ⟨0⟩", "⟨0⟩ directed whom", "direction"),
        (
            "who is ⟨0⟩'s director",
            "who was directed by ⟨0⟩",
            "direction",
        ),
    ];
    for (stored, asked, guard) in traps {
        assert_eq!(refused_by(stored, asked), Some(guard), "{stored} | {asked}");
        assert_eq!(refused_by(asked, stored), Some(guard), "{asked} | {stored}");
    }
}

#[test]
fn paraphrases_pass() {
    let pairs = [
        (
            "which film was released earlier, ⟨0⟩ or ⟨1⟩?",
            "was ⟨0⟩ or ⟨1⟩ released first?",
        ),
        (
            "which films did ⟨0⟩ direct?",
            "name the movies that were directed by ⟨0⟩",
        ),
        ("who directed ⟨0⟩?", "the director of ⟨0⟩ is who?"),
        ("who directed ⟨0⟩?", "who was ⟨0⟩ directed by?"),
        (
            "can you name a film directed by ⟨0⟩",
            "you can name a film by ⟨0⟩",
        ),
    ];
    for (stored, asked) in pairs {
        assert_eq!(refused_by(stored, asked), None, "{stored} | {asked}");
    }
}

#[test]
fn words_without_a_counterpart_are_refused_unless_accounted_for() {
    let (stored, asked) = (sig("who directed ⟨0⟩"), sig("who wrote ⟨0⟩"));
    assert!(check_words(&stored, &asked, |_| false).is_err());
    assert!(
        check_words(&stored, &asked, |word| word == "writ").is_err(),
        "the stored question's word is left over"
    );
    assert!(check_words(&stored, &asked, |_| true).is_ok());
    assert!(
        check_words(
            &sig("which films did ⟨0⟩ direct"),
            &sig("name the movies directed by ⟨0⟩"),
            |_| false
        )
        .is_ok()
    );
}

#[test]
fn a_word_more_or_once_more_is_a_word_to_account_for() {
    let (once, twice) = (
        sig("the film ⟨0⟩ was directed by who"),
        sig("the director of ⟨0⟩ also directed which films"),
    );
    assert_eq!(unaccounted(&once, &twice).asked, ["direct"]);
    assert_eq!(
        unaccounted(
            &sig("the release of ⟨0⟩"),
            &sig("when was the release of ⟨0⟩")
        )
        .asked,
        ["time"]
    );
}

fn question() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        Just("who"),
        Just("which"),
        Just("films"),
        Just("directed"),
        Just("by"),
        Just("⟨0⟩"),
        Just("before"),
        Just("after"),
        Just("1997"),
        Just("three"),
        Just("not"),
        Just("most"),
        Just("least"),
        Just("km"),
        Just("when"),
        Just("how"),
        Just("many"),
        Just("did"),
        Just("of"),
    ];
    prop::collection::vec(word, 1..9).prop_map(|words| words.join(" "))
}

proptest! {
    #[test]
    fn a_question_always_passes_its_own_guards(text in "\\PC{0,80}", masked in question()) {
        for q in [text, masked] {
            let s = sig(&q);
            prop_assert_eq!(check(&s, &s), Ok(()));
            prop_assert!(unaccounted(&s, &s).is_empty());
        }
    }

    #[test]
    fn guards_are_symmetric(a in question(), b in question()) {
        prop_assert_eq!(refused_by(&a, &b), refused_by(&b, &a));
    }

    /// Whatever passes has the same numbers, dates, polarity, negation and type: fail-closed, stated as one property.
    #[test]
    fn nothing_that_differs_in_a_guarded_part_passes(a in question(), b in question()) {
        let (x, y) = (sig(&a), sig(&b));
        if check(&x, &y).is_ok() {
            prop_assert_eq!(&x.numbers, &y.numbers);
            prop_assert_eq!(&x.dates, &y.dates);
            prop_assert_eq!(&x.units, &y.units);
            prop_assert_eq!(&x.polarity, &y.polarity);
            prop_assert_eq!(x.negated, y.negated);
            prop_assert_eq!(&x.question_type, &y.question_type);
            prop_assert!(x.asks == y.asks || x.asks.is_empty() || y.asks.is_empty());
            if x.asks != y.asks {
                prop_assert!(check_words(&x, &y, |_| false).is_err());
            }
        }
    }

    #[test]
    fn another_number_anywhere_is_refused(masked in question(), one in 3000_u32..9000, step in 1_u32..900) {
        let with = |n: u32| format!("{masked} {n}");
        prop_assert_eq!(refused_by(&with(one), &with(one + step)), Some("number"));
    }
}
