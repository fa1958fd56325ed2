//! Who writes what was learned? One thread, fed by one bounded queue.
//!
//! Episodes go in without waiting: a full queue drops them and counts. Feedback, forgetting, imports and changes of a
//! source wait for room and are acknowledged only once they are durable. What lies in the queue is appended in one
//! commit, then folded into the state, then published.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{
    Receiver, RecvError, Sender, SyncSender, TrySendError, channel, sync_channel,
};
use std::thread::JoinHandle;

use memory::{
    Effect, Episode, Event, ForgetSelector, Memory, Namespace, Receipt, Settings, State, Timestamp,
};
use thiserror::Error;

use crate::journal::{Journal, JournalError, Position, recover};
use crate::knowledge::{Knowledge, Published};

mod shrunk;

pub use shrunk::Shrunk;

/// Bounds of the learner.
#[derive(Debug, Clone, PartialEq)]
pub struct LearnerConfig {
    /// Most events that wait.
    pub queue_events: usize,
    /// Most events in one commit.
    pub batch_events: usize,
    /// Events after which the state is kept, so that a start replays at most so many.
    pub checkpoint_every_events: u64,
    /// Settings of a namespace that has none of its own.
    pub settings: Settings,
}

impl Default for LearnerConfig {
    fn default() -> Self {
        Self {
            queue_events: 1_024,
            batch_events: 256,
            checkpoint_every_events: 2_000,
            settings: Settings::default(),
        }
    }
}

/// Why the learner could not do something.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LearnerError {
    /// The journal failed.
    #[error("what was learned cannot be kept")]
    Journal(#[from] Arc<JournalError>),
    /// The thread could not be started.
    #[error("the learner could not be started")]
    Thread(#[source] std::io::Error),
    /// It has ended.
    #[error("the learner has stopped")]
    Stopped,
}

/// What became of an episode that was handed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Handed {
    /// It waits to be learned.
    Queued,
    /// The queue was full; it is lost, and counted.
    Dropped,
}

type Reply<T> = Sender<Result<T, Arc<JournalError>>>;

enum Command {
    Episode(Namespace, Box<Episode>),
    Event(Box<Event>, Reply<Effect>),
    Told(Box<Event>),
    Forget {
        namespace: Namespace,
        selector: ForgetSelector,
        at: Timestamp,
        reply: Reply<Receipt>,
    },
    Reembed {
        embedder: String,
        reply: Reply<Option<Vec<String>>>,
    },
    Settle(Reply<Position>),
    Checkpoint(Reply<()>),
    Stop,
}

/// The hand of the learner that the engine holds.
#[derive(Debug)]
pub struct Learner {
    sender: SyncSender<Command>,
    published: Arc<Published>,
    dropped: AtomicU64,
    lost: Arc<AtomicU64>,
    shrunk: Vec<Shrunk>,
    thread: Option<JoinHandle<()>>,
}

impl Learner {
    /// Reads the state back from the journal and starts learning.
    ///
    /// # Errors
    /// When the journal cannot be read, or no thread can be started.
    pub fn start(
        mut journal: Box<dyn Journal>,
        config: LearnerConfig,
    ) -> Result<Self, LearnerError> {
        let mut recovered = recover(journal.as_mut()).map_err(Arc::new)?;
        let before = Knowledge::of(&recovered.state, &config.settings, recovered.position);
        if recovered.position == Position(0) || *recovered.state.defaults() != config.settings {
            // What settings held when is part of the history: a replay must not see later ones.
            let event = Event::Defaults {
                settings: config.settings.clone(),
            };
            recovered.position = journal
                .append(std::slice::from_ref(&event))
                .map_err(Arc::new)?;
            recovered.state.apply(&event);
        }
        let knowledge = Knowledge::of(&recovered.state, &config.settings, recovered.position);
        let shrunk = shrunk::between(&before, &knowledge);
        let published = Arc::new(Published::new(knowledge));
        let (sender, receiver) = sync_channel(config.queue_events.max(1));
        let lost = Arc::new(AtomicU64::new(0));
        let mut work = Work {
            journal,
            state: recovered.state,
            position: recovered.position,
            since_checkpoint: recovered.replayed,
            published: Arc::clone(&published),
            lost: Arc::clone(&lost),
            config,
        };
        let thread = std::thread::Builder::new()
            .name("refrain-learner".to_owned())
            .spawn(move || work.run(&receiver))
            .map_err(LearnerError::Thread)?;
        Ok(Self {
            sender,
            published,
            dropped: AtomicU64::new(0),
            lost,
            shrunk,
            thread: Some(thread),
        })
    }

    /// The memories that were too large for the settings when the learner started.
    #[must_use]
    pub fn shrunk(&self) -> &[Shrunk] {
        &self.shrunk
    }

