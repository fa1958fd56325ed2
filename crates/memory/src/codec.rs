//! How is an event or a state written as bytes? A checksum, then the fields in order.
//!
//! Reading never panics and never allocates more than the bytes can fill: it is fuzzed (`fuzz/`, target `journal`).

use postcard::ser_flavors::Flavor;
use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

use crate::state::WithoutCut;
use crate::{Event, State};

/// The version of the format. Any change to the fields of an event or of the state raises it, and so does a new event.
pub const FORMAT: u64 = 6;

/// The oldest version whose events and states are read: 5 only knows one more event than 4, and the state of 6 goes on
/// behind the end of 5's.
pub const OLDEST_FORMAT: u64 = 4;

/// Bytes of the checksum before the fields.
pub const CHECKSUM_BYTES: usize = 8;

/// Bytes and values do not go together.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CodecError {
    /// A value cannot be written.
    #[error("the {what} cannot be written as bytes")]
    Encode {
        /// `event` or `state`.
        what: &'static str,
        /// Why.
        #[source]
        source: postcard::Error,
    },
    /// The checksum is wrong: bytes were lost or changed.
    #[error("{bytes} bytes of a {what} do not have their checksum")]
    Checksum {
        /// `event` or `state`.
        what: &'static str,
        /// How many bytes there were.
        bytes: usize,
    },
    /// The fields are no such value of this format.
    #[error("{bytes} bytes are no {what} of format {FORMAT}")]
    Decode {
        /// `event` or `state`.
        what: &'static str,
        /// How many bytes there were.
        bytes: usize,
    },
}

/// An event as bytes.
///
/// # Errors
/// When it cannot be encoded.
pub fn encode_event(event: &Event) -> Result<Vec<u8>, CodecError> {
    encode("event", event)
}

/// The event that bytes hold.
///
/// # Errors
/// When the checksum or the fields are wrong, or bytes are left over.
pub fn decode_event(bytes: &[u8]) -> Result<Event, CodecError> {
    decode("event", bytes)
}

/// A state as bytes.
///
/// # Errors
/// When it cannot be encoded.
pub fn encode_state(state: &State) -> Result<Vec<u8>, CodecError> {
    encode("state", state)
}

/// The state that bytes hold.
///
/// # Errors
/// When the checksum or the fields are wrong, or bytes are left over.
pub fn decode_state(bytes: &[u8]) -> Result<State, CodecError> {
    decode("state", bytes).or_else(|error| match error {
        CodecError::Decode { .. } => decode("state", bytes).map(|read: WithoutCut| read.into()),
        CodecError::Encode { .. } | CodecError::Checksum { .. } => Err(error),
    })
}

/// The checksum that belongs before these fields.
#[must_use]
pub fn checksum(fields: &[u8]) -> [u8; CHECKSUM_BYTES] {
    let mut sum = [0; CHECKSUM_BYTES];
    sum.copy_from_slice(&blake3::hash(fields).as_bytes()[..CHECKSUM_BYTES]);
    sum
}

fn encode<T: Serialize>(what: &'static str, value: &T) -> Result<Vec<u8>, CodecError> {
    let begun = Whole(vec![0; CHECKSUM_BYTES]);
    let mut bytes = postcard::serialize_with_flavor(value, begun)
        .map_err(|source| CodecError::Encode { what, source })?;
    let sum = checksum(&bytes[CHECKSUM_BYTES..]);
    bytes[..CHECKSUM_BYTES].copy_from_slice(&sum);
    Ok(bytes)
}

/// Bytes that grow by whole pieces. The flavors of `postcard` itself write every string and vector byte by byte.
struct Whole(Vec<u8>);

impl Flavor for Whole {
    type Output = Vec<u8>;

    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        self.0.push(byte);
        Ok(())
    }

    fn try_extend(&mut self, piece: &[u8]) -> postcard::Result<()> {
        self.0.extend_from_slice(piece);
        Ok(())
    }

    fn finalize(self) -> postcard::Result<Vec<u8>> {
        Ok(self.0)
    }
}

fn decode<T: DeserializeOwned>(what: &'static str, bytes: &[u8]) -> Result<T, CodecError> {
    let wrong_sum = CodecError::Checksum {
        what,
        bytes: bytes.len(),
    };
    let Some((sum, fields)) = bytes.split_at_checked(CHECKSUM_BYTES) else {
        return Err(wrong_sum);
    };
    if sum != checksum(fields) {
        return Err(wrong_sum);
    }
    match postcard::take_from_bytes(fields) {
        Ok((value, [])) => Ok(value),
        Ok(_) | Err(_) => Err(CodecError::Decode {
            what,
            bytes: bytes.len(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::{episode, namespace, question};

    fn event() -> Event {
        Event::Episode {
            namespace: namespace(),
            episode: Box::new(episode(
                1,
                &question("who directed ⟨0⟩", "heat"),
                "director",
                "director",
            )),
        }
    }

    proptest! {
        #[test]
        fn an_event_survives_and_no_byte_can_change_unnoticed(place in any::<prop::sample::Index>(), flip in 1_u8..=255) {
            let mut bytes = encode_event(&event()).unwrap();
            prop_assert_eq!(decode_event(&bytes).unwrap(), event());
            let at = place.index(bytes.len());
            bytes[at] ^= flip;
            prop_assert!(decode_event(&bytes).is_err());
        }

        #[test]
        fn fields_that_lie_are_refused_or_read_but_never_panic(place in any::<prop::sample::Index>(), byte: u8, cut in any::<prop::sample::Index>()) {
            let mut bytes = encode_event(&event()).unwrap();
            let at = CHECKSUM_BYTES + place.index(bytes.len() - CHECKSUM_BYTES);
            bytes[at] = byte;
            bytes.truncate(CHECKSUM_BYTES + cut.index(bytes.len() - CHECKSUM_BYTES) + 1);
            let sum = checksum(&bytes[CHECKSUM_BYTES..]);
            bytes[..CHECKSUM_BYTES].copy_from_slice(&sum);
            if let Ok(event) = decode_event(&bytes) {
                let mut state = State::default();
                state.apply(&event);
                decode_state(&encode_state(&state).unwrap()).unwrap();
            }
        }
    }

    #[test]
    fn a_state_of_the_format_before_is_read() {
        let mut state = State::default();
        state.apply(&event());
        let bytes = encode_state(&state).unwrap();
        // It ended before the list of what was cut, which is empty here.
        let fields = &bytes[CHECKSUM_BYTES..bytes.len() - 1];
        let old: Vec<u8> = checksum(fields)
            .into_iter()
            .chain(fields.iter().copied())
            .collect();
        let read = decode_state(&old).unwrap();
        assert_eq!(encode_state(&read).unwrap(), bytes);
    }

    #[test]
    fn what_is_left_over_is_refused() {
        let mut bytes = encode_event(&event()).unwrap();
        bytes.push(0);
        let sum = checksum(&bytes[CHECKSUM_BYTES..]);
        bytes[..CHECKSUM_BYTES].copy_from_slice(&sum);
        assert!(matches!(
            decode_event(&bytes),
            Err(CodecError::Decode { .. })
        ));
    }
}
