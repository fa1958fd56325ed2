//! What is each thing called? Ids, namespaces and points in time, all made by the caller.
//!
//! Nothing here reads a clock or draws a random number.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Milliseconds since 1970-01-01 UTC.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Timestamp(pub u64);

impl Timestamp {
    /// This moment plus `millis`, at most the end of time.
    #[must_use]
    pub const fn plus_millis(self, millis: u64) -> Self {
        Self(self.0.saturating_add(millis))
    }

    /// Milliseconds from `earlier` to this moment, 0 if it lies ahead.
    #[must_use]
    pub const fn millis_since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// A 128-bit id that sorts by time of creation and prints as a ULID (26 characters, Crockford base 32).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ulid(pub u128);

const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const CHARACTERS: usize = 26;

impl Ulid {
    /// The id of something made at `at`; the low 80 bits of `random` tell apart what was made in the same millisecond.
    ///
    /// ```
    /// use memory::{Timestamp, Ulid};
    /// assert_eq!(Ulid::from_parts(Timestamp(0), 31).to_string(), "0000000000000000000000000Z");
    /// ```
    #[must_use]
    pub const fn from_parts(at: Timestamp, random: u128) -> Self {
        Self(((at.0 as u128 & 0xFFFF_FFFF_FFFF) << 80) | (random & ((1 << 80) - 1)))
    }

    /// The ids whose text begins so, in either case; none if no id does.
    ///
    /// ```
    /// use memory::Ulid;
    /// let id = Ulid::from_parts(memory::Timestamp(1_700_000_000_000), 5);
    /// let beginning = &id.to_string()[..10];
    /// assert!(Ulid::beginning_with(beginning).is_some_and(|ids| ids.contains(&id)));
    /// assert_eq!(Ulid::beginning_with("not an id"), None);
    /// ```
    #[must_use]
    pub fn beginning_with(text: &str) -> Option<RangeInclusive<Self>> {
        let rest = CHARACTERS.checked_sub(text.chars().count())?;
        let filled = |digit: &str| format!("{text}{}", digit.repeat(rest)).parse::<Self>();
        let (first, last) = (filled("0").ok()?, filled("Z").ok()?);
        Some(first..=last)
    }

    /// When the thing was made.
    #[must_use]
    pub const fn timestamp(self) -> Timestamp {
        let bytes = self.0.to_be_bytes();
        Timestamp(u64::from_be_bytes([
            0, 0, bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5],
        ]))
    }
}

impl fmt::Display for Ulid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for place in (0..CHARACTERS).rev() {
            let digit = ((self.0 >> (5 * place)) & 31) as usize;
            write!(f, "{}", char::from(ALPHABET[digit]))?;
        }
        Ok(())
    }
}

impl fmt::Debug for Ulid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// A text is not a ULID.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{text}` is not an id: 26 characters of 0-9 and A-Z without I, L, O, U are expected")]
pub struct InvalidId {
    /// The text.
    pub text: String,
}

impl FromStr for Ulid {
    type Err = InvalidId;

    fn from_str(text: &str) -> Result<Self, InvalidId> {
        let invalid = || InvalidId {
            text: text.chars().take(64).collect(),
        };
        if text.len() != CHARACTERS {
            return Err(invalid());
        }
        let mut value: u128 = 0;
        for byte in text.bytes() {
            let upper = byte.to_ascii_uppercase();
            let digit = ALPHABET
                .iter()
                .position(|c| *c == upper)
                .ok_or_else(invalid)?;
            value = value.checked_mul(32).ok_or_else(invalid)? | digit as u128;
        }
        Ok(Self(value))
    }
}

impl Serialize for Ulid {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.collect_str(self)
        } else {
            self.0.to_be_bytes().serialize(serializer)
        }
    }
}

impl<'de> Deserialize<'de> for Ulid {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            String::deserialize(deserializer)?
                .parse()
                .map_err(serde::de::Error::custom)
        } else {
            <[u8; 16]>::deserialize(deserializer).map(|bytes| Self(u128::from_be_bytes(bytes)))
        }
    }
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub Ulid);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = InvalidId;

            fn from_str(text: &str) -> Result<Self, InvalidId> {
                text.parse().map(Self)
            }
        }
    };
}

id!(
    /// Names one experience.
    ExperienceId
);
id!(
    /// Names one answer given; feedback is about it.
    AnswerId
);

/// A tenant. It comes from the credential, never from the request.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Namespace(Arc<str>);

impl Namespace {
    /// The namespace of that name.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self(Arc::from(name))
    }

    /// Its name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for Namespace {
    /// `default`, for whoever has only one.
    fn default() -> Self {
        Self::new("default")
    }
}

impl fmt::Display for Namespace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_ulid_survives_text_and_keeps_its_time(at in 0_u64..(1 << 48), random: u128) {
            let id = Ulid::from_parts(Timestamp(at), random);
            prop_assert_eq!(id.to_string().parse::<Ulid>(), Ok(id));
            prop_assert_eq!(id.timestamp(), Timestamp(at));
        }

        #[test]
        fn text_order_is_id_order(a: u128, b: u128) {
            prop_assert_eq!(Ulid(a).cmp(&Ulid(b)), Ulid(a).to_string().cmp(&Ulid(b).to_string()));
        }

        #[test]
        fn no_text_panics(text in "\\PC{0,40}") {
            let _ = text.parse::<Ulid>();
        }
    }

    #[test]
    fn what_is_too_large_or_misspelt_is_refused() {
        assert!("8ZZZZZZZZZZZZZZZZZZZZZZZZZ".parse::<Ulid>().is_err());
        assert!("0000000000000000000000000U".parse::<Ulid>().is_err());
        assert!("".parse::<Ulid>().is_err());
    }
}
