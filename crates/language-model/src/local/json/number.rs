//! Which digits may come next, so that a number ends up between two bounds?
//!
//! Numbers without exponents, of at most 15 digits before the point and 6 behind it, counted in millionths.

/// Digits before the point: whole numbers of so many digits are exact in a 64-bit floating-point number.
const WHOLE_DIGITS: u8 = 15;

/// Digits behind the point.
const PLACES: u8 = 6;

/// Millionths of one.
const ONE: i128 = 1_000_000;

/// The largest number, in millionths.
const MOST: i128 = 999_999_999_999_999 * ONE;

/// Between what a number must lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Range {
    whole: bool,
    low: i128,
    high: i128,
}

impl Range {
    /// The range of a schema's `minimum` and `maximum`; nothing, where no number that is written here lies in it.
    pub(crate) fn new(whole: bool, minimum: Option<f64>, maximum: Option<f64>) -> Option<Self> {
        let low = minimum.map_or(-MOST, |x| millionths(x, 1));
        let high = maximum.map_or(MOST, |x| millionths(x, -1));
        let range = Self {
            whole,
            low: low.max(-MOST),
            high: high.min(MOST),
        };
        Number::default().need(&range).map(|_| range)
    }
}

/// The nearest millionth that is not below (`step` 1) or not above (`step` -1) a number.
fn millionths(x: f64, step: i128) -> i128 {
    let scaled = x * 1e6;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "what is too large becomes the largest, which is then bounded"
    )]
    let mut nearest = if step > 0 {
        scaled.ceil()
    } else {
        scaled.floor()
    } as i128;
    if nearest.abs() >= MOST {
        return nearest;
    }
    #[expect(clippy::cast_precision_loss, reason = "the nearest number is meant")]
    let value = |n: i128| n as f64 / 1e6;
    let outside = |n: i128| {
        if step > 0 { value(n) < x } else { value(n) > x }
    };
    // At most a few steps: scaling is off by one unit in the last place.
    for _ in 0..8 {
        if !outside(nearest) {
            break;
        }
        nearest += step;
    }
    nearest
}

/// A number as far as it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Number {
    negative: bool,
    whole: i128,
    digits: u8,
    /// Digits behind the point, and how many.
    fraction: Option<(i128, u8)>,
}

impl Number {
    /// The number with one more byte, if a number in the range can begin so.
    pub(crate) fn next(self, byte: u8, range: &Range) -> Option<Self> {
        let next = self.written(byte, range.whole)?;
        next.need(range).map(|_| next)
    }

    /// Whether it is a number in the range as it stands.
    pub(crate) fn is_complete(self, range: &Range) -> bool {
        self.need(range) == Some(0)
    }

    /// The shortest text with which it becomes a number in the range.
    pub(crate) fn closing(mut self, range: &Range) -> String {
        let mut text = String::new();
        while let Some(left @ 1..) = self.need(range) {
            let better = b".0123456789-".iter().find_map(|byte| {
                let next = self.written(*byte, range.whole)?;
                (next.need(range)? < left).then_some((*byte, next))
            });
            let Some((byte, next)) = better else { break };
            text.push(char::from(byte));
            self = next;
        }
        text
    }

    fn written(mut self, byte: u8, whole: bool) -> Option<Self> {
        match byte {
            b'-' if self.digits == 0 && !self.negative => self.negative = true,
            b'.' if self.digits > 0 && !whole && self.fraction.is_none() => {
                self.fraction = Some((0, 0));
            }
            b'0'..=b'9' => {
                let digit = i128::from(byte - b'0');
                if let Some((fraction, places)) = &mut self.fraction {
                    *fraction = *fraction * 10 + digit;
                    *places += 1;
                    if *places > PLACES {
                        return None;
                    }
                } else {
                    let leading_zero = self.digits == 1 && self.whole == 0;
                    let minus_zero = whole && self.negative && self.digits == 0 && digit == 0;
                    if leading_zero || minus_zero || self.digits == WHOLE_DIGITS {
                        return None;
                    }
                    self.whole = self.whole * 10 + digit;
                    self.digits += 1;
                }
            }
            _ => return None,
        }
        Some(self)
    }

