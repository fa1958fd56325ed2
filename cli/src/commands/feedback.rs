//! `refrain feedback`: was it right?

use refrain::{BlastRadius, Verdict};

use crate::args::{FeedbackArgs, Global, VerdictArg};
use crate::failure::{Failure, Outcome};
use crate::open;
use crate::ui::{Tone, Ui, counted};

/// `refrain feedback`
pub(crate) fn run(args: &FeedbackArgs, global: &Global, ui: Ui) -> Outcome {
    let text = args.text.join(" ");
    let verdict = match args.verdict {
        VerdictArg::Good => Verdict::Good,
        VerdictArg::Bad => Verdict::Bad,
        VerdictArg::Edit if text.trim().is_empty() => {
            return Err(Failure::usage("an edit needs the right answer")
                .hint("refrain feedback ANSWER_ID edit \"the right answer\""));
        }
        VerdictArg::Edit => Verdict::Edit(text.clone()),
    };
    if args.verdict != VerdictArg::Edit && !text.is_empty() {
        return Err(
            Failure::usage(format!("\"{text}\" is not expected after good or bad"))
                .hint("the right answer goes with edit"),
        );
    }
    let engine = open::existing(global)?;
    let report = engine.feedback(&args.namespace.namespace, &args.answer, verdict)?;
    print(&report, ui)
}

/// Prints what a verdict did.
pub(crate) fn print(report: &BlastRadius, ui: Ui) -> Outcome {
    if ui.json {
        return ui.json(report);
    }
    ui.line(format!(
        "{} {}",
        ui.paint(Tone::Good, "noted:"),
        report.verdict
    ))?;
    let mut parts = Vec::new();
    for (ids, what) in [
        (&report.retracted, "retracted"),
        (&report.lowered, "trusted less"),
        (&report.raised, "trusted more"),
        (&report.dropped, "dropped with them"),
    ] {
        if !ids.is_empty() {
            let count = counted(ids.len() as u64, "experience", "experiences");
            parts.push(format!("{count} {what}"));
        }
    }
    if !parts.is_empty() {
        ui.line(format!("  {}", parts.join(", ")))?;
    }
    Ok(())
}
