//! `refrain demo`: what can it do?
//!
//! A small film graph in a temporary directory: questions of eight kinds, a plan used again, an answer from memory, and a fact that changes.

use std::path::{Path, PathBuf};
use std::time::Instant;

use refrain::{Answer, AskRequest, Config, Edit, Engine, HitKind, LoadRequest, graph_store};
use serde_json::{Value, json};

use crate::args::DemoArgs;
use crate::commands::answer_view;
use crate::failure::{Failure, Outcome};
use crate::open;
use crate::ui::{Tone, Ui, duration, thousands};

const FILMS: &str = include_str!("../../demo/films.ttl");
const SOURCE: &str = "films";
const ABOUT: &str =
    "films, their directors, writers, actors, genres and awards, and novels with their authors";

/// Questions of eight kinds.
const QUESTIONS: [(&str, &str); 8] = [
    ("a fact", "Who directed Inception?"),
    (
        "several hops",
        "Which other films directed by the director of Inception have been nominated for the Academy Award for Best Picture in 2018?",
    ),
    (
        "a condition and the latest",
        "What is Rowling's latest magic novel?",
    ),
    (
        "two conditions",
        "Which films star both Leonardo DiCaprio and Brad Pitt?",
    ),
    ("a count", "How many films did Quentin Tarantino direct?"),
    ("a comparison", "Which is longer, Titanic or Avatar?"),
    ("yes or no", "Did Ridley Scott direct Alien?"),
    ("nothing to go by", "What is the shoe size of Tom Hanks?"),
];

/// The film that is added, and what is said of it.
const NEW_FILM: &str = "\
<http://example.org/films/reservoir_dogs> <http://www.w3.org/2000/01/rdf-schema#label> \"Reservoir Dogs\" .
<http://example.org/films/reservoir_dogs> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://example.org/films/Film> .
<http://example.org/films/reservoir_dogs> <http://example.org/films/property/directed_by> <http://example.org/films/quentin_tarantino> .
";

/// `refrain demo`
pub(crate) fn run(args: &DemoArgs, ui: Ui) -> Outcome {
    let temporary;
    let directory: PathBuf = match &args.keep {
        Some(keep) => {
            if fs_err::read_dir(keep).is_ok_and(|mut entries| entries.next().is_some()) {
                return Err(Failure::usage(format!(
                    "{} is not empty: the demo needs a directory of its own",
                    keep.display()
                )));
            }
            keep.clone()
        }
        None => {
            temporary = tempfile::tempdir()?;
            temporary.path().join("demo")
        }
    };
    let started = Instant::now();
    let mut show = Show {
        engine: Engine::open_or_create(&directory, Config::default(), open::surroundings())?,
        ui,
        steps: Vec::new(),
    };
    show.load()?;
    show.questions()?;
    show.again()?;
    show.change()?;
    let micros = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX);
    show.close(micros, args.keep.as_deref())
}

struct Show {
    engine: Engine,
    ui: Ui,
    steps: Vec<Value>,
}

impl Show {
    fn say(&self, text: &str) -> Outcome {
        if self.ui.json {
            Ok(())
        } else {
            self.ui.paragraph(text, 2)
        }
    }

    fn heading(&self, text: &str) -> Outcome {
        self.say("")?;
        self.say(&self.ui.paint(Tone::Good, &format!("── {text} ")))
    }

    fn load(&mut self) -> Outcome {
        let started = Instant::now();
        let report = self.engine.load(LoadRequest {
            source: SOURCE.to_owned(),
            inputs: vec![graph_store::Source::text("films.ttl", FILMS)],
            format: None,
            lenient: false,
            description: Some(ABOUT.to_owned()),
            progress: None,
            cancel: None,
        })?;
        let micros = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.steps
            .push(json!({ "step": "load", "triples": report.statements_read, "micros": micros }));
        self.say(&format!(
            "{} {} triples about films, people, novels and awards in {}",
            self.ui.paint(Tone::Good, "loaded"),
            thousands(report.statements_read),
            duration(micros)
        ))
    }

