//! What does the graph hold, at one moment?
//!
//! A [`Snapshot`] is one read transaction with its tables open. It is cheap to clone, keeps its view however the store
//! changes meanwhile, and may be used from many threads at once. Unless a method says otherwise, it sees the union of
//! the default graph and all named graphs, each triple once.

use std::sync::{Arc, OnceLock, RwLock};

use oxrdf::{Term, TermRef};
use redb::{Database, ReadableTable};

use crate::block_set::Scan;
use crate::cache::Cache;
use crate::dictionary;
use crate::error::StoreError;
use crate::id::TermId;
use crate::label_predicates;
use crate::order::{Order, prefix_range};
use crate::signature::SignatureEntry;
use crate::tables::{Meta, Tables};
use crate::term_codec;

/// Lists with more ids are not kept in memory.
const MAX_CACHED_NEIGHBOURS: usize = 64;

/// A predicate and the number of statements that have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PredicateCount {
    /// The predicate.
    pub predicate: TermId,
    /// Statements with it, in all graphs together.
    pub statements: u64,
}

/// Part of a list of ids, in ascending order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Page {
    /// The ids.
    pub ids: Vec<TermId>,
    /// Whether more follow after the last.
    pub more: bool,
}

/// A number of statements, counted up to a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Count {
    /// Statements counted.
    pub statements: u64,
    /// Whether that is all of them; otherwise there are at least so many.
    pub exact: bool,
}

/// The graph at one moment.
#[derive(Clone)]
pub struct Snapshot {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) tables: Tables,
    pub(crate) meta: Meta,
    /// Keeps the database open. `None` where somebody else does.
    _database: Option<Arc<RwLock<Database>>>,
    /// Best first.
    pub(crate) label_predicates: Vec<u32>,
    pub(crate) languages: Arc<[String]>,
    predicates: OnceLock<Arc<[PredicateCount]>>,
    pub(crate) signatures: Cache<u32, Arc<[SignatureEntry]>>,
    pub(crate) labels: Cache<u32, Arc<str>>,
    /// Whole short lists of objects (`false`) or subjects (`true`), by their two given ids.
    neighbours: Cache<(bool, u32, u32), Arc<[TermId]>>,
}

impl std::fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Snapshot")
            .field("generation", &self.inner.meta.generation)
            .field("statements", &self.inner.meta.statements)
            .finish_non_exhaustive()
    }
}

impl Snapshot {
    pub(crate) fn open(
        tables: Tables,
        meta: Meta,
        database: Option<Arc<RwLock<Database>>>,
        languages: Arc<[String]>,
        cached_nodes: usize,
    ) -> Result<Self, StoreError> {
        let label_predicates = label_predicates::ranked(&tables.label_predicates)?;
        Ok(Self {
            inner: Arc::new(Inner {
                tables,
                meta,
                _database: database,
                label_predicates,
                languages,
                predicates: OnceLock::new(),
                signatures: Cache::new(cached_nodes),
                labels: Cache::new(cached_nodes),
                neighbours: Cache::new(cached_nodes),
            }),
        })
    }

