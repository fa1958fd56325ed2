//! When is a model's file loaded? When it is first asked: many commands that could ask it do not.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::gguf::Gguf;
use super::{LocalError, LocalModel, LocalOptions, open};
use crate::{ChatRequest, Completion, LanguageModel, ModelError};

/// A [`LocalModel`] that is loaded at its first call, and then kept. The time of loading is the first call's.
#[derive(Debug)]
pub struct LazyLocalModel {
    path: PathBuf,
    name: String,
    options: LocalOptions,
    loaded: Mutex<Option<Arc<LocalModel>>>,
}

impl LazyLocalModel {
    /// A model that will be loaded from a GGUF file, of which the head is read now. The model is called as the file.
    ///
    /// # Errors
    ///
    /// [`LocalError`] if there is no such file, or it is no GGUF file, or its head is damaged.
    pub fn new(path: impl Into<PathBuf>, options: LocalOptions) -> Result<Self, LocalError> {
        let path = path.into();
        Gguf::open(open(&path)?, &path)?;
        Ok(Self {
            name: name_of(&path),
            path,
            options,
            loaded: Mutex::default(),
        })
    }

    /// The model, loaded. Calls at the same time wait for the one that loads it.
    fn model(&self) -> Result<Arc<LocalModel>, LocalError> {
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(model) = loaded.as_ref() {
            return Ok(Arc::clone(model));
        }
        let model = Arc::new(LocalModel::from_file(&self.path, &self.options)?);
        *loaded = Some(Arc::clone(&model));
        Ok(model)
    }
}

/// What a model is called: as its file.
pub(super) fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

impl LanguageModel for LazyLocalModel {
    /// Completes one, as [`LocalModel`] does.
    ///
    /// # Errors
    ///
    /// As [`LocalModel`], and [`ModelError::Local`] if the file cannot be loaded; the next call tries again.
    fn complete(
        &self,
        request: &ChatRequest,
        stream: &mut dyn FnMut(&str),
    ) -> Result<Completion, ModelError> {
        request.check()?;
        let model = self.model().map_err(|error| ModelError::Local {
            model: self.name.clone(),
            reason: error.to_string(),
            source: Some(Arc::new(error)),
        })?;
        model.complete(request, stream)
    }

    fn model(&self) -> &str {
        &self.name
    }
}
