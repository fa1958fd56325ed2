use std::collections::BTreeMap;

use language_model::EmbedError;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::index::IndexConfig;
use crate::passage::Passage;
use crate::tri_graph::{Adjacency, Occurrences};

/// A small vector for each word; texts are sums, all in the positive corner, so that similarities pass thresholds.
#[derive(Debug)]
pub(crate) struct ToyEmbedder;

impl Embedder for ToyEmbedder {
    fn embed(&self, texts: &[&str]) -> Result<Vec<Embedding>, EmbedError> {
        let one = |text: &&str| {
            let mut sum = vec![0.05_f32; 12];
            for word in text
                .to_lowercase()
                .split(|c: char| !c.is_alphanumeric())
                .filter(|w| !w.is_empty())
            {
                let hash = blake3::hash(word.as_bytes());
                for (value, byte) in sum.iter_mut().zip(hash.as_bytes()) {
                    *value += f32::from(*byte) / 255.0;
                }
            }
            Embedding::new(sum).unwrap()
        };
        Ok(texts.iter().map(one).collect())
    }

    fn dims(&self) -> usize {
        12
    }

    fn fingerprint(&self) -> &'static str {
        "toy"
    }
}

/// Section 1 of the paper, word for word: maps of names, searches for substrings, a full walk.
struct Literal<'i> {
    index: &'i Index,
    sentences: Vec<(String, Vec<String>)>,
    entities: Vec<String>,
    weight: BTreeMap<(usize, usize), f64>,
}

fn id(place: usize) -> u32 {
    u32::try_from(place).unwrap()
}

impl<'i> Literal<'i> {
    fn new(index: &'i Index) -> Self {
        let mut sentences: Vec<(String, Vec<String>)> = Vec::new();
        let mut entities: Vec<String> = Vec::new();
        let mut weight = BTreeMap::new();
        let n = index.len();
        let mut mentioned: Vec<Vec<String>> = Vec::new();
        for record in index.records.iter() {
            let title: Vec<String> = record
                .mentions
                .title
                .iter()
                .map(|m| m.name.clone())
                .collect();
            let mut all = title.clone();
            for (number, sentence) in record.mentions.sentences.iter().enumerate() {
                let mut names = if number == 0 {
                    title.clone()
                } else {
                    Vec::new()
                };
                names.extend(sentence.mentions.iter().map(|m| m.name.clone()));
                all.extend(names.clone());
                let text = record.full_text[sentence.span.clone()].to_owned();
                match sentences.iter_mut().find(|(known, _)| *known == text) {
                    Some((_, known)) => known.extend(names),
                    None if names.is_empty() => {}
                    None => sentences.push((text, names)),
                }
            }
            for name in &all {
                if !entities.contains(name) {
                    entities.push(name.clone());
                }
            }
            all.sort();
            all.dedup();
            mentioned.push(all);
        }
        for (_, names) in &mut sentences {
            let mut seen = Vec::new();
            names.retain(|name| {
                let new = !seen.contains(name);
                seen.push(name.clone());
                new
            });
        }
        for (p, names) in mentioned.iter().enumerate() {
            let text = index.full_text(id(p));
            let total: usize = names
                .iter()
                .map(|name| text.matches(name.as_str()).count())
                .sum();
            for name in names {
                let e = entities.iter().position(|known| known == name).unwrap();
                let w = text.matches(name.as_str()).count() as f64 / total as f64;
                weight.insert((p, n + e), w);
                weight.insert((n + e, p), w);
            }
            if index.config.adjacency == Adjacency::WithinDocument
                && p > 0
                && index.passage(id(p)).unwrap().document
                    == index.passage(id(p - 1)).unwrap().document
            {
                weight.insert((p, p - 1), 1.0);
                weight.insert((p - 1, p), 1.0);
            }
        }
        Self {
            index,
            sentences,
            entities,
            weight,
        }
    }

    fn cosine(a: &str, b: &str) -> f64 {
        let vectors = ToyEmbedder.embed(&[a, b]).unwrap();
        f64::from(vectors[0].cosine(&vectors[1]))
    }

