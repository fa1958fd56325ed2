//! Which figures stand in `docs/policies.md`? Prints its tables as Markdown.
//!
//! `cargo run --release -p simulate --example policies_page -- 100` takes a few minutes on two cores; the number is that of the
//! seeds, from 10000 on. Tables of conditions, ghosts and constants use at most twenty.

#![expect(clippy::print_stdout, reason = "printing is what it is for")]

use std::ops::Range;

use memory::PolicyName;
use memory::replacement::{Replacement, SurvivalConfig};
use simulate::{Conditions, Cycling, Popularity, TopicDrift, WorkingSet, Workload, run};

type Generate = Box<dyn Fn(u32) -> Workload + Send + Sync>;

struct Cell {
    name: String,
    capacity: usize,
    generate: Generate,
}

fn cell(
    name: String,
    capacity: usize,
    generate: impl Fn(u32) -> Workload + Send + Sync + 'static,
) -> Cell {
    Cell {
        name,
        capacity,
        generate: Box::new(generate),
    }
}

fn published() -> Vec<Cell> {
    let cycles = [10, 15, 20, 30, 50].map(|m| {
        cell(format!("cyc {:.1}", f64::from(m) / 10.0), 10, move |seed| {
            Cycling::published(m).generate(seed)
        })
    });
    let sets = [5, 10, 15, 20, 30, 50, 100].map(|k| {
        cell(format!("ws {k}"), k, |seed| {
            WorkingSet::published().generate(seed)
        })
    });
    let drift = cell("drift".to_owned(), 20, |seed| {
        TopicDrift::published().generate(seed)
    });
    cycles.into_iter().chain(sets).chain([drift]).collect()
}

fn others() -> Vec<Cell> {
    let zipf = WorkingSet {
        popularity: Popularity::Zipf(1.2),
        ..WorkingSet::published()
    };
    let zipfs =
        [5, 10, 15, 20, 30].map(|k| cell(format!("zipf {k}"), k, move |seed| zipf.generate(seed)));
    let phases = [50, 200, 500].map(|phase| {
        let drift = TopicDrift {
            phase,
            ..TopicDrift::published()
        };
        cell(format!("phase {phase}"), 20, move |seed| {
            drift.generate(seed)
        })
    });
    let gradual = [10, 20].map(|phase| {
        let drift = TopicDrift {
            phase,
            phases: 600 / phase,
            overlap: 4,
            ..TopicDrift::published()
        };
        cell(format!("grad {phase}"), 20, move |seed| {
            drift.generate(seed)
        })
    });
    let tight = [5, 10].map(|k| {
        cell(format!("drift K{k}"), k, |seed| {
            TopicDrift::published().generate(seed)
        })
    });
    let cycle = cell("cyc 10.0".to_owned(), 10, |seed| {
        Cycling::published(100).generate(seed)
    });
    zipfs
        .into_iter()
        .chain(phases)
        .chain(gradual)
        .chain(tight)
        .chain([cycle])
        .collect()
}

/// Mean hit rate and mean modification rate in each cell; cells are shared out over the cores.
fn rates(
    cells: &[Cell],
    seeds: &Range<u32>,
    conditions: Conditions,
    policy: &(dyn Fn(usize) -> Replacement + Sync),
) -> Vec<(f64, f64)> {
    let mean = |cell: &Cell| {
        let mut sums = (0.0, 0.0);
        for seed in seeds.clone() {
            let workload = (cell.generate)(seed);
            let policy = policy(cell.capacity);
            let outcome = run(
                &workload,
                policy,
                cell.capacity,
                u64::from(seed),
                conditions,
            );
            sums.0 += outcome.hit_rate();
            sums.1 += outcome.modification_rate();
        }
        let count = f64::from(seeds.end - seeds.start);
        (sums.0 / count, sums.1 / count)
    };
    std::thread::scope(|scope| {
        let halves: Vec<_> = cells
            .chunks(cells.len().div_ceil(2))
            .map(|half| scope.spawn(move || half.iter().map(mean).collect::<Vec<_>>()))
            .collect();
        halves
            .into_iter()
            .flat_map(|half| half.join().unwrap_or_default())
            .collect()
    })
}

