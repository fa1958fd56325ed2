//! What is the shortest text with which JSON that is begun ends?

use super::schema::Node;
use super::{Frame, ObjectAt, Writing, alike, text};

impl Writing {
    /// The shortest text with which it ends.
    pub(crate) fn closing(&self) -> Vec<u8> {
        let closings = self.frames.iter().rev().map(|frame| self.close(frame));
        closings.collect::<Vec<_>>().concat()
    }

    fn close(&self, frame: &Frame) -> Vec<u8> {
        let shortest = &self.schema.shortest;
        match frame {
            Frame::Ahead(node) => shortest[*node].clone(),
            Frame::Text { at, .. } => text::close(*at),
            Frame::Number { node, number } => {
                let range = self.schema.range(*node);
                range.map_or_else(Vec::new, |range| number.closing(range).into_bytes())
            }
            Frame::Choice {
                node,
                first,
                written,
            } => {
                let texts = self.schema.texts(*node);
                let rests = alike(texts, |text| text, *first, *written)
                    .map(|index| &texts[index][*written..]);
                let shortest = rests.min_by_key(|rest| rest.len());
                shortest.unwrap_or_default().to_vec()
            }
            Frame::Object { node, next, at } => self.close_object(*node, *next, *at),
            Frame::Array { node, count } => self.close_array(*node, *count),
        }
    }

    fn close_array(&self, node: usize, count: usize) -> Vec<u8> {
        let Node::Array { item, least, .. } = &self.schema.nodes[node] else {
            return Vec::new();
        };
        let mut text = Vec::new();
        for index in count..*least {
            if index > 0 {
                text.push(b',');
            }
            text.extend_from_slice(&self.schema.shortest[*item]);
        }
        text.push(b']');
        text
    }

    fn close_object(&self, node: usize, mut next: usize, at: ObjectAt) -> Vec<u8> {
        let Node::Object { keys, required } = &self.schema.nodes[node] else {
            return Vec::new();
        };
        let value = |index: usize| &self.schema.shortest[keys[index].1];
        let mut text = Vec::new();
        if let ObjectAt::Key { first, written } = at {
            let open = if next < *required {
                next + 1
            } else {
                keys.len()
            };
            let rest = |index: usize| [&keys[index].0[written..], value(index)].concat();
            let alike = alike(&keys[..open], |(key, _)| key, first, written);
            let shortest = alike
                .map(|index| (rest(index), index))
                .min_by_key(|(rest, _)| rest.len());
            if let Some((rest, index)) = shortest {
                text.extend(rest);
                next = index + 1;
            }
        }
        for (index, (key, _)) in keys.iter().enumerate().take(*required).skip(next) {
            if index > 0 {
                text.push(b',');
            }
            text.extend_from_slice(key);
            text.extend_from_slice(value(index));
        }
        text.push(b'}');
        text
    }
}
