//! `refrain init`: an empty directory with a settings file.

use refrain::Directory;
use serde_json::json;

use crate::args::Global;
use crate::commands::config::settings_file;
use crate::failure::Outcome;
use crate::ui::{Tone, Ui};

const SETTINGS: &str = "\
# Settings of this Refrain directory. `refrain config show` lists every setting, its value and where it comes from.
# REFRAIN__SECTION__KEY in the environment overrides a setting here, and a flag overrides both.

# [memory]
# capacity = 10000
";

/// `refrain init`
pub(crate) fn run(global: &Global, ui: Ui) -> Outcome {
    let existed = Directory::existing(&global.dir).is_ok();
    let directory = Directory::create(&global.dir)?;
    let settings = settings_file(global);
    if !settings.exists() {
        fs_err::write(&settings, SETTINGS)?;
    }
    if ui.json {
        return ui.json(
            &json!({ "directory": directory.root(), "settings": settings, "existed": existed }),
        );
    }
    let done = if existed { "already there:" } else { "made" };
    let path = directory.root().display().to_string();
    ui.line(format!("{} {path}", ui.paint(Tone::Good, done)))?;
    ui.line("next: refrain load FILE, then refrain ask \"…\"")
}
