//! May an identical call be answered from before?
//!
//! Only where this wrapper is put in, which is not the default: an answer from before knows nothing of
//! what changed since. Bounded in entries and bytes, the least recently used goes first. The key is the
//! whole request with its namespace, but for the deadline.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError};

use crate::{ChatRequest, Completion, LanguageModel, ModelError, Origin, Usage};

/// Bytes of one entry beside its text: key, names, places in the tables.
const ENTRY_BYTES: usize = 256;

#[derive(Debug, Default)]
struct Entries {
    by_key: HashMap<String, (u64, Completion)>,
    by_use: BTreeMap<u64, String>,
    uses: u64,
    bytes: usize,
}

impl Entries {
    fn touch(&mut self, key: &str) -> Option<Completion> {
        self.uses += 1;
        let (used, completion) = self.by_key.get_mut(key)?;
        self.by_use.remove(used);
        *used = self.uses;
        self.by_use.insert(self.uses, key.to_owned());
        Some(completion.clone())
    }

    fn insert(&mut self, key: String, completion: Completion) {
        self.remove(&key);
        self.uses += 1;
        self.bytes += ENTRY_BYTES + completion.text.len();
        self.by_use.insert(self.uses, key.clone());
        self.by_key.insert(key, (self.uses, completion));
    }

    fn remove(&mut self, key: &str) {
        if let Some((used, completion)) = self.by_key.remove(key) {
            self.by_use.remove(&used);
            self.bytes -= ENTRY_BYTES + completion.text.len();
        }
    }

    fn shrink(&mut self, max_entries: usize, max_bytes: usize) {
        while self.by_key.len() > max_entries || self.bytes > max_bytes {
            let Some((_, key)) = self.by_use.first_key_value() else {
                break;
            };
            let key = key.clone();
            self.remove(&key);
        }
    }
}

/// Answers identical calls from earlier replies.
#[derive(Debug)]
pub struct ExactCache<M> {
    inner: M,
    max_entries: usize,
    max_bytes: usize,
    entries: Mutex<Entries>,
}

impl<M> ExactCache<M> {
    /// Keeps so many replies of so many bytes together, at most; 0 of either keeps none.
    pub fn new(inner: M, max_entries: usize, max_bytes: usize) -> Self {
        Self {
            inner,
            max_entries,
            max_bytes,
            entries: Mutex::default(),
        }
    }

    /// How many replies it holds.
    #[must_use]
    pub fn len(&self) -> usize {
        let entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.by_key.len()
    }

    /// Whether it holds none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Forgets everything.
    pub fn clear(&self) {
        *self.entries.lock().unwrap_or_else(PoisonError::into_inner) = Entries::default();
    }
}

impl<M: LanguageModel> LanguageModel for ExactCache<M> {
    /// A hit is told in one piece and has no usage. Errors are not kept.
    fn complete(
        &self,
        request: &ChatRequest,
        stream: &mut dyn FnMut(&str),
    ) -> Result<Completion, ModelError> {
        let key = request.fingerprint(self.inner.model());
        let known = {
            let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
            entries.touch(&key)
        };
        if let Some(mut completion) = known {
            completion.origin = Origin::Cached;
            completion.usage = Usage::default();
            stream(&completion.text);
            return Ok(completion);
        }
        let completion = self.inner.complete(request, stream)?;
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.insert(key, completion.clone());
        entries.shrink(self.max_entries, self.max_bytes);
        Ok(completion)
    }

    fn model(&self) -> &str {
        self.inner.model()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Message, Scripted, no_stream};
    use proptest::prelude::*;

    fn request(text: &str, namespace: &str) -> ChatRequest {
        let mut request = ChatRequest::new("s", vec![Message::user(text)]);
        request.namespace = namespace.to_owned();
        request
    }

    #[test]
    fn the_least_recently_used_goes_first_and_namespaces_are_apart() {
        let model = Scripted::function(|request| Ok(request.namespace.clone()));
        let cache = ExactCache::new(model, 2, usize::MAX);
        let ask = |text, namespace| {
            let request = request(text, namespace);
            cache.complete(&request, &mut no_stream).unwrap()
        };
        ask("a", "x");
        ask("b", "x");
        assert_eq!(ask("a", "x").origin, Origin::Cached);
        assert_eq!(ask("a", "y").text, "y"); // pushes out b
        assert_eq!(ask("a", "x").origin, Origin::Cached);
        assert_eq!(ask("b", "x").origin, Origin::Model);
        assert_eq!(cache.inner.calls(), 4);
    }

    proptest! {
        #[test]
        fn both_bounds_hold(asked in prop::collection::vec(0_usize..40, 0..80), entries in 0_usize..8, bytes in 0_usize..3000) {
            let cache = ExactCache::new(Scripted::function(|r| Ok(r.messages[0].content.clone())), entries, bytes);
            for n in asked {
                let request = request(&"z".repeat(n), "x");
                let reply = cache.complete(&request, &mut no_stream).unwrap();
                prop_assert_eq!(reply.text.len(), n);
                let held = cache.entries.lock().unwrap();
                prop_assert!(held.by_key.len() <= entries && held.bytes <= bytes);
                prop_assert_eq!(held.by_key.len(), held.by_use.len());
            }
        }
    }
}
