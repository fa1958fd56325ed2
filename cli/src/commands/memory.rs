//! `refrain memory`: what is remembered?

use std::io::{BufWriter, Write};
use std::path::Path;

use memory::Stats;
use refrain::Engine;
use refrain::remembered::{Forget, Listed};
use serde_json::json;

use crate::args::{ForgetArgs, Global, MemoryCommand};
use crate::commands::note;
use crate::failure::{Failure, Outcome};
use crate::input::{name_of, text_of};
use crate::open;
use crate::ui::{TextTable, Tone, Ui, counted, safe, thousands};

/// `refrain memory …`
pub(crate) fn run(command: &MemoryCommand, global: &Global, ui: Ui) -> Outcome {
    if let MemoryCommand::Add(args) = command {
        return note::add(args, global, ui);
    }
    let engine = open::existing(global)?;
    match command {
        // Adding may make the directory.
        MemoryCommand::Add(_) => Ok(()),
        MemoryCommand::Pin { id, namespace } => {
            note::pin(&engine, &namespace.namespace, id, true, ui)
        }
        MemoryCommand::Unpin { id, namespace } => {
            note::pin(&engine, &namespace.namespace, id, false, ui)
        }
        MemoryCommand::Recall {
            query,
            top_k,
            namespace,
        } => {
            let query = query.join(" ");
            note::recall(&engine, &namespace.namespace, &query, *top_k, ui)
        }
        MemoryCommand::Feedback {
            id,
            verdict,
            namespace,
        } => note::feedback(&engine, &namespace.namespace, id, *verdict, ui),
        MemoryCommand::List { namespace, limit } => list(&engine, &namespace.namespace, *limit, ui),
        MemoryCommand::Show { id, namespace } => show(&engine, &namespace.namespace, id, ui),
        MemoryCommand::Why { answer, namespace } => why(&engine, &namespace.namespace, answer, ui),
        MemoryCommand::Forget(args) => forget(&engine, args, ui),
        MemoryCommand::Export {
            file,
            output,
            namespace,
        } => {
            let file = file.as_deref().or(output.as_deref());
            export(&engine, &namespace.namespace, file, ui)
        }
        MemoryCommand::Import { file, namespace } => {
            import(&engine, &namespace.namespace, file, ui)
        }
        MemoryCommand::Stats { namespace } => stats(&engine, &namespace.namespace, ui),
    }
}

fn export(engine: &Engine, namespace: &str, file: Option<&Path>, ui: Ui) -> Outcome {
    let mut out: Box<dyn Write> = match file {
        None => Box::new(std::io::stdout().lock()),
        Some(file) => Box::new(fs_err::File::create(file)?),
    };
    let mut out = BufWriter::new(&mut out);
    let count = engine.export(namespace, &mut out)?;
    out.flush()?;
    ui.note(format!(
        "wrote {}",
        counted(count, "experience", "experiences")
    ));
    Ok(())
}

fn list(engine: &Engine, namespace: &str, limit: usize, ui: Ui) -> Outcome {
    let all = engine.experiences(namespace, limit)?;
    if ui.json {
        return ui.json(&all);
    }
    if all.is_empty() {
        return ui.line("nothing is remembered yet; `refrain ask` and `refrain warm` change that");
    }
    let mut table = TextTable::new(["ID", "QUESTION", "ANSWER", "TRUST", "REUSED", "FROM"]);
    for one in all {
        table.row(row(&one));
    }
    table.print(ui)
}

fn row(one: &Listed) -> [String; 6] {
    let doubt = if one.suspect { " (suspect)" } else { "" };
    [
        one.id.clone(),
        one.question.clone(),
        one.answer.clone(),
        format!("{:.2}", one.trust),
        thousands(one.reused),
        format!("{}{doubt}", one.provenance),
    ]
}