fn line(name: &str, values: impl Iterator<Item = f64>) {
    let cells: Vec<String> = values.map(|value| format!("{value:.3}")).collect();
    println!("| {name} | {} |", cells.join(" | "));
}

fn head(first: &str, cells: &[Cell]) {
    let names: Vec<&str> = cells.iter().map(|cell| cell.name.as_str()).collect();
    println!("\n| {first} | {} |", names.join(" | "));
    println!("|{}", "---|".repeat(cells.len() + 1));
}

fn members(cells: &[Cell], seeds: &Range<u32>) {
    head("policy", cells);
    let all: Vec<(PolicyName, Vec<(f64, f64)>)> = PolicyName::ALL
        .into_iter()
        .map(|name| {
            let rates = rates(cells, seeds, Conditions::default(), &|k| {
                Replacement::new(name, k)
            });
            line(
                &format!("`{}`", name.as_str()),
                rates.iter().map(|rate| rate.0),
            );
            (name, rates)
        })
        .collect();
    let of = |name: PolicyName, at: usize| {
        let row = all.iter().find(|row| row.0 == name);
        row.map_or(0.0, |row| row.1[at].0)
    };
    for (title, left_out) in [("other", None), ("published", Some(PolicyName::Solar))] {
        let margin = |at: usize| {
            let rivals = PolicyName::ALL
                .into_iter()
                .filter(|name| *name != PolicyName::Survival && Some(*name) != left_out);
            of(PolicyName::Survival, at) - rivals.map(|name| of(name, at)).fold(0.0, f64::max)
        };
        let margins: Vec<f64> = (0..cells.len()).map(margin).collect();
        line(
            &format!("*margin to the best {title}*"),
            margins.iter().copied(),
        );
        let mean = margins.iter().sum::<f64>() / margins.iter().map(|_| 1.0).sum::<f64>();
        println!("\nmean margin to the best {title}: {mean:.4}\n");
    }
    head("share of offers that entered", cells);
    for (name, rates) in &all {
        line(
            &format!("`{}`", name.as_str()),
            rates.iter().map(|rate| rate.1),
        );
    }
}

fn conditions(cells: &[Cell], seeds: &Range<u32>) {
    head("condition", cells);
    let told = |wrong, missing, delay| Conditions {
        wrong,
        missing,
        delay,
    };
    for (title, conditions, names) in [
        ("10 % wrong", told(0.1, 0.0, 0), &[PolicyName::Survival][..]),
        (
            "20 % wrong",
            told(0.2, 0.0, 0),
            &[
                PolicyName::Survival,
                PolicyName::Solar,
                PolicyName::SolarPaper,
            ],
        ),
        ("50 % missing", told(0.0, 0.5, 0), &[PolicyName::Survival]),
        (
            "all missing",
            told(0.0, 1.0, 0),
            &[PolicyName::Survival, PolicyName::Solar],
        ),
        ("10 steps late", told(0.0, 0.0, 10), &[PolicyName::Survival]),
        (
            "20 % wrong, 50 % missing",
            told(0.2, 0.5, 0),
            &[PolicyName::Survival],
        ),
    ] {
        for name in names {
            let rates = rates(cells, seeds, conditions, &|k| Replacement::new(*name, k));
            line(
                &format!("`{}`, {title}", name.as_str()),
                rates.iter().map(|rate| rate.0),
            );
        }
    }
}

