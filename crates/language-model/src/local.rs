//! What does a model on this machine reply? A quantised Llama from a GGUF file, run in this process on one thread of the CPU.
//!
//! One file holds everything: weights, tokenizer, chat template. Nothing is downloaded;
//! [`find_weights`](crate::weights::find_weights) lists what there is. A constraint is kept while the reply is written, token by token, so nothing outside it can come out. What is read is
//! kept, so a prompt that begins like the one before costs only what differs. Small models write well-formed nonsense:
//! that a reply fits its constraint does not make it right.
//!
//! SmolLM2-135M in `Q4_1` reads 211 and writes 51 tokens a CPU second (one thread with AVX2, a busy machine, 2026-12-01):
//! `cargo test --release -p language-model --features local --test local -- --nocapture speed`, with its file in
//! `REFRAIN_LOCAL_MODEL`.

use std::io::{BufReader, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use thiserror::Error;

use crate::{
    ChatRequest, Clock, Completion, FinishReason, LanguageModel, ModelError, MonotonicClock,
    Origin, Usage,
};

mod draw;
mod gguf;
mod guide;
mod json;
mod lazy;
mod llama;
mod reply;
mod template;
#[cfg(test)]
mod tests;
mod vocabulary;
mod weights;

pub use lazy::LazyLocalModel;

use gguf::Gguf;
use guide::{Guide, GuideError, Next};
use llama::{Cache, Llama};
use reply::Reply;
use template::Template;
use vocabulary::Vocabulary;

/// Tokens of a prompt that are read between two looks at the clock.
const PASS: usize = 32;

/// What is said where the numbers of all allowed tokens are none.
const NO_TOKEN: &str = "no token that is allowed has a number: are its weights damaged?";

/// Why a model could not be loaded.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LocalError {
    /// A file cannot be read.
    #[error("cannot read the model {path}")]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// It is another kind of file.
    #[error("{path} is no GGUF file ({found}): name a file that ends in .gguf")]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What it has instead.
        found: String,
    },
    /// It is damaged or cut.
    #[error(
        "{path} is damaged or cut ({what}, at byte {at}): fetch it again, and compare its SHA-256 with the publisher's"
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
        /// Where.
        at: u64,
    },
    /// Something that every chat model has is missing.
    #[error("{path} has no {what}: take a chat model's own GGUF file, whole")]
    Lacks {
        /// The file.
        path: PathBuf,
        /// What is missing.
        what: String,
    },
    /// It is a model of another kind.
    #[error("{path}: {what} is not supported; supported: {supported}")]
    Unsupported {
        /// The file.
        path: PathBuf,
        /// What it has.
        what: String,
        /// What it could have.
        supported: String,
    },
    /// The tokenizer cannot be made.
    #[error("the tokenizer of {path} does not fit together")]
    Tokenizer {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A tensor cannot be decoded.
    #[error("tensor \"{tensor}\" of {path} cannot be decoded")]
    Tensor {
        /// The file.
        path: PathBuf,
        /// The tensor.
        tensor: String,
        /// Why.
        #[source]
        source: Box<candle_core::Error>,
    },
}

/// How a local model is run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalOptions {
    /// The most tokens of prompt and reply together; the model's own bound holds, too. A token takes two 32-bit numbers
    /// a layer and key dimension: 46 kB with SmolLM2-135M, 188 MB for 4,096.
    pub context_tokens: usize,
}

impl Default for LocalOptions {
    fn default() -> Self {
        Self {
            context_tokens: 4_096,
        }
    }
}

/// A model from a GGUF file.
///
/// Calls at the same time run beside each other; the kept beginning of the last prompt serves one of them.
pub struct LocalModel {
    name: String,
    vocabulary: Vocabulary,
    template: Template,
    llama: Llama,
    context: usize,
    kept: Mutex<Cache>,
    clock: Arc<dyn Clock>,
}

impl std::fmt::Debug for LocalModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LocalModel")
            .field("name", &self.name)
            .field("vocabulary", &self.vocabulary)
            .field("context", &self.context)
            .finish_non_exhaustive()
    }
}