    fn seeds(&self, question: &str) -> Vec<(String, f64)> {
        let mut seeds: Vec<(String, f64)> = Vec::new();
        let mut mentions: Vec<String> = Vec::new();
        for mention in self
            .index
            .recogniser
            .mentions(question, Casing::of(question))
        {
            let lower = question[mention.span].to_lowercase();
            if !mentions.contains(&lower) {
                mentions.push(lower);
            }
        }
        for mention in mentions {
            let mut best: Option<(String, f64)> = None;
            for entity in &self.entities {
                let cosine = Self::cosine(&mention, entity);
                if best.as_ref().is_none_or(|(_, so_far)| cosine > *so_far) {
                    best = Some((entity.clone(), cosine));
                }
            }
            let Some((entity, score)) = best else {
                continue;
            };
            match seeds.iter_mut().find(|(known, _)| *known == entity) {
                Some(seed) => seed.1 = score,
                None => seeds.push((entity, score)),
            }
        }
        seeds
    }

    /// Scores of all passages.
    fn scores(&self, question: &str, config: &LinearRagConfig) -> Vec<f64> {
        let texts: Vec<&str> = self
            .index
            .records
            .iter()
            .map(|r| r.full_text.as_str())
            .collect();
        let dense: Vec<f64> = texts
            .iter()
            .map(|text| Self::cosine(question, text))
            .collect();
        let seeds = self.seeds(question);
        if seeds.is_empty() {
            return dense;
        }
        let (act, w) = self.propagate(question, &seeds, config);
        let least = dense.iter().copied().fold(f64::INFINITY, f64::min);
        let most = dense.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let n = texts.len();
        let mut restart = vec![0.0; n + self.entities.len()];
        for (p, text) in texts.iter().enumerate() {
            let lower = text.to_lowercase();
            let d = if most > least {
                (dense[p] - least) / (most - least)
            } else {
                1.0
            };
            let bonus: f64 = act
                .iter()
                .map(|(e, (score, tier))| {
                    let occurs = lower.matches(&e.to_lowercase()).count() as f64;
                    score * (1.0 + occurs).ln() / f64::from(*tier)
                })
                .sum();
            restart[p] =
                config.passage_node_weight * (config.passage_ratio * d + (1.0 + bonus).ln());
        }
        for (entity, weight) in &w {
            let e = self
                .entities
                .iter()
                .position(|known| known == entity)
                .unwrap();
            restart[n + e] = *weight;
        }
        self.walk(restart, n, config.damping)
    }

    fn propagate(
        &self,
        question: &str,
        seeds: &[(String, f64)],
        config: &LinearRagConfig,
    ) -> (BTreeMap<String, (f64, u32)>, BTreeMap<String, f64>) {
        let mut act: BTreeMap<String, (f64, u32)> = BTreeMap::new();
        let mut w: BTreeMap<String, f64> = BTreeMap::new();
        for (entity, score) in seeds {
            act.insert(entity.clone(), (*score, 1));
            w.insert(entity.clone(), *score);
        }
        let mut used: Vec<String> = Vec::new();
        let mut frontier = seeds.to_vec();
        for it in 1..config.max_iterations {
            let mut next: Vec<(String, f64)> = Vec::new();
            for (e, s) in &frontier {
                if *s < config.iteration_threshold {
                    continue;
                }
                let mut candidates: Vec<&(String, Vec<String>)> = self
                    .sentences
                    .iter()
                    .filter(|(text, names)| names.contains(e) && !used.contains(text))
                    .collect();
                candidates.sort_by(|a, b| {
                    Self::cosine(question, &b.0).total_cmp(&Self::cosine(question, &a.0))
                });
                for (text, names) in candidates.into_iter().take(config.top_k_sentence) {
                    used.push(text.clone());
                    let n = s * Self::cosine(question, text);
                    if n < config.iteration_threshold {
                        continue;
                    }
                    for e2 in names {
                        *w.entry(e2.clone()).or_insert(0.0) += n;
                        match next.iter_mut().find(|(known, _)| known == e2) {
                            Some(entry) => entry.1 = n,
                            None => next.push((e2.clone(), n)),
                        }
                    }
                }
            }
            for (e, n) in &next {
                act.insert(e.clone(), (*n, it + 1));
            }
            frontier = next;
        }
        (act, w)
    }

