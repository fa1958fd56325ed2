//! How much of an answer do its passages support? (LivingRAG, Eq. 15 to 19)
//!
//! The explanation and the answer are split into claims; each is compared with the sentences of the passages that were
//! used, never with other experiences. The built-in judge is lexical and says so.

use serde::{Deserialize, Serialize};

use crate::experience::{Judge, Support};
use crate::index::Index;
use crate::lexical_entailment::{Claim, content_words, support, word_cover};
use crate::sentence::sentences;
use crate::token::{fold, tokens};

/// Bounds of grounding.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GroundingConfig {
    /// τ_nli: a claim that reaches this is supported. 0.6 for the lexical judge.
    pub minimum_support: f64,
    /// K_g: sentences a claim is compared with.
    pub sentences_per_claim: usize,
    /// Most claims of an answer.
    pub max_claims: usize,
    /// The lexical judge gives no more confidence than this.
    pub max_lexical_confidence: f64,
}

impl Default for GroundingConfig {
    fn default() -> Self {
        Self {
            minimum_support: 0.6,
            sentences_per_claim: 5,
            max_claims: 24,
            max_lexical_confidence: 0.8,
        }
    }
}

/// What supports a claim best.
#[derive(Debug, Clone, PartialEq)]
pub struct ClaimSupport {
    /// The claim.
    pub claim: String,
    /// In [0, 1].
    pub support: f64,
    /// The passage of the best sentence, by its place in the index.
    pub passage: Option<u32>,
}

/// How grounded an answer is.
#[derive(Debug, Clone, PartialEq)]
pub struct Grounding {
    /// The share of claims that are supported; 0 without claims.
    pub score: f64,
    /// Each claim.
    pub claims: Vec<ClaimSupport>,
    /// Passages that supported a claim.
    pub support: Vec<Support>,
    /// Who judged.
    pub judge: Judge,
}

/// Words that only speak about the answering, folded.
const META: [&str; 8] = [
    "passage", "passages", "thought", "i", "we", "my", "question", "context",
];

/// Words that hedge, folded.
const HEDGES: [&str; 5] = ["perhaps", "maybe", "possibly", "might", "probably"];

/// The claims of an explanation and an answer: its sentences that name something, without questions, hedges and talk
/// about the answering; and one claim for the answer, the last sentence that contains it or a sentence made for it.
#[must_use]
pub fn claims(
    question: &str,
    explanation: &str,
    answer: &str,
    config: &GroundingConfig,
) -> Vec<String> {
    let parts: Vec<&str> = sentences(explanation)
        .into_iter()
        .map(|span| &explanation[span])
        .collect();
    let says = |part: &&str| {
        let words: Vec<String> = tokens(part).iter().map(|t| fold(t.text)).collect();
        !part.ends_with('?')
            && !words
                .iter()
                .any(|w| META.contains(&w.as_str()) || HEDGES.contains(&w.as_str()))
    };
    let mut claims: Vec<String> = parts.into_iter().filter(says).map(str::to_owned).collect();
    let answer = answer.trim();
    let said = |claim: &String| fold(claim).contains(&fold(answer));
    if !answer.is_empty() && !claims.iter().any(said) {
        claims.push(format!(
            "The answer to {} is {answer}",
            question.trim_end_matches('?')
        ));
    }
    claims.truncate(config.max_claims);
    claims
}

struct Evidence<'i> {
    passage: u32,
    context: String,
    sentence: &'i str,
    words: Vec<String>,
}

impl Index {
    /// Judges claims against passages of the index, by their places.
    #[must_use]
    pub fn ground(
        &self,
        claims: &[String],
        passages: &[u32],
        config: &GroundingConfig,
    ) -> Grounding {
        let evidence = self.evidence(passages);
        let mut judged = Vec::new();
        for text in claims {
            let claim = Claim::new(text, &self.recogniser);
            if claim.is_checkable() {
                judged.push(self.judge(text, &claim, &evidence, config));
            }
        }
        let supported: Vec<&ClaimSupport> = judged
            .iter()
            .filter(|c| c.support >= config.minimum_support)
            .collect();
        let places: Vec<u32> = supported.iter().filter_map(|c| c.passage).collect();
        Grounding {
            score: supported.len() as f64 / judged.len().max(1) as f64,
            support: self.support(&places),
            claims: judged,
            judge: Judge::Lexical,
        }
    }

    /// Passages, by their places, as they are kept: in order, each once, by what they say now.
    pub(crate) fn support(&self, passages: &[u32]) -> Vec<Support> {
        let mut places = passages.to_vec();
        places.sort_unstable();
        places.dedup();
        let of = |place: u32| {
            let passage = self.passage(place)?;
            Some(Support {
                document: passage.document.clone(),
                ordinal: passage.ordinal,
                hash: self.content_hash(place)?,
            })
        };
        places.into_iter().filter_map(of).collect()
    }

    fn evidence(&self, passages: &[u32]) -> Vec<Evidence<'_>> {
        let mut out = Vec::new();
        for place in passages {
            let Some(record) = self.records.get(*place as usize) else {
                continue;
            };
            let mut before = "";
            for sentence in &record.mentions.sentences {
                let text = record
                    .full_text
                    .get(sentence.span.clone())
                    .unwrap_or_default();
                let context = format!("{}. {before}", record.passage.title);
                out.push(Evidence {
                    passage: *place,
                    words: content_words(&format!("{context} {text}")),
                    context,
                    sentence: text,
                });
                before = text;
            }
        }
        out
    }

    fn judge(
        &self,
        text: &str,
        claim: &Claim,
        evidence: &[Evidence<'_>],
        config: &GroundingConfig,
    ) -> ClaimSupport {
        let mut near: Vec<(f64, &Evidence<'_>)> = evidence
            .iter()
            .map(|e| (word_cover(claim.words(), &e.words, &self.words.bm25), e))
            .collect();
        near.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut best = ClaimSupport {
            claim: text.to_owned(),
            support: 0.0,
            passage: None,
        };
        for (_, evidence) in near.into_iter().take(config.sentences_per_claim) {
            let support = support(
                claim,
                &evidence.context,
                evidence.sentence,
                &self.words.bm25,
            );
            if support > best.support {
                best.support = support;
                best.passage = Some(evidence.passage);
            }
        }
        best
    }
}