impl LocalModel {
    /// Loads a GGUF file. The model is called as the file.
    ///
    /// Supported are the architecture `llama` (dense), the byte-level tokenizers of SmolLM2, GPT-2 and Llama 3, and the chat
    /// templates ChatML and Llama 3. Only SmolLM2 has been run on real weights.
    ///
    /// # Errors
    ///
    /// [`LocalError`] naming the file, and what is wrong with it or not supported.
    pub fn from_file(path: impl AsRef<Path>, options: &LocalOptions) -> Result<Self, LocalError> {
        let path = path.as_ref();
        Self::read(open(path)?, path, options, Arc::new(MonotonicClock))
    }

    /// Loads a model from the bytes of a file called `path`.
    fn read<R: Read + Seek>(
        source: R,
        path: &Path,
        options: &LocalOptions,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, LocalError> {
        let mut file = Gguf::open(source, path)?;
        let vocabulary = Vocabulary::read(&file)?;
        let template = Template::read(&file, &vocabulary)?;
        let llama = Llama::load(&mut file)?;
        Ok(Self {
            name: lazy::name_of(path),
            vocabulary,
            template,
            context: options.context_tokens.min(llama.shape().context),
            llama,
            kept: Mutex::default(),
            clock,
        })
    }

    /// The most tokens of prompt and reply together.
    #[must_use]
    pub const fn context_tokens(&self) -> usize {
        self.context
    }

    fn failed(&self, reason: impl std::fmt::Display) -> ModelError {
        ModelError::Local {
            model: self.name.clone(),
            reason: reason.to_string(),
            source: None,
        }
    }

    fn refused(&self, error: GuideError, most: usize) -> ModelError {
        let reason = match error {
            GuideError::Impossible(why) => why,
            GuideError::Long(what, tokens) => format!(
                "{what} takes {tokens} tokens and the request allows {most}: shorten it or allow more"
            ),
        };
        ModelError::ConstraintRefused {
            model: self.name.clone(),
            reason,
        }
    }

    /// The constraint made ready, and the tokens of the prompt; checked for fitting together.
    fn prepare(&self, request: &ChatRequest, most: usize) -> Result<(Guide, Vec<u32>), ModelError> {
        let end = self.template.end();
        let guide = Guide::new(&request.constraint, &self.vocabulary, end, most);
        let guide = guide.map_err(|error| self.refused(error, most))?;
        let prompt = self.template.prompt(&request.messages, &self.vocabulary);
        let prompt = prompt.map_err(|error| self.failed(error))?;
        let room = self.context.saturating_sub(guide.longest(most));
        if prompt.len() > room {
            let bytes = request.prompt_bytes();
            return Err(ModelError::TooLong {
                stage: request.stage.clone(),
                bytes,
                limit: bytes.saturating_mul(room) / prompt.len(),
            });
        }
        Ok((guide, prompt))
    }

    fn generate(
        &self,
        request: &ChatRequest,
        cache: &mut Cache,
        stream: &mut dyn FnMut(&str),
    ) -> Result<Completion, ModelError> {
        request.check()?;
        let begin = self.clock.now();
        let most = usize::try_from(request.max_tokens).unwrap_or(usize::MAX);
        let (mut guide, prompt) = self.prepare(request, most)?;
        let stops = match guide {
            Guide::Free => request.stop.as_slice(),
            Guide::OneOf(_) | Guide::Json(_) => &[],
        };
        let mut reply = Reply::new(stops, stream);
        let mut rng = ChaCha8Rng::seed_from_u64(request.seed.unwrap_or(0));
        let mut usage = Usage {
            prompt_tokens: prompt.len() as u64,
            ..Usage::default()
        };
        let shared = cache.keep(&prompt, self.llama.shape());
        let mut ahead = prompt[shared..].to_vec();
        let mut left = most;
        let mut short = false;
        let finish = loop {
            let next = guide.next(left, &self.vocabulary);
            let tokens = match next.map_err(|error| self.refused(error, most))? {
                Next::Over(finish) => break finish,
                Next::Given(tokens) => tokens,
                Next::Closed(tokens) => {
                    short = true;
                    tokens
                }
                Next::Drawn => {
                    let numbers = self.pass(&mut ahead, cache, request.deadline);
                    let numbers = numbers.ok_or_else(|| self.late(request, begin, usage))?;
                    let allowed = |token| guide.allows(token, left, &self.vocabulary);
                    let token = draw::draw(&numbers, request.temperature, &mut rng, &allowed);
                    let token = token.ok_or_else(|| self.failed(NO_TOKEN))?;
                    if self.vocabulary.is_end(token) {
                        break FinishReason::Stop;
                    }
                    vec![token]
                }
            };
            left = left.saturating_sub(tokens.len());
            usage.completion_tokens += tokens.len() as u64;
            if self.take(&tokens, &mut guide, &mut reply) {
                break FinishReason::Stop;
            }
            ahead.extend(tokens);
        };
        Ok(Completion {
            text: reply.finish(),
            finish: if short { FinishReason::Length } else { finish },
            usage,
            model: self.name.clone(),
            origin: Origin::Model,
        })
    }

    /// Adds tokens to the reply; whether a stop text has come.
    fn take(&self, tokens: &[u32], guide: &mut Guide, reply: &mut Reply) -> bool {
        let mut stopped = false;
        for token in tokens {
            guide.take(*token, &self.vocabulary);
            stopped |= reply.push(self.vocabulary.bytes(*token));
        }
        stopped
    }

    /// Reads what is ahead, and gives the numbers of what may come next; nothing if the deadline comes first.
    fn pass(
        &self,
        ahead: &mut Vec<u32>,
        cache: &mut Cache,
        deadline: Option<Instant>,
    ) -> Option<Vec<f32>> {
        let mut numbers = Vec::new();
        for tokens in ahead.chunks(PASS) {
            if deadline.is_some_and(|deadline| self.clock.now() >= deadline) {
                return None;
            }
            numbers = self.llama.forward(tokens, cache);
        }
        ahead.clear();
        Some(numbers)
    }

    fn late(&self, request: &ChatRequest, begin: Instant, usage: Usage) -> ModelError {
        let deadline = request.deadline.unwrap_or(begin);
        ModelError::Timeout {
            endpoint: self.name.clone(),
            limit: deadline.saturating_duration_since(begin),
            usage,
        }
    }
}

fn open(path: &Path) -> Result<BufReader<fs_err::File>, LocalError> {
    let file = fs_err::File::open(path).map_err(|source| LocalError::File {
        path: path.to_owned(),
        source,
    })?;
    Ok(BufReader::new(file))
}

impl LanguageModel for LocalModel {
    /// Completes one. Usage is counted, not estimated: `prompt_tokens` are all of the prompt, those kept from the call before
    /// included; `completion_tokens` those of the reply without the one that ends it. No seed is seed 0. Stop texts hold only
    /// where there is no constraint.
    ///
    /// # Errors
    ///
    /// [`ModelError::TooLong`] if prompt and `max_tokens` exceed the context; [`ModelError::ConstraintRefused`] for a
    /// constraint that nothing fits, that is longer than `max_tokens`, or whose schema uses more than `type`,
    /// `properties`, `required`, `additionalProperties`, `enum`, `items`, `minItems`, `maxItems`, `minimum`, `maximum`
    /// and `maxLength`; [`ModelError::Timeout`] at the deadline; [`ModelError::Local`] for damaged weights.
    fn complete(
        &self,
        request: &ChatRequest,
        stream: &mut dyn FnMut(&str),
    ) -> Result<Completion, ModelError> {
        match self.kept.try_lock() {
            Ok(mut kept) => self.generate(request, &mut kept, stream),
            Err(_) => self.generate(request, &mut Cache::default(), stream),
        }
    }

    fn model(&self) -> &str {
        &self.name
    }
}