    fn walk(&self, mut restart: Vec<f64>, n: usize, damping: f64) -> Vec<f64> {
        let total: f64 = restart.iter().sum();
        restart.iter_mut().for_each(|r| *r /= total);
        let mut degree = vec![0.0; restart.len()];
        for ((u, _), w) in &self.weight {
            degree[*u] += w;
        }
        let mut x = restart.clone();
        for _ in 0..60 {
            let dangling: f64 = (0..x.len())
                .filter(|u| degree[*u] == 0.0)
                .map(|u| x[u])
                .sum();
            let mut next: Vec<f64> = restart
                .iter()
                .map(|r| (damping * dangling + 1.0 - damping) * r)
                .collect();
            for ((u, v), w) in &self.weight {
                next[*v] += damping * w / degree[*u] * x[*u];
            }
            x = next;
        }
        x.truncate(n);
        x
    }
}

const NAMES: [&str; 14] = [
    "Ada Lane",
    "Bo",
    "Cyrus Vale",
    "Dora",
    "Eda Lane",
    "Fen",
    "Gil Oak",
    "Hale",
    "Ivo",
    "Lane",
    "Oak Hill",
    "Vale",
    "Bono",
    "1950",
];
const WORDS: [&str; 12] = [
    "met", "wrote", "near", "left", "saw", "built", "old", "river", "film", "song", "married",
    "famous",
];

fn random_sentence(rng: &mut ChaCha8Rng) -> String {
    let mut words = Vec::new();
    for _ in 0..rng.random_range(2..6) {
        let list: &[&str] = if rng.random_bool(0.4) { &NAMES } else { &WORDS };
        words.push(list[rng.random_range(0..list.len())]);
    }
    format!("They {}.", words.join(" "))
}

fn random_corpus(rng: &mut ChaCha8Rng) -> Vec<Passage> {
    let count = rng.random_range(3..14);
    (0..count)
        .map(|place| Passage {
            document: DocumentIdOf(place).into(),
            ordinal: place,
            title: if rng.random_bool(0.5) {
                NAMES[rng.random_range(0..NAMES.len())].to_owned()
            } else {
                String::new()
            },
            text: (0..rng.random_range(1..4))
                .map(|_| random_sentence(rng))
                .collect::<Vec<_>>()
                .join(" "),
        })
        .collect()
}

struct DocumentIdOf(u32);

impl From<DocumentIdOf> for crate::DocumentId {
    fn from(of: DocumentIdOf) -> Self {
        Self(format!("d{}", of.0 / 3))
    }
}

/// The same ten passages with the same scores; where scores are equal but for rounding, in any order.
fn agree(found: &[Ranked], scores: &[f64]) -> Result<(), String> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
    if found.len() != order.len().min(10) {
        return Err(format!("{} passages", found.len()));
    }
    for (rank, ranked) in found.iter().enumerate() {
        let own = scores[ranked.passage as usize];
        let expected = scores[order[rank]];
        if (ranked.score - own).abs() > 1e-8 || (own - expected).abs() > 1e-10 {
            return Err(format!(
                "rank {rank}: {ranked:?}, literally {own}, there {expected}"
            ));
        }
    }
    Ok(())
}

