//! What does a verdict on an answer from documents change?

use refrain::{AddRequest, Answer, Config, Engine, HitKind, Verdict};

use crate::support::{Fixture, surroundings};

const QUESTION: &str = "When was the Miller mill built?";

/// Two sentences that speak to the question, the first more than the second.
const MILL: &str = "The Miller mill was built in 1850 beside the river Ahr. \
    The Miller mill was built again after a fire in 1871 by Otto Miller. It was sold later.";

fn fixture() -> Fixture {
    let fixture = Fixture::empty();
    write(&fixture, MILL);
    fixture
}

fn write(fixture: &Fixture, text: &str) {
    let path = fixture.directory.path().join("mill.txt");
    fs_err::write(&path, text).unwrap();
    fixture
        .engine
        .add(AddRequest::new("notes", vec![path]))
        .unwrap();
}

fn judge(fixture: &Fixture, answer: &Answer, verdict: Verdict) -> refrain::BlastRadius {
    fixture
        .engine
        .feedback("default", &answer.id, verdict)
        .unwrap()
}

#[test]
fn a_sentence_that_was_called_wrong_is_not_given_again_for_the_same_words() {
    let fixture = fixture();
    let first = fixture.ask(QUESTION);
    assert!(first.text.contains("1850"), "{first:?}");
    let radius = judge(&fixture, &first, Verdict::Bad);
    assert!(radius.vetoed, "{radius:?}");
    let second = fixture.ask(QUESTION);
    assert!(second.text.contains("1871"), "{second:?}");
    let cited = second.passages.iter().map(|p| p.text.as_str());
    assert!(cited.into_iter().all(|text| !text.contains("1850")));
    assert_ne!(second.hit_kind, HitKind::Exact);
    // Another question may still be told so.
    let other = fixture.ask("What stands beside the river Ahr?");
    assert!(other.text.contains("river Ahr"), "{other:?}");
}

#[test]
fn when_every_sentence_was_called_wrong_there_is_no_answer() {
    let fixture = fixture();
    for _ in 0..3 {
        let answer = fixture.ask(QUESTION);
        if answer.refused {
            break;
        }
        judge(&fixture, &answer, Verdict::Bad);
    }
    let answer = fixture.ask(QUESTION);
    assert!(answer.refused, "{answer:?}");
}

#[test]
fn a_correction_is_given_until_the_document_changes_what_was_corrected() {
    let fixture = fixture();
    let first = fixture.ask(QUESTION);
    judge(
        &fixture,
        &first,
        Verdict::Edit("In the spring of 1851".into()),
    );
    let corrected = fixture.ask(QUESTION);
    assert_eq!(
        (
            corrected.text.as_str(),
            corrected.hit_kind,
            corrected.refused
        ),
        ("In the spring of 1851", HitKind::Exact, false)
    );
    judge(&fixture, &corrected, Verdict::Good);
    let corrected = fixture.ask(QUESTION);
    assert_eq!(corrected.text, "In the spring of 1851");
    // A later word replaces an earlier one.
    judge(&fixture, &corrected, Verdict::Edit("In 1852".into()));
    assert_eq!(fixture.ask(QUESTION).text, "In 1852");
    write(&fixture, &MILL.replace("1850", "1849"));
    let changed = fixture.ask(QUESTION);
    assert!(changed.text.contains("1849"), "{changed:?}");
}

#[test]
fn verdicts_on_documents_outlive_the_process() {
    let fixture = fixture();
    let first = fixture.ask(QUESTION);
    judge(&fixture, &first, Verdict::Bad);
    let Fixture { engine, directory } = fixture;
    drop(engine);
    let path = directory.path().join("d");
    let engine = Engine::open_or_create(&path, Config::default(), surroundings(2)).unwrap();
    let fixture = Fixture { engine, directory };
    assert!(!fixture.ask(QUESTION).text.contains("1850"));
}
