//! Which predicates could a word mean, and what can follow what? The schema that plans are grounded in (CacheRAG S_local).
//!
//! Predicate vectors and what each edge leads to are kept per generation of a graph; a node's own edges come from the
//! graph each time. Word gains are pointwise mutual information: zero for a word that fits every predicate alike.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, RwLock};

use language_model::{EmbedError, Embedder};
use similarity::Embedding;

use crate::graph::{Edge, Graph, GraphError, TermId};
use crate::kinship;
use crate::text;
use crate::vocabulary::is_descriptor;

mod classes;
mod learned;

pub(crate) use classes::{is_member, is_member_of_same};
pub use learned::Learned;

/// How alike "person" and the objects of a predicate with an agent are ("directed by", "starred actors").
const AGENT: f32 = 0.6;

/// How alike a family term and a label of the same relation are.
const KIN: f32 = 0.85;

/// How alike a family term and a label of another relation may be.
const OTHER_KIN: f32 = 0.2;

/// How alike a noun that names a class and an end whose nodes are all its members are.
const MEMBERS: f32 = 0.95;

/// How alike two words for what a thing is about are ("topics", "has tags").
const DESCRIPTOR: f32 = 0.75;

/// What a unit of gain counts beyond the bound, so that the very word goes before one of its stem.
const BEYOND_BOUND: f32 = 0.05;

/// What the values of a predicate are, judged from a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ValueKind {
    /// Mostly years or dates.
    Time,
    /// Mostly other numbers.
    Number,
    /// Anything else.
    Other,
}

/// A predicate as the planner sees it.
#[derive(Debug, Clone)]
pub struct PredicateEntry {
    /// Its id.
    pub id: TermId,
    /// Its IRI.
    pub iri: String,
    /// Its label in words.
    pub label: String,
    /// Its label's words, folded.
    pub words: Vec<String>,
    /// The label's head noun with its vector: its last word, unless that is a preposition ("directed by").
    head: Option<(String, Embedding)>,
    /// Vectors of the whole label, then of each content word.
    vectors: Vec<Embedding>,
}

/// How word and predicate similarities become gains.
#[derive(Debug, Clone, PartialEq)]
pub struct GainConfig {
    /// Similarity per unit of log-likelihood (τ).
    pub temperature: f32,
    /// The similarity that a word has with "none of these".
    pub background: f32,
    /// The background's weight against the predicates'.
    pub background_weight: f32,
    /// Gains lie within ± this.
    pub bound: f32,
    /// A word this similar to a predicate names it.
    pub names_predicate: f32,
    /// A word this similar to two predicates of a class, and no predicate's name, names the class.
    pub names_class: f32,
    /// Predicates of a graph that are embedded; the rest, the rarest, are left out.
    pub max_predicates: usize,
    /// Triples sampled to learn what an edge leads to.
    pub sample: usize,
    /// Edges kept of those that an edge leads to: a node with thousands of predicates must not cost every word thousands of steps.
    pub successors: usize,
    /// Edges by which a class of nodes is described.
    pub class_edges: usize,
    /// Words whose gains are kept.
    pub max_words: usize,
}

impl Default for GainConfig {
    fn default() -> Self {
        Self {
            temperature: 0.13,
            background: 0.3,
            background_weight: 0.25,
            bound: 3.0,
            names_predicate: 0.6,
            names_class: 0.22,
            max_predicates: 20_000,
            sample: 400,
            successors: 256,
            class_edges: 32,
            max_words: 20_000,
        }
    }
}

/// Why a schema could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// The graph failed.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// The embedder failed.
    #[error("a label or word could not be embedded")]
    Embed(#[from] EmbedError),
}

/// An edge is typical of a kind of nodes if one in so many has it: a tag that is a film's name as well makes no films of tags.
const TYPICAL: usize = 5;

/// What was sampled of the nodes that an edge leads to, both ascending.
#[derive(Debug, Clone)]
struct Reached {
    /// The edges that any of them has.
    edges: Arc<[Edge]>,
    /// Those that are typical of them.
    typical: Arc<[Edge]>,
}

