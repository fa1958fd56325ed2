//! Which tokens may come next, so that the reply keeps its constraint?
//!
//! Under an enumeration the tokens of its texts make a tree, and only its branches may be taken; a text that begins others is
//! ended by the token that ends a message. Under a schema the bytes of a token must be such as the automaton of `json` takes,
//! and the way to the end must fit in what is left of the reply. What has only one way on is given, not drawn.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::json::{Schema, Writing};
use super::vocabulary::Vocabulary;
use crate::{Constraint, FinishReason};

/// Bytes without a choice that are given at once.
const RUN: usize = 4_096;

/// What comes next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Next {
    /// Nothing.
    Over(FinishReason),
    /// These tokens: there is no other way on.
    Given(Vec<u32>),
    /// These tokens, with which the reply ends: it would be too long else.
    Closed(Vec<u32>),
    /// One token of those allowed.
    Drawn,
}

/// Why a constraint cannot be kept.
#[derive(Debug)]
pub(super) enum GuideError {
    /// What it asks for takes more tokens than the reply may have: what, and how many.
    Long(String, usize),
    /// It asks for nothing that can be written.
    Impossible(String),
}

/// The tree of an enumeration.
#[derive(Debug, Default)]
struct Branch {
    on: BTreeMap<u32, usize>,
    ends: bool,
}

/// A constraint, as far as the reply has come.
#[derive(Debug)]
pub(super) enum Guide {
    /// Any text.
    Free,
    /// One of some texts.
    OneOf(OneOf),
    /// JSON.
    Json(Writing),
}

/// An enumeration, as far as the reply has come.
#[derive(Debug)]
pub(super) struct OneOf {
    branches: Vec<Branch>,
    at: usize,
    end: u32,
    longest: usize,
}

impl OneOf {
    fn new(texts: &[String], vocabulary: &Vocabulary, end: u32) -> Result<Self, GuideError> {
        let mut branches = vec![Branch::default()];
        let mut longest = 0;
        for text in texts {
            let tokens = exact(text, vocabulary)?;
            longest = longest.max(tokens.len());
            let mut at = 0;
            for token in tokens {
                let new = branches.len();
                at = *branches[at].on.entry(token).or_insert(new);
                if at == new {
                    branches.push(Branch::default());
                }
            }
            branches[at].ends = true;
        }
        if texts.is_empty() {
            return Err(GuideError::Impossible(
                "the enumeration is empty".to_owned(),
            ));
        }
        Ok(Self {
            branches,
            at: 0,
            end,
            longest,
        })
    }

    fn next(&self) -> Next {
        let mut given = Vec::new();
        let mut branch = &self.branches[self.at];
        while let (false, 1, Some((token, next))) =
            (branch.ends, branch.on.len(), branch.on.iter().next())
        {
            given.push(*token);
            branch = &self.branches[*next];
        }
        if !given.is_empty() {
            Next::Given(given)
        } else if branch.on.is_empty() {
            Next::Over(FinishReason::Stop)
        } else {
            Next::Drawn
        }
    }

    fn allows(&self, token: u32) -> bool {
        let branch = &self.branches[self.at];
        branch.on.contains_key(&token) || (branch.ends && token == self.end)
    }

    fn take(&mut self, token: u32) {
        if let Some(next) = self.branches[self.at].on.get(&token) {
            self.at = *next;
        }
    }
}

impl Guide {
    /// Makes a constraint ready for a reply of at most `most` tokens, whose end is the token `end`.
    pub(super) fn new(
        constraint: &Constraint,
        vocabulary: &Vocabulary,
        end: u32,
        most: usize,
    ) -> Result<Self, GuideError> {
        match constraint {
            Constraint::None => Ok(Self::Free),
            Constraint::OneOf(texts) => {
                let one_of = OneOf::new(texts, vocabulary, end)?;
                if one_of.longest > most {
                    let what = "the longest text of the enumeration".to_owned();
                    return Err(GuideError::Long(what, one_of.longest));
                }
                Ok(Self::OneOf(one_of))
            }
            Constraint::JsonSchema { name, schema } => {
                let schema = Schema::read(schema).map_err(|error| {
                    GuideError::Impossible(format!("schema \"{name}\": {error}"))
                })?;
                let writing = Writing::new(Arc::new(schema));
                let shortest = writing.closing().len();
                if shortest > most {
                    let what = format!("the shortest reply that fits schema \"{name}\"");
                    return Err(GuideError::Long(what, shortest));
                }
                Ok(Self::Json(writing))
            }
        }
    }