#[test]
fn a_thousand_questions_are_ranked_as_the_paper_says_to_the_letter() {
    let mut rng = ChaCha8Rng::seed_from_u64(20_260_825);
    let (mut graph, mut spread) = (0, 0);
    for _ in 0..50 {
        let index_config = IndexConfig {
            adjacency: if rng.random_bool(0.5) {
                Adjacency::WithinDocument
            } else {
                Adjacency::None
            },
            ..IndexConfig::reference()
        };
        let index = Index::build(random_corpus(&mut rng), [], index_config, &ToyEmbedder).unwrap();
        let literal = Literal::new(&index);
        for _ in 0..20 {
            let question = random_sentence(&mut rng);
            let config = LinearRagConfig {
                iteration_threshold: rng.random_range(0.1..0.9),
                max_iterations: rng.random_range(1..6),
                top_k_sentence: rng.random_range(1..4),
                passage_ratio: rng.random_range(0.05..2.0),
                retrieval_top_k: 10,
                ..LinearRagConfig::reference()
            };
            let found = index.retrieve(&question, &ToyEmbedder, &config).unwrap();
            graph += usize::from(found.path == Path::Graph);
            spread += usize::from(!found.activation.steps.is_empty());
            agree(&found.passages, &literal.scores(&question, &config))
                .unwrap_or_else(|e| panic!("{question}: {e}"));
        }
    }
    // The questions must have exercised what is compared.
    assert!(
        graph > 500 && spread > 200 && graph < 1000,
        "{graph} over the graph, {spread} with a hop"
    );
}

/// Large corpora are scanned in 8 bits and walked in 32. Both errors shrink with the corpus, as scores do, and with the
/// numbers of a vector, of which there are but 12 here; where a corpus counts as large, at 131,072 passages, they are less
/// than a thousandth of what is allowed here.
#[test]
fn the_way_of_large_corpora_ranks_as_the_exact_one() {
    let mut rng = ChaCha8Rng::seed_from_u64(200_000);
    let mut passages = Vec::new();
    for round in 0..30 {
        for passage in random_corpus(&mut rng) {
            let document = format!("{round:02}{}", passage.document).as_str().into();
            passages.push(Passage {
                document,
                ..passage
            });
        }
    }
    let index = Index::build(passages, [], IndexConfig::default(), &ToyEmbedder).unwrap();
    let mut large = index.clone();
    large.walks = large.walks.narrowed();
    let config = LinearRagConfig {
        retrieval_top_k: 10,
        relevance: Relevance::Cosine,
        ..LinearRagConfig::default()
    };
    let narrow = LinearRagConfig {
        ppr_tolerance: 1e-6,
        ..config
    };
    let (mut alike, mut graph) = (0, 0);
    for _ in 0..200 {
        let query = index
            .query(&random_sentence(&mut rng), &ToyEmbedder, &config)
            .unwrap();
        let exact = index.search(
            &query,
            &query.seeds,
            &LinearRagConfig {
                retrieval_top_k: usize::MAX,
                ..config
            },
        );
        let cosines = large.vectors.passages.coarse_cosines(&query.vector);
        let near = Nearness::from_cosines(&large, &query, config.relevance, cosines);
        let found = large.search_with(&query, &near, &query.seeds, &narrow);
        graph += usize::from(found.path == Path::Graph);
        alike += usize::from(
            found
                .passages
                .iter()
                .zip(&exact.passages)
                .all(|(a, b)| a.passage == b.passage),
        );
        for (rank, ranked) in found.passages.iter().enumerate() {
            let own = exact
                .passages
                .iter()
                .find(|r| r.passage == ranked.passage)
                .unwrap()
                .score;
            let there = exact.passages[rank].score;
            // The walk's tolerance, and what neighbours' cosines are wrong by; without a walk what is first is exact.
            let most = if found.path == Path::Graph {
                3e-5
            } else {
                1e-6
            };
            assert!(
                (own - there).abs() < most && (own - ranked.score).abs() < most,
                "{rank}: {own} for {there}, given as {}",
                ranked.score
            );
        }
    }
    assert!(
        alike >= 180 && graph > 100,
        "{alike} of 200 in the same order, {graph} over the graph"
    );
}