/// One generation's predicates, with what the planner has learned of them.
pub struct Schema {
    generation: u64,
    entries: Vec<PredicateEntry>,
    by_id: HashMap<TermId, usize>,
    by_iri: HashMap<String, usize>,
    config: GainConfig,
    /// Predicates left out because the graph has more than `max_predicates`.
    left_out: usize,
    leads_to: RwLock<HashMap<Edge, Reached>>,
    kinds: RwLock<HashMap<TermId, ValueKind>>,
    gains: RwLock<HashMap<String, Arc<[f32]>>>,
    classes: RwLock<HashMap<String, Arc<[TermId]>>>,
}

impl Schema {
    /// Reads a graph's predicates and embeds their labels.
    ///
    /// # Errors
    /// [`SchemaError`] if the graph or the embedder fails.
    pub fn build(
        graph: &dyn Graph,
        embedder: &dyn Embedder,
        config: &GainConfig,
    ) -> Result<Self, SchemaError> {
        let mut counts = graph.predicates()?.to_vec();
        counts.sort_by(|a, b| {
            b.triples
                .cmp(&a.triples)
                .then(a.predicate.cmp(&b.predicate))
        });
        let left_out = counts.len().saturating_sub(config.max_predicates);
        counts.truncate(config.max_predicates);
        counts.sort_by_key(|c| c.predicate);
        let mut entries = Vec::with_capacity(counts.len());
        for count in counts {
            let label = graph.label(count.predicate)?;
            let iri = match graph.term(count.predicate)? {
                oxrdf::Term::NamedNode(node) => node.into_string(),
                other @ (oxrdf::Term::BlankNode(_) | oxrdf::Term::Literal(_)) => other.to_string(),
            };
            let words = text::words(&label);
            let joined = words.join(" ");
            let content: Vec<&str> = words
                .iter()
                .map(String::as_str)
                .filter(|w| !crate::vocabulary::is_function_word(w) && w.len() > 1)
                .collect();
            let mut texts = vec![joined.as_str()];
            if content.len() > 1 || content.first().is_some_and(|w| *w != joined) {
                texts.extend(content);
            }
            let vectors = embedder.embed(&texts)?;
            let before_of = words
                .iter()
                .position(|w| w == "of")
                .and_then(|at| words.get(at.checked_sub(1)?));
            let head = match before_of
                .or(words.last())
                .filter(|w| !crate::vocabulary::is_function_word(w))
            {
                Some(word) => embedder
                    .embed(&[word])?
                    .into_iter()
                    .next()
                    .map(|vector| (word.clone(), vector)),
                None => None,
            };
            entries.push(PredicateEntry {
                id: count.predicate,
                iri,
                label,
                words,
                head,
                vectors,
            });
        }
        let by_id = entries
            .iter()
            .enumerate()
            .map(|(i, e): (usize, &PredicateEntry)| (e.id, i))
            .collect();
        let by_iri = entries
            .iter()
            .enumerate()
            .map(|(i, e)| (e.iri.clone(), i))
            .collect();
        Ok(Self {
            generation: graph.generation(),
            entries,
            by_id,
            by_iri,
            config: config.clone(),
            left_out,
            leads_to: RwLock::default(),
            kinds: RwLock::default(),
            gains: RwLock::default(),
            classes: RwLock::default(),
        })
    }

    /// The generation this schema was read from.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// The predicates, by id.
    #[must_use]
    pub fn entries(&self) -> &[PredicateEntry] {
        &self.entries
    }

    /// Predicates that were left out because the graph has too many.
    #[must_use]
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// How similarities become gains.
    #[must_use]
    pub fn config(&self) -> &GainConfig {
        &self.config
    }

    /// The bound of gains.
    #[must_use]
    pub fn bound(&self) -> f32 {
        self.config.bound
    }

    /// The position of a predicate among [`Schema::entries`].
    #[must_use]
    pub fn position(&self, predicate: TermId) -> Option<usize> {
        self.by_id.get(&predicate).copied()
    }

