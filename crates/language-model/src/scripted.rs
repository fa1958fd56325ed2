//! How is a stage tested that asks a model, without a model?
//!
//! By a script: replies in order, or a function from request to reply. It counts calls and keeps the
//! requests it saw, up to a bound.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use crate::{ChatRequest, Completion, FinishReason, LanguageModel, ModelError, Origin, Usage};

/// Requests that are kept for a test to look at.
const MAX_KEPT_REQUESTS: usize = 4096;

type Reply = dyn Fn(&ChatRequest) -> Result<String, ModelError> + Send + Sync;

enum Script {
    Queue(Mutex<VecDeque<Result<String, ModelError>>>),
    Function(Box<Reply>),
}

/// A [`LanguageModel`] that says what it was told to say.
///
/// ```
/// use language_model::{ChatRequest, LanguageModel, Message, Scripted, no_stream};
///
/// let model = Scripted::replies(["Paris"]);
/// let request = ChatRequest::new("answer", vec![Message::user("Capital of France?")]);
/// assert_eq!(model.complete(&request, &mut no_stream)?.text, "Paris");
/// assert!(model.complete(&request, &mut no_stream).is_err());
/// assert_eq!(model.calls(), 2);
/// # Ok::<(), language_model::ModelError>(())
/// ```
pub struct Scripted {
    script: Script,
    seen: Mutex<(usize, Vec<ChatRequest>)>,
}

impl std::fmt::Debug for Scripted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scripted")
            .field("calls", &self.calls())
            .finish_non_exhaustive()
    }
}

impl Scripted {
    /// These texts in this order, then [`ModelError::ScriptEnded`].
    pub fn replies<T: Into<String>>(replies: impl IntoIterator<Item = T>) -> Self {
        Self::queue(replies.into_iter().map(|text| Ok(text.into())))
    }

    /// These replies and errors in this order, then [`ModelError::ScriptEnded`].
    pub fn queue(replies: impl IntoIterator<Item = Result<String, ModelError>>) -> Self {
        Self::with(Script::Queue(Mutex::new(replies.into_iter().collect())))
    }

    /// Whatever a function makes of the request.
    pub fn function(
        reply: impl Fn(&ChatRequest) -> Result<String, ModelError> + Send + Sync + 'static,
    ) -> Self {
        Self::with(Script::Function(Box::new(reply)))
    }

    fn with(script: Script) -> Self {
        Self {
            script,
            seen: Mutex::new((0, Vec::new())),
        }
    }

    /// How often it was asked.
    #[must_use]
    pub fn calls(&self) -> usize {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).0
    }

    /// The requests, oldest first; the first 4,096 of them.
    #[must_use]
    pub fn requests(&self) -> Vec<ChatRequest> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.1.clone()
    }
}

impl LanguageModel for Scripted {
    /// Usage is the estimate of request and reply, and marked so.
    fn complete(
        &self,
        request: &ChatRequest,
        stream: &mut dyn FnMut(&str),
    ) -> Result<Completion, ModelError> {
        request.check()?;
        {
            let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            seen.0 += 1;
            if seen.1.len() < MAX_KEPT_REQUESTS {
                seen.1.push(request.clone());
            }
        }
        let text = match &self.script {
            Script::Function(reply) => reply(request)?,
            Script::Queue(queue) => {
                let next = queue
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .pop_front();
                next.unwrap_or_else(|| {
                    Err(ModelError::ScriptEnded {
                        model: self.model().to_owned(),
                        stage: request.stage.clone(),
                    })
                })?
            }
        };
        stream(&text);
        Ok(Completion {
            usage: Usage::estimate(request, &text),
            text,
            finish: FinishReason::Stop,
            model: self.model().to_owned(),
            origin: Origin::Model,
        })
    }

    fn model(&self) -> &'static str {
        "scripted"
    }
}
