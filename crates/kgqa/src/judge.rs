//! When does the planner refrain? What a question asks beyond the graph, and what a plan leaves unsaid.

use crate::alignment;
use crate::answer::{AnswerError, Planner, Refusal};
use crate::backend_adapter::Candidate;
use crate::execute::{self, Executed, Given, Limits};
use crate::graph::{Edge, Graph, TermId};
use crate::guidance::{Guidance, UNSUPPORTED};
use crate::isr::{Isr, QuestionType};
use crate::kinship::{self, Kin};
use crate::local_schema::{Schema, SchemaError, ValueKind, does, is_member};
use crate::logical_parser;
use crate::plan::{Hop, Path, Plan};
use crate::vocabulary;

/// Values whose classes are looked at.
const VALUES_CLASSED: usize = 16;

impl Planner {
    /// What can be refused before any plan is made.
    pub(crate) fn refuse_early(
        &self,
        schema: &Schema,
        isr: &Isr,
    ) -> Result<Option<Refusal>, AnswerError> {
        if isr.negated {
            return Ok(Some(Refusal::Negation));
        }
        // A capital letter makes no name of a word that names a predicate ("the Director of …").
        let mut names = Vec::new();
        for name in &isr.unknown_names {
            let best = self.best_similarity(schema, &crate::text::normalise(name))?;
            let is_number = name
                .chars()
                .all(|c| c.is_ascii_digit() || matches!(c, '.' | ','));
            if is_number || best < self.config.gains.names_predicate {
                names.push(name.clone());
            }
        }
        if !names.is_empty() {
            return Ok(Some(Refusal::UnknownName { names }));
        }
        if isr.mentions.is_empty() {
            return Ok(Some(Refusal::NothingNamed));
        }
        if asks_nothing(isr) {
            return Ok(Some(Refusal::NothingAsked));
        }
        // "Longer than B", "longer than an hour": a comparison with something that is no number written out in digits.
        if matches!(
            isr.question_type,
            QuestionType::YesNo | QuestionType::Superlative
        ) && isr.comparator.is_none()
            && !(isr.question_type == QuestionType::YesNo && isr.superlative.is_some())
            && let Some(than) = isr.tokens.iter().position(|t| t.folded == "than")
        {
            let more = than
                .checked_sub(1)
                .map_or("", |at| isr.tokens[at].folded.as_str());
            return Ok(Some(Refusal::Unsupported {
                word: format!("{more} than"),
            }));
        }
        if let Some(unit) = unit(isr) {
            let mut entries = schema.entries().iter();
            if !entries.any(|entry| entry.words.contains(unit)) {
                return Ok(Some(Refusal::Unsupported { word: unit.clone() }));
            }
        }
        for (at, token) in isr.tokens.iter().enumerate() {
            let named = isr.mentions.iter().any(|m| (m.first..m.end).contains(&at));
            let is_label = || {
                let mut entries = schema.entries().iter();
                entries.any(|entry| entry.words.contains(&token.folded))
            };
            if !named && vocabulary::is_beyond_plans(&token.folded) && !is_label() {
                return Ok(Some(Refusal::Unsupported {
                    word: token.folded.clone(),
                }));
            }
        }
        // "Who would have directed X": what did not happen is no fact.
        let never = isr.tokens.windows(2).find(|pair| {
            matches!(
                pair[0].folded.as_str(),
                "would" | "could" | "should" | "might"
            ) && pair[1].folded == "have"
        });
        if let Some(pair) = never {
            return Ok(Some(Refusal::Unsupported {
                word: format!("{} have", pair[0].folded),
            }));
        }
        Ok(logical_parser::asks_yes_or_no(isr).then_some(Refusal::HalfNamed))
    }

    /// Whether a path has more steps than "which novels *did* X *direct*" has words: who does it and what it is done to are
    /// one step apart, and the novels that X's films are based on are not.
    pub(crate) fn takes_a_detour(isr: &Isr, candidate: &Candidate) -> bool {
        let (Plan::Path(path), [_]) = (&candidate.plan, isr.mentions.as_slice()) else {
            return false;
        };
        let does = |folded: &str| matches!(folded, "did" | "does" | "do");
        let mut relations = isr.words.iter().filter(|word| word.text != isr.answer_type);
        !isr.answer_type.is_empty()
            && isr.tokens.iter().any(|token| does(&token.folded))
            && relations.next().is_some()
            && relations.next().is_none()
            && path.hops.len() > 1
            && candidate.alignment.len() < path.hops.len()
    }