    /// The position of the predicate with this IRI among [`Schema::entries`].
    #[must_use]
    pub fn position_of(&self, iri: &str) -> Option<usize> {
        self.by_iri.get(iri).copied()
    }

    /// For each predicate, what `word` gains when it is aligned with it (see the module's text).
    ///
    /// # Errors
    /// [`EmbedError`] if the word cannot be embedded; a word without a vector gains nothing anywhere.
    pub fn gains(&self, word: &str, embedder: &dyn Embedder) -> Result<Arc<[f32]>, EmbedError> {
        if let Some(found) = self
            .gains
            .read()
            .ok()
            .and_then(|map| map.get(word).cloned())
        {
            return Ok(found);
        }
        let gains = self.compute_gains(word, embedder)?;
        if let Ok(mut map) = self.gains.write() {
            if map.len() >= self.config.max_words {
                map.clear();
            }
            map.insert(word.to_owned(), Arc::clone(&gains));
        }
        Ok(gains)
    }

    /// The similarity of a word with each predicate, in [-1, 1].
    ///
    /// # Errors
    /// As [`Schema::gains`].
    pub fn similarities(
        &self,
        word: &str,
        embedder: &dyn Embedder,
    ) -> Result<Vec<f32>, EmbedError> {
        let parts: Vec<&str> = if word.contains(' ') {
            std::iter::once(word).chain(word.split(' ')).collect()
        } else {
            vec![word]
        };
        let vectors = embedder.embed(&parts)?;
        Ok(self
            .entries
            .iter()
            .map(|entry| {
                let mut best = f32::MIN;
                for (part, vector) in parts.iter().zip(&vectors) {
                    for (i, label) in entry.vectors.iter().enumerate() {
                        let cosine = vector.cosine(label);
                        best = best.max(if i == 0 { cosine } else { 0.95 * cosine });
                    }
                    best = best.max(same_word(part, &entry.words));
                    if is_descriptor(part) && entry.words.iter().any(|w| is_descriptor(w)) {
                        best = best.max(DESCRIPTOR);
                    }
                }
                match (kinship::kin(word), kinship::kin_of_label(&entry.words)) {
                    (Some(asked), Some(told)) if asked == told => best.max(KIN),
                    (Some(_), Some(_)) => best.min(OTHER_KIN),
                    (Some(_), None) | (None, _) => best,
                }
            })
            .collect())
    }

    /// For each predicate, what `word` gains when it is aligned with it against its direction, if that differs: a "son"
    /// is told by "parents" only from the other end.
    #[must_use]
    pub fn backward_gains(&self, word: &str) -> Option<Arc<[f32]>> {
        let asked = kinship::kin(word)?.opposite();
        let key = format!("\u{2}{word}");
        if let Some(found) = self
            .gains
            .read()
            .ok()
            .and_then(|map| map.get(&key).cloned())
        {
            return Some(found);
        }
        let similarities: Vec<f32> = self
            .entries
            .iter()
            .map(|entry| {
                if kinship::kin_of_label(&entry.words) == Some(asked) {
                    KIN
                } else {
                    0.0
                }
            })
            .collect();
        let gains: Arc<[f32]> = self.likelihoods(&similarities).into();
        if let Ok(mut map) = self.gains.write() {
            map.insert(key, Arc::clone(&gains));
        }
        Some(gains)
    }

    fn compute_gains(&self, word: &str, embedder: &dyn Embedder) -> Result<Arc<[f32]>, EmbedError> {
        Ok(self.likelihoods(&self.similarities(word, embedder)?).into())
    }

    /// Similarities as pointwise mutual information against their own mean and the background.
    fn likelihoods(&self, similarities: &[f32]) -> Vec<f32> {
        let GainConfig {
            temperature,
            background,
            background_weight,
            bound,
            ..
        } = self.config;
        let extra = (background_weight * similarities.len() as f32).max(1.0);
        let mass: f32 = similarities
            .iter()
            .map(|s| (s / temperature).exp())
            .sum::<f32>()
            + extra * (background / temperature).exp();
        let mean = (mass / (similarities.len() as f32 + extra)).ln();
        similarities
            .iter()
            .map(|s| {
                let gain = s / temperature - mean;
                gain.clamp(-bound, bound) + BEYOND_BOUND * (gain - bound).max(0.0)
            })
            .collect()
    }

