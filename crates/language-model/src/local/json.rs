//! Which byte may come next, so that the whole becomes JSON that fits a schema?
//!
//! A pushdown automaton over bytes. It writes JSON without spaces, properties in the order of `required` and then of
//! `properties`, those that are not required or not. From every state there is a way to the end, and its shortest text is
//! known: so a reply that must end soon still fits. It knows nothing of tokens.

use std::sync::Arc;

mod closing;
mod number;
mod schema;
#[cfg(test)]
mod tests;
mod text;

use number::Number;
use schema::Node;
pub(crate) use schema::Schema;
use text::TextAt;

/// Where an object stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ObjectAt {
    /// After the brace.
    Open,
    /// Within a key: the first that fits so far, and how much of it is written.
    Key { first: usize, written: usize },
    /// After a value.
    Value,
}

/// A value that is not at its end.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Frame {
    /// It has not begun.
    Ahead(usize),
    Text {
        left: Option<usize>,
        at: TextAt,
    },
    Number {
        node: usize,
        number: Number,
    },
    Choice {
        node: usize,
        first: usize,
        written: usize,
    },
    Object {
        node: usize,
        next: usize,
        at: ObjectAt,
    },
    Array {
        node: usize,
        count: usize,
    },
}

/// JSON as far as it is written.
#[derive(Debug, Clone)]
pub(crate) struct Writing {
    schema: Arc<Schema>,
    frames: Vec<Frame>,
}

/// What a byte did to the innermost value.
enum Taken {
    /// It goes on.
    On(Frame),
    /// The byte ended it.
    Ended,
    /// It goes on, and a value begins within: with this byte, or with the next one.
    Within {
        outer: Frame,
        inner: usize,
        with_this: bool,
    },
    /// It was at its end before this byte.
    Before,
}

impl Writing {
    /// Nothing is written yet.
    pub(crate) fn new(schema: Arc<Schema>) -> Self {
        let frames = vec![Frame::Ahead(schema.root())];
        Self { schema, frames }
    }

