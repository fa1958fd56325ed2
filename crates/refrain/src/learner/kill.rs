//! The process is killed at any moment, again and again: nothing acknowledged is lost, nothing forgotten returns.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command as Process, Stdio};
use std::time::Duration;

use memory::{Feedback, Judge, Verdict};

use super::*;
use crate::journal::{RedbJournal, RedbOptions};
use crate::testing::{answer_id, episode, experience_id};

const DIRECTORY: &str = "REFRAIN_TEST_KILLED_LEARNER";
const ROUNDS: u64 = 40;

fn entity(n: u64) -> String {
    format!("zanzibar{n}x")
}

fn here() -> Namespace {
    Namespace::default()
}

fn config() -> LearnerConfig {
    LearnerConfig {
        checkpoint_every_events: 37,
        ..LearnerConfig::default()
    }
}

/// Learns, judges and forgets until it is killed; says on stdout what was acknowledged.
#[test]
fn child_learns_until_killed() {
    let Ok(directory) = std::env::var(DIRECTORY) else {
        return;
    };
    let journal = RedbJournal::open(Path::new(&directory), RedbOptions::default())
        .unwrap()
        .0;
    let learner = Learner::start(Box::new(journal), config()).unwrap();
    let first = learner.knowledge().memory(&here()).counters().asked + 1;
    let say = |line: String| {
        let mut out = std::io::stdout().lock();
        writeln!(out, "\n{line}").unwrap();
        out.flush().unwrap();
    };
    for n in first.. {
        learner
            .learn_waiting(here(), episode(n, &entity(n)))
            .unwrap();
        let verdict = if n % 3 == 0 {
            Verdict::Bad
        } else {
            Verdict::Good
        };
        let feedback = Feedback {
            at: Timestamp(n),
            answer: answer_id(n),
            verdict,
            judge: Judge::Person,
        };
        learner
            .submit(Event::Feedback {
                namespace: here(),
                feedback,
            })
            .unwrap();
        say(format!("judged {n}"));
        if n % 10 == 0 {
            say(format!("forgetting {}", n - 4));
            let selector = ForgetSelector::Question(format!("who directed {}", entity(n - 4)));
            learner.forget(here(), selector, Timestamp(n)).unwrap();
            say(format!("forgot {}", n - 4));
        }
    }
}

/// What a killed child said.
#[derive(Default)]
struct Said {
    judged: Vec<u64>,
    forgetting: Vec<u64>,
    forgot: Vec<u64>,
}

fn run_and_kill(directory: &Path, after: Duration, said: &mut Said) {
    let mut child = Process::new(std::env::current_exe().unwrap())
        .args([
            "learner::kill::child_learns_until_killed",
            "--exact",
            "--nocapture",
        ])
        .env(DIRECTORY, directory)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let out = child.stdout.take().unwrap();
    let reader = std::thread::spawn(move || {
        BufReader::new(out)
            .lines()
            .map_while(Result::ok)
            .collect::<Vec<_>>()
    });
    std::thread::sleep(after);
    child.kill().unwrap();
    child.wait().unwrap();
    for line in reader.join().unwrap() {
        let Some((word, number)) = line.split_once(' ') else {
            continue;
        };
        let Ok(number) = number.parse() else { continue };
        match word {
            "judged" => said.judged.push(number),
            "forgetting" => said.forgetting.push(number),
            "forgot" => said.forgot.push(number),
            _ => {}
        }
    }
}

fn check(memory: &Memory, said: &Said) {
    for n in &said.judged {
        if said.forgetting.contains(n) {
            continue;
        }
        let record = memory
            .answer(answer_id(*n))
            .unwrap_or_else(|| panic!("answer {n} was acknowledged and is gone"));
        let expected = if n % 3 == 0 {
            Verdict::Bad
        } else {
            Verdict::Good
        };
        assert_eq!(
            record.verdict,
            Some((expected, Judge::Person)),
            "the verdict on {n} was acknowledged"
        );
        assert_eq!(memory.stored(experience_id(*n)).is_some(), n % 3 != 0);
    }
    for n in &said.forgot {
        assert!(
            memory.answer(answer_id(*n)).is_none() && memory.stored(experience_id(*n)).is_none()
        );
    }
}

#[test]
fn nothing_acknowledged_is_lost_and_nothing_forgotten_returns() {
    let directory = tempfile::tempdir().unwrap();
    let mut said = Said::default();
    for round in 0..ROUNDS {
        // Unlike moments, the same in every run.
        run_and_kill(
            directory.path(),
            Duration::from_millis(20 + (round * 37) % 180),
            &mut said,
        );
        let (mut journal, torn) =
            RedbJournal::open(directory.path(), RedbOptions::default()).unwrap();
        assert_eq!(torn, None);
        let recovered = recover(&mut journal).unwrap();
        assert!(journal.check().unwrap().is_empty());
        let bytes = std::fs::read(journal.path()).unwrap();
        for n in &said.forgot {
            let needle = entity(*n);
            assert!(
                !bytes
                    .windows(needle.len())
                    .any(|window| window == needle.as_bytes()),
                "{needle} is still in the file"
            );
        }
        if let Some(memory) = recovered.state.memory(&here()) {
            check(memory, &said);
        }
    }
    assert!(
        said.judged.len() > 20,
        "the children got somewhere: {}",
        said.judged.len()
    );
}