    /// How well a type noun ("person", "film") fits the end of each edge: two gains per predicate, for its objects and
    /// its subjects. An end is described by its predicate's label (objects) and by what its nodes are subjects of.
    ///
    /// # Errors
    /// [`SchemaError`] if the graph or the embedder fails.
    pub fn end_gains(
        &self,
        graph: &dyn Graph,
        noun: &str,
        embedder: &dyn Embedder,
    ) -> Result<Arc<[f32]>, SchemaError> {
        let key = format!("\u{0}{noun}");
        if let Some(found) = self
            .gains
            .read()
            .ok()
            .and_then(|map| map.get(&key).cloned())
        {
            return Ok(found);
        }
        let similarities = self.similarities(noun, embedder)?;
        let is_class = self.is_class_noun(graph, noun, embedder)?;
        let vectors = embedder.embed(&[noun])?;
        // A noun that names a predicate is what that predicate's objects are called ("screenwriter": written by) or,
        // for an active verb, its subjects ("player": plays in club), and says nothing of the other end.
        let best = similarities.iter().copied().fold(f32::MIN, f32::max);
        let names_predicate = !is_class && best >= self.config.names_predicate;
        let classes = self.classes(graph, noun)?;
        let members = if classes.is_empty() {
            Vec::new()
        } else {
            self.members_at_ends(graph, &classes)?
        };
        let mut ends = Vec::with_capacity(2 * similarities.len());
        for (at, (entry, similarity)) in self.entries.iter().zip(&similarities).enumerate() {
            let known = members.get(at).copied().unwrap_or_default();
            if let [Some(object), Some(subject)] = known {
                ends.extend([MEMBERS * object, MEMBERS * subject]);
                continue;
            }
            if names_predicate && noun != "person" {
                let acts = does(noun, &entry.words);
                ends.push(if acts { 0.0 } else { similarity.max(0.0) });
                ends.push(if acts { similarity.max(0.0) } else { 0.0 });
                continue;
            }
            let subject = self.class_similarity(
                graph,
                Edge {
                    predicate: entry.id,
                    inverse: true,
                },
                &similarities,
            )?;
            let object = self.class_similarity(
                graph,
                Edge {
                    predicate: entry.id,
                    inverse: false,
                },
                &similarities,
            )?;
            let head = match (&entry.head, vectors.first()) {
                (Some(_), _) | (None, _) if noun == "person" && is_agent(&entry.words) => AGENT,
                (Some((word, _)), _) if text::stem(word) == text::stem(noun) => 0.95,
                (Some((_, vector)), Some(noun)) => noun.cosine(vector),
                (None, _) | (Some(_), None) => 0.0,
            };
            let object = if is_class { object } else { head.max(object) };
            ends.push(known[0].map_or(object, |share| MEMBERS * share));
            ends.push(known[1].map_or(subject, |share| MEMBERS * share));
        }
        let gains: Arc<[f32]> = self.likelihoods(&ends).into();
        if let Ok(mut map) = self.gains.write() {
            map.insert(key, Arc::clone(&gains));
        }
        Ok(gains)
    }

    /// How alike a noun and the class of the nodes at the end of an edge are: a class noun ("film") is somewhat like the
    /// predicates that its nodes are subjects of; the two best count.
    fn class_similarity(
        &self,
        graph: &dyn Graph,
        end: Edge,
        similarities: &[f32],
    ) -> Result<f32, GraphError> {
        let edges = self.reached(graph, end)?.typical;
        let forward = edges
            .iter()
            .filter(|e| !e.inverse)
            .take(self.config.class_edges);
        let positions = forward.filter_map(|e| self.position(e.predicate));
        let mut of_class: Vec<f32> = positions.map(|p| similarities[p]).collect();
        of_class.sort_by(|a, b| b.total_cmp(a));
        Ok(match of_class.as_slice() {
            [] => 0.0,
            [only] => (0.5 * only).max(0.0),
            [first, second, ..] => f32::midpoint(*first, *second).max(0.0),
        })
    }