fn library() -> Index {
    let passage = |document: &str, title: &str, text: &str| Passage {
        document: document.into(),
        ordinal: 0,
        title: title.to_owned(),
        text: text.to_owned(),
    };
    let passages = [
        passage(
            "1",
            "Lothair II",
            "Lothair II was king of Lotharingia. He was a son of Ermengarde of Tours.",
        ),
        passage(
            "2",
            "Ermengarde of Tours",
            "Ermengarde of Tours was an empress. She died on 20 March 851.",
        ),
        passage(
            "3",
            "Dark River (2017 film)",
            "Dark River is a film by Clio Barnard. It was shot in Yorkshire.",
        ),
        passage(
            "4",
            "Clio Barnard",
            "Clio Barnard is a director from England, famous for Dark River.",
        ),
        passage("5", "Bread", "bread is made of flour and water, and baked."),
    ];
    Index::build(
        passages,
        [],
        IndexConfig::default(),
        language_model::StaticEmbedder::builtin().as_ref(),
    )
    .unwrap()
}

fn titles(index: &Index, question: &str) -> (Vec<String>, Path) {
    let embedder = language_model::StaticEmbedder::builtin();
    let found = index
        .retrieve(question, embedder.as_ref(), &LinearRagConfig::default())
        .unwrap();
    let titles = found
        .passages
        .iter()
        .map(|r| index.passage(r.passage).unwrap().title.clone());
    (titles.collect(), found.path)
}

#[test]
fn two_hops_are_found_whatever_the_case_of_the_name() {
    let index = library();
    let (found, path) = titles(&index, "When did Lothair Ii's mother die?");
    assert_eq!(path, Path::Graph);
    assert_eq!(found[..2], ["Lothair II", "Ermengarde of Tours"]);
    let (found, _) = titles(&index, "where is the director of dark river from?");
    assert!(
        found[..2].contains(&"Dark River (2017 film)".to_owned())
            && found[..2].contains(&"Clio Barnard".to_owned())
    );
}

#[test]
fn a_question_without_a_known_name_gets_the_nearest_passages() {
    let (found, path) = titles(&library(), "how is flour baked?");
    assert_eq!((found[0].as_str(), path), ("Bread", Path::Dense));
}

#[test]
fn links_need_a_minimum_only_under_exact_first() {
    let index = library();
    let embedder = language_model::StaticEmbedder::builtin();
    let ask = |config: LinearRagConfig| {
        index
            .query("Who was Zyxwv Qponm?", embedder.as_ref(), &config)
            .unwrap()
            .seeds
            .len()
    };
    assert_eq!(ask(LinearRagConfig::default()), 0);
    assert_eq!(ask(LinearRagConfig::reference()), 1);
    let low = LinearRagConfig {
        minimum_link_similarity: -1.0,
        ..LinearRagConfig::default()
    };
    assert_eq!(ask(low), 1);
}

#[test]
fn words_and_substrings_give_other_weights() {
    let texts = |occurrences| {
        let config = IndexConfig {
            occurrences,
            ..IndexConfig::default()
        };
        let passage = Passage {
            document: "1".into(),
            ordinal: 0,
            title: "Bo".to_owned(),
            text: "Bono met Bo.".to_owned(),
        };
        let index = Index::build([passage], [], config, &ToyEmbedder).unwrap();
        let bo = index.graph().entity_named("bo").unwrap();
        index.graph().occurrences_of(bo).to_vec()
    };
    assert_eq!(texts(Occurrences::Words), [(0, 2)]);
    assert_eq!(texts(Occurrences::Substring), [(0, 3)]);
}

#[test]
fn another_embedder_and_settings_out_of_range_are_refused() {
    let index = library();
    let refused = index.retrieve("Bread?", &ToyEmbedder, &LinearRagConfig::default());
    assert!(matches!(refused, Err(GraphRagError::OtherEmbedder { .. })));
    let config = LinearRagConfig {
        damping: 1.0,
        ..LinearRagConfig::default()
    };
    assert!(matches!(
        config.validate(),
        Err(GraphRagError::Setting {
            setting: "damping",
            ..
        })
    ));
    assert!(LinearRagConfig::default().validate().is_ok());
}

#[test]
fn an_empty_index_finds_nothing() {
    let index = Index::build([], [], IndexConfig::default(), &ToyEmbedder).unwrap();
    let found = index
        .retrieve("Who was Bo?", &ToyEmbedder, &LinearRagConfig::default())
        .unwrap();
    assert!(found.passages.is_empty());
}
