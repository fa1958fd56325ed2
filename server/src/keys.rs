//! Who may do what? API keys, and the file that holds them.
//!
//! A key is `rf_` and 32 random bytes in base64url. Only its SHA-256 is kept: a slow or salted hash protects passwords that people choose,
//! which can be guessed; 256 random bits cannot, and a fast hash lets every request be checked.

use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use refrain::error::check_name;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// What every key begins with, so that leaked ones are found by scanners.
const PREFIX: &str = "rf_";

/// Hexadecimal digits of the hash that a key is called by.
const ID_DIGITS: usize = 12;

/// Longest name of a key, in bytes.
const MAX_NAME_BYTES: usize = 64;

/// What a key is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Look: sources, memory, documents, SPARQL.
    Read,
    /// Ask questions and embed texts. What is asked is learned from.
    Ask,
    /// Change what is known: verdicts, documents, notes, imports, forgetting.
    Write,
    /// Everything, in every namespace, and the server's metrics.
    Admin,
}

/// A key as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Key {
    /// The beginning of its hash.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// SHA-256 of the whole key, in hexadecimal.
    pub sha256: String,
    /// The tenant whose memory it reads and writes.
    pub namespace: String,
    /// What it is good for.
    pub scopes: Vec<Scope>,
    /// Requests a minute; `None`: no bound but the server's.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub requests_per_minute: Option<u32>,
    /// When it was made, in milliseconds since 1970.
    pub created_ms: u64,
}

impl Key {
    /// Whether it is good for something.
    #[must_use]
    pub fn allows(&self, scope: Scope) -> bool {
        self.scopes.contains(&scope) || self.scopes.contains(&Scope::Admin)
    }
}

/// A key to be made.
#[derive(Debug, Clone)]
pub struct NewKey {
    /// What people call it; no other key may be called so.
    pub name: String,
    /// The tenant.
    pub namespace: String,
    /// What it is good for; at least one.
    pub scopes: Vec<Scope>,
    /// Requests a minute.
    pub requests_per_minute: Option<u32>,
}

/// Why keys could not be read or changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The file could not be read or written; the error names it.
    #[error("{0}")]
    File(#[source] std::io::Error),
    /// The file is no list of keys.
    #[error("{} is no list of keys: {message}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What the parser said.
        message: String,
    },
    /// Another key is called so.
    #[error("there is a key called \"{name}\" already; revoke it first, or choose another name")]
    NameTaken {
        /// The name.
        name: String,
    },
    /// A name that no key can have.
    #[error("\"{name}\" cannot be the name of a key; use 1 to 64 visible characters")]
    BadName {
        /// The name.
        name: String,
    },
    /// A name that no namespace can have.
    #[error(transparent)]
    Namespace(#[from] refrain::EngineError),
    /// A key that is good for nothing.
    #[error("key \"{name}\" has no scope; give it one of read, ask, write and admin")]
    NoScope {
        /// Its name.
        name: String,
    },
    /// No key is called so.
    #[error("there is no key \"{name}\"; `refrain keys list` shows them")]
    Unknown {
        /// The name or id asked for.
        name: String,
    },
}

/// The keys of a server.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Keys {
    #[serde(default, rename = "key")]
    keys: Vec<Key>,
}

impl Keys {
    /// The keys of a file; none when there is no file.
    ///
    /// # Errors
    /// When it cannot be read, or is no list of keys.
    pub fn read(path: &Path) -> Result<Self, KeyError> {
        if !path.exists() {
            return Ok(Self::default());
        }
        let text = fs_err::read_to_string(path).map_err(KeyError::File)?;
        toml::from_str(&text).map_err(|error| KeyError::Damaged {
            path: path.to_owned(),
            message: error.message().to_owned(),
        })
    }