    /// Whether a word names a class of nodes ("film") rather than a predicate: the graph has a class of that label; or it is
    /// in no label, not much like any one predicate, and somewhat like two or more that nodes of one class are subjects of.
    ///
    /// # Errors
    /// [`SchemaError`] if the graph or the embedder fails.
    pub fn is_class_noun(
        &self,
        graph: &dyn Graph,
        noun: &str,
        embedder: &dyn Embedder,
    ) -> Result<bool, SchemaError> {
        let key = format!("\u{1}{noun}");
        if let Some(found) = self
            .gains
            .read()
            .ok()
            .and_then(|map| map.get(&key).cloned())
        {
            return Ok(found.first() == Some(&1.0));
        }
        let similarities = self.similarities(noun, embedder)?;
        let best = similarities.iter().copied().fold(f32::MIN, f32::max);
        let mut second = f32::MIN;
        if !self.classes(graph, noun)?.is_empty() {
            second = self.config.names_class;
        } else if best < self.config.names_predicate {
            for entry in &self.entries {
                let end = Edge {
                    predicate: entry.id,
                    inverse: true,
                };
                let edges = self.reached(graph, end)?.typical;
                let forward = edges
                    .iter()
                    .filter(|e| !e.inverse)
                    .take(self.config.class_edges);
                let mut of_class: Vec<f32> = forward
                    .filter_map(|e| self.position(e.predicate))
                    .map(|p| similarities[p])
                    .collect();
                of_class.sort_by(|a, b| b.total_cmp(a));
                second = second.max(of_class.get(1).copied().unwrap_or(f32::MIN));
            }
        }
        let is_class = second >= self.config.names_class;
        if let Ok(mut map) = self.gains.write() {
            map.insert(key, Arc::new([f32::from(u8::from(is_class))]));
        }
        Ok(is_class)
    }

    /// The edges that nodes reached by `edge` have, learned from a sample, sorted.
    ///
    /// # Errors
    /// [`GraphError`] if the graph fails.
    pub fn leads_to(&self, graph: &dyn Graph, edge: Edge) -> Result<Arc<[Edge]>, GraphError> {
        Ok(self.reached(graph, edge)?.edges)
    }

    /// The edges that are typical of the nodes that have `edge`, ascending.
    ///
    /// # Errors
    /// [`GraphError`] if the graph fails.
    pub fn usual_beside(&self, graph: &dyn Graph, edge: Edge) -> Result<Arc<[Edge]>, GraphError> {
        let back = Edge {
            inverse: !edge.inverse,
            ..edge
        };
        Ok(self.reached(graph, back)?.typical)
    }

    /// What was sampled of the nodes reached by `edge`.
    fn reached(&self, graph: &dyn Graph, edge: Edge) -> Result<Reached, GraphError> {
        if let Some(found) = self
            .leads_to
            .read()
            .ok()
            .and_then(|map| map.get(&edge).cloned())
        {
            return Ok(found);
        }
        let mut counts: BTreeMap<Edge, usize> = BTreeMap::new();
        let mut nodes = 0;
        for (subject, object) in graph.sample(edge.predicate, self.config.sample)? {
            if counts.len() >= self.config.successors {
                break;
            }
            nodes += 1;
            let signature = graph.signature(if edge.inverse { subject } else { object })?;
            for found in signature.iter().take(self.config.successors) {
                *counts.entry(*found).or_default() += 1;
            }
        }
        let typical = counts
            .iter()
            .filter(|(_, count)| **count * TYPICAL >= nodes)
            .map(|(edge, _)| *edge)
            .collect();
        let reached = Reached {
            edges: counts.into_keys().collect(),
            typical,
        };
        if let Ok(mut map) = self.leads_to.write() {
            map.insert(edge, reached.clone());
        }
        Ok(reached)
    }

