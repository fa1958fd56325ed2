//! A journal that dies with its process: for evaluation runs and for tests.

use memory::{Event, ForgetTargets, Namespace, State};

use super::{Journal, JournalError, Position};

/// Keeps events in memory, with the same bounds and the same redaction as the durable one.
#[derive(Debug, Default)]
pub struct VolatileJournal {
    events: std::collections::BTreeMap<u64, Event>,
    last: u64,
    checkpoint: Option<(Position, State)>,
    retention: u64,
}

impl VolatileJournal {
    /// An empty journal that keeps `retention_events` older than its checkpoint.
    #[must_use]
    pub fn new(retention_events: u64) -> Self {
        Self {
            retention: retention_events,
            ..Self::default()
        }
    }
}

impl Journal for VolatileJournal {
    fn append(&mut self, events: &[Event]) -> Result<Position, JournalError> {
        for event in events {
            self.last += 1;
            self.events.insert(self.last, event.clone());
        }
        Ok(Position(self.last))
    }

    fn read_after(
        &self,
        after: Position,
        each: &mut dyn FnMut(Position, Event),
    ) -> Result<(), JournalError> {
        for (position, event) in self.events.range(after.0 + 1..) {
            each(Position(*position), event.clone());
        }
        Ok(())
    }

    fn checkpoint(&mut self, state: &State) -> Result<(), JournalError> {
        self.checkpoint = Some((Position(self.last), state.clone()));
        self.events = self
            .events
            .split_off(&(self.last.saturating_sub(self.retention) + 1));
        Ok(())
    }

    fn last_checkpoint(&self) -> Result<Option<(Position, State)>, JournalError> {
        Ok(self.checkpoint.clone())
    }

    fn redact(
        &mut self,
        namespace: &Namespace,
        targets: &ForgetTargets,
        state: &State,
    ) -> Result<u64, JournalError> {
        let mut blanked = 0;
        for event in self.events.values_mut() {
            let redacted = event.clone().redacted(namespace, targets);
            if redacted != *event {
                blanked += 1;
                *event = redacted;
            }
        }
        self.checkpoint(state)?;
        Ok(blanked)
    }
}
