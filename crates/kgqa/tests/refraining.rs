//! What does the planner refrain from, on graphs in which not every question has an answer?

mod desk;

use desk::Desk;
use kgqa::testing::MemoryGraph;
use oxrdfio::RdfFormat;

fn of_turtle(text: &str) -> Desk {
    let graph = MemoryGraph::from_rdf(text.as_bytes(), RdfFormat::Turtle);
    Desk::over(graph.expect("the fixture is Turtle"))
}

fn summits() -> Desk {
    of_turtle(include_str!("desk/summits.ttl"))
}

fn towns() -> Desk {
    of_turtle(include_str!("desk/towns.ttl"))
}

fn gives(desk: &Desk, cases: &[(&str, &[&str])]) {
    for (question, values) in cases {
        assert_eq!(desk.values(question), *values, "{question}");
    }
}

fn refuses(desk: &Desk, questions: &[&str]) {
    for question in questions {
        let outcome = desk.ask(question);
        assert!(
            outcome.refusal.is_some() && outcome.executed.is_none(),
            "{question}: {:?}",
            outcome.chosen.map(|chosen| chosen.template)
        );
    }
}

#[test]
fn a_yes_needs_an_edge_and_a_no_the_relation_that_is_told() {
    // A newcomer asked whether a mountain lies in its country, and was told "No", by the mountain's range.
    gives(
        &summits(),
        &[
            ("Does the Ortler lie in Italy?", &["true"]),
            ("Is the Ortler in Italy?", &["true"]),
            ("Was the Ortler first climbed by Josef Pichler?", &["true"]),
            ("Did Sepp Klotz climb the Ortler?", &["false"]),
            ("Is Rome the capital of Austria?", &["false"]),
        ],
    );
    refuses(
        &summits(),
        &["Does the Ortler lie in Japan?", "Is Mount Fuji in Austria?"],
    );
    let towns = towns();
    gives(
        &towns,
        &[
            ("Does Lisbon lie in Portugal?", &["true"]),
            ("Was Fernando Pessoa born in Portugal?", &["true"]),
            ("Was Jose Saramago born in Spain?", &["false"]),
            ("Does Portugal border France?", &["false"]),
            ("Does the Tagus flow through France?", &["false"]),
            ("Is Porto the capital of Portugal?", &["false"]),
        ],
    );
    refuses(
        &towns,
        &[
            "Did Fernando Pessoa visit Lisbon?",
            "Did Fernando Pessoa live in Lisbon?",
            "Did Fernando Pessoa die in Lisbon?",
            "Is Portugal the capital of Lisbon?",
        ],
    );
}

#[test]
fn every_yes_and_no_cites_a_triple() {
    let desk = towns();
    for question in [
        "Is Lisbon in Portugal?",
        "Is Lisbon the capital of Spain?",
        "Is the Douro longer than the Tagus?",
    ] {
        let executed = desk.ask(question).executed.expect("an answer");
        assert!(!executed.evidence.is_empty(), "{question}");
    }
}

#[test]
fn two_names_are_compared_by_what_is_told() {
    gives(
        &towns(),
        &[
            ("Is the Tagus longer than the Douro?", &["true"]),
            ("Is the Douro longer than the Tagus?", &["false"]),
            ("Does Lisbon have more inhabitants than Porto?", &["true"]),
            ("Was Fernando Pessoa born before Jose Saramago?", &["true"]),
            ("Was Fernando Pessoa born after Jose Saramago?", &["false"]),
        ],
    );
    gives(
        &summits(),
        &[
            ("Is the Ortler higher than Mount Fuji?", &["true"]),
            (
                "Was the Ortler climbed before the Grossglockner?",
                &["false"],
            ),
        ],
    );
    refuses(&towns(), &["Is Lisbon older than Porto?"]);
}

#[test]
fn what_is_not_there_is_not_counted() {
    // Years of birth and classes were counted, as children and as people.
    refuses(
        &summits(),
        &[
            "How many children does Sepp Klotz have?",
            "How many people live in Italy?",
        ],
    );
    let towns = towns();
    refuses(
        &towns,
        &[
            "How many people live in Spain?",
            "How many children does Fernando Pessoa have?",
        ],
    );
    gives(
        &towns,
        &[
            ("How many people live in Lisbon?", &["545000"]),
            ("How many inhabitants does Porto have?", &["231000"]),
            ("How many people were born in Lisbon?", &["1"]),
            ("How many rivers flow through Spain?", &["2"]),
        ],
    );
    gives(
        &summits(),
        &[("How many mountains are in Austria?", &["2"])],
    );
}

#[test]
fn first_is_a_word_of_the_graph_or_an_order_by_a_told_time() {
    // "Who first climbed X" was answered with the eldest of those who did.
    gives(
        &summits(),
        &[(
            "Who first climbed the Grossvenediger?",
            &["Ignaz Kuersinger", "Josef Rohregger"],
        )],
    );
    refuses(
        &towns(),
        &[
            "What is the first river in Portugal?",
            "Who first ruled Portugal?",
        ],
    );
}

#[test]
fn values_are_of_the_class_that_is_named() {
    // The predicate "mountain range" was taken for the noun "mountain".
    gives(
        &summits(),
        &[
            (
                "Which mountains are in the High Tauern?",
                &["Grossglockner", "Grossvenediger"],
            ),
            ("Which mountains did Sepp Klotz climb?", &["Grossglockner"]),
        ],
    );
    gives(
        &towns(),
        &[("Which rivers flow through Portugal?", &["Douro", "Tagus"])],
    );
}

#[test]
fn another_attribute_is_no_answer() {
    refuses(
        &summits(),
        &[
            "What is the currency of Italy?",
            "What is the population of Austria?",
            "What is the age of Sepp Klotz?",
        ],
    );
    refuses(
        &towns(),
        &[
            "What is the currency of Portugal?",
            "What is the population of Portugal?",
            "What is the area of Lisbon?",
            "Who is the president of Portugal?",
        ],
    );
}

#[test]
fn how_high_asks_for_a_number_of_that_measure() {
    gives(
        &summits(),
        &[
            ("How high is the Ortler?", &["3905"]),
            ("How hgih is the Ortler?", &["3905"]),
            ("How tall is Mount Fuji?", &["3776"]),
        ],
    );
    refuses(
        &summits(),
        &[
            "How old is the Ortler?",
            "How deep is the Ortler?",
            "How heavy is the Ortler?",
            "How old is Sepp Klotz?",
        ],
    );
    refuses(&towns(), &["How old is Lisbon?", "How big is Portugal?"]);
}

#[test]
fn a_word_that_is_only_put_up_with_is_not_told() {
    let desk = Desk::of(&[
        ("Inception", "directed_by", "Christopher Nolan"),
        ("Inception", "starring", "Elliot Page"),
        ("Inception", "genre", "Thriller"),
        ("Fidelio", "composed_by", "Ludwig van Beethoven"),
    ]);
    refuses(&desk, &["Who directed the sequel of Inception?"]);
    // Music is written too.
    gives(&desk, &[("Who wrote Fidelio?", &["Ludwig van Beethoven"])]);
}