    /// What a predicate's values are.
    ///
    /// # Errors
    /// [`GraphError`] if the graph fails.
    pub fn value_kind(
        &self,
        graph: &dyn Graph,
        predicate: TermId,
    ) -> Result<ValueKind, GraphError> {
        if let Some(found) = self
            .kinds
            .read()
            .ok()
            .and_then(|map| map.get(&predicate).copied())
        {
            return Ok(found);
        }
        let sample = graph.sample(predicate, self.config.sample.min(32))?;
        let (mut times, mut numbers) = (0, 0);
        for (_, object) in &sample {
            let value = graph.label(*object)?;
            match value_kind_of(&value) {
                ValueKind::Time => times += 1,
                ValueKind::Number => numbers += 1,
                ValueKind::Other => {}
            }
        }
        let most = (sample.len() * 4).div_ceil(5).max(1);
        let kind = if times >= most {
            ValueKind::Time
        } else if times + numbers >= most {
            ValueKind::Number
        } else {
            ValueKind::Other
        };
        if let Ok(mut map) = self.kinds.write() {
            map.insert(predicate, kind);
        }
        Ok(kind)
    }
}

/// 0.95 if a label has the very word, 0.85 if one of the same stem or a compound of it ("screenwriter" and "written"),
/// else -1.
fn same_word(word: &str, label: &[String]) -> f32 {
    if label.iter().any(|w| w == word || is_compound(w, word)) {
        return 0.95;
    }
    let stem = text::stem(word);
    let same = label
        .iter()
        .filter(|w| !crate::vocabulary::is_function_word(w))
        .any(|w| {
            let other = text::stem(w);
            other == stem
                || (other.len() >= 4 && stem.len() > other.len() + 2 && stem.ends_with(other))
        });
    if same { 0.85 } else { -1.0 }
}

/// Whether a label's word is a compound with this head: a "birthplace" is a place.
fn is_compound(label: &str, head: &str) -> bool {
    matches!(head, "place" | "date" | "year" | "time" | "town" | "name")
        && label.len() > head.len() + 2
        && label.ends_with(head)
}

/// Whether a predicate's objects act: "directed by", "starred actors".
fn is_agent(words: &[String]) -> bool {
    words.last().is_some_and(|w| {
        w == "by"
            || ["or", "er", "ors", "ers"]
                .iter()
                .any(|end| w.len() > 4 && w.ends_with(end) && w != "number" && w != "gender")
    })
}

/// Whether a noun is the one that does what an active label says: "player" for "plays in club", but neither for
/// "written by" nor for "star player".
pub(crate) fn does(noun: &str, label: &[String]) -> bool {
    let stem = text::stem(noun);
    !label.iter().any(|w| w == noun || w == "by")
        && label
            .first()
            .is_some_and(|w| w.ends_with('s') && text::stem(w) == stem)
        && ["er", "ers", "or", "ors"]
            .iter()
            .any(|end| noun.ends_with(end))
}

/// Whether a value reads as a year or date, another number, or neither.
fn value_kind_of(value: &str) -> ValueKind {
    let digits = value.chars().filter(char::is_ascii_digit).count();
    if let Ok(number) = value.parse::<f64>() {
        return if digits == 4 && (1000.0..2200.0).contains(&number) && number.fract() == 0.0 {
            ValueKind::Time
        } else {
            ValueKind::Number
        };
    }
    let date_like = digits >= 4
        && value
            .chars()
            .all(|c| c.is_ascii_digit() || "-:TZ+.".contains(c))
        && value.contains('-');
    if date_like {
        return ValueKind::Time;
    }
    let leading: String = value
        .chars()
        .take_while(|c| c.is_ascii_digit() || *c == '.' || *c == ',')
        .collect();
    if leading.is_empty() {
        ValueKind::Other
    } else {
        ValueKind::Number
    }
}
