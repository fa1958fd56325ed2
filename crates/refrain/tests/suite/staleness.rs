//! Is an answer ever served from facts that have changed?

use crate::support::{Fixture, films, labels, name};
use oxrdf::{GraphName, Quad};
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use refrain::{Answer, Edit};

/// Trials of deleting or changing a cited triple.
const TRIALS: usize = 1000;
const FILMS: usize = 120;

fn question(rng: &mut ChaCha8Rng) -> String {
    let film = name(rng.random_range(0..FILMS));
    let person = name(1000 + rng.random_range(0..FILMS / 4));
    match rng.random_range(0..6) {
        0 => format!("who directed {film}?"),
        1 => format!("who wrote {film}?"),
        2 => format!("which films did {person} direct?"),
        3 => format!("how many films did {person} direct?"),
        4 => format!("what is the first film directed by {person}?"),
        _ => format!("what is the release year of {film}?"),
    }
}

/// A cited triple of an answer, as a quad.
fn cited(answer: &Answer, rng: &mut ChaCha8Rng) -> Option<Quad> {
    let citation = answer.citations.choose(rng)?;
    let text = format!(
        "{} {} {} .",
        citation.subject, citation.predicate, citation.object
    );
    let quad = refrain::load::parse_ntriples(&text).unwrap().remove(0);
    Some(Quad {
        graph_name: GraphName::DefaultGraph,
        ..quad
    })
}

#[test]
fn no_answer_survives_a_change_of_a_triple_it_cites() {
    let fixture = Fixture::with("films", &films(FILMS));
    let source = fixture.engine.source("films").unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let (mut tried, mut stale, mut remembered) = (0, Vec::new(), 0);
    while tried < TRIALS {
        let question = question(&mut rng);
        fixture.ask(&question);
        let before = fixture.ask(&question);
        let Some(quad) = cited(&before, &mut rng) else {
            continue;
        };
        tried += 1;
        remembered += usize::from(before.experience.is_some());
        let edits = [vec![quad.clone()]];
        fixture
            .engine
            .edit(&source, Edit::Remove, &edits[0])
            .unwrap();
        let replaced = rng.random_bool(0.5).then(|| {
            let others = (500..507).map(|n| format!("<http://e.org/person{n}>"));
            let others: Vec<String> = others
                .filter(|person| *person != quad.object.to_string())
                .collect();
            let person = others.choose(&mut rng).unwrap();
            let changed = Quad {
                object: person.parse().unwrap(),
                ..quad.clone()
            };
            fixture
                .engine
                .edit(&source, Edit::Add, std::slice::from_ref(&changed))
                .unwrap();
            changed
        });
        let after = fixture.ask(&question);
        let truth = fixture.ask_fresh(&question);
        if after.experience.is_some() && labels(&after) != labels(&truth) {
            stale.push((question.clone(), labels(&after), labels(&truth)));
        }
        for citation in &after.citations {
            let text = format!(
                "{} {} {} .",
                citation.subject, citation.predicate, citation.object
            );
            assert_ne!(
                refrain::load::parse_ntriples(&text).unwrap()[0].to_string(),
                quad.to_string(),
                "{question}"
            );
        }
        if let Some(changed) = replaced {
            fixture
                .engine
                .edit(&source, Edit::Remove, &[changed])
                .unwrap();
        }
        fixture.engine.edit(&source, Edit::Add, &edits[0]).unwrap();
    }
    assert!(
        stale.is_empty(),
        "{} of {TRIALS}: {:?}",
        stale.len(),
        &stale[..stale.len().min(5)]
    );
    assert!(
        remembered > TRIALS / 2,
        "the memory was used in {remembered} of {TRIALS}"
    );
}