    /// The newest knowledge. It does not change while it is held.
    #[must_use]
    pub fn knowledge(&self) -> Arc<Knowledge> {
        self.published.newest()
    }

    /// Hands an episode over, without waiting.
    pub fn learn(&self, namespace: Namespace, episode: Episode) -> Handed {
        self.hand_over(Command::Episode(namespace, Box::new(episode)))
    }

    /// Hands an event over, without waiting: one whose loss only makes the policy know a little less.
    pub fn tell(&self, event: Event) -> Handed {
        self.hand_over(Command::Told(Box::new(event)))
    }

    fn hand_over(&self, command: Command) -> Handed {
        match self.sender.try_send(command) {
            Ok(()) => Handed::Queued,
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => {
                self.dropped.fetch_add(1, Ordering::Relaxed);
                Handed::Dropped
            }
        }
    }

    /// Hands an episode over and waits for room in the queue: for streams that must lose nothing, as evaluation and warming.
    ///
    /// # Errors
    /// When the learner has stopped.
    pub fn learn_waiting(
        &self,
        namespace: Namespace,
        episode: Episode,
    ) -> Result<(), LearnerError> {
        self.send(Command::Episode(namespace, Box::new(episode)))
    }

    /// Carries out an event; it is durable and visible when this returns. Forgetting has its own way, [`forget`](Self::forget).
    ///
    /// # Errors
    /// When it could not be made durable.
    pub fn submit(&self, event: Event) -> Result<Effect, LearnerError> {
        self.ask(|reply| Command::Event(Box::new(event), reply))
    }

    /// Forgets; when this returns it is gone from memory and journal.
    ///
    /// # Errors
    /// When it could not be made durable; it may then be half done, and is finished at the next start.
    pub fn forget(
        &self,
        namespace: Namespace,
        selector: ForgetSelector,
        at: Timestamp,
    ) -> Result<Receipt, LearnerError> {
        self.ask(|reply| Command::Forget {
            namespace,
            selector,
            at,
            reply,
        })
    }

    /// Every text that has a vector, if the memory belongs to another embedder than this one; else `None`. Hand the new
    /// vectors in as [`Event::Reembedded`], even when there are none: the memory takes nothing from other embedders.
    ///
    /// # Errors
    /// When the learner has stopped.
    pub fn texts_to_embed(&self, embedder: &str) -> Result<Option<Vec<String>>, LearnerError> {
        let embedder = embedder.to_owned();
        self.ask(|reply| Command::Reembed { embedder, reply })
    }

    /// Waits until all that was handed over before is durable and visible.
    ///
    /// # Errors
    /// When some of it could not be made durable, or the learner has stopped.
    pub fn settle(&self) -> Result<Position, LearnerError> {
        self.ask(Command::Settle)
    }

    /// Keeps the state now, so that the next start replays nothing.
    ///
    /// # Errors
    /// When it could not be made durable.
    pub fn checkpoint(&self) -> Result<(), LearnerError> {
        self.ask(Command::Checkpoint)
    }

    /// How many episodes were dropped because the queue was full.
    pub fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    /// How many episodes were lost because the journal failed.
    pub fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }

    fn send(&self, command: Command) -> Result<(), LearnerError> {
        self.sender.send(command).map_err(|_| LearnerError::Stopped)
    }

    fn ask<T>(&self, command: impl FnOnce(Reply<T>) -> Command) -> Result<T, LearnerError> {
        let (reply, answer) = channel();
        self.send(command(reply))?;
        Ok(answer.recv().map_err(|RecvError| LearnerError::Stopped)??)
    }
}

impl Drop for Learner {
    /// Learns what still waits, then stops.
    fn drop(&mut self) {
        if self.sender.send(Command::Stop).is_ok()
            && let Some(thread) = self.thread.take()
        {
            // A panic of the learner was reported when it happened; nothing is left to do about it here.
            let _ = thread.join();
        }
    }
}

/// What the thread owns.
struct Work {
    journal: Box<dyn Journal>,
    state: State,
    position: Position,
    since_checkpoint: u64,
    published: Arc<Published>,
    lost: Arc<AtomicU64>,
    config: LearnerConfig,
}

/// Events that go into one commit, with who waits for each.
#[derive(Default)]
struct Batch {
    events: Vec<Event>,
    replies: Vec<Option<Reply<Effect>>>,
}

impl Batch {
    /// Takes a plain event in, and gives back any other command.
    fn take(&mut self, command: Command) -> Option<Command> {
        let (event, reply) = match command {
            Command::Episode(namespace, episode) => (Event::Episode { namespace, episode }, None),
            Command::Event(event, reply) => (*event, Some(reply)),
            Command::Told(event) => (*event, None),
            other @ (Command::Forget { .. }
            | Command::Reembed { .. }
            | Command::Settle(_)
            | Command::Checkpoint(_)
            | Command::Stop) => return Some(other),
        };
        self.events.push(event);
        self.replies.push(reply);
        None
    }
}

