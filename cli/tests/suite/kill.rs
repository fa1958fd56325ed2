//! Does anything acknowledged get lost when the process is killed at any moment?

use std::process::Stdio;
use std::time::Duration;

use crate::support::Place;

/// Random moments at which a process is killed.
const MOMENTS: u64 = 100;

/// A small generator: the test must not depend on the clock.
struct Moments(u64);

impl Moments {
    fn next(&mut self, below: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }
}

fn triples(batch: u64) -> String {
    let line = |n: u64| format!("<http://e.org/s{batch}_{n}> <http://e.org/p> \"value {n}\" .\n");
    (0..400).map(line).collect()
}

#[test]
fn killed_at_random_moments_nothing_acknowledged_is_lost_and_doctor_finds_nothing() {
    let place = Place::with_films();
    place.run(&["ask", "who directed Inception?"]).good();
    let mut moments = Moments(42);
    let (mut asked, mut loaded) = (1, 0);
    let films = [
        "Alien", "Jaws", "Titanic", "Dune", "Tenet", "Memento", "Fargo", "Roma", "Arrival", "Nope",
    ];
    for moment in 0..MOMENTS {
        let question = format!(
            "who directed {}?",
            films[usize::try_from(moment % 10).unwrap()]
        );
        let batch = place.write("batch.nt", triples(moment));
        let arguments = match moment % 4 {
            0 => vec!["load", batch.as_str(), "--domain", "extra"],
            1 | 2 => vec!["ask", question.as_str(), "--source", "films"],
            _ => vec!["feedback", "last", "good"],
        };
        let mut child = place
            .command(&arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(moments.next(90)));
        // It may have ended already.
        let _ = child.kill();
        let finished = child.wait().unwrap().success();
        match moment % 4 {
            0 => loaded += u64::from(finished),
            1 | 2 => asked += u64::from(finished),
            _ => {}
        }
        place.run(&["doctor"]).good();
        if moment % 10 == 9 {
            let stats = place.json(&["memory", "stats"]);
            assert!(
                stats["counters"]["asked"].as_u64().unwrap() >= asked,
                "{stats} {asked}"
            );
            let count = place.run(&[
                "sparql",
                "SELECT (COUNT(*) AS ?n) WHERE { ?s <http://e.org/p> ?o }",
                "--source",
                "extra",
                "--results",
                "csv",
            ]);
            if loaded > 0 {
                let rows: u64 = count
                    .good()
                    .out
                    .lines()
                    .nth(1)
                    .unwrap()
                    .trim()
                    .parse()
                    .unwrap();
                assert!(
                    rows >= loaded * 400 && rows.is_multiple_of(400),
                    "{rows} rows after {loaded} loads"
                );
            }
        }
    }
}