    /// Writes bytes; `false`, and nothing to be gone on with, where they cannot come next.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> bool {
        bytes.iter().all(|byte| self.write_byte(*byte))
    }

    /// Whether it may end here.
    pub(crate) fn is_complete(&self) -> bool {
        match self.frames.as_slice() {
            [] => true,
            [frame] => self.may_end(frame),
            _ => false,
        }
    }

    /// Whether nothing can come any more.
    pub(crate) const fn is_over(&self) -> bool {
        self.frames.is_empty()
    }

    fn write_byte(&mut self, byte: u8) -> bool {
        // Each round either takes the byte or makes the stack shorter, or begins a value with it.
        while let Some(frame) = self.frames.pop() {
            match self.take(&frame, byte) {
                None => return false,
                Some(Taken::On(frame)) => {
                    self.frames.push(frame);
                    return true;
                }
                Some(Taken::Ended) => return true,
                Some(Taken::Before) => {}
                Some(Taken::Within {
                    outer,
                    inner,
                    with_this,
                }) => {
                    self.frames.push(outer);
                    self.frames.push(Frame::Ahead(inner));
                    if !with_this {
                        return true;
                    }
                }
            }
        }
        false
    }

    fn take(&self, frame: &Frame, byte: u8) -> Option<Taken> {
        match frame {
            Frame::Ahead(node) => self.begin(*node, byte),
            Frame::Text { left, at } => text::take(*left, *at, byte),
            Frame::Number { node, number } => {
                let range = self.schema.range(*node)?;
                if let Some(number) = number.next(byte, range) {
                    let node = *node;
                    return Some(Taken::On(Frame::Number { node, number }));
                }
                number.is_complete(range).then_some(Taken::Before)
            }
            Frame::Choice {
                node,
                first,
                written,
            } => self.choose(*node, *first, *written, byte),
            Frame::Object { node, next, at } => self.object(*node, *next, *at, byte),
            Frame::Array { node, count } => self.array(*node, *count, byte),
        }
    }

    fn begin(&self, node: usize, byte: u8) -> Option<Taken> {
        match &self.schema.nodes[node] {
            Node::Text(most) => (byte == b'"').then_some(Taken::On(Frame::Text {
                left: *most,
                at: TextAt::Between,
            })),
            Node::Number(range) => {
                let number = Number::default().next(byte, range)?;
                Some(Taken::On(Frame::Number { node, number }))
            }
            Node::Choice(_) => self.choose(node, 0, 0, byte),
            Node::Object { .. } => (byte == b'{').then_some(Taken::On(Frame::Object {
                node,
                next: 0,
                at: ObjectAt::Open,
            })),
            Node::Array { .. } => {
                (byte == b'[').then_some(Taken::On(Frame::Array { node, count: 0 }))
            }
            Node::Any(nodes) => nodes.iter().find_map(|node| self.begin(*node, byte)),
        }
    }

    fn choose(&self, node: usize, first: usize, written: usize, byte: u8) -> Option<Taken> {
        let texts = self.schema.texts(node);
        match continued(texts, |text| text, first, written, byte) {
            None => (texts[first].len() == written).then_some(Taken::Before),
            Some((first, true)) => {
                let written = written + 1;
                Some(Taken::On(Frame::Choice {
                    node,
                    first,
                    written,
                }))
            }
            Some((_, false)) => Some(Taken::Ended),
        }
    }

    fn object(&self, node: usize, next: usize, at: ObjectAt, byte: u8) -> Option<Taken> {
        let Node::Object { keys, required } = &self.schema.nodes[node] else {
            return None;
        };
        let frame = |next, at| Frame::Object { node, next, at };
        match (at, byte) {
            (ObjectAt::Open | ObjectAt::Value, b'}') => (next >= *required).then_some(Taken::Ended),
            (ObjectAt::Value, b',') if next < keys.len() => {
                let key = ObjectAt::Key {
                    first: next,
                    written: 0,
                };
                Some(Taken::On(frame(next, key)))
            }
            (ObjectAt::Value, _) => None,
            (ObjectAt::Open, _) => self.key(node, next, (next, 0), byte),
            (ObjectAt::Key { first, written }, _) => self.key(node, next, (first, written), byte),
        }
    }

    fn key(
        &self,
        node: usize,
        next: usize,
        (first, written): (usize, usize),
        byte: u8,
    ) -> Option<Taken> {
        let Node::Object { keys, required } = &self.schema.nodes[node] else {
            return None;
        };
        // A required key cannot be passed by.
        let open = if next < *required {
            &keys[..=next]
        } else {
            keys.as_slice()
        };
        let (found, _) = continued(open, |(key, _)| key, first, written, byte)?;
        let written = written + 1;
        let (key, inner) = &keys[found];
        if key.len() > written {
            let at = ObjectAt::Key {
                first: found,
                written,
            };
            return Some(Taken::On(Frame::Object { node, next, at }));
        }
        Some(Taken::Within {
            outer: Frame::Object {
                node,
                next: found + 1,
                at: ObjectAt::Value,
            },
            inner: *inner,
            with_this: false,
        })
    }

    fn array(&self, node: usize, count: usize, byte: u8) -> Option<Taken> {
        let Node::Array { item, least, most } = &self.schema.nodes[node] else {
            return None;
        };
        let within = |with_this| Taken::Within {
            outer: Frame::Array {
                node,
                count: count + 1,
            },
            inner: *item,
            with_this,
        };
        match byte {
            b']' => (count >= *least).then_some(Taken::Ended),
            _ if count >= *most => None,
            b',' if count > 0 => Some(within(false)),
            _ if count == 0 => Some(within(true)),
            _ => None,
        }
    }

    fn may_end(&self, frame: &Frame) -> bool {
        match frame {
            Frame::Number { node, number } => {
                let range = self.schema.range(*node);
                range.is_some_and(|range| number.is_complete(range))
            }
            Frame::Choice {
                node,
                first,
                written,
            } => self.schema.texts(*node)[*first].len() == *written,
            Frame::Ahead(_) | Frame::Text { .. } | Frame::Object { .. } | Frame::Array { .. } => {
                false
            }
        }
    }
}

/// Those of `texts`, from `first` on, that begin with the first `written` bytes of `texts[first]`.
fn alike<T>(
    texts: &[T],
    bytes: impl Fn(&T) -> &Vec<u8>,
    first: usize,
    written: usize,
) -> impl Iterator<Item = usize> {
    let begins = move |index: &usize| {
        let beginning = &bytes(&texts[first])[..written];
        bytes(&texts[*index]).starts_with(beginning)
    };
    (first..texts.len()).filter(begins)
}

/// The first of the texts that goes on with `byte`, and whether any that does has more to come.
fn continued<T>(
    texts: &[T],
    bytes: impl Fn(&T) -> &Vec<u8> + Copy,
    first: usize,
    written: usize,
    byte: u8,
) -> Option<(usize, bool)> {
    let on = |index: &usize| bytes(&texts[*index]).get(written) == Some(&byte);
    let mut found = alike(texts, bytes, first, written).filter(on).peekable();
    let start = *found.peek()?;
    // The text that is whole comes first where there is one, so that its end is seen.
    let (mut whole, mut more) = (None, false);
    for index in found {
        if bytes(&texts[index]).len() == written + 1 {
            whole = whole.or(Some(index));
        } else {
            more = true;
        }
    }
    Some((whole.unwrap_or(start), more))
}
