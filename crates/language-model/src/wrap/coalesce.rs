//! What happens to identical calls that are in flight together?
//!
//! One is made and all share its reply. Identical: equal in everything but the deadline, namespace
//! included, so nothing crosses from one namespace to another. Whoever has more time than the call that was
//! made does not share that call's running out of it.

use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::{ChatRequest, Completion, LanguageModel, ModelError, Origin, RetryAdvice, Usage};

/// How long who waits without a deadline sleeps before it looks again.
const LOOK_AGAIN: Duration = Duration::from_secs(1);
/// Calls of others, out of time before oneself, that are waited for.
const MAX_FOLLOWED: u32 = 3;

type Reply = Result<Completion, ModelError>;

#[derive(Debug, Default)]
struct Flight {
    /// That of the call that is made.
    deadline: Option<Instant>,
    /// Set once; `Some(None)` when whoever made the call is gone without a reply.
    landed: Mutex<Option<Option<Reply>>>,
    signal: Condvar,
}

impl Flight {
    fn land(&self, reply: Option<Reply>) {
        let mut landed = self.landed.lock().unwrap_or_else(PoisonError::into_inner);
        *landed = Some(reply);
        drop(landed);
        self.signal.notify_all();
    }

    /// Whether a reply is a failure that came of less time than the request has.
    fn was_hurried(&self, reply: &Reply, request: &ChatRequest) -> bool {
        let passing = |error: &ModelError| error.retry() != RetryAdvice::Never;
        let less = |its| request.deadline.is_none_or(|own| own > its);
        reply.as_ref().is_err_and(passing) && self.deadline.is_some_and(less)
    }
}

type Flights = Mutex<HashMap<String, Arc<Flight>>>;

/// Lets identical calls in flight share one.
#[derive(Debug)]
pub struct Coalesce<M> {
    inner: M,
    flights: Flights,
}

/// Whoever makes the call; lands the flight even when the model panics.
struct Leader<'a> {
    flights: &'a Flights,
    key: String,
    flight: Arc<Flight>,
    reply: Option<Reply>,
}

impl Drop for Leader<'_> {
    fn drop(&mut self) {
        let mut flights = self.flights.lock().unwrap_or_else(PoisonError::into_inner);
        flights.remove(&self.key);
        drop(flights);
        self.flight.land(self.reply.take());
    }
}

enum Seat {
    Leads(Arc<Flight>),
    Follows(Arc<Flight>),
}

impl<M> Coalesce<M> {
    /// Nothing is in flight.
    pub fn new(inner: M) -> Self {
        Self {
            inner,
            flights: Mutex::default(),
        }
    }

    fn seat(&self, key: &str, deadline: Option<Instant>) -> Seat {
        let mut flights = self.flights.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(flight) = flights.get(key) {
            return Seat::Follows(Arc::clone(flight));
        }
        let flight = Arc::new(Flight {
            deadline,
            ..Flight::default()
        });
        flights.insert(key.to_owned(), Arc::clone(&flight));
        Seat::Leads(flight)
    }
}

/// The reply of a flight; nothing when its leader is gone without one.
fn wait(flight: &Flight, request: &ChatRequest, model: &str) -> Result<Option<Reply>, ModelError> {
    let begin = Instant::now();
    let mut landed = flight.landed.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        if let Some(reply) = &*landed {
            return Ok(reply.clone());
        }
        let left = match request.deadline {
            Some(deadline) => deadline.saturating_duration_since(Instant::now()),
            None => LOOK_AGAIN,
        };
        if left.is_zero() {
            return Err(ModelError::Timeout {
                endpoint: format!("the call of {model} that is in flight"),
                limit: begin.elapsed(),
                usage: Usage::default(),
            });
        }
        let waited = flight.signal.wait_timeout(landed, left);
        landed = waited.unwrap_or_else(PoisonError::into_inner).0;
    }
}