fn constants(cells: &[Cell], seeds: &Range<u32>) {
    head("`survival` with", cells);
    let usual = SurvivalConfig::default();
    let ghosts = [0.0, 1.0, 3.0, 6.0].map(|ghosts_per_place| {
        let config = SurvivalConfig {
            ghosts_per_place,
            ..usual
        };
        (format!("{ghosts_per_place} ghosts a place"), config)
    });
    let one = |what: &str, value: f64, config| (format!("{what} {value}"), config);
    let constants = [1.0, 2.0, 4.0]
        .map(|margin| one("margin", margin, SurvivalConfig { margin, ..usual }))
        .into_iter()
        .chain(
            [1.0, 4.0]
                .map(|patience| one("patience", patience, SurvivalConfig { patience, ..usual })),
        )
        .chain(
            [0.05, 0.2]
                .map(|gap_rate| one("gap rate", gap_rate, SurvivalConfig { gap_rate, ..usual })),
        )
        .chain([2.0, 8.0].map(|gap_limit| {
            one(
                "gap limit",
                gap_limit,
                SurvivalConfig { gap_limit, ..usual },
            )
        }))
        .chain([50.0, 200.0].map(|first_gap| {
            one(
                "first gap",
                first_gap,
                SurvivalConfig { first_gap, ..usual },
            )
        }));
    for (title, config) in ghosts.into_iter().chain(constants) {
        let right = Conditions::default();
        let rates = rates(cells, seeds, right, &|k| Replacement::survival(k, config));
        line(&title, rates.iter().map(|rate| rate.0));
    }
    let wrong = Conditions {
        wrong: 0.2,
        ..Conditions::default()
    };
    for ghosts_per_place in [0.0, 1.0] {
        let config = SurvivalConfig {
            ghosts_per_place,
            ..usual
        };
        let rates = rates(cells, seeds, wrong, &|k| Replacement::survival(k, config));
        let title = format!("{ghosts_per_place} ghosts a place, 20 % wrong");
        line(&title, rates.iter().map(|rate| rate.0));
    }
}

/// Expected hit rate on the working set if `places` of the topics seen so far are always kept: no policy that does not know
/// the draws to come can do better, for each topic is as likely as any other.
fn set_ceiling(places: f64) -> f64 {
    let set = WorkingSet::published();
    let topics = f64::from(set.topics);
    // Chance of having seen so many topics.
    let mut seen = vec![0.0; set.topics as usize + 1];
    seen[0] = 1.0;
    let mut hits = 0.0;
    for _ in 0..set.steps {
        let mut next = vec![0.0; seen.len()];
        let mut known = 0.0;
        for at in 0..seen.len() {
            let chance: f64 = seen[at];
            hits += chance * places.min(known) / topics;
            next[at] += chance * known / topics;
            if let Some(more) = next.get_mut(at + 1) {
                *more += chance * (topics - known) / topics;
            }
            known += 1.0;
        }
        seen = next;
    }
    hits / f64::from(set.steps)
}

/// What no policy can exceed in the published cells. On a cycle of m topics each hit takes up a place for m steps, so of T
/// steps after the first round at most K·T/m hit, whoever knows the future; elsewhere, what a store without a bound reaches.
fn ceilings(cells: &[Cell], seeds: &Range<u32>) {
    const ALL: usize = 10_000;
    head("most that any can reach", cells);
    let unbounded: Vec<Cell> = published()
        .into_iter()
        .map(|cell| Cell {
            capacity: ALL,
            ..cell
        })
        .collect();
    let unbounded = rates(&unbounded, seeds, Conditions::default(), &|_| {
        Replacement::new(PolicyName::Fifo, ALL)
    });
    let cycles = [1.0, 1.5, 2.0, 3.0, 5.0].map(|ratio| Some(0.9 / ratio));
    let sets = [5.0, 10.0].map(|places| Some(set_ceiling(places)));
    let known = cycles
        .into_iter()
        .chain(sets)
        .chain(std::iter::repeat(None));
    let least = unbounded
        .iter()
        .zip(known)
        .map(|(rate, known): (_, Option<f64>)| known.map_or(rate.0, |known| known.min(rate.0)));
    line("ceiling", least);
}

fn main() {
    const FIRST: u32 = 10_000;
    const FEW: u32 = 20;
    // Enough to see what it prints; the page itself was made with 100.
    const AS_AN_EXAMPLE: u32 = 2;
    let count = std::env::args()
        .nth(1)
        .and_then(|n| n.parse().ok())
        .unwrap_or(AS_AN_EXAMPLE);
    let (all, few) = (FIRST..FIRST + count, FIRST..FIRST + count.min(FEW));
    ceilings(&published(), &all);
    for cells in [published(), others()] {
        members(&cells, &all);
        conditions(&cells, &few);
        constants(&cells, &few);
    }
}
