//! How is a run with a model repeated without the model?
//!
//! [`Recorder`] writes each exchange to a cassette, [`Replay`] answers from it: the same requests get the
//! same replies, errors and usage, byte for byte. A cassette is a text file of JSON lines: a header with
//! format and model, then one line for each exchange. Where a request was made several times, the replies
//! come in the order in which they were recorded.
//!
//! A line is written at once when its exchange ends, and taken back when it cannot be written whole; a torn
//! last line, as an interrupted run leaves it, is left out and reported. Recording on cuts it off. One
//! recorder at a time writes to a file. Requests that no model would be sent ([`ChatRequest::check`]) are
//! refused, not recorded. Cassettes hold prompts only as their fingerprint, but
//! replies in full.

use std::collections::{HashMap, VecDeque};
use std::fs::TryLockError;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{ChatRequest, Completion, LanguageModel, ModelError, Origin};

/// The name and version of the format.
const FORMAT: &str = "refrain-cassette-1";
/// Bytes of one line.
const MAX_LINE_BYTES: u64 = 64 << 20;
/// Characters of a fingerprint in a message.
const SHOWN: usize = 16;

/// Why a cassette cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CassetteError {
    /// The file cannot be read or written.
    #[error("cannot use the cassette {path}")]
    File {
        /// The file.
        path: PathBuf,
        /// What happened.
        #[source]
        source: io::Error,
    },
    /// The file is no cassette, or one of another version.
    #[error("{path} is no cassette of format {FORMAT}; record it anew")]
    Header {
        /// The file.
        path: PathBuf,
    },
    /// The cassette is that of another model.
    #[error("{path} was recorded with {recorded}, not with {model}; record to another file")]
    OtherModel {
        /// The file.
        path: PathBuf,
        /// Its model.
        recorded: String,
        /// The model that was to be recorded.
        model: String,
    },
    /// Another recorder writes to the file.
    #[error("{path} is being recorded to; wait for the other run or record to another file")]
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// A line is damaged that is not the last.
    #[error("line {line} of {path} is damaged; restore the file or record it anew")]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        #[source]
        source: serde_json::Error,
    },
}

#[derive(Debug, Serialize, Deserialize)]
struct Header {
    format: String,
    model: String,
}

/// One exchange, as a cassette keeps it.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Exchange {
    request: String,
    stage: String,
    prompt_version: String,
    temperature: f64,
    seed: Option<u64>,
    max_tokens: u32,
    #[serde(flatten)]
    outcome: Outcome,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    Reply(Completion),
    Error(ModelError),
}

/// What a file holds.
struct Tape {
    model: String,
    exchanges: Vec<Exchange>,
    /// Bytes up to the end of the last whole line.
    whole_bytes: u64,
    torn: bool,
}

fn read(path: &Path, file: impl Read) -> Result<Tape, CassetteError> {
    let failed = |source| CassetteError::File {
        path: path.to_owned(),
        source,
    };
    let mut reader = BufReader::new(file);
    let mut tape: Option<Tape> = None;
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let mut limited = reader.by_ref().take(MAX_LINE_BYTES);
        let count = limited.read_until(b'\n', &mut line).map_err(failed)?;
        if count == 0 {
            break;
        }
        let whole = line.last() == Some(&b'\n');
        if !whole && count as u64 == MAX_LINE_BYTES {
            let wrong = "a line is longer than 64 MiB";
            return Err(failed(io::Error::new(io::ErrorKind::InvalidData, wrong)));
        }
        let Some(tape) = &mut tape else {
            let header: Option<Header> = serde_json::from_slice(&line).ok();
            let header = header.filter(|header| header.format == FORMAT && whole);
            let model = header.map(|header| header.model);
            tape = Some(Tape {
                model: model.ok_or_else(|| CassetteError::Header {
                    path: path.to_owned(),
                })?,
                exchanges: Vec::new(),
                whole_bytes: count as u64,
                torn: false,
            });
            continue;
        };
        if !whole {
            tape.torn = true;
            break;
        }
        let exchange = serde_json::from_slice(&line).map_err(|source| CassetteError::Line {
            path: path.to_owned(),
            line: number,
            source,
        })?;
        tape.exchanges.push(exchange);
        tape.whole_bytes += count as u64;
    }
    tape.ok_or_else(|| CassetteError::Header {
        path: path.to_owned(),
    })
}

/// A model that is another one, and writes down what it says.
#[derive(Debug)]
pub struct Recorder<M> {
    inner: M,
    file: Mutex<fs_err::File>,
}