    /// The fewest bytes that make it a number in the range; nothing, where none do.
    fn need(self, range: &Range) -> Option<usize> {
        let own = if let Some((fraction, places)) = self.fraction {
            let base = self.whole * ONE + fraction * power(PLACES - places);
            let least = u8::from(places == 0);
            (least..=PLACES - places)
                .find(|more| {
                    let step = power(PLACES - places - more);
                    self.reaches(base, base + (power(*more) - 1) * step, step, range)
                })
                .map(usize::from)
        } else {
            self.need_of_whole(range)
        };
        let may_turn = self.digits == 0 && !self.negative;
        let turned = may_turn.then(|| {
            let negative = Self {
                negative: true,
                ..self
            };
            negative.need(range).map(|need| need + 1)
        });
        own.into_iter().chain(turned.flatten()).min()
    }

    /// The same where there is no point yet.
    fn need_of_whole(self, range: &Range) -> Option<usize> {
        let zero = self.digits == 1 && self.whole == 0;
        let most = if zero { 0 } else { WHOLE_DIGITS - self.digits };
        let least = u8::from(self.digits == 0);
        let mut best: Option<usize> = None;
        for more in least..=most {
            let (low, high) = match (self.digits, more) {
                (0, 1) => (i128::from(range.whole && self.negative), 9),
                (0, _) => (power(more - 1), power(more) - 1),
                _ => {
                    let low = self.whole * power(more);
                    (low, low + power(more) - 1)
                }
            };
            let places = if range.whole { 0 } else { PLACES };
            for places in 0..=places {
                let step = power(PLACES - places);
                let high = high * ONE + (ONE - step);
                let bytes = usize::from(more) + usize::from(places) + usize::from(places > 0);
                if best.is_none_or(|best| bytes < best)
                    && self.reaches(low * ONE, high, step, range)
                {
                    best = Some(bytes);
                }
            }
        }
        best
    }

    /// Whether a multiple of `step` from `low` to `high`, with this number's sign, lies in the range.
    fn reaches(self, low: i128, high: i128, step: i128, range: &Range) -> bool {
        let (low, high) = if self.negative {
            (-high, -low)
        } else {
            (low, high)
        };
        let first = low.max(range.low);
        let first = -((-first).div_euclid(step)) * step;
        first <= high.min(range.high)
    }
}

const fn power(digits: u8) -> i128 {
    10_i128.pow(digits as u32)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ends(range: &Range, text: &str) -> Option<Number> {
        text.bytes()
            .try_fold(Number::default(), |number, byte| number.next(byte, range))
    }

    proptest! {
        #[test]
        fn whole_numbers_are_written_if_and_only_if_they_lie_between_the_bounds(
            low in -2_000_i64..2_000, width in 0_i64..1_500, number in -4_000_i64..4_000,
        ) {
            #[expect(clippy::cast_precision_loss, reason = "small numbers")]
            let range = Range::new(true, Some(low as f64), Some((low + width) as f64)).unwrap();
            let written = ends(&range, &number.to_string()).is_some_and(|n| n.is_complete(&range));
            prop_assert_eq!(written, (low..=low + width).contains(&number));
            let closing: i64 = Number::default().closing(&range).parse().unwrap();
            prop_assert!((low..=low + width).contains(&closing));
        }

        #[test]
        fn whatever_is_written_can_be_closed_between_the_bounds(
            low in -500.0_f64..500.0, width in 0.000_002_f64..300.0, choices in prop::collection::vec(0_usize..12, 0..30),
        ) {
            let range = Range::new(false, Some(low), Some(low + width)).unwrap();
            let mut number = Number::default();
            let mut text = String::new();
            for choice in choices {
                let allowed: Vec<u8> = b"-.0123456789".iter().copied()
                    .filter(|byte| number.next(*byte, &range).is_some()).collect();
                let Some(byte) = allowed.get(choice % allowed.len().max(1)) else { break };
                number = number.next(*byte, &range).unwrap();
                text.push(char::from(*byte));
            }
            text.push_str(&number.closing(&range));
            let value: f64 = serde_json::from_str(&text).unwrap();
            prop_assert!((low..=low + width).contains(&value), "{text} in {low}..={}", low + width);
        }
    }

    #[test]
    fn a_range_without_a_number_is_none() {
        assert_eq!(Range::new(true, Some(0.2), Some(0.8)), None);
        assert_eq!(Range::new(true, Some(3.0), Some(2.0)), None);
        assert!(Range::new(false, Some(0.2), Some(0.8)).is_some());
        assert!(Range::new(true, Some(f64::NAN), None).is_none_or(|r| r.low >= -MOST));
    }

    #[test]
    fn a_whole_number_is_never_minus_zero() {
        let range = Range::new(true, None, None).unwrap();
        assert!(ends(&range, "-0").is_none());
        assert!(ends(&range, "00").is_none());
        assert!(ends(&range, "0").is_some());
    }
}
