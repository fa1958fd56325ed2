//! How is an event written as bytes? A checksum, then the fields in order.
//!
//! Reading never panics and never allocates more than the bytes can fill: it is fuzzed (`fuzz/`, target `journal`).

use memory::{Event, State};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::JournalError;

/// The version of the format. Any change to the fields of an event or of the state raises it.
pub const FORMAT: u64 = 1;

/// Bytes of the checksum before the fields.
const CHECKSUM: usize = 8;

/// An event as bytes.
///
/// # Errors
/// When it cannot be encoded.
pub fn encode_event(event: &Event) -> Result<Vec<u8>, JournalError> {
    encode(event)
}

/// The event that bytes hold.
///
/// # Errors
/// When the checksum or the fields are wrong, or bytes are left over.
pub fn decode_event(bytes: &[u8]) -> Result<Event, JournalError> {
    decode(bytes).ok_or(JournalError::Decode {
        what: "event",
        bytes: bytes.len(),
    })
}

/// A state as bytes.
///
/// # Errors
/// When it cannot be encoded.
pub fn encode_state(state: &State) -> Result<Vec<u8>, JournalError> {
    encode(state)
}

/// The state that bytes hold.
///
/// # Errors
/// When the checksum or the fields are wrong, or bytes are left over.
pub fn decode_state(bytes: &[u8]) -> Result<State, JournalError> {
    decode(bytes).ok_or(JournalError::Decode {
        what: "state",
        bytes: bytes.len(),
    })
}

fn encode<T: Serialize>(value: &T) -> Result<Vec<u8>, JournalError> {
    let mut bytes = postcard::to_extend(value, vec![0; CHECKSUM]).map_err(JournalError::Encode)?;
    let sum = checksum(&bytes[CHECKSUM..]);
    bytes[..CHECKSUM].copy_from_slice(&sum);
    Ok(bytes)
}

fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    let (sum, fields) = bytes.split_at_checked(CHECKSUM)?;
    if sum != checksum(fields) {
        return None;
    }
    let (value, rest) = postcard::take_from_bytes(fields).ok()?;
    rest.is_empty().then_some(value)
}

fn checksum(fields: &[u8]) -> [u8; CHECKSUM] {
    xxhash_rust::xxh3::xxh3_64(fields).to_le_bytes()
}