impl<M: LanguageModel> Recorder<M> {
    /// Records to a file: a new one, or one that was recorded with the same model before, to which it adds.
    ///
    /// # Errors
    ///
    /// [`CassetteError`] when the file cannot be written, is no cassette, or is that of another model.
    pub fn to_file(inner: M, path: impl AsRef<Path>) -> Result<Self, CassetteError> {
        let path = path.as_ref();
        let failed = |source| CassetteError::File {
            path: path.to_owned(),
            source,
        };
        let mut file = fs_err::OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(failed)?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => CassetteError::InUse {
                path: path.to_owned(),
            },
            TryLockError::Error(source) => failed(source),
        })?;
        if file.metadata().map_err(failed)?.len() == 0 {
            let header = Header {
                format: FORMAT.to_owned(),
                model: inner.model().to_owned(),
            };
            write_line(&mut file, &header).map_err(failed)?;
        } else {
            let tape = read(path, &mut file)?;
            if tape.model != inner.model() {
                return Err(CassetteError::OtherModel {
                    path: path.to_owned(),
                    recorded: tape.model,
                    model: inner.model().to_owned(),
                });
            }
            file.file().set_len(tape.whole_bytes).map_err(failed)?;
        }
        Ok(Self {
            inner,
            file: Mutex::new(file),
        })
    }
}

/// What lines are written to. A file, but for tests of writing that fails.
trait Lines: Write + Seek {
    /// Cuts off what stands behind so many bytes.
    fn cut(&mut self, bytes: u64) -> io::Result<()>;
}

impl Lines for fs_err::File {
    fn cut(&mut self, bytes: u64) -> io::Result<()> {
        self.set_len(bytes)
    }
}

/// Writes a line in one piece at the end of the file, or nothing.
fn write_line(file: &mut impl Lines, value: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    let begin = file.seek(SeekFrom::End(0))?;
    file.write_all(&line).or_else(|error| {
        file.cut(begin)?;
        Err(error)
    })
}

impl<M: LanguageModel> LanguageModel for Recorder<M> {
    /// Errors of the model are recorded, too. An exchange that cannot be written is
    /// [`ModelError::NotWritten`], as a recording with gaps is of no use.
    fn complete(
        &self,
        request: &ChatRequest,
        stream: &mut dyn FnMut(&str),
    ) -> Result<Completion, ModelError> {
        request.check()?;
        let reply = self.inner.complete(request, stream);
        let exchange = Exchange {
            request: request.fingerprint(self.inner.model()),
            stage: request.stage.clone(),
            prompt_version: request.prompt_version.clone(),
            temperature: request.temperature,
            seed: request.seed,
            max_tokens: request.max_tokens,
            outcome: match &reply {
                Ok(completion) => Outcome::Reply(completion.clone()),
                Err(error) => Outcome::Error(error.clone()),
            },
        };
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        write_line(&mut *file, &exchange).map_err(|source| ModelError::NotWritten {
            stage: request.stage.clone(),
            source: Some(Arc::new(source)),
        })?;
        drop(file);
        reply
    }

    fn model(&self) -> &str {
        self.inner.model()
    }
}

/// A model that says what a cassette says.
#[derive(Debug)]
pub struct Replay {
    model: String,
    outcomes: Mutex<HashMap<String, VecDeque<Outcome>>>,
    torn: bool,
}

impl Replay {
    /// Reads a cassette.
    ///
    /// # Errors
    ///
    /// [`CassetteError`] when the file cannot be read or is no cassette.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, CassetteError> {
        let path = path.as_ref();
        let failed = |source| CassetteError::File {
            path: path.to_owned(),
            source,
        };
        if !fs_err::metadata(path).map_err(failed)?.is_file() {
            let source = io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file");
            return Err(failed(source));
        }
        let tape = read(path, fs_err::File::open(path).map_err(failed)?)?;
        let mut outcomes: HashMap<String, VecDeque<Outcome>> = HashMap::new();
        for exchange in tape.exchanges {
            let same = outcomes.entry(exchange.request).or_default();
            same.push_back(exchange.outcome);
        }
        Ok(Self {
            model: tape.model,
            outcomes: Mutex::new(outcomes),
            torn: tape.torn,
        })
    }

    /// Whether the last line was torn and left out.
    #[must_use]
    pub fn was_torn(&self) -> bool {
        self.torn
    }

    /// How many exchanges were not asked for yet.
    #[must_use]
    pub fn left(&self) -> usize {
        let outcomes = self.outcomes.lock().unwrap_or_else(PoisonError::into_inner);
        outcomes.values().map(VecDeque::len).sum()
    }
}

impl LanguageModel for Replay {
    /// Text is told in one piece. Each recorded exchange is given once.
    fn complete(
        &self,
        request: &ChatRequest,
        stream: &mut dyn FnMut(&str),
    ) -> Result<Completion, ModelError> {
        request.check()?;
        let fingerprint = request.fingerprint(&self.model);
        let next = {
            let mut outcomes = self.outcomes.lock().unwrap_or_else(PoisonError::into_inner);
            outcomes.get_mut(&fingerprint).and_then(VecDeque::pop_front)
        };
        match next {
            Some(Outcome::Reply(mut completion)) => {
                completion.origin = Origin::Replayed;
                stream(&completion.text);
                Ok(completion)
            }
            Some(Outcome::Error(error)) => Err(error),
            None => Err(ModelError::NotRecorded {
                stage: request.stage.clone(),
                fingerprint: fingerprint.chars().take(SHOWN).collect(),
            }),
        }
    }

    fn model(&self) -> &str {
        &self.model
    }
}

#[cfg(test)]
mod tests;
