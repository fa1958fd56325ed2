//! How does an agent keep a bounded memory of notes with this crate alone?
//!
//! Everything that changes the memory is an event: keep the events, and folding them gives the memory back, bit for bit.
//! The embedder is yours; here it is a toy that counts words.

#![expect(
    clippy::print_stdout,
    clippy::wildcard_enum_match_arm,
    reason = "a program for people to read"
)]

use memory::{
    Effect, Event, Experience, ExperienceId, GateVerdict, Namespace, PolicyName, Settings, State,
    Timestamp, Ulid, Vector,
};
use similarity::Embedding;

const EMBEDDER: &str = "toy words";

/// A text as the directions of its words.
fn embed(text: &str) -> Vector {
    let mut values = vec![0.0_f32; 64];
    for word in text.split(|c: char| !c.is_alphanumeric()) {
        let place = word
            .to_lowercase()
            .bytes()
            .fold(7_usize, |hash, byte| (hash * 31 + usize::from(byte)) % 64);
        if !word.is_empty() {
            values[place] += 1.0;
        }
    }
    Embedding::new(values).map(Vector::from).unwrap_or_default()
}

/// An agent's memory: the state, and the events that made it.
struct Agent {
    state: State,
    events: Vec<Event>,
    namespace: Namespace,
    clock: u64,
}

impl Agent {
    fn tell(&mut self, event: Event) -> Effect {
        let effect = self.state.apply(&event);
        self.events.push(event);
        effect
    }

    fn add(&mut self, text: &str) -> GateVerdict {
        self.clock += 1;
        let (id, at) = (
            ExperienceId(Ulid(u128::from(self.clock))),
            Timestamp(self.clock),
        );
        let note = Experience::note(id, &self.namespace, at, text, embed(text));
        let effect = self.tell(Event::Noted {
            namespace: self.namespace.clone(),
            at,
            embedder: EMBEDDER.to_owned(),
            notes: vec![note],
        });
        match effect {
            Effect::Noted { mut gates } if !gates.is_empty() => gates.remove(0),
            _ => GateVerdict::Nothing,
        }
    }

    /// The best notes with their ids; the policy is told that they were recalled.
    fn recall(&mut self, query: &str, count: usize) -> Vec<(ExperienceId, String)> {
        self.clock += 1;
        let (at, vector) = (Timestamp(self.clock), embed(query));
        let found = self
            .state
            .memory(&self.namespace)
            .map_or_else(Vec::new, |memory| {
                memory.recall_notes(query, &vector, count, at)
            });
        let found: Vec<(ExperienceId, String)> = found
            .iter()
            .map(|note| (note.stored.experience.id, note.text().to_owned()))
            .collect();
        self.tell(Event::Recalled {
            namespace: self.namespace.clone(),
            at,
            embedder: EMBEDDER.to_owned(),
            vector,
            notes: found.iter().map(|(id, _)| *id).collect(),
        });
        found
    }

    fn judge(&mut self, note: ExperienceId, good: bool) {
        self.clock += 1;
        self.tell(Event::NoteJudged {
            namespace: self.namespace.clone(),
            at: Timestamp(self.clock),
            note,
            good,
        });
    }
}

/// What became of a note, in words.
fn in_words(verdict: &GateVerdict) -> String {
    match verdict {
        GateVerdict::Admitted { evicted: None, .. } => "taken".to_owned(),
        GateVerdict::Admitted {
            evicted: Some(old), ..
        } => format!("taken, and {old} left for it"),
        GateVerdict::Duplicate { of, .. } => format!("known already, as {of}"),
        GateVerdict::Refused(refusal) => format!("refused: {refusal}"),
        other => format!("{other:?}"),
    }
}

fn main() {
    let settings = Settings {
        capacity: 4,
        policy: PolicyName::Survival,
        ..Settings::default()
    };
    let mut agent = Agent {
        state: State::new(settings.clone()),
        events: Vec::new(),
        namespace: Namespace::new("agent-7"),
        clock: 0,
    };

    println!("Two facts are put down, and one is asked for three times and helps:");
    agent.add("the staging database runs on port 5433");
    agent.add("anna prefers tea to coffee");
    for _ in 0..3 {
        let found = agent.recall("which port has the staging database", 1);
        if let Some((id, text)) = found.first() {
            println!("  recalled {id}: {text}");
            agent.judge(*id, true);
        }
    }

    println!("Nine days follow, with room for four notes in all:");
    for day in 1..=9 {
        let verdict = agent.add(&format!("nothing of note happened on day {day}"));
        println!("  day {day}: {}", in_words(&verdict));
    }

    println!("What proved useful is still there:");
    let held: Vec<String> = agent
        .state
        .memory(&agent.namespace)
        .into_iter()
        .flat_map(|memory| memory.experiences().map(|s| s.experience.question.clone()))
        .collect();
    for text in &held {
        println!("  {text}");
    }
    assert_eq!(held.len(), 4, "never more than the capacity");
    assert!(
        held.iter().any(|text| text.contains("5433")),
        "what proved useful stays"
    );

    let mut replayed = State::new(settings);
    for event in &agent.events {
        replayed.apply(event);
    }
    let bytes = |state: &State| memory::codec::encode_state(state).map_err(|e| e.to_string());
    assert_eq!(
        bytes(&replayed),
        bytes(&agent.state),
        "the events are the memory"
    );
    println!(
        "The {} events, applied again, give this memory bit for bit.",
        agent.events.len()
    );
}
