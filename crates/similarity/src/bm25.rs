//! How well do the words of a text match those of a query?
//!
//! BM25 after Robertson and Zaragoza, "The Probabilistic Relevance Framework" (2009), with the
//! non-negative idf of Lucene. Words are the caller's: it neither splits nor stems.

use std::collections::BTreeMap;

use crate::top_k::best;

/// The two parameters of BM25.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bm25Params {
    /// How soon repetition stops to count; at least 0. Usual value 1.2.
    pub k1: f32,
    /// How much long texts are marked down, in [0, 1]. Usual value 0.75.
    pub b: f32,
}

impl Default for Bm25Params {
    /// The usual values of the literature, `k1` 1.2 and `b` 0.75.
    fn default() -> Self {
        Self { k1: 1.2, b: 0.75 }
    }
}

/// An index over texts, made once.
///
/// ```
/// use similarity::bm25::Bm25;
///
/// let index = Bm25::new([["directed", "by"], ["written", "by"]]);
/// let best = index.top_k(&["who", "directed"], 1);
/// assert_eq!(best[0].0, 0);
/// assert_eq!(index.normalised(&["written", "by"], 1), 1.0);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Bm25 {
    params: Bm25Params,
    /// How many words each text has, `None` for one that was taken out.
    lengths: Vec<Option<f32>>,
    /// How many texts are in, and how many words they have.
    texts: usize,
    words: u64,
    /// For each word its texts, ascending, and how often it is in each.
    postings: BTreeMap<String, Vec<Posting>>,
}

/// A text that has a word.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Posting {
    /// The text's index.
    pub text: u32,
    /// How often it has the word; a whole number, at least 1.
    pub count: f32,
}

impl Bm25 {
    /// Indexes texts that are given as words, with the usual parameters.
    pub fn new<D, W>(texts: impl IntoIterator<Item = D>) -> Self
    where
        D: IntoIterator<Item = W>,
        W: AsRef<str>,
    {
        Self::with_params(texts, Bm25Params::default())
    }

    /// Indexes texts that are given as words. Parameters out of range are clamped.
    pub fn with_params<D, W>(texts: impl IntoIterator<Item = D>, params: Bm25Params) -> Self
    where
        D: IntoIterator<Item = W>,
        W: AsRef<str>,
    {
        let params = Bm25Params {
            k1: params.k1.max(0.0),
            b: params.b.clamp(0.0, 1.0),
        };
        let mut index = Self {
            params,
            lengths: Vec::new(),
            texts: 0,
            words: 0,
            postings: BTreeMap::new(),
        };
        for words in texts {
            index.insert(words);
        }
        index
    }

    /// An index of what [`postings`](Self::postings) gave, with the usual parameters: as many texts as `texts`, numbered
    /// from 0. Postings of texts that are not there, and those behind one that does not ascend, are left out.
    pub fn from_postings(
        texts: u32,
        postings: impl IntoIterator<Item = (String, Vec<Posting>)>,
    ) -> Self {
        let mut lengths = vec![0.0_f32; texts as usize];
        let mut words = 0;
        let sound = |(word, mut list): (String, Vec<Posting>)| {
            let mut least = 0;
            list.retain(|posting| {
                let is_next = posting.text >= least
                    && posting.text < texts
                    && posting.count >= 1.0
                    && posting.count.is_finite();
                least = if is_next { posting.text + 1 } else { least };
                is_next
            });
            for posting in &list {
                lengths[posting.text as usize] += posting.count;
                words += whole(posting.count);
            }
            (word, list)
        };
        let postings = postings
            .into_iter()
            .map(sound)
            .filter(|(_, list)| !list.is_empty())
            .collect();
        Self {
            params: Bm25Params::default(),
            texts: lengths.len(),
            lengths: lengths.into_iter().map(Some).collect(),
            words,
            postings,
        }
    }

    /// Each word, ascending, with the texts that have it, ascending by index.
    pub fn postings(&self) -> impl Iterator<Item = (&str, &[Posting])> {
        self.postings
            .iter()
            .map(|(word, list)| (word.as_str(), list.as_slice()))
    }

    /// Adds a text and gives its index, the next one. Scores are as if all texts had been there from the start. A text
    /// beyond the 4,294,967,295th is counted but never found.
    pub fn insert<W: AsRef<str>>(&mut self, words: impl IntoIterator<Item = W>) -> usize {
        let text = self.lengths.len();
        let counts = counts(words);
        let length: f32 = counts.values().sum();
        if let Ok(text) = u32::try_from(text) {
            for (word, count) in counts {
                self.postings
                    .entry(word)
                    .or_default()
                    .push(Posting { text, count });
            }
        }
        self.lengths.push(Some(length));
        self.texts += 1;
        self.words += whole(length);
        text
    }

