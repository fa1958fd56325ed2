//! Which experiences may no longer be served, now that a source changed?
//!
//! They become suspect at once: not served as exact, verified again when next used, and dropped if that fails.
//!
//! Each experience holds the ascending keys of its evidence, and a change is looked for in all of them: at 10,000
//! experiences that takes the learner some 15 milliseconds for each change of a source, while an index from key to
//! experience would cost every episode some forty insertions and every start a rebuild.

use crate::ExperienceId;
use crate::event::SourceChange;
use crate::tenant::Tenant;

impl Tenant {
    pub(crate) fn source_changed(&mut self, source: &str, change: &SourceChange) -> u64 {
        let touched: Vec<ExperienceId> = match change {
            SourceChange::Keys(keys) => self.memory.resting_on_any(keys).collect(),
            SourceChange::Everything => self
                .memory
                .experiences
                .values()
                .filter(|s| s.experience.domain == source)
                .map(|s| s.experience.id)
                .collect(),
        };
        let mut suspected = 0;
        for id in touched {
            let fresh = self
                .memory
                .stored(id)
                .is_some_and(|s| !s.usage.suspect && s.experience.domain == source);
            if fresh {
                self.change(id, |usage| usage.suspect = true);
                suspected += 1;
            }
        }
        self.memory.counters.suspected += suspected;
        suspected
    }
}