    /// Whether the question asks for things of a class of the graph ("which novels …") and every value has classes, but
    /// not that one nor one below it. Values without a class, and nouns that name none, say nothing.
    pub(crate) fn is_of_another_class(
        &self,
        graph: &dyn Graph,
        schema: &Schema,
        isr: &Isr,
        given: &Given,
    ) -> Result<bool, AnswerError> {
        let (Given::Values(values), noun) = (given, isr.answer_type.as_str()) else {
            return Ok(false);
        };
        if noun.is_empty() || values.is_empty() {
            return Ok(false);
        }
        let asked = schema.classes(graph, noun)?;
        if asked.is_empty() {
            return Ok(false);
        }
        for value in values.iter().take(VALUES_CLASSED) {
            if is_member(graph, *value, &asked)? != Some(false) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// How similar a word is to the predicate that is most like it.
    pub(crate) fn best_similarity(&self, schema: &Schema, word: &str) -> Result<f32, SchemaError> {
        let similarities = schema.similarities(word, self.embedder.as_ref())?;
        Ok(similarities.into_iter().fold(f32::MIN, f32::max))
    }

    /// Whether a plan takes the one who does it for the one it is done to: in "who was directed by X", X is at the far
    /// end of a "… by" edge, never at the near one.
    pub(crate) fn is_turned_round(&self, schema: &Schema, isr: &Isr, plan: &Plan) -> bool {
        let (Plan::Path(path), [mention]) = (plan, isr.mentions.as_slice()) else {
            return false;
        };
        let after_by = mention
            .first
            .checked_sub(1)
            .and_then(|before| isr.tokens.get(before))
            .is_some_and(|token| token.folded == "by");
        // Of several hops the first may go to who does it: "films directed by ⟨X⟩'s writer".
        let ([hop], true) = (path.hops.as_slice(), after_by) else {
            return false;
        };
        if hop.inverse {
            return false;
        }
        let position = schema.position_of(&hop.predicate);
        position.is_some_and(|at| schema.entries()[at].label.ends_with(" by"))
    }

    /// Whether a path of family relations alone is another than the family terms of the question say, step by step: votes
    /// must not make "the mother of X's parent" of X's parents' children.
    pub(crate) fn is_of_other_kin(schema: &Schema, isr: &Isr, plan: &Plan) -> bool {
        let (Plan::Path(path), [mention]) = (plan, isr.mentions.as_slice()) else {
            return false;
        };
        let walked: Option<Vec<Kin>> = path
            .hops
            .iter()
            .map(|hop| {
                let at = schema.position_of(&hop.predicate)?;
                let kin = kinship::kin_of_label(&schema.entries()[at].words)?;
                Some(if hop.inverse { kin.opposite() } else { kin })
            })
            .collect();
        let Some(walked) = walked else {
            return false;
        };
        let mut told = alignment::chains(isr, mention)
            .into_iter()
            .map(|(chain, _)| {
                let words = chain.iter().map(|at| &isr.words[*at]);
                let words = words.filter(|word| word.text != "name");
                words
                    .map(|word| kinship::kin(&word.text))
                    .collect::<Option<Vec<Kin>>>()
            });
        // Where "grand" stands in "the grandson of X's child" is left open: experience may know.
        if isr
            .tokens
            .iter()
            .any(|token| token.folded.starts_with("grand"))
        {
            return false;
        }
        // Only where every word is a family term and a step is left to none or two is it known what was said.
        told.all(|told| told.is_some_and(|told| told.len() == walked.len() && told != walked))
    }

    /// Whether a plan goes on from what was asked for: "which actor was born in X" must not become that actor's films,
    /// with "actor" taken for the step to them.
    pub(crate) fn goes_too_far(schema: &Schema, isr: &Isr, chosen: &Candidate) -> bool {
        let Plan::Path(path) = &chosen.plan else {
            return false;
        };
        let (Some(last), noun) = (path.hops.last(), &isr.answer_type) else {
            return false;
        };
        let took =
            |(word, predicate): &(String, String)| word == noun && *predicate == last.predicate;
        if path.hops.len() < 2 || !last.inverse || !chosen.alignment.iter().any(took) {
            return false;
        }
        // A player is who plays: "plays for" leads to players against its direction.
        let position = schema.position_of(&last.predicate);
        position.is_some_and(|at| !does(noun, &schema.entries()[at].words))
    }

    /// The path without its last step, where each of its values is what that step's noun names: "actor" by "starring".
    pub(crate) fn stopped_short(
        graph: &dyn Graph,
        schema: &Schema,
        chosen: &Candidate,
        limits: &Limits,
    ) -> Result<Option<(Candidate, Executed)>, AnswerError> {
        let Plan::Path(path) = &chosen.plan else {
            return Ok(None);
        };
        let mut path = path.clone();
        let Some(at) = path
            .hops
            .pop()
            .and_then(|last| schema.position_of(&last.predicate))
        else {
            return Ok(None);
        };
        let plan = Plan::Path(path);
        let executed = execute::run(graph, &plan, &chosen.bindings, limits)?;
        let Given::Values(values) = &executed.given else {
            return Ok(None);
        };
        let step = Edge {
            predicate: schema.entries()[at].id,
            inverse: true,
        };
        for value in values {
            if !graph.signature(*value)?.contains(&step) {
                return Ok(None);
            }
        }
        let candidate = Candidate {
            template: plan.template(),
            plan,
            ..chosen.clone()
        };
        Ok((!values.is_empty()).then_some((candidate, executed)))
    }

    /// Whether a set that several names, or a way there and back, describe is only what was named: "who stars beside X in
    /// Y" is not Y.
    pub(crate) fn gives_back_a_name(isr: &Isr, plan: &Plan, given: &Given) -> bool {
        let Given::Values(values) = given else {
            return false;
        };
        let there_and_back = |path: &Path| {
            let back = |hop: &Hop| hop.inverse;
            path.hops.iter().any(back) && !path.hops.iter().all(back)
        };
        let describes = match plan {
            Plan::Intersect(_) => true,
            Plan::Path(path) => there_and_back(path),
            Plan::Filter { .. }
            | Plan::Count(_)
            | Plan::OrderLimit { .. }
            | Plan::Compare { .. }
            | Plan::Ask { .. }
            | Plan::Sparql(_) => false,
        };
        if !describes {
            return false;
        }
        let named: Vec<TermId> = isr.mentions.iter().flat_map(|m| m.ids()).collect();
        values.iter().all(|value| named.contains(value))
    }

    /// Whether a plan gives numbers or times where a person or a place is asked for, or a time for an age.
    pub(crate) fn is_of_the_wrong_kind(
        &self,
        graph: &dyn Graph,
        schema: &Schema,
        isr: &Isr,
        plan: &Plan,
    ) -> Result<bool, AnswerError> {
        let Plan::Path(path) = plan else {
            return Ok(false);
        };
        let asks_age = isr
            .tokens
            .windows(2)
            .any(|pair| pair[0].folded == "how" && pair[1].folded == "old");
        if isr.wh == "when" {
            return Ok(Self::is_of_anothers_life(schema, isr, path));
        }
        if !asks_age && !matches!(isr.wh.as_str(), "who" | "whom" | "whose" | "where") {
            return Ok(false);
        }
        let position = path
            .hops
            .last()
            .filter(|hop| !hop.inverse)
            .and_then(|hop| schema.position_of(&hop.predicate));
        Ok(match position {
            Some(position) => {
                let predicate = schema.entries()[position].id;
                let kind = schema.value_kind(graph, predicate)?;
                if asks_age {
                    kind == ValueKind::Time
                } else {
                    kind != ValueKind::Other
                }
            }
            None => false,
        })
    }

    /// Whether "when was X climbed" leads to the birth of whoever did it: a birth or death must be told.
    fn is_of_anothers_life(schema: &Schema, isr: &Isr, path: &Path) -> bool {
        let last = path.hops.last().filter(|hop| !hop.inverse);
        let Some(at) = last.and_then(|hop| schema.position_of(&hop.predicate)) else {
            return false;
        };
        let mut doings = schema.entries()[at].words.iter();
        let lives = doings.find_map(|word| vocabulary::life(word));
        lives.is_some_and(|doing| {
            !isr.words
                .iter()
                .any(|word| vocabulary::doing(&word.text) == Some(doing))
        })
    }

    /// With several names, a word that names a predicate but no step of the plan: "films directed by an actor who never
    /// directed" must not become films with that actor.
    pub(crate) fn unspoken(
        &self,
        graph: &dyn Graph,
        schema: &Schema,
        isr: &Isr,
        chosen: &Candidate,
    ) -> Result<Option<String>, AnswerError> {
        if !matches!(chosen.plan, Plan::Intersect(_)) {
            return Ok(None);
        }
        let embedder = self.embedder.as_ref();
        for word in &isr.words {
            if chosen
                .alignment
                .iter()
                .any(|(spoken, _)| *spoken == word.text)
            {
                continue;
            }
            let best = self.best_similarity(schema, &word.text)?;
            if best >= self.config.gains.names_predicate
                && !schema.is_class_noun(graph, &word.text, embedder)?
            {
                return Ok(Some(word.text.clone()));
            }
        }
        Ok(None)
    }

    /// The asked-for attribute, when no predicate is like it: "what is the shoe size of …", "how tall is …".
    pub(crate) fn unsupported(
        &self,
        schema: &Schema,
        isr: &Isr,
    ) -> Result<Option<String>, AnswerError> {
        let Some(asked) = logical_parser::asked_attribute(isr) else {
            return Ok(None);
        };
        let mut best = f32::MIN;
        for word in &asked {
            best = best.max(self.best_similarity(schema, word)?);
            // A "son" is told by "parents", from the other end.
            let backward = schema.backward_gains(word);
            if backward.is_some_and(|gains| gains.iter().any(|gain| *gain > 0.0)) {
                return Ok(None);
            }
        }
        Ok((best < self.config.judge.support).then(|| asked.join(" ")))
    }
}

/// Whether a question only names a thing: "who is X", "tell me about X", "X".
fn asks_nothing(isr: &Isr) -> bool {
    let named = |i: usize| isr.mentions.iter().any(|m| (m.first..m.end).contains(&i));
    isr.mentions.len() == 1
        && isr.words.is_empty()
        && isr.tokens.iter().enumerate().all(|(i, token)| {
            named(i)
                || vocabulary::is_auxiliary(&token.folded)
                || vocabulary::is_asking(&token.folded)
                || matches!(
                    token.folded.as_str(),
                    "who"
                        | "what"
                        | "whom"
                        | "s"
                        | "me"
                        | "about"
                        | "of"
                        | "the"
                        | "a"
                        | "an"
                        | "you"
                        | "please"
                )
        })
}

/// The unit behind the number that things are compared with ("longer than 3 *hours*"), or that is asked for ("how many *hours*
/// is X").
pub(crate) fn unit(isr: &Isr) -> Option<&String> {
    let asked = isr
        .tokens
        .windows(3)
        .find_map(|w| (w[0].folded == "how" && w[1].folded == "many").then_some(&w[2]));
    let compared = isr.comparator.as_ref();
    let behind = compared.and_then(|c| isr.tokens.get(c.at + 1..=c.end));
    // With the number last in the question there is nothing behind it but its own phrase.
    let within = compared.and_then(|c| isr.tokens.get(c.at + 1..c.end));
    let units = asked
        .into_iter()
        .chain(behind.or(within).into_iter().flatten())
        .map(|token| &token.folded);
    units.into_iter().find(|word| vocabulary::is_unit(word))
}

/// Whether refusing for this word has proved wrong more often than right.
pub(crate) fn was_wrong_to_refuse(guidance: &Guidance<'_>, word: &str) -> bool {
    guidance.lexicon.is_some_and(|lexicon| {
        lexicon
            .meanings(word)
            .iter()
            .any(|(meaning, right, wrong)| **meaning == *UNSUPPORTED && wrong > right)
    })
}