    /// Takes a text out, given the words it was inserted with; its index is not used again and scores 0.
    pub fn remove<W: AsRef<str>>(&mut self, text: usize, words: impl IntoIterator<Item = W>) {
        let Some(length) = self.lengths.get_mut(text).and_then(Option::take) else {
            return;
        };
        self.texts -= 1;
        self.words -= whole(length);
        for word in counts(words).keys() {
            let Some(list) = self.postings.get_mut(word) else {
                continue;
            };
            list.retain(|entry| entry.text as usize != text);
            if list.is_empty() {
                self.postings.remove(word);
            }
        }
    }

    /// How many texts there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.texts
    }

    fn length(&self, text: usize) -> f32 {
        self.lengths.get(text).copied().flatten().unwrap_or(0.0)
    }

    fn mean_length(&self) -> f32 {
        if self.words > 0 {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_precision_loss,
                reason = "a mean, whose seventh digit is harmless"
            )]
            let mean = (self.words as f64 / self.texts.max(1) as f64) as f32;
            mean
        } else {
            1.0
        }
    }

    /// Whether there are no texts.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.texts == 0
    }

    /// Inverse document frequency, `ln(1 + (n - df + 0.5) / (df + 0.5))`, always positive.
    #[must_use]
    pub fn idf(&self, word: &str) -> f32 {
        let found = as_f32(self.postings.get(word).map_or(0, Vec::len));
        (1.0 + (as_f32(self.len()) - found + 0.5) / (found + 0.5)).ln()
    }

    /// BM25 of one text for a query, at least 0; a word that the query repeats counts once. 0 for a
    /// text that does not exist.
    pub fn score<W: AsRef<str>>(&self, query: &[W], text: usize) -> f32 {
        let Some(&Some(length)) = self.lengths.get(text) else {
            return 0.0;
        };
        let words = counts(query);
        words
            .keys()
            .map(|word| self.idf(word) * self.saturated(self.count(word, text), length))
            .sum()
    }

    /// BM25 of the query against itself: what a text of the same words would get. Words that no text
    /// has count too, so a query that is mostly unknown cannot score high.
    pub fn self_score<W: AsRef<str>>(&self, query: &[W]) -> f32 {
        let words = counts(query);
        let length = words.values().sum();
        words
            .iter()
            .map(|(word, &count)| self.idf(word) * self.saturated(count, length))
            .sum()
    }

    /// [`score`](Self::score) over [`self_score`](Self::self_score), in [0, 1]; comparable between queries.
    pub fn normalised<W: AsRef<str>>(&self, query: &[W], text: usize) -> f32 {
        ratio(self.score(query, text), self.self_score(query))
    }

    /// The `k` best texts with a normalised score above 0, best first, ties by index.
    pub fn top_k<W: AsRef<str>>(&self, query: &[W], k: usize) -> Vec<(usize, f32)> {
        let mut scores: BTreeMap<usize, f32> = BTreeMap::new();
        for word in counts(query).keys() {
            let idf = self.idf(word);
            for posting in self.postings.get(word).into_iter().flatten() {
                let text = posting.text as usize;
                *scores.entry(text).or_insert(0.0) +=
                    idf * self.saturated(posting.count, self.length(text));
            }
        }
        let own = self.self_score(query);
        best(
            scores
                .into_iter()
                .map(|(text, score)| (text, ratio(score, own))),
            k,
        )
    }

    /// [`score`](Self::score) of every index that was given, those of texts taken out included.
    pub fn scores<W: AsRef<str>>(&self, query: &[W]) -> Vec<f32> {
        let mut scores = vec![0.0; self.lengths.len()];
        let mean_length = self.mean_length();
        let norms: Vec<f32> = self
            .lengths
            .iter()
            .map(|length| self.norm(length.unwrap_or(0.0), mean_length))
            .collect();
        for word in counts(query).keys() {
            let idf = self.idf(word);
            for posting in self.postings.get(word).into_iter().flatten() {
                let text = posting.text as usize;
                scores[text] +=
                    idf * (posting.count * (self.params.k1 + 1.0) / (posting.count + norms[text]));
            }
        }
        scores
    }

    fn count(&self, word: &str, text: usize) -> f32 {
        let Some(list) = self.postings.get(word) else {
            return 0.0;
        };
        list.binary_search_by_key(&text, |entry| entry.text as usize)
            .map_or(0.0, |place| list[place].count)
    }

    fn saturated(&self, count: f32, length: f32) -> f32 {
        if count == 0.0 {
            return 0.0;
        }
        count * (self.params.k1 + 1.0) / (count + self.norm(length, self.mean_length()))
    }

    /// What a count is saturated by in a text of such a length.
    fn norm(&self, length: f32, mean_length: f32) -> f32 {
        let Bm25Params { k1, b } = self.params;
        k1 * (1.0 - b + b * length / mean_length)
    }
}

