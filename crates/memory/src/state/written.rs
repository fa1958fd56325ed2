//! How is the state written down, and how was it in earlier formats?

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize, Serializer};

use super::State;
use crate::stats::Cut;
use crate::tenant::Tenant;
use crate::{Namespace, Settings};

/// The state of formats 4 and 5.
#[derive(Deserialize)]
pub(crate) struct WithoutCut {
    embedder: String,
    defaults: Settings,
    tenants: BTreeMap<Namespace, Tenant>,
}

/// The state of format 6.
#[derive(Deserialize)]
pub(super) struct Written {
    embedder: String,
    defaults: Settings,
    tenants: BTreeMap<Namespace, Tenant>,
    /// Where anything was cut.
    cut: BTreeMap<Namespace, Cut>,
}

#[derive(Serialize)]
struct Writing<'s> {
    embedder: &'s str,
    defaults: &'s Settings,
    tenants: &'s BTreeMap<Namespace, Tenant>,
    cut: BTreeMap<&'s Namespace, Cut>,
}

impl Serialize for State {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let cut = self.tenants.iter().map(|(name, t)| (name, t.memory.cut));
        let writing = Writing {
            embedder: &self.embedder,
            defaults: &self.defaults,
            tenants: &self.tenants,
            cut: cut.filter(|(_, cut)| *cut != Cut::default()).collect(),
        };
        writing.serialize(serializer)
    }
}

impl From<WithoutCut> for State {
    fn from(read: WithoutCut) -> Self {
        Self {
            embedder: read.embedder,
            defaults: read.defaults,
            tenants: read.tenants,
        }
    }
}

impl From<Written> for State {
    fn from(read: Written) -> Self {
        let mut tenants = read.tenants;
        for (name, cut) in read.cut {
            if let Some(tenant) = tenants.get_mut(&name) {
                tenant.memory.cut = cut;
            }
        }
        Self {
            embedder: read.embedder,
            defaults: read.defaults,
            tenants,
        }
    }
}
