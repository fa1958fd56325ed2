//! Which source is asked? Routing to a domain (CacheRAG A.7, built-in form).
//!
//! A source in which the question's names link is preferred to one in which they do not; among several, the likeness of the question to
//! what the source is about decides, and to the questions it has answered before. A named source decides at once. When the first refrains,
//! the next is asked.

use std::sync::Arc;

use kgqa::answer::Planner;
use kgqa::isr::Isr;
use memory::Vector;
use serde::Serialize;

use crate::budget::{Budget, Metered};
use crate::error::EngineError;
use crate::source::View;

/// Sources that are asked one after the other at most.
pub const MAX_SOURCES_ASKED: usize = 3;

/// How much a whole link outweighs likeness: names that link in one source only decide.
const LINK_WEIGHT: f32 = 4.0;

/// A source, how well it fits the question, and the question as it reads there.
#[derive(Debug, Clone)]
pub(crate) struct Route {
    pub(crate) view: Arc<View>,
    pub(crate) isr: Isr,
    pub(crate) fit: Fit,
}

/// How well a source fits a question.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Fit {
    /// The source.
    pub source: String,
    /// How convincingly the question's names link there, ≥ 0.
    pub links: f32,
    /// Cosine of the question with what the source is about.
    pub about: f32,
    /// Cosine with the most similar question it has answered, 0 when none.
    pub answered: f32,
    /// All of it together.
    pub score: f32,
}

/// Ranks the sources for a question, best first.
///
/// # Errors
/// When a graph cannot be read.
pub(crate) fn rank(
    planner: &Planner,
    views: Vec<Arc<View>>,
    question: &str,
    vector: &Vector,
    budget: &Budget,
    answered: impl Fn(&str) -> f32,
) -> Result<Vec<Route>, EngineError> {
    let mut routes = Vec::with_capacity(views.len());
    for view in views {
        let isr = planner.parse(&Metered::new(&view.graph, budget), question)?;
        let links = links(&isr);
        let about = vector.cosine(&view.about_vector);
        let answered = answered(&view.source);
        let fit = Fit {
            source: view.source.clone(),
            links,
            about,
            answered,
            score: LINK_WEIGHT * links + about + answered,
        };
        routes.push(Route { view, isr, fit });
    }
    routes.sort_by(|a, b| {
        let by_score = b.fit.score.total_cmp(&a.fit.score);
        by_score.then_with(|| a.fit.source.cmp(&b.fit.source))
    });
    routes.truncate(MAX_SOURCES_ASKED);
    Ok(routes)
}

/// How convincingly the question's names link: the strengths, less what stayed unknown.
fn links(isr: &Isr) -> f32 {
    let strength: f32 = isr
        .mentions
        .iter()
        .map(|mention| mention.strength.min(1.0))
        .sum();
    #[expect(
        clippy::cast_precision_loss,
        reason = "a question has a handful of unknown names"
    )]
    let unknown = isr.unknown_names.len() as f32;
    (strength - 0.5 * unknown).max(0.0)
}