impl Work {
    fn run(&mut self, receiver: &Receiver<Command>) {
        let mut failure: Option<Arc<JournalError>> = None;
        while let Ok(first) = receiver.recv() {
            let mut batch = Batch::default();
            let mut next = Some(first);
            while let Some(command) = next.take() {
                if let Some(last) = batch.take(command) {
                    failure = self.commit(std::mem::take(&mut batch)).or(failure);
                    if self.carry_out(last, &mut failure) {
                        return;
                    }
                } else if batch.events.len() < self.config.batch_events {
                    next = receiver.try_recv().ok();
                }
            }
            failure = self.commit(batch).or(failure);
        }
    }

    /// Carries out what is no plain event. Returns whether to stop.
    fn carry_out(&mut self, command: Command, failure: &mut Option<Arc<JournalError>>) -> bool {
        match command {
            Command::Stop => return true,
            Command::Settle(reply) => {
                // Whoever waits hears of episodes that were lost since the last time.
                let outcome = failure.take().map_or(Ok(self.position), Err);
                let _ = reply.send(outcome);
            }
            Command::Checkpoint(reply) => {
                let _ = reply.send(self.checkpoint());
            }
            Command::Reembed { embedder, reply } => {
                let other = !self.state.embedder().is_empty() && self.state.embedder() != embedder;
                let _ = reply.send(Ok(other.then(|| self.state.texts())));
            }
            Command::Forget {
                namespace,
                selector,
                at,
                reply,
            } => {
                let _ = reply.send(self.forget(namespace, &selector, at));
            }
            Command::Episode(..) | Command::Event(..) | Command::Told(_) => {}
        }
        false
    }

    /// Appends, folds, publishes, acknowledges. Returns what failed.
    fn commit(&mut self, batch: Batch) -> Option<Arc<JournalError>> {
        if batch.events.is_empty() {
            return None;
        }
        let count = batch.events.len() as u64;
        match self.journal.append(&batch.events) {
            Ok(position) => self.position = position,
            Err(error) => {
                let error = Arc::new(error);
                for reply in batch.replies {
                    match reply {
                        Some(reply) => drop(reply.send(Err(Arc::clone(&error)))),
                        None => drop(self.lost.fetch_add(1, Ordering::Relaxed)),
                    }
                }
                return Some(error);
            }
        }
        let effects: Vec<Effect> = batch
            .events
            .iter()
            .map(|event| self.state.apply(event))
            .collect();
        self.since_checkpoint += count;
        self.publish();
        for (reply, effect) in batch.replies.into_iter().zip(effects) {
            if let Some(reply) = reply {
                let _ = reply.send(Ok(effect));
            }
        }
        for event in &batch.events {
            if let Event::Forget {
                namespace, targets, ..
            } = event
            {
                if let Err(error) = self.journal.redact(namespace, targets, &self.state) {
                    return Some(Arc::new(error));
                }
                self.since_checkpoint = 0;
            }
        }
        if self.since_checkpoint >= self.config.checkpoint_every_events {
            // The events are durable; a failed checkpoint only makes the next start slower. It is reported all the same.
            return self.checkpoint().err();
        }
        None
    }

    fn checkpoint(&mut self) -> Result<(), Arc<JournalError>> {
        self.journal.checkpoint(&self.state).map_err(Arc::new)?;
        self.since_checkpoint = 0;
        Ok(())
    }

    fn forget(
        &mut self,
        namespace: Namespace,
        selector: &ForgetSelector,
        at: Timestamp,
    ) -> Result<Receipt, Arc<JournalError>> {
        let targets = self.state.memory(&namespace).map_or_else(
            || Memory::default().resolve(selector),
            |memory| memory.resolve(selector),
        );
        let event = Event::Forget {
            namespace: namespace.clone(),
            at,
            targets: targets.clone(),
        };
        self.position = self
            .journal
            .append(std::slice::from_ref(&event))
            .map_err(Arc::new)?;
        let effect = self.state.apply(&event);
        self.publish();
        let mut receipt = if let Effect::Forgotten(receipt) = effect {
            receipt
        } else {
            Receipt::default()
        };
        receipt.journal_entries = self
            .journal
            .redact(&namespace, &targets, &self.state)
            .map_err(Arc::new)?;
        self.since_checkpoint = 0;
        Ok(receipt)
    }

    fn publish(&self) {
        self.published.publish(Knowledge::of(
            &self.state,
            &self.config.settings,
            self.position,
        ));
    }
}

#[cfg(test)]
mod kill;
#[cfg(test)]
mod tests;
