//! `refrain serve`: the engine over HTTP.

use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use refrain::SystemClock;
use serde_json::json;
use server::{Access, Limits, Log, LogFormat, Options, Server};

use crate::args::{Global, ServeArgs};
use crate::commands::keys;
use crate::failure::Outcome;
use crate::open;
use crate::ui::Ui;

/// `refrain serve`
pub(crate) fn run(args: &ServeArgs, global: &Global, ui: Ui) -> Outcome {
    let access = Access::keys_in(&keys::file(&args.keys, global))?;
    let engine = open::or_create(global)?;
    let log = if global.quiet {
        Log::none()
    } else {
        let format = if ui.json {
            LogFormat::Json
        } else {
            LogFormat::Text
        };
        Log::to(Box::new(std::io::stderr()), format)?
    };
    let server = Server::bind(
        engine,
        Options {
            listen: args.listen,
            limits: Limits {
                answer_time: Duration::from_secs(args.answer_time),
                drain_time: Duration::from_secs(args.drain_time),
                ..Limits::default()
            },
            access,
            cors_origins: args.cors_origin.clone(),
            log,
            clock: Arc::new(SystemClock),
        },
    )?;
    let url = format!("http://{}", server.address());
    if ui.json {
        ui.json_line(&json!({ "listening": url }))?;
    } else {
        ui.line(format!("listening on {url}"))?;
    }
    // Whoever waits for this line reads from a pipe.
    std::io::stdout().flush()?;
    Ok(server.run()?)
}