impl<M: LanguageModel> LanguageModel for Coalesce<M> {
    /// Followers are told the text in one piece, get no usage and share the leader's error.
    fn complete(
        &self,
        request: &ChatRequest,
        stream: &mut dyn FnMut(&str),
    ) -> Result<Completion, ModelError> {
        let key = request.fingerprint(self.inner.model());
        for _ in 0..MAX_FOLLOWED {
            match self.seat(&key, request.deadline) {
                Seat::Leads(flight) => {
                    let mut leader = Leader {
                        flights: &self.flights,
                        key,
                        flight,
                        reply: None,
                    };
                    let reply = self.inner.complete(request, stream);
                    leader.reply = Some(reply.clone());
                    return reply;
                }
                Seat::Follows(flight) => match wait(&flight, request, self.inner.model())? {
                    Some(reply) if flight.was_hurried(&reply, request) => {}
                    Some(reply) => {
                        let mut completion = reply?;
                        completion.origin = Origin::Coalesced;
                        completion.usage = Usage::default();
                        stream(&completion.text);
                        return Ok(completion);
                    }
                    None => break,
                },
            }
        }
        self.inner.complete(request, stream)
    }

    fn model(&self) -> &str {
        self.inner.model()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Message, Scripted, no_stream};
    use std::sync::Barrier;

    #[test]
    fn identical_calls_share_one_and_other_namespaces_do_not() {
        let together = Arc::new(Barrier::new(2));
        let inside = Arc::clone(&together);
        let model = Arc::new(Scripted::function(move |request| {
            inside.wait(); // both namespaces are asked before either is answered
            std::thread::sleep(Duration::from_millis(100));
            Ok(request.namespace.clone())
        }));
        let coalesce = Coalesce::new(Arc::clone(&model));
        let ask = |namespace: &str| {
            let mut request = ChatRequest::new("s", vec![Message::user("q")]);
            request.namespace = namespace.to_owned();
            coalesce.complete(&request, &mut no_stream).unwrap()
        };
        let replies: Vec<(String, Completion)> = std::thread::scope(|scope| {
            let names = ["a", "b", "a", "b", "a", "b"];
            let threads = names.map(|n| scope.spawn(move || (n.to_owned(), ask(n))));
            threads.map(|thread| thread.join().unwrap()).into()
        });
        assert_eq!(model.calls(), 2);
        assert!(replies.iter().all(|(name, reply)| &reply.text == name));
        let own = |reply: &&(String, Completion)| reply.1.usage != Usage::default();
        assert_eq!(replies.iter().filter(own).count(), 2);
        assert!(coalesce.flights.lock().unwrap().is_empty());
    }

    /// A stage with 10 ms made the call, and one with an hour got its time-out.
    #[test]
    fn whoever_has_more_time_does_not_share_a_time_out() {
        let begun = Arc::new(Barrier::new(2));
        let inside = Arc::clone(&begun);
        let model = Scripted::function(move |request| {
            if request.deadline.is_none() {
                return Ok("in time".into());
            }
            inside.wait();
            std::thread::sleep(Duration::from_millis(100)); // so that the other one follows
            Err(ModelError::Timeout {
                endpoint: "e".into(),
                limit: Duration::ZERO,
                usage: Usage::default(),
            })
        });
        let coalesce = Coalesce::new(model);
        let request = ChatRequest::new("s", vec![Message::user("q")]);
        std::thread::scope(|scope| {
            let hurried = scope.spawn(|| {
                let mut request = request.clone();
                request.deadline = Some(Instant::now());
                coalesce.complete(&request, &mut no_stream)
            });
            begun.wait();
            let patient = coalesce.complete(&request, &mut no_stream).unwrap();
            assert_eq!(patient.text, "in time");
            assert!(hurried.join().unwrap().is_err());
        });
        assert_eq!(coalesce.inner.calls(), 2);
    }

    #[test]
    fn calls_after_another_are_made_anew() {
        let coalesce = Coalesce::new(Scripted::replies(["1", "2"]));
        let request = ChatRequest::new("s", vec![Message::user("q")]);
        let texts = [(); 2].map(|()| coalesce.complete(&request, &mut no_stream).unwrap().text);
        assert_eq!(texts, ["1", "2"]);
    }
}
