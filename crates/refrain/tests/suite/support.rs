//! What the engine's tests share: an engine in a temporary directory, on a graph that they write themselves.

use std::sync::Arc;

use refrain::{
    Answer, AskRequest, Config, Engine, FixedClock, LoadRequest, MemoryUse, Surroundings,
    graph_store,
};

/// An engine whose directory goes when it goes.
pub(crate) struct Fixture {
    pub(crate) engine: Engine,
    pub(crate) directory: tempfile::TempDir,
}

pub(crate) fn surroundings(seed: u64) -> Surroundings {
    Surroundings {
        clock: Arc::new(FixedClock(memory::Timestamp(1_800_000_000_000))),
        seed,
    }
}

impl Fixture {
    pub(crate) fn empty() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let engine = Engine::open_or_create(
            &directory.path().join("d"),
            Config::default(),
            surroundings(1),
        )
        .unwrap();
        Self { engine, directory }
    }

    /// An engine with Turtle in a source.
    pub(crate) fn with(source: &str, turtle: &str) -> Self {
        let fixture = Self::empty();
        fixture.load(source, turtle);
        fixture
    }

    /// The same directory, opened again when so much time has passed.
    pub(crate) fn reopened_after(self, time: std::time::Duration) -> Self {
        let Self { engine, directory } = self;
        drop(engine);
        let millis = u64::try_from(time.as_millis()).unwrap();
        let now = memory::Timestamp(1_800_000_000_000 + millis);
        let later = Surroundings {
            clock: Arc::new(FixedClock(now)),
            seed: 2,
        };
        let engine = Engine::open(&directory.path().join("d"), Config::default(), later).unwrap();
        Self { engine, directory }
    }

    pub(crate) fn load(&self, source: &str, turtle: &str) {
        self.engine
            .load(LoadRequest {
                source: source.to_owned(),
                inputs: vec![graph_store::Source::text("graph.ttl", turtle)],
                format: None,
                lenient: false,
                description: None,
                progress: None,
                cancel: None,
            })
            .unwrap();
    }

    /// Asks in a namespace and waits until it is learned.
    pub(crate) fn ask_in(&self, namespace: &str, question: &str) -> Answer {
        let answer = self
            .engine
            .ask(&AskRequest {
                namespace: namespace.to_owned(),
                ..AskRequest::new(question)
            })
            .unwrap();
        self.engine.settle().unwrap();
        answer
    }

    pub(crate) fn ask(&self, question: &str) -> Answer {
        self.ask_in(refrain::DEFAULT_NAMESPACE, question)
    }

    /// Asks without memory.
    pub(crate) fn ask_fresh(&self, question: &str) -> Answer {
        self.engine
            .ask(&AskRequest {
                memory: MemoryUse::Off,
                ..AskRequest::new(question)
            })
            .unwrap()
    }
}

pub(crate) fn labels(answer: &Answer) -> Vec<String> {
    let mut labels: Vec<String> = answer
        .values
        .iter()
        .map(|value| value.label.clone())
        .collect();
    labels.sort();
    labels
}

/// Syllables to make names of that are no words.
const FIRST: [&str; 10] = [
    "Bra", "Cor", "Dul", "Fen", "Gri", "Hol", "Jas", "Kel", "Lom", "Mir",
];
const SECOND: [&str; 10] = [
    "vax", "dor", "tin", "lek", "mos", "nup", "rig", "sab", "wim", "zor",
];

/// A made-up name, another for each number below 10,000.
pub(crate) fn name(number: usize) -> String {
    let part = |n: usize| format!("{}{}", FIRST[n / 10 % 10], SECOND[n % 10]);
    format!("{} {}", part(number % 100), part(number / 100 + 37))
}

pub(crate) const PREFIXES: &str = "@prefix : <http://e.org/> . @prefix p: <http://e.org/p/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
p:directed_by rdfs:label \"directed by\" . p:written_by rdfs:label \"written by\" . p:release_year rdfs:label \"release year\" . p:genre rdfs:label \"genre\" .
";

/// Films with a director, a writer and a year each; directors have several films.
pub(crate) fn films(count: usize) -> String {
    let mut turtle = PREFIXES.to_owned();
    for n in 0..count {
        let (director, writer) = (n / 4, n % 7 + 500);
        turtle.push_str(&format!(
            ":film{n} a :Film ; rdfs:label \"{}\" ; p:directed_by :person{director} ; p:written_by :person{writer} ; p:release_year {} .\n",
            name(n),
            1950 + n % 70
        ));
        turtle.push_str(&format!(
            ":person{director} rdfs:label \"{}\" .\n",
            name(1000 + director)
        ));
        turtle.push_str(&format!(
            ":person{writer} rdfs:label \"{}\" .\n",
            name(1000 + writer)
        ));
    }
    turtle
}
