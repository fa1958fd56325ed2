//! How does a memory leave as text, and come in again?

use std::sync::Arc;

use memory::{Effect, Event, Experience, Namespace, Provenance, Stored, Vector};
use serde::{Deserialize, Serialize};

use crate::engine::Engine;
use crate::error::{EngineError, check_name};
use crate::remember::without_slots;

/// How much an imported experience counts as a lesson.
const IMPORTED_LESSON: f64 = 0.5;

/// Experiences imported in one event.
const IMPORT_BATCH: usize = 500;

/// What an import did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ImportReport {
    /// Experiences taken.
    pub taken: u64,
    /// Experiences known already.
    pub duplicates: u64,
    /// Experiences refused, by reason.
    pub refused: std::collections::BTreeMap<String, u64>,
}

/// The first line of an export.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Header {
    refrain_export: u32,
    embedder: String,
}

/// Each line is an experience with its usage. In format 1 it was the experience alone.
const EXPORT_FORMAT: u32 = 2;
const WITHOUT_USAGE: u32 = 1;

impl Engine {
    /// Writes a tenant's experiences as JSON Lines, oldest first, after a header; gives their number. Each comes with how it
    /// fared: posterior, recalls, uses, pin.
    ///
    /// # Errors
    /// When the namespace's name is none, or `out` cannot be written.
    pub fn export(
        &self,
        namespace: &str,
        out: &mut dyn std::io::Write,
    ) -> Result<u64, EngineError> {
        let header = Header {
            refrain_export: EXPORT_FORMAT,
            embedder: self.embedder.fingerprint().to_owned(),
        };
        self.with_memory(namespace, |memory| {
            let mut line = |value: String| writeln!(out, "{value}").map_err(EngineError::Files);
            line(to_json(&header)?)?;
            let mut count = 0;
            for stored in memory.experiences() {
                line(to_json(stored)?)?;
                count += 1;
            }
            Ok(count)
        })
    }

    /// Reads experiences as [`Engine::export`] writes them, or wrote them without their usage. Vectors of another embedder are
    /// made anew. What is known already keeps its own figures; a pin is taken over, and so is an answer that a person put right.
    /// `file` is what errors call the text.
    ///
    /// # Errors
    /// When a line is not an experience or has figures that no memory can have: then nothing is taken in. Or when the import
    /// cannot be made durable.
    pub fn import(
        &self,
        namespace: &str,
        file: &str,
        text: &str,
    ) -> Result<ImportReport, EngineError> {
        check_name("namespace", namespace)?;
        let mut report = ImportReport::default();
        for batch in self.entries(namespace, file, text)?.chunks(IMPORT_BATCH) {
            let effect = self.learner.submit(Event::Restored {
                namespace: Namespace::new(namespace),
                at: self.surroundings.clock.now(),
                embedder: self.embedder.fingerprint().to_owned(),
                lesson_weight: IMPORTED_LESSON,
                entries: batch.to_vec(),
            })?;
            if let Effect::Imported {
                taken,
                duplicates,
                refused,
            } = effect
            {
                report.taken += taken;
                report.duplicates += duplicates;
                for (reason, count) in refused {
                    *report.refused.entry(reason).or_default() += count;
                }
            }
        }
        Ok(report)
    }

    /// What the lines of an export hold.
    fn entries(&self, namespace: &str, file: &str, text: &str) -> Result<Vec<Stored>, EngineError> {
        let bad = |line: usize, message: String| EngineError::BadExport {
            file: file.to_owned(),
            line: line + 1,
            message,
        };
        let mut lines = text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty());
        let (at, first) = lines
            .next()
            .ok_or_else(|| bad(0, "it is empty".to_owned()))?;
        let header: Header =
            serde_json::from_str(first).map_err(|error| bad(at, error.to_string()))?;
        if ![EXPORT_FORMAT, WITHOUT_USAGE].contains(&header.refrain_export) {
            let unknown = format!("format {} is not known", header.refrain_export);
            return Err(bad(at, unknown));
        }
        let foreign = header.embedder != self.embedder.fingerprint();
        let mut entries = Vec::new();
        for (at, line) in lines {
            let read = if header.refrain_export == WITHOUT_USAGE {
                serde_json::from_str(line).map(|read| {
                    Stored::new(Experience {
                        provenance: come_in(&read),
                        ..read
                    })
                })
            } else {
                serde_json::from_str::<Stored>(line)
            };
            let read = read.map_err(|error| bad(at, error.to_string()))?;
            if let Some(implausible) = read.implausible() {
                return Err(bad(at, implausible.to_string()));
            }
            entries.push(self.adopted(&read, namespace, foreign)?);
        }
        Ok(entries)
    }

    /// An experience from outside, made this namespace's own.
    fn adopted(
        &self,
        read: &Stored,
        namespace: &str,
        foreign: bool,
    ) -> Result<Stored, EngineError> {
        let Stored { experience, usage } = read;
        let read = experience.as_ref();
        let sized = |vector: &Vector| vector.dims() == self.embedder.dims();
        let anew = foreign || !sized(&read.vector) || !sized(&read.masked_vector);
        let (vector, masked_vector) = if anew {
            (
                self.vector(&read.question)?,
                self.vector(&without_slots(&read.signature.masked))?,
            )
        } else {
            (read.vector.clone(), read.masked_vector.clone())
        };
        let experience = Experience {
            namespace: Namespace::new(namespace),
            provenance: come_in(read),
            answer_id: None,
            vector,
            masked_vector,
            ..read.clone()
        };
        Ok(Stored {
            experience: Arc::new(experience),
            usage: *usage,
        })
    }
}

/// What a person put right stays so; everything else is known to come from outside.
fn come_in(read: &Experience) -> Provenance {
    match read.provenance {
        Provenance::Edited => Provenance::Edited,
        Provenance::Warm | Provenance::Online | Provenance::Imported => Provenance::Imported,
    }
}

fn to_json<T: Serialize>(value: &T) -> Result<String, EngineError> {
    serde_json::to_string(value).map_err(|error| EngineError::Files(error.into()))
}