    /// Writes them in place of what the file held, readable by its owner only.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), KeyError> {
        let text = toml::to_string(self).map_err(|error| KeyError::Damaged {
            path: path.to_owned(),
            message: error.to_string(),
        })?;
        let beside = path.with_extension("toml.new");
        private(&beside, text.as_bytes()).map_err(KeyError::File)?;
        fs_err::rename(&beside, path).map_err(KeyError::File)
    }

    /// All of them, oldest first.
    #[must_use]
    pub fn all(&self) -> &[Key] {
        &self.keys
    }

    /// Makes a key of 32 random bytes, and gives it: it is shown this once.
    ///
    /// # Errors
    /// When its name is taken or is none, its namespace's name is none, or it is good for nothing.
    pub fn create(
        &mut self,
        new: NewKey,
        random: [u8; 32],
        now_ms: u64,
    ) -> Result<String, KeyError> {
        let name = new.name;
        if self.keys.iter().any(|key| key.name == name) {
            return Err(KeyError::NameTaken { name });
        }
        if name.is_empty() || name.len() > MAX_NAME_BYTES || name.chars().any(char::is_control) {
            return Err(KeyError::BadName { name });
        }
        check_name("namespace", &new.namespace)?;
        if new.scopes.is_empty() {
            return Err(KeyError::NoScope { name });
        }
        let mut scopes = new.scopes;
        scopes.sort();
        scopes.dedup();
        let secret = format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(random));
        let sha256 = digest(&secret);
        self.keys.push(Key {
            id: sha256.chars().take(ID_DIGITS).collect(),
            name,
            sha256,
            namespace: new.namespace,
            scopes,
            requests_per_minute: new.requests_per_minute,
            created_ms: now_ms,
        });
        Ok(secret)
    }

    /// Takes a key out, by its name or id, and gives it.
    ///
    /// # Errors
    /// When there is none of that name.
    pub fn revoke(&mut self, name: &str) -> Result<Key, KeyError> {
        let found = self
            .keys
            .iter()
            .position(|key| key.name == name || key.id == name);
        let place = found.ok_or_else(|| KeyError::Unknown {
            name: name.to_owned(),
        })?;
        Ok(self.keys.remove(place))
    }

    /// The key that a client showed. What is compared are hashes, so the time that takes tells nothing of any key.
    pub(crate) fn find(&self, secret: &str) -> Option<&Key> {
        let digest = digest(secret);
        self.keys.iter().find(|key| key.sha256 == digest)
    }
}

fn digest(secret: &str) -> String {
    Sha256::digest(secret.as_bytes())
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

fn private(path: &Path, content: &[u8]) -> std::io::Result<()> {
    use std::io::Write as _;

    let mut options = fs_err::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    {
        use fs_err::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    let mut file = options.open(path)?;
    file.write_all(content)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new(name: &str) -> NewKey {
        NewKey {
            name: name.to_owned(),
            namespace: "team".to_owned(),
            scopes: vec![Scope::Ask, Scope::Read, Scope::Ask],
            requests_per_minute: None,
        }
    }

    #[test]
    fn the_file_holds_no_key_and_finds_the_one_shown() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys.toml");
        let mut keys = Keys::read(&path).unwrap();
        let secret = keys.create(new("ci"), [7; 32], 5).unwrap();
        keys.write(&path).unwrap();
        let text = fs_err::read_to_string(&path).unwrap();
        assert!(!text.contains(&secret) && !text.contains(&secret[PREFIX.len()..]));
        let read = Keys::read(&path).unwrap();
        assert_eq!(read, keys);
        let found = read.find(&secret).unwrap();
        assert_eq!(found.scopes, [Scope::Read, Scope::Ask]);
        assert!(found.allows(Scope::Ask) && !found.allows(Scope::Write));
        assert!(read.find(&secret[..secret.len() - 1]).is_none());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = fs_err::metadata(&path).unwrap().permissions().mode();
            assert_eq!(mode & 0o077, 0, "others may read the keys");
        }
    }

    #[test]
    fn a_name_is_given_once_and_free_again_when_revoked() {
        let mut keys = Keys::default();
        keys.create(new("ci"), [1; 32], 5).unwrap();
        let again = keys.create(new("ci"), [2; 32], 5);
        assert!(matches!(again, Err(KeyError::NameTaken { .. })));
        keys.revoke("ci").unwrap();
        assert!(matches!(keys.revoke("ci"), Err(KeyError::Unknown { .. })));
        keys.create(new("ci"), [2; 32], 5).unwrap();
    }

    #[test]
    fn keys_that_could_do_nothing_or_name_no_tenant_are_not_made() {
        let mut keys = Keys::default();
        let none = NewKey {
            scopes: Vec::new(),
            ..new("a")
        };
        assert!(matches!(
            keys.create(none, [1; 32], 5),
            Err(KeyError::NoScope { .. })
        ));
        let nowhere = NewKey {
            namespace: "../x".to_owned(),
            ..new("a")
        };
        assert!(matches!(
            keys.create(nowhere, [1; 32], 5),
            Err(KeyError::Namespace(_))
        ));
        assert!(keys.all().is_empty());
    }
}