    /// The most tokens that the reply can take, if it may take `most`.
    pub(super) fn longest(&self, most: usize) -> usize {
        match self {
            Self::OneOf(one_of) => one_of.longest,
            Self::Free | Self::Json(_) => most,
        }
    }

    /// What comes next, if the reply may have `left` tokens more.
    pub(super) fn next(&self, left: usize, vocabulary: &Vocabulary) -> Result<Next, GuideError> {
        match self {
            Self::Free if left == 0 => Ok(Next::Over(FinishReason::Length)),
            Self::Free => Ok(Next::Drawn),
            Self::OneOf(one_of) => Ok(one_of.next()),
            Self::Json(writing) => next_of_json(writing, left, vocabulary),
        }
    }

    /// Whether a token may come next.
    pub(super) fn allows(&self, token: u32, left: usize, vocabulary: &Vocabulary) -> bool {
        let bytes = vocabulary.bytes(token);
        match self {
            Self::Free => !bytes.is_empty() || vocabulary.is_end(token),
            Self::OneOf(one_of) => one_of.allows(token),
            Self::Json(writing) if bytes.is_empty() => {
                vocabulary.is_end(token) && writing.is_complete()
            }
            Self::Json(writing) => {
                let mut written = writing.clone();
                written.write(bytes) && written.closing().len() < left
            }
        }
    }

    /// Goes on with a token that is allowed.
    pub(super) fn take(&mut self, token: u32, vocabulary: &Vocabulary) {
        match self {
            Self::Free => {}
            Self::OneOf(one_of) => one_of.take(token),
            Self::Json(writing) => {
                writing.write(vocabulary.bytes(token));
            }
        }
    }
}

/// A byte takes at most one token, so that the bytes of the way to the end bound its tokens.
fn next_of_json(
    writing: &Writing,
    left: usize,
    vocabulary: &Vocabulary,
) -> Result<Next, GuideError> {
    if writing.is_over() {
        return Ok(Next::Over(FinishReason::Stop));
    }
    let closing = writing.closing();
    if closing.is_empty() && left == 0 {
        return Ok(Next::Over(FinishReason::Length));
    }
    if !closing.is_empty() && closing.len() >= left {
        return given(&closing, vocabulary).map(Next::Closed);
    }
    let run = run(writing);
    let whole = match std::str::from_utf8(&run) {
        Ok(_) => run.len(),
        Err(error) => error.valid_up_to(),
    };
    if whole > 0 && whole < left {
        return given(&run[..whole], vocabulary).map(Next::Given);
    }
    Ok(Next::Drawn)
}

/// The bytes that must come next.
fn run(writing: &Writing) -> Vec<u8> {
    let mut writing = writing.clone();
    let mut run = Vec::new();
    while run.len() < RUN && !writing.is_complete() {
        let mut on = (0..=u8::MAX).filter(|byte| writing.clone().write(&[*byte]));
        let (Some(byte), None) = (on.next(), on.next()) else {
            break;
        };
        drop(on);
        writing.write(&[byte]);
        run.push(byte);
    }
    run
}

/// Tokens of bytes that are given. A character of which some is written already has no token of its own for the rest:
/// then its bytes are tokens.
fn given(bytes: &[u8], vocabulary: &Vocabulary) -> Result<Vec<u32>, GuideError> {
    let start = bytes
        .iter()
        .take_while(|byte| (0x80..=0xbf).contains(*byte))
        .count();
    let mut tokens = Vec::new();
    for byte in &bytes[..start] {
        let token = vocabulary.byte(*byte);
        tokens.push(token.ok_or_else(|| {
            GuideError::Impossible(format!("the vocabulary has no token for byte {byte:#x}"))
        })?);
    }
    let text = String::from_utf8_lossy(&bytes[start..]);
    tokens.extend(exact(&text, vocabulary)?);
    Ok(tokens)
}

/// Tokens that stand for exactly this text.
fn exact(text: &str, vocabulary: &Vocabulary) -> Result<Vec<u32>, GuideError> {
    let tokens = vocabulary
        .encode(text)
        .map_err(|error| GuideError::Impossible(error.to_string()))?;
    let bytes = tokens.iter().flat_map(|token| vocabulary.bytes(*token));
    if bytes.eq(text.as_bytes()) {
        Ok(tokens)
    } else {
        let why = format!("the vocabulary has no tokens for \"{text}\"");
        Err(GuideError::Impossible(why))
    }
}