fn show(engine: &Engine, namespace: &str, id: &str, ui: Ui) -> Outcome {
    let stored = engine.experience(namespace, id)?;
    let experience = &stored.experience;
    if ui.json {
        let mut value = json!({ "experience": experience.as_ref(), "usage": stored.usage });
        if let Some(fields) = value["experience"].as_object_mut() {
            fields.remove("vector");
            fields.remove("masked_vector");
        }
        return ui.json(&value);
    }
    ui.line(ui.paint(Tone::Strong, &safe(&experience.question)))?;
    ui.line(format!("  {}", safe(&experience.answer.text)))?;
    for sentence in &experience.scaffold {
        ui.line(format!(
            "  {} {}",
            ui.paint(Tone::Faint, "·"),
            safe(sentence)
        ))?;
    }
    let field = |name: &str, text: String| {
        ui.line(format!("{} {}", ui.paint(Tone::Faint, name), safe(&text)))
    };
    field("id        ", experience.id.to_string())?;
    field(
        "source    ",
        format!("{}, aspect {}", experience.domain, experience.aspect),
    )?;
    field("wording   ", experience.signature.masked.clone())?;
    field("plan      ", experience.template().to_owned())?;
    field(
        "evidence  ",
        format!(
            "{} triples, {}",
            experience.evidence.total, experience.evidence.fingerprint
        ),
    )?;
    let usage = &stored.usage;
    let mean = usage.posterior.mean();
    field(
        "trust     ",
        format!(
            "{mean:.2}, recalled {} times, reused {} times",
            usage.retrieved, usage.reused
        ),
    )?;
    if usage.suspect {
        ui.line(ui.paint(
            Tone::Warn,
            "its facts changed: it is verified again before it is served",
        ))?;
    }
    Ok(())
}

fn why(engine: &Engine, namespace: &str, answer: &str, ui: Ui) -> Outcome {
    let why = engine.why(namespace, answer)?;
    if ui.json {
        return ui.json(&why);
    }
    ui.line(ui.paint(Tone::Strong, &safe(&why.question)))?;
    ui.line(format!("  {}", safe(&why.gate)))?;
    ui.line(format!("  memory took part: {}", why.hit))?;
    if !why.reused.is_empty() {
        ui.line(format!("  it used {}", why.reused.join(", ")))?;
    }
    if let Some(verdict) = &why.verdict {
        ui.line(format!("  verdict: {}", safe(verdict)))?;
    }
    Ok(())
}

fn forget(engine: &Engine, args: &ForgetArgs, ui: Ui) -> Outcome {
    let what = match (
        &args.what.id,
        &args.what.question,
        args.what.evidence.as_slice(),
    ) {
        (Some(id), _, _) => Forget::Id(id.clone()),
        (None, Some(question), _) => Forget::Question(question.clone()),
        (None, None, [subject, predicate, object]) => Forget::Evidence {
            source: args.source.clone(),
            triple: [subject.clone(), predicate.clone(), object.clone()],
        },
        (None, None, _) if args.what.all => Forget::All,
        (None, None, _) => return Err(Failure::usage("say what is to be forgotten")),
    };
    let receipt = engine.forget(&args.namespace.namespace, what)?;
    if ui.json {
        return ui.json(&receipt);
    }
    let count = |number: usize, one: &str, many: &str| counted(number as u64, one, many);
    if receipt.pinned > 0 {
        ui.note(format!(
            "of these, {}: a pin keeps from eviction, not from being forgotten",
            counted(receipt.pinned, "was pinned", "were pinned")
        ));
    }
    ui.line(format!(
        "{} {} and {}; {} blanked",
        ui.paint(Tone::Good, "forgot"),
        count(receipt.experiences.len(), "experience", "experiences"),
        count(receipt.answers.len(), "answer", "answers"),
        counted(receipt.journal_entries, "journal entry", "journal entries"),
    ))
}

