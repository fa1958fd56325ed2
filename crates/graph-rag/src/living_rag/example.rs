//! Which earlier answer is shown as a worked example? (LivingRAG, Eq. 11 to 14)

use language_model::Embedder;
use similarity::Embedding;

use super::LivingRag;
use super::fusion::Match;
use crate::GraphRagError;
use crate::experience::ExperienceStore;
use crate::index::Index;
use crate::linear_rag::Query;
use crate::scaffold::{Scaffold, template};

/// Templates that go to the embedder at once.
const BATCH: usize = 4;

/// What rounding may add to a cosine.
const ROUNDING: f64 = 1e-6;

/// The best so far.
struct Best<'m, 's> {
    score: f64,
    near: f64,
    of: &'m Match<'s>,
}

impl<S: ExperienceStore> LivingRag<S> {
    /// The example with the best score of all; nothing where none is near enough.
    pub(super) fn scaffold(
        &self,
        index: &Index,
        query: &Query,
        matches: &[Match<'_>],
        embedder: &dyn Embedder,
    ) -> Result<Option<Scaffold>, GraphRagError> {
        let bounds = &self.config.scaffold;
        let weight = bounds.template_weight.clamp(0.0, 1.0);
        let mut order: Vec<&Match<'_>> = matches.iter().collect();
        order.sort_by(|a, b| {
            b.score
                .total_cmp(&a.score)
                .then(a.experience.id.cmp(&b.experience.id))
        });
        let mut own: Option<Embedding> = None;
        let mut best: Option<Best<'_, '_>> = None;
        for batch in order.chunks(BATCH) {
            // The rest match less: even a template like the question's own would not make them better.
            let most = batch
                .first()
                .map_or(0.0, |m| (1.0 - weight) * m.score + weight);
            if best
                .as_ref()
                .is_some_and(|best| most + ROUNDING < best.score)
            {
                break;
            }
            let mut texts: Vec<String> = batch
                .iter()
                .map(|m| template(&m.experience.question, index))
                .collect();
            if own.is_none() {
                texts.push(template(&query.text, index));
            }
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let mut vectors = embedder.embed(&texts)?;
            if own.is_none() {
                own = vectors.pop();
            }
            let Some(own) = &own else { break };
            for (of, vector) in batch.iter().zip(&vectors) {
                let near = f64::from(own.cosine(vector));
                let score = (1.0 - weight) * of.score + weight * near;
                let better = |best: &Best<'_, '_>| {
                    let by_id = best.of.experience.id.cmp(&of.experience.id);
                    score.total_cmp(&best.score).then(by_id).is_gt()
                };
                if best.as_ref().is_none_or(better) {
                    best = Some(Best { score, near, of });
                }
            }
        }
        let fits = best.filter(|best| {
            best.score >= bounds.minimum_score || best.near >= bounds.minimum_template
        });
        Ok(fits.map(|best| worked(best.of, best.score, index)))
    }
}

/// The example as it is shown: with placeholders and without its answer where it shares no entity.
fn worked(of: &Match<'_>, score: f64, index: &Index) -> Scaffold {
    let shares = of.overlap > 0.0;
    let masked = |text: &String| {
        if shares {
            text.clone()
        } else {
            template(text, index)
        }
    };
    let experience = of.experience;
    Scaffold {
        experience: experience.id,
        question: experience.question.clone(),
        steps: experience.summary.iter().map(masked).collect(),
        answer: shares.then(|| experience.answer.clone()),
        score,
    }
}