/// A sum of counts as a whole number.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "counts are whole and not negative"
)]
fn whole(length: f32) -> u64 {
    length as u64
}

fn ratio(score: f32, own: f32) -> f32 {
    if own > 0.0 {
        (score / own).clamp(0.0, 1.0)
    } else {
        0.0
    }
}

fn counts<W: AsRef<str>>(words: impl IntoIterator<Item = W>) -> BTreeMap<String, f32> {
    let mut counts = BTreeMap::new();
    for word in words {
        *counts.entry(word.as_ref().to_owned()).or_insert(0.0) += 1.0;
    }
    counts
}

#[expect(
    clippy::cast_precision_loss,
    reason = "counts of texts; a rounding in the seventh digit is harmless"
)]
fn as_f32(count: usize) -> f32 {
    count as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn texts() -> impl Strategy<Value = Vec<Vec<String>>> {
        prop::collection::vec(prop::collection::vec("[a-e]", 0..6), 0..10)
    }

    proptest! {
        #[test]
        fn the_index_equals_scoring_every_text(
            texts in texts(),
            query in prop::collection::vec("[a-g]", 0..5),
            k in 0_usize..12,
        ) {
            let index = Bm25::new(&texts);
            let mut naive: Vec<(usize, f32)> =
                (0..texts.len()).map(|t| (t, index.normalised(&query, t))).filter(|e| e.1 > 0.0).collect();
            naive.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            naive.truncate(k);
            prop_assert_eq!(index.top_k(&query, k), naive);
            let each: Vec<f32> = (0..texts.len()).map(|t| index.score(&query, t)).collect();
            prop_assert_eq!(index.scores(&query), each.clone());
            let count = u32::try_from(texts.len()).unwrap();
            let again = index.postings().map(|(word, list)| (word.to_owned(), list.to_vec()));
            prop_assert_eq!(Bm25::from_postings(count, again).scores(&query), each);
        }

        #[test]
        fn texts_that_came_and_went_leave_no_trace(
            texts in texts(),
            others in texts(),
            query in prop::collection::vec("[a-g]", 0..5),
        ) {
            let mut index = Bm25::new(&others);
            let kept: Vec<usize> = texts.iter().map(|text| index.insert(text)).collect();
            for (text, words) in others.iter().enumerate() {
                index.remove(text, words);
            }
            let fresh = Bm25::new(&texts);
            prop_assert_eq!(index.len(), fresh.len());
            let all = index.scores(&query);
            let moved: Vec<f32> = kept.iter().map(|place| all[*place]).collect();
            prop_assert_eq!(moved, fresh.scores(&query));
            prop_assert_eq!(index.self_score(&query), fresh.self_score(&query));
        }

        #[test]
        fn normalised_is_within_bounds_and_one_for_itself(texts in texts()) {
            let index = Bm25::new(&texts);
            for (t, text) in texts.iter().enumerate() {
                let own = index.normalised(text, t);
                prop_assert!(text.is_empty() || (own - 1.0).abs() < 1e-5);
                for other in 0..texts.len() {
                    let score = index.normalised(text, other);
                    prop_assert!((0.0..=1.0).contains(&score));
                }
            }
        }
    }

    #[test]
    fn rare_words_count_more() {
        let index = Bm25::new([
            vec!["by", "directed"],
            vec!["by", "written"],
            vec!["by", "sung"],
        ]);
        assert!(index.idf("directed") > index.idf("by"));
    }

    #[test]
    fn words_that_nothing_has_lower_the_score() {
        let index = Bm25::new([vec!["a", "b"], vec!["c"]]);
        assert!(index.normalised(&["a", "z"], 0) < index.normalised(&["a"], 0));
    }

    #[test]
    fn parameters_change_the_ranking() {
        let texts = [vec!["a", "a", "b", "b", "b", "b", "b", "b"], vec!["a", "c"]];
        let plain = Bm25::with_params(texts.clone(), Bm25Params { k1: 5.0, b: 0.0 });
        assert_eq!(plain.top_k(&["a"], 1)[0].0, 0);
        let strict = Bm25::with_params(texts, Bm25Params { k1: 0.1, b: 1.0 });
        assert_eq!(strict.top_k(&["a"], 1)[0].0, 1);
    }

    #[test]
    fn empty_index_and_unknown_text() {
        let index = Bm25::new(Vec::<Vec<String>>::new());
        assert!(index.is_empty());
        assert!(index.top_k(&["a"], 3).is_empty());
        assert_eq!(index.score(&["a"], 7), 0.0);
    }
}
