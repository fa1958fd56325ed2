//! `refrain ask`: one question, a file of questions, or a conversation.

use std::io::{BufRead, IsTerminal, Read};
use std::path::PathBuf;

use refrain::{AskRequest, Engine, MemoryUse, ModelUse};
use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;

use crate::args::{AskArgs, Global, Switch};
use crate::commands::answer_view;
use crate::failure::{Failure, Outcome};
use crate::open;
use crate::ui::{Tone, Ui, counted};

/// Longest question read from standard input, in bytes; what lies beyond is not read at all.
const MAX_INPUT_BYTES: u64 = 16 << 20;

/// `refrain ask`
pub(crate) fn run(args: &AskArgs, global: &Global, ui: Ui) -> Outcome {
    let given = args.question.join(" ");
    if given == "-" {
        let mut bytes = Vec::new();
        std::io::stdin()
            .take(MAX_INPUT_BYTES)
            .read_to_end(&mut bytes)?;
        let question = String::from_utf8_lossy(&bytes).into_owned();
        return once(&open::existing(global)?, args, &question, ui);
    }
    if !args.question.is_empty() {
        return once(&open::existing(global)?, args, &given, ui);
    }
    if std::io::stdin().is_terminal() {
        conversation(args, global, ui)
    } else {
        lines(args, global, ui)
    }
}

fn request(args: &AskArgs, question: &str) -> AskRequest {
    AskRequest {
        namespace: args.namespace.namespace.clone(),
        source: args.source.clone(),
        memory: match args.memory {
            Switch::On => MemoryUse::On,
            Switch::Off => MemoryUse::Off,
        },
        model: if args.no_model {
            ModelUse::Off
        } else {
            ModelUse::Allowed
        },
        explain: args.explain,
        ..AskRequest::new(question)
    }
}

fn once(engine: &Engine, args: &AskArgs, question: &str, ui: Ui) -> Outcome {
    if question.trim().is_empty() {
        return Err(
            Failure::usage("the question is empty").hint("refrain ask \"who directed Inception?\"")
        );
    }
    let answer = engine.ask(&request(args, question))?;
    engine.settle()?;
    if ui.json {
        ui.json(&answer)
    } else {
        answer_view::print(&answer, ui)
    }
}

/// A question a line from a pipe, an answer a line (with `--json`) or a block.
fn lines(args: &AskArgs, global: &Global, ui: Ui) -> Outcome {
    let engine = open::existing(global)?;
    let mut first = true;
    for line in std::io::stdin().lock().split(b'\n') {
        let line = line?;
        let question = String::from_utf8_lossy(&line);
        let question = question.trim();
        if question.is_empty() {
            continue;
        }
        let answer = engine.ask(&request(args, question))?;
        if ui.json {
            ui.json_line(&answer)?;
            continue;
        }
        if !first {
            ui.line("")?;
        }
        first = false;
        ui.line(ui.paint(Tone::Faint, &format!("> {}", crate::ui::safe(question))))?;
        answer_view::print(&answer, ui)?;
    }
    engine.settle()?;
    Ok(())
}

const HELP: &str = "\
Ask in plain language. Beside questions there is:
  :good  :bad      say whether the last answer was right
  :explain         show or hide how answers come about
  :sources         what can be asked
  :quit            leave (or Ctrl-D)";

