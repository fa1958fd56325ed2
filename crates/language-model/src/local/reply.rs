//! What of the bytes that a model gives may be shown? Whole characters, up to a stop text.

/// A reply that is being written.
pub(super) struct Reply<'a> {
    text: String,
    /// Bytes of a character that is not whole.
    partial: Vec<u8>,
    shown: usize,
    stops: &'a [String],
    show: &'a mut dyn FnMut(&str),
}

impl<'a> Reply<'a> {
    /// An empty reply that ends at any of `stops`; `show` is given each piece.
    pub(super) fn new(stops: &'a [String], show: &'a mut dyn FnMut(&str)) -> Self {
        Self {
            text: String::new(),
            partial: Vec::new(),
            shown: 0,
            stops,
            show,
        }
    }

    /// Takes bytes; whether a stop text has come, which is then cut off with what follows.
    pub(super) fn push(&mut self, bytes: &[u8]) -> bool {
        let before = self.text.len();
        self.partial.extend_from_slice(bytes);
        self.take_whole();
        let stops = self.stops.iter().filter(|stop| !stop.is_empty());
        let longest = stops.clone().map(String::len).max().unwrap_or(0);
        let from = floor(&self.text, before.saturating_sub(longest));
        let found = stops
            .clone()
            .filter_map(|stop| self.text[from..].find(stop.as_str()))
            .min();
        if let Some(at) = found {
            self.text.truncate(from + at);
            self.show_up_to(self.text.len());
            return true;
        }
        let held = stops.map(|stop| held_back(&self.text, stop)).max();
        self.show_up_to(self.text.len() - held.unwrap_or(0));
        false
    }

    /// The whole text; a character that is not whole is left out.
    pub(super) fn finish(mut self) -> String {
        self.show_up_to(self.text.len());
        self.text
    }

    /// Moves whole characters to the text; bytes that are none become U+FFFD.
    fn take_whole(&mut self) {
        loop {
            match std::str::from_utf8(&self.partial) {
                Ok(text) => {
                    self.text.push_str(text);
                    self.partial.clear();
                    return;
                }
                Err(error) => {
                    let whole = error.valid_up_to();
                    let text = String::from_utf8_lossy(&self.partial[..whole]).into_owned();
                    self.text.push_str(&text);
                    let Some(wrong) = error.error_len() else {
                        self.partial.drain(..whole);
                        return;
                    };
                    self.text.push(char::REPLACEMENT_CHARACTER);
                    self.partial.drain(..whole + wrong);
                }
            }
        }
    }

    fn show_up_to(&mut self, end: usize) {
        if end > self.shown {
            (self.show)(&self.text[self.shown..end]);
            self.shown = end;
        }
    }
}

/// How many bytes at the end of `text` may be the beginning of `stop`.
fn held_back(text: &str, stop: &str) -> usize {
    let starts = stop.char_indices().map(|(at, _)| at).skip(1);
    let longest = starts.filter(|at| text.ends_with(&stop[..*at])).max();
    longest.unwrap_or(0)
}

/// The start of the character at `at`.
fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn pieces_are_whole_make_the_text_and_end_at_the_first_stop_text(
            text in "[abé€𝄞 ]{0,40}", stop in "[abé€ ]{1,4}", cuts in prop::collection::vec(1_usize..5, 1..8),
        ) {
            let mut pieces = Vec::new();
            let stops = [stop.clone()];
            let mut show = |piece: &str| pieces.push(piece.to_owned());
            let mut reply = Reply::new(&stops, &mut show);
            let mut rest = text.as_bytes();
            for cut in cuts.iter().cycle() {
                let (now, later) = rest.split_at((*cut).min(rest.len()));
                if now.is_empty() || reply.push(now) { break }
                rest = later;
            }
            let whole = reply.finish();
            prop_assert_eq!(&whole, text.split(&stop).next().unwrap());
            prop_assert_eq!(pieces.concat(), whole);
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_marked_and_a_character_that_is_cut_is_left_out() {
        let mut show = |_: &str| {};
        let mut reply = Reply::new(&[], &mut show);
        reply.push(b"a\xffb\xe2\x82");
        assert_eq!(reply.finish(), "a\u{fffd}b");
    }
}
