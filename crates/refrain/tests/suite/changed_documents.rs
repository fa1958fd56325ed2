//! Is an answer from documents ever served as it was after they changed?

use std::path::Path;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use refrain::{AddRequest, Answer, AskRequest, HitKind, MemoryUse};

use crate::support::{Fixture, name};

/// Trials of changing, shortening, removing or renaming a document that a remembered answer cites.
const TRIALS: usize = 1000;
const DOCUMENTS: usize = 10;
const TOWNS: [&str; 6] = [
    "Ashford", "Brinley", "Corwen", "Dunmore", "Elstow", "Fenwick",
];

fn text(person: &str, town: &str) -> String {
    format!(
        "{person} was a painter of harbours. {person} was born in {town}. Many of the pictures are lost."
    )
}

fn add(fixture: &Fixture, folder: &Path) -> u64 {
    let request = AddRequest::new("papers", vec![folder.to_owned()]);
    fixture.engine.add(request).unwrap().suspects
}

fn ask(fixture: &Fixture, namespace: &str, question: &str, memory: MemoryUse) -> Answer {
    let request = AskRequest {
        namespace: namespace.to_owned(),
        memory,
        ..AskRequest::new(question)
    };
    let answer = fixture.engine.ask(&request).unwrap();
    fixture.engine.settle().unwrap();
    answer
}

/// What an answer says and where it has it from.
fn shown(answer: &Answer) -> (bool, String, Vec<(String, String)>) {
    let cited = answer
        .passages
        .iter()
        .map(|p| (p.document.clone(), p.text.clone()));
    (answer.refused, answer.text.clone(), cited.collect())
}

#[test]
fn no_answer_survives_a_change_of_a_document_it_cites() {
    let fixture = Fixture::empty();
    let folder = fixture.directory.path().join("papers");
    std::fs::create_dir(&folder).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let people: Vec<String> = (0..DOCUMENTS).map(name).collect();
    let mut files: Vec<String> = (0..DOCUMENTS).map(|n| format!("{n}.txt")).collect();
    let mut towns = [0; DOCUMENTS];
    for (person, file) in people.iter().zip(&files) {
        std::fs::write(folder.join(file), text(person, TOWNS[0])).unwrap();
    }
    let (mut stale, mut remembered, mut made_suspect) = (Vec::new(), 0, 0);
    for trial in 0..TRIALS {
        add(&fixture, &folder);
        let number = rng.random_range(0..DOCUMENTS);
        let (person, path) = (&people[number], folder.join(&files[number]));
        let question = format!("Where was {person} born?");
        // A namespace of its own, so that no other answer makes this one too well known to be kept.
        let namespace = format!("trial{trial}");
        ask(&fixture, &namespace, &question, MemoryUse::On);
        let before = ask(&fixture, &namespace, &question, MemoryUse::On);
        assert!(
            before.text.contains(TOWNS[towns[number]]),
            "{}",
            before.text
        );
        remembered += usize::from(before.hit_kind == HitKind::Exact);
        let other = (towns[number] + rng.random_range(1..TOWNS.len())) % TOWNS.len();
        match rng.random_range(0..4) {
            0 => {
                towns[number] = other;
                std::fs::write(&path, text(person, TOWNS[other])).unwrap();
            }
            1 => std::fs::write(&path, format!("{person} was a painter of harbours.")).unwrap(),
            2 => std::fs::remove_file(&path).unwrap(),
            _ => {
                files[number] = format!("{number}-{trial}.txt");
                std::fs::rename(&path, folder.join(&files[number])).unwrap();
            }
        }
        made_suspect += usize::from(add(&fixture, &folder) > 0);
        let after = ask(&fixture, &namespace, &question, MemoryUse::On);
        let truth = ask(&fixture, &namespace, &question, MemoryUse::Off);
        let is_used = before.experience.is_some() && after.experience == before.experience;
        if is_used || shown(&after) != shown(&truth) {
            stale.push((question, shown(&before), shown(&after)));
        }
        std::fs::write(
            folder.join(&files[number]),
            text(person, TOWNS[towns[number]]),
        )
        .unwrap();
    }
    assert!(
        stale.is_empty(),
        "{} of {TRIALS}: {:?}",
        stale.len(),
        stale.first()
    );
    assert_eq!(
        (remembered, made_suspect),
        (TRIALS, TRIALS),
        "remembered, made suspect"
    );
}