/// A conversation on a terminal, with line editing and history.
fn conversation(args: &AskArgs, global: &Global, ui: Ui) -> Outcome {
    let engine = open::existing(global)?;
    let editing =
        |error: &ReadlineError| Failure::new(format!("the line cannot be edited: {error}"));
    let mut editor = DefaultEditor::new().map_err(|error| editing(&error))?;
    let history = history_file(global);
    // The first conversation has no history yet.
    let _ = editor.load_history(&history);
    let names: Vec<String> = engine
        .sources()
        .iter()
        .map(|source| source.name().to_owned())
        .chain(engine.corpus_names())
        .collect();
    if names.is_empty() {
        return Err(refrain::EngineError::NoSources.into());
    }
    ui.note(format!(
        "asking {}; :help says what else there is, :quit leaves",
        names.join(", ")
    ));
    let mut talk = Conversation {
        engine: &engine,
        args: args.clone(),
        last: None,
        ui,
    };
    loop {
        match editor.readline("? ") {
            Ok(line) if line.trim().is_empty() => {}
            Ok(line) => {
                let line = line.trim();
                // History is a convenience: a line that cannot be kept is still answered.
                let _ = editor.add_history_entry(line);
                let _ = editor.save_history(&history);
                if talk.take(line)? {
                    return Ok(());
                }
            }
            Err(ReadlineError::Interrupted) => ui.note("(:quit or Ctrl-D leaves)"),
            Err(ReadlineError::Eof) => return Ok(()),
            Err(error) => return Err(editing(&error)),
        }
    }
}

fn history_file(global: &Global) -> PathBuf {
    global.dir.join("history")
}

struct Conversation<'a> {
    engine: &'a Engine,
    args: AskArgs,
    last: Option<String>,
    ui: Ui,
}

impl Conversation<'_> {
    /// Does what a line says; `true` ends the conversation.
    fn take(&mut self, line: &str) -> Outcome<bool> {
        match line {
            ":q" | ":quit" | ":exit" | "quit" | "exit" => return Ok(true),
            ":h" | ":help" | "help" => self.ui.line(HELP)?,
            ":good" | "good" => self.judge(refrain::Verdict::Good)?,
            ":bad" | "bad" => self.judge(refrain::Verdict::Bad)?,
            ":explain" => {
                self.args.explain = !self.args.explain;
                let now = if self.args.explain { "shown" } else { "hidden" };
                self.ui.note(format!("explanations are {now}"));
            }
            ":sources" => {
                for corpus in self.engine.corpora()? {
                    let documents = counted(corpus.documents as u64, "document", "documents");
                    self.ui.line(format!("{}: {documents}", corpus.name))?;
                }
                for source in self.engine.sources() {
                    let triples = source.summary().map_err(Failure::from)?.statements;
                    let triples = counted(triples, "triple", "triples");
                    let line = format!("{}  {triples}  {}", source.name(), source.description());
                    for line in self.ui.fit(line.trim_end(), 2) {
                        self.ui.line(crate::ui::safe(&line))?;
                    }
                }
            }
            other if other.starts_with([':', '/']) => {
                let known = [":good", ":bad", ":explain", ":sources", ":quit", ":help"];
                let hint = refrain::suggest::closest(other, known).map_or_else(
                    || ":help lists what there is".to_owned(),
                    |close| format!("did you mean {close}?"),
                );
                self.ui.warn(format!("{other} is unknown; {hint}"));
            }
            question => {
                let answer = match self.engine.ask(&request(&self.args, question)) {
                    Ok(answer) => answer,
                    // One question that fails is no reason to end the conversation.
                    Err(error) => {
                        self.ui.fail(&Failure::from(error));
                        return Ok(false);
                    }
                };
                self.last = Some(answer.id.clone());
                if self.ui.json {
                    self.ui.json_line(&answer)?;
                } else {
                    answer_view::print(&answer, self.ui)?;
                }
            }
        }
        Ok(false)
    }

    fn judge(&self, verdict: refrain::Verdict) -> Outcome {
        let Some(id) = &self.last else {
            self.ui.warn("there is no answer to judge yet");
            return Ok(());
        };
        let namespace = &self.args.namespace.namespace;
        match self.engine.feedback(namespace, id, verdict) {
            Ok(report) => crate::commands::feedback::print(&report, self.ui),
            Err(error) => {
                self.ui.fail(&Failure::from(error));
                Ok(())
            }
        }
    }
}