fn import(engine: &Engine, namespace: &str, file: &Path, ui: Ui) -> Outcome {
    let report = engine.import(namespace, &name_of(file), &text_of(file)?)?;
    if ui.json {
        return ui.json(&report);
    }
    let taken = counted(report.taken, "experience", "experiences");
    ui.line(format!("{} {taken}", ui.paint(Tone::Good, "took in")))?;
    if report.duplicates > 0 {
        ui.line(format!(
            "  {} known already",
            counted(report.duplicates, "was", "were")
        ))?;
    }
    for (reason, count) in &report.refused {
        ui.line(format!(
            "  {} refused: {reason}",
            counted(*count, "was", "were")
        ))?;
    }
    Ok(())
}

fn stats(engine: &Engine, namespace: &str, ui: Ui) -> Outcome {
    let stats = engine.stats(namespace)?;
    if ui.json {
        return ui.json(&stats);
    }
    let counters = &stats.counters;
    let bucket = match stats.bucket_capacity {
        0 => String::new(),
        most => format!(", {} a bucket", thousands(most as u64)),
    };
    ui.line(format!(
        "{} of at most {}{bucket}, policy {}",
        counted(stats.experiences as u64, "experience", "experiences"),
        thousands(stats.capacity as u64),
        stats.policy
    ))?;
    let lessons: usize = stats.lessons.values().sum();
    let mut table = TextTable::new(["WHAT", "COUNT"]);
    for (what, count) in [
        ("questions asked", counters.asked),
        (
            "served from memory, evidence unchanged",
            counters.hits_exact,
        ),
        ("answered by a remembered plan", counters.hits_plan),
        ("remembered", counters.admitted),
        ("repeated what was remembered", counters.duplicates),
        ("replaced because facts changed", counters.superseded),
        ("evicted", counters.evicted),
        ("expired", counters.expired),
        ("taken back", counters.retracted),
        ("forgotten on demand", counters.forgotten),
        ("became suspect", counters.suspected),
        ("suspect now", stats.suspect as u64),
        ("imported", counters.imported),
        ("pinned", stats.pinned as u64),
        ("ghosts", stats.ghosts as u64),
        ("notes put down", counters.notes),
        ("times notes were recalled", counters.recalls),
        ("lessons, wording to plan", lessons as u64),
        ("lessons cut, the bound reached", stats.cut.lessons),
        ("meanings, word to predicate", stats.lexicon as u64),
        ("meanings cut, the bound reached", stats.cut.links),
        ("verdicts good", counters.good),
        ("verdicts bad", counters.bad),
        ("corrections", counters.edits),
    ] {
        table.row([what.to_owned(), thousands(count)]);
    }
    for (reason, count) in &counters.refused {
        table.row([
            format!("not remembered: {}", reason.replace('_', " ")),
            thousands(*count),
        ]);
    }
    table.print(ui)?;
    policies(&stats, ui)?;
    for (source, aspects) in &stats.buckets {
        let parts: Vec<String> = aspects
            .iter()
            .map(|(aspect, count)| format!("{aspect} {count}"))
            .collect();
        let text = format!("by aspect, {source}: {}", parts.join(", "));
        ui.paragraph(&safe(&text), 2)?;
    }
    Ok(())
}

/// How often each policy's memory would have served: the live one first, then those in shadow.
fn policies(stats: &Stats, ui: Ui) -> Outcome {
    let mut table = TextTable::new(["POLICY", "HELD", "QUESTIONS", "WOULD SERVE", "RATE"]);
    for one in &stats.policies {
        let shadow = if one.live { "" } else { " (shadow)" };
        table.row([
            format!("{}{shadow}", one.policy.as_str()),
            thousands(one.held as u64),
            thousands(one.asked),
            thousands(one.served),
            one.rate()
                .map_or_else(|| "-".to_owned(), |rate| format!("{rate:.3}")),
        ]);
    }
    if table.is_empty() {
        return Ok(());
    }
    table.print(ui)
}
