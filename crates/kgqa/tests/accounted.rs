//! What the plan leaves aside must at least be true: years beside names, other doings, who did what to whom.

mod desk;

use desk::Desk;

/// Film, predicate, value.
const FACTS: &[(&str, &str, &str)] = &[
    ("Inception", "directed_by", "Christopher Nolan"),
    ("Inception", "written_by", "Christopher Nolan"),
    ("Inception", "starred_actors", "Elliot Page"),
    ("Inception", "release_year", "2010"),
    ("2010", "directed_by", "Peter Hyams"),
    ("2010", "release_year", "1984"),
    ("Inception", "running_minutes", "148"),
    ("Dunkirk", "directed_by", "Christopher Nolan"),
    ("Dunkirk", "starred_actors", "Harry Styles"),
    ("Dunkirk", "release_year", "2017"),
    ("Dunkirk", "running_minutes", "106"),
    ("Titanic", "directed_by", "James Cameron"),
    ("Titanic", "release_year", "1997"),
    ("Titanic", "running_minutes", "194"),
    ("Aliens", "directed_by", "James Cameron"),
    ("Aliens", "release_year", "1986"),
    ("Syncopy", "founded_by", "Christopher Nolan"),
    ("James Cameron", "influenced_by", "Stanley Kubrick"),
    ("Christopher Nolan", "influenced_by", "Stanley Kubrick"),
    ("Stanley Kubrick", "influenced_by", "Max Ophuls"),
];

fn films() -> Desk {
    Desk::of(FACTS)
}

fn is_refused(desk: &Desk, question: &str) {
    let outcome = desk.ask(question);
    assert!(
        outcome.refusal.is_some(),
        "{question}: {:?}",
        outcome.chosen
    );
}

#[test]
fn a_year_beside_a_name_must_be_its_own() {
    let desk = films();
    assert_eq!(
        desk.values("who directed Inception in 2010?"),
        ["Christopher Nolan"]
    );
    is_refused(&desk, "who directed Inception in 2017?");
    is_refused(&desk, "who directed Inception of 1997?");
}

#[test]
fn another_doing_is_refused() {
    let desk = films();
    assert_eq!(desk.values("who founded Syncopy?"), ["Christopher Nolan"]);
    for question in [
        "who edited Inception?",
        "who composed Inception?",
        "who dissolved Syncopy?",
    ] {
        is_refused(&desk, question);
    }
}

#[test]
fn who_it_was_done_to_is_someone() {
    let desk = films();
    is_refused(&desk, "who did Christopher Nolan direct?");
    assert_eq!(
        desk.values("who did Stanley Kubrick influence?"),
        ["Christopher Nolan", "James Cameron"]
    );
}

#[test]
fn what_did_not_happen_or_only_happened_is_no_fact() {
    let desk = films();
    for question in [
        "who would have directed Inception?",
        "who only directed Inception?",
        "what is the future release year of Inception?",
    ] {
        is_refused(&desk, question);
    }
}

#[test]
fn limits_with_units_and_by_a_year() {
    let desk = films();
    for (question, films) in [
        (
            "which films directed by James Cameron are 194 minutes or longer?",
            vec!["Titanic"],
        ),
        (
            "which films directed by Christopher Nolan are 120 minutes or shorter?",
            vec!["Dunkirk"],
        ),
        (
            "which films directed by Christopher Nolan were released by 2012?",
            vec!["Inception"],
        ),
    ] {
        assert_eq!(desk.values(question), films, "{question}");
    }
}

#[test]
fn one_doing_is_one_step_the_right_way_and_a_measure_is_its_own() {
    let desk = films();
    is_refused(&desk, "who directed Christopher Nolan?");
    is_refused(&desk, "which film is heavier, Inception or Titanic?");
    assert_eq!(
        desk.values("which film is older, Inception or Titanic?"),
        ["Titanic"]
    );
}
