//! `refrain keys`: who may call a server?
//!
//! The directory is not opened: keys are made and revoked while a server has it.

use std::path::PathBuf;

use rand::TryRngCore;
use rand::rngs::OsRng;
use refrain::{Clock, SystemClock};
use serde_json::{Value, json};
use server::{Key, Keys, NewKey, Scope};

use crate::args::{Global, KeysCommand, KeysFile, ScopeArg};
use crate::failure::{Failure, Outcome};
use crate::ui::{TextTable, Tone, Ui};

/// The file with the keys, when no other is named.
const FILE: &str = "keys.toml";

/// The file with the keys.
pub(crate) fn file(given: &KeysFile, global: &Global) -> PathBuf {
    let file = given.file.clone();
    file.unwrap_or_else(|| global.dir.join(FILE))
}

/// `refrain keys …`
pub(crate) fn run(command: &KeysCommand, global: &Global, ui: Ui) -> Outcome {
    match command {
        KeysCommand::Create {
            name,
            scopes,
            rate,
            namespace,
            keys,
        } => {
            let new = NewKey {
                name: name.clone(),
                namespace: namespace.namespace.clone(),
                scopes: scopes.iter().map(|scope| scope_of(*scope)).collect(),
                requests_per_minute: *rate,
            };
            create(new, &file(keys, global), ui)
        }
        KeysCommand::List { keys } => list(&Keys::read(&file(keys, global))?, ui),
        KeysCommand::Revoke { name, keys } => {
            let path = file(keys, global);
            let mut all = Keys::read(&path)?;
            let gone = all.revoke(name)?;
            all.write(&path)?;
            if ui.json {
                return ui.json(&shown(&gone));
            }
            ui.line(format!("{} {}", ui.paint(Tone::Good, "revoked"), gone.name))
        }
    }
}

fn create(new: NewKey, path: &std::path::Path, ui: Ui) -> Outcome {
    let mut random = [0; 32];
    OsRng
        .try_fill_bytes(&mut random)
        .map_err(|error| Failure::new(format!("the system gives no random bytes: {error}")))?;
    let mut all = Keys::read(path)?;
    let name = new.name.clone();
    let secret = all.create(new, random, SystemClock.now().0)?;
    if let Some(folder) = path.parent() {
        fs_err::create_dir_all(folder)?;
    }
    all.write(path)?;
    if ui.json {
        return ui.json(&json!({ "name": name, "key": secret }));
    }
    ui.note(format!(
        "key {name}; it is shown this once, and only its hash is kept"
    ));
    ui.line(secret)
}

fn list(keys: &Keys, ui: Ui) -> Outcome {
    if ui.json {
        let all: Vec<Value> = keys.all().iter().map(shown).collect();
        return ui.json(&all);
    }
    if keys.all().is_empty() {
        return ui.line("there are no keys; `refrain keys create NAME` makes one");
    }
    let mut table = TextTable::new(["NAME", "ID", "NAMESPACE", "SCOPES", "RATE"]);
    for key in keys.all() {
        let rate = key.requests_per_minute;
        table.row([
            key.name.clone(),
            key.id.clone(),
            key.namespace.clone(),
            names(key).join(", "),
            rate.map_or_else(|| "-".to_owned(), |rate| format!("{rate} a minute")),
        ]);
    }
    table.print(ui)
}

/// A key without its hash.
fn shown(key: &Key) -> Value {
    json!({
        "name": key.name,
        "id": key.id,
        "namespace": key.namespace,
        "scopes": key.scopes,
        "requests_per_minute": key.requests_per_minute,
        "created_ms": key.created_ms,
    })
}

fn names(key: &Key) -> Vec<&'static str> {
    key.scopes
        .iter()
        .map(|scope| match scope {
            Scope::Read => "read",
            Scope::Ask => "ask",
            Scope::Write => "write",
            Scope::Admin => "admin",
        })
        .collect()
}

fn scope_of(scope: ScopeArg) -> Scope {
    match scope {
        ScopeArg::Read => Scope::Read,
        ScopeArg::Ask => Scope::Ask,
        ScopeArg::Write => Scope::Write,
        ScopeArg::Admin => Scope::Admin,
    }
}
