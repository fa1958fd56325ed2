//! Which classes of the graph does a noun name, and is a thing a member of them?
//!
//! Only what the graph itself says counts here: a noun names a class when it is the label, singular or plural, of something
//! that has instances. Nouns that are only like a class's predicates are [`Schema::is_class_noun`]'s business.

use std::sync::Arc;

use oxrdf::vocab::{rdf, rdfs};

use super::Schema;
use crate::graph::{Edge, Graph, GraphError, TermId};

/// Classes of a thing, and above a class, that are looked at.
const CLASSES_EACH: usize = 16;
/// Steps up the classes' order.
const CLASS_LEVELS: usize = 4;
/// Triples of a predicate whose ends are looked at.
const ENDS_LOOKED_AT: usize = 8;

impl Schema {
    /// The classes with instances that a noun, singular or plural, is the label of, ascending. "Person" stands for humans
    /// too.
    ///
    /// # Errors
    /// [`GraphError`] if the graph fails.
    pub fn classes(&self, graph: &dyn Graph, noun: &str) -> Result<Arc<[TermId]>, GraphError> {
        if let Some(found) = self
            .classes
            .read()
            .ok()
            .and_then(|map| map.get(noun).cloned())
        {
            return Ok(found);
        }
        let mut classes = labelled(graph, noun)?;
        if crate::vocabulary::is_person(noun) {
            for form in ["person", "people", "human"] {
                classes.extend(labelled(graph, form)?);
            }
        }
        classes.sort_unstable();
        classes.dedup();
        let classes: Arc<[TermId]> = classes.into();
        if let Ok(mut map) = self.classes.write() {
            if map.len() >= self.config.max_words {
                map.clear();
            }
            map.insert(noun.to_owned(), Arc::clone(&classes));
        }
        Ok(classes)
    }

    /// For each predicate, how many of its objects and how many of its subjects are members of the classes, in [0, 1];
    /// `None` where no end that was looked at has a class.
    ///
    /// # Errors
    /// [`GraphError`] if the graph fails.
    pub(super) fn members_at_ends(
        &self,
        graph: &dyn Graph,
        classes: &[TermId],
    ) -> Result<Vec<[Option<f32>; 2]>, GraphError> {
        let mut out = Vec::with_capacity(self.entries.len());
        for entry in &self.entries {
            let sample = graph.sample(entry.id, ENDS_LOOKED_AT)?;
            let share = |ends: &mut dyn Iterator<Item = TermId>| -> Result<_, GraphError> {
                let (mut members, mut classed) = (0.0_f32, 0.0_f32);
                for end in ends {
                    if let Some(is_member) = is_member(graph, end, classes)? {
                        classed += 1.0;
                        members += f32::from(u8::from(is_member));
                    }
                }
                Ok((classed > 0.0).then_some(members / classed))
            };
            let objects = share(&mut sample.iter().map(|(_, object)| *object))?;
            let subjects = share(&mut sample.iter().map(|(subject, _)| *subject))?;
            out.push([objects, subjects]);
        }
        Ok(out)
    }
}

/// Whether a thing is of one of the classes, or of one below them; `None` for a thing without a class.
pub(crate) fn is_member(
    graph: &dyn Graph,
    thing: TermId,
    classes: &[TermId],
) -> Result<Option<bool>, GraphError> {
    let Some(is_a) = graph.id(&rdf::TYPE.into_owned().into())? else {
        return Ok(None);
    };
    let mut level = up(graph, thing, is_a)?;
    if level.is_empty() {
        return Ok(None);
    }
    let below = graph.id(&rdfs::SUB_CLASS_OF.into_owned().into())?;
    for _ in 0..CLASS_LEVELS {
        if level.iter().any(|class| classes.contains(class)) {
            return Ok(Some(true));
        }
        let Some(below) = below else { break };
        let mut above = Vec::new();
        for class in level.iter().take(CLASSES_EACH) {
            above.extend(up(graph, *class, below)?);
        }
        level = above;
    }
    Ok(Some(false))
}

/// Whether two things have a class in common; `None` where one of them has none.
pub(crate) fn is_member_of_same(
    graph: &dyn Graph,
    one: TermId,
    other: TermId,
) -> Result<Option<bool>, GraphError> {
    let Some(is_a) = graph.id(&rdf::TYPE.into_owned().into())? else {
        return Ok(None);
    };
    let theirs = up(graph, other, is_a)?;
    if theirs.is_empty() {
        return Ok(None);
    }
    is_member(graph, one, &theirs)
}

/// The forms in which a class may be labelled that a question calls so: "cities" is "city".
fn singular_forms(noun: &str) -> Vec<String> {
    let folded = crate::text::normalise(noun);
    let mut forms = vec![folded.clone()];
    forms.extend(folded.strip_suffix("ies").map(|stem| format!("{stem}y")));
    forms.extend(folded.strip_suffix("es").map(str::to_owned));
    forms.extend(folded.strip_suffix('s').map(str::to_owned));
    forms
}

fn labelled(graph: &dyn Graph, noun: &str) -> Result<Vec<TermId>, GraphError> {
    let Some(is_a) = graph.id(&rdf::TYPE.into_owned().into())? else {
        return Ok(Vec::new());
    };
    let members = Edge {
        predicate: is_a,
        inverse: true,
    };
    let mut classes = Vec::new();
    for form in singular_forms(noun) {
        for id in graph.link(&form, CLASSES_EACH)? {
            if graph.signature(id)?.contains(&members) {
                classes.push(id);
            }
        }
    }
    Ok(classes)
}

fn up(graph: &dyn Graph, id: TermId, predicate: TermId) -> Result<Vec<TermId>, GraphError> {
    let edge = Edge {
        predicate,
        inverse: false,
    };
    Ok(graph.step(id, edge, CLASSES_EACH)?.ids)
}