    /// The number of the store's state; each update that changes anything raises it.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.inner.meta.generation
    }

    /// Statements in all graphs together.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.inner.meta.statements
    }

    /// Whether there is no statement.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn scan(&self, order: Order, prefix: &[u32]) -> Result<Scan, StoreError> {
        let (low, high) = prefix_range(prefix);
        Scan::new(self.inner.tables.index(order), low, high)
    }

    pub(crate) fn bytes(&self, id: u32) -> Result<Vec<u8>, StoreError> {
        dictionary::term_bytes(&self.inner.tables.terms, id)?
            .ok_or_else(|| StoreError::corrupt(format!("no term has the id {id}")))
    }

    /// The term with an id.
    ///
    /// # Errors
    /// When the id is not of this store, or the store cannot be read.
    pub fn term(&self, id: TermId) -> Result<Term, StoreError> {
        term_codec::decode(&self.bytes(id.0)?)
            .ok_or_else(|| StoreError::corrupt(format!("the term {id} cannot be decoded")))
    }

    /// The id of a term; `None` when the store has never held it.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn id<'a>(&self, term: impl Into<TermRef<'a>>) -> Result<Option<TermId>, StoreError> {
        let mut bytes = Vec::with_capacity(96);
        term_codec::encode(term.into(), &mut bytes);
        let tables = &self.inner.tables;
        let id = dictionary::find(
            &tables.terms,
            tables.term_hashes.as_ref(),
            &bytes,
            dictionary::hash(&bytes),
        )?;
        // Terms added by a later transaction are not visible here, so the id is one of this snapshot.
        Ok(id.map(TermId))
    }

    /// All predicates with their exact numbers of statements, most frequent first, ties by id.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn predicates(&self) -> Result<Arc<[PredicateCount]>, StoreError> {
        if let Some(known) = self.inner.predicates.get() {
            return Ok(Arc::clone(known));
        }
        let mut all = Vec::new();
        for entry in self.inner.tables.predicates.iter()? {
            let (id, count) = entry?;
            all.push(PredicateCount {
                predicate: TermId(id.value()),
                statements: count.value(),
            });
        }
        all.sort_unstable_by_key(|count| (std::cmp::Reverse(count.statements), count.predicate));
        Ok(Arc::clone(
            self.inner.predicates.get_or_init(|| Arc::from(all)),
        ))
    }

    /// The exact number of statements with a predicate.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn predicate_count(&self, predicate: TermId) -> Result<u64, StoreError> {
        Ok(self
            .inner
            .tables
            .predicates
            .get(predicate.0)?
            .map_or(0, |count| count.value()))
    }

    /// Objects of `subject predicate ?`, in ascending order, after `after`, at most `limit`.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn objects(
        &self,
        subject: TermId,
        predicate: TermId,
        after: Option<TermId>,
        limit: usize,
    ) -> Result<Page, StoreError> {
        self.neighbours(false, [subject.0, predicate.0], after, limit)
    }

    /// Subjects of `? predicate object`, in ascending order, after `after`, at most `limit`.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn subjects(
        &self,
        predicate: TermId,
        object: TermId,
        after: Option<TermId>,
        limit: usize,
    ) -> Result<Page, StoreError> {
        self.neighbours(true, [object.0, predicate.0], after, limit)
    }

    /// A page from memory, when it is the start of a short list that was read before.
    fn neighbours(
        &self,
        inverse: bool,
        [first, second]: [u32; 2],
        after: Option<TermId>,
        limit: usize,
    ) -> Result<Page, StoreError> {
        let key = (inverse, first, second);
        if after.is_none()
            && let Some(known) = self.inner.neighbours.get(&key)
        {
            return Ok(Page {
                ids: known.iter().copied().take(limit).collect(),
                more: known.len() > limit,
            });
        }
        let order = if inverse { Order::Opsg } else { Order::Spog };
        let page = self.page(order, [first, second], after, limit)?;
        if after.is_none() && !page.more && page.ids.len() <= MAX_CACHED_NEIGHBOURS {
            self.inner
                .neighbours
                .insert(key, Arc::from(page.ids.as_slice()));
        }
        Ok(page)
    }

    /// The distinct third ids of an order after two given ones.
    fn page(
        &self,
        order: Order,
        [first, second]: [u32; 2],
        after: Option<TermId>,
        limit: usize,
    ) -> Result<Page, StoreError> {
        let mut page = Page::default();
        let (mut low, high) = prefix_range(&[first, second]);
        if let Some(after) = after {
            low = prefix_range(&[first, second, after.0]).1;
        }
        let mut last = after.map(|id| id.0);
        let mut scan = Scan::new(self.inner.tables.index(order), low, high)?;
        while let Some(key) = scan.next_key()? {
            let id = crate::order::split(key)[2];
            if last == Some(id) {
                continue;
            }
            if page.ids.len() == limit {
                page.more = true;
                break;
            }
            last = Some(id);
            page.ids.push(TermId(id));
        }
        Ok(page)
    }

    /// Pairs (subject, object) of a predicate, ordered by object then subject, after a pair, at most `limit`; and
    /// whether more follow.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn pairs(
        &self,
        predicate: TermId,
        after: Option<(TermId, TermId)>,
        limit: usize,
    ) -> Result<(Vec<(TermId, TermId)>, bool), StoreError> {
        let (mut low, high) = prefix_range(&[predicate.0]);
        if let Some((subject, object)) = after {
            low = prefix_range(&[predicate.0, object.0, subject.0]).1;
        }
        let mut pairs: Vec<(TermId, TermId)> = Vec::new();
        let mut scan = Scan::new(self.inner.tables.index(Order::Posg), low, high)?;
        while let Some(key) = scan.next_key()? {
            let [s, _, o, _] = Order::Posg.unpack(key);
            let pair = (TermId(s), TermId(o));
            if pairs.last() == Some(&pair) || after == Some(pair) {
                continue;
            }
            if pairs.len() == limit {
                return Ok((pairs, true));
            }
            pairs.push(pair);
        }
        Ok((pairs, false))
    }

    /// The number of statements `subject predicate ?`, counted to a little over `limit` at most.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn count_objects(
        &self,
        subject: TermId,
        predicate: TermId,
        limit: u64,
    ) -> Result<Count, StoreError> {
        self.count(Order::Spog, &[subject.0, predicate.0], limit)
    }

    /// The number of statements `? predicate object`, counted to a little over `limit` at most.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn count_subjects(
        &self,
        predicate: TermId,
        object: TermId,
        limit: u64,
    ) -> Result<Count, StoreError> {
        self.count(Order::Opsg, &[object.0, predicate.0], limit)
    }

    pub(crate) fn count(
        &self,
        order: Order,
        prefix: &[u32],
        limit: u64,
    ) -> Result<Count, StoreError> {
        let (statements, exact) = self.scan(order, prefix)?.count(limit)?;
        Ok(Count { statements, exact })
    }

    /// Whether any graph holds the triple.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn contains(
        &self,
        subject: TermId,
        predicate: TermId,
        object: TermId,
    ) -> Result<bool, StoreError> {
        let mut scan = self.scan(Order::Spog, &[subject.0, predicate.0, object.0])?;
        Ok(scan.next_key()?.is_some())
    }

    /// All quads as ids: subject, predicate, object, graph ([`TermId::DEFAULT_GRAPH`] for the default graph), in
    /// ascending order.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn quads(
        &self,
    ) -> Result<impl Iterator<Item = Result<[TermId; 4], StoreError>> + use<>, StoreError> {
        Ok(self
            .scan(Order::Spog, &[])?
            .map(|key| Ok(Order::Spog.unpack(key?).map(TermId))))
    }
}
