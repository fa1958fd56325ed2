//! Can bytes break the reader of the journal, or what it reads break the memory? Neither panics.
//!
//! The first byte says how the rest is meant: as a record with its checksum, as the fields of one (the checksum is put
//! before them, so that the fuzzer gets past it), or as a script of changes to a whole record.
#![no_main]

use libfuzzer_sys::fuzz_target;
use memory::codec::{CHECKSUM_BYTES, checksum, decode_event, decode_state, encode_event, encode_state};
use memory::{Settings, State};

fn with_checksum(fields: &[u8]) -> Vec<u8> {
    [checksum(fields).as_slice(), fields].concat()
}

fuzz_target!(|bytes: &[u8]| {
    let Some((how, rest)) = bytes.split_first() else { return };
    let record = if how % 4 == 0 { rest.to_vec() } else { with_checksum(rest) };
    if how % 2 == 1 {
        if let Ok(state) = decode_state(&record) {
            let again = encode_state(&state).expect("what was read can be written");
            assert_eq!(encode_state(&decode_state(&again).expect("and read")).expect("and written"), again);
        }
        return;
    }
    let Ok(event) = decode_event(&record) else { return };
    let again = encode_event(&event).expect("what was read can be written");
    assert!(again.len() >= CHECKSUM_BYTES);
    let mut state = State::new(Settings::default());
    state.apply(&event);
    state.apply(&event);
    let bytes = encode_state(&state).expect("a state can be written");
    assert_eq!(encode_state(&decode_state(&bytes).expect("and read")).expect("and written"), bytes);
});