    /// Asks, shows, and waits until it is learned.
    fn ask(&mut self, kind: &str, question: &str) -> Outcome<Answer> {
        let answer = self.engine.ask(&AskRequest::new(question))?;
        self.engine.settle()?;
        if !self.ui.json {
            self.ui.line("")?;
            let mut lines = self.ui.fit(&format!("? {question} ({kind})"), 2);
            if let Some(first) = lines.first_mut() {
                *first = first.replacen('?', &self.ui.paint(Tone::Name, "?"), 1);
            }
            if let Some(last) = lines.last_mut() {
                let faint = self.ui.paint(Tone::Faint, &format!("({kind})"));
                *last = last.replacen(&format!("({kind})"), &faint, 1);
            }
            lines.into_iter().try_for_each(|line| self.ui.line(line))?;
            answer_view::print(&answer, self.ui)?;
        }
        self.steps
            .push(json!({ "step": "ask", "kind": kind, "answer": answer }));
        Ok(answer)
    }

    fn questions(&mut self) -> Outcome {
        self.heading("eight kinds of question, no language model")?;
        for (kind, question) in QUESTIONS {
            self.ask(kind, question)?;
        }
        Ok(())
    }

    fn again(&mut self) -> Outcome {
        self.heading("it remembers: the plan is bound to another film and run again")?;
        let rebound = self.ask(
            "the first question, another film",
            "Who directed Interstellar?",
        )?;
        expect(&rebound, HitKind::Plan)?;
        self.heading(
            "the same question again: the evidence is unchanged, so the remembered answer is served",
        )?;
        let exact = self.ask("word for word", QUESTIONS[0].1)?;
        expect(&exact, HitKind::Exact)
    }

    fn change(&mut self) -> Outcome {
        self.heading("a fact changes: Reservoir Dogs comes in")?;
        let source = self.engine.source(SOURCE)?;
        let quads = refrain::load::parse_ntriples(NEW_FILM)?;
        let report = self.engine.edit(&source, Edit::Add, &quads)?;
        self.say(&format!(
            "{} {} triples; answers that rest on them: {}",
            self.ui.paint(Tone::Good, "added"),
            report.changed,
            report.suspects
        ))?;
        self.steps.push(json!({ "step": "edit", "report": report }));
        let before = self.count_of(QUESTIONS[4].1);
        let after = self.ask(
            "the old answer was remembered, and is not served",
            QUESTIONS[4].1,
        )?;
        if before.as_deref() == Some(after.text.as_str()) {
            return Err(Failure::new(format!(
                "the answer is still {} after its facts changed",
                after.text
            )));
        }
        Ok(())
    }

    /// The answer's text that an earlier step got.
    fn count_of(&self, question: &str) -> Option<String> {
        let step = self
            .steps
            .iter()
            .find(|step| step["answer"]["question"] == question)?;
        step["answer"]["text"].as_str().map(str::to_owned)
    }

    fn close(&self, micros: u64, keep: Option<&Path>) -> Outcome {
        if self.ui.json {
            return self
                .ui
                .json(&json!({ "micros": micros, "steps": self.steps }));
        }
        self.ui.line("")?;
        self.ui.line(self.ui.paint(
            Tone::Faint,
            &format!("all of that took {}", duration(micros)),
        ))?;
        match keep {
            Some(keep) => self
                .ui
                .line(format!("try it: refrain --dir {} ask", keep.display())),
            None => self
                .ui
                .line("try it: refrain demo --keep films-demo, then refrain --dir films-demo ask"),
        }
    }
}

/// The demo shows what it says, or fails.
fn expect(answer: &Answer, kind: HitKind) -> Outcome {
    if answer.hit_kind == kind {
        return Ok(());
    }
    let reason = answer.reason.clone().unwrap_or_default();
    Err(Failure::new(format!(
        "\"{}\" was to be answered from memory, and was not: {reason}",
        answer.question
    )))
}
