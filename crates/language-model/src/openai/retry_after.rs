//! When does a server want to be asked again?
//!
//! RFC 9110, 10.2.3: a number of seconds or a date. A date is compared with the server's own `Date`, so
//! that no clock of this machine is needed and none can be wrong.

use std::time::Duration;

/// The longest pause that is believed: a day.
const MAX_SECONDS: i64 = 86_400;

/// The pause that `Retry-After` asks for; nothing for a value that is neither form, or a date without a
/// `Date` to compare it with. A date in the past is no pause.
pub(super) fn retry_after(value: &str, date: Option<&str>) -> Option<Duration> {
    let value = value.trim();
    let seconds = if value.bytes().all(|byte| byte.is_ascii_digit()) && !value.is_empty() {
        value.parse().unwrap_or(MAX_SECONDS)
    } else if let Ok(fraction) = value.parse::<f64>() {
        // Not in the standard, but some gateways send fractions of seconds.
        return Duration::try_from_secs_f64(fraction.min(86_400.0)).ok();
    } else {
        seconds_of(value)? - seconds_of(date?)?
    };
    u64::try_from(seconds.clamp(0, MAX_SECONDS))
        .ok()
        .map(Duration::from_secs)
}

/// Seconds since 1970 of a date such as `Sun, 06 Nov 1994 08:49:37 GMT`.
fn seconds_of(date: &str) -> Option<i64> {
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let (_, rest) = date.trim().split_once(", ")?;
    let mut parts = rest.split(' ');
    let day: i64 = parts.next()?.parse().ok()?;
    let month = parts.next()?;
    let month = i64::try_from(MONTHS.iter().position(|name| *name == month)?).ok()? + 1;
    let year: i64 = parts.next()?.parse().ok()?;
    let mut time = parts.next()?.split(':').map(str::parse::<i64>);
    let mut next = || time.next()?.ok();
    let (hour, minute, second) = (next()?, next()?, next()?);
    let sane = parts.next() == Some("GMT")
        && (1970..=9999).contains(&year)
        && (1..=31).contains(&day)
        && (0..24).contains(&hour)
        && (0..60).contains(&minute)
        && (0..=60).contains(&second);
    // Days of the proleptic Gregorian calendar, with years that begin in March.
    let (y, m) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let days = 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 - 719_468;
    sane.then_some(((days * 24 + hour) * 60 + minute) * 60 + second)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn seconds_and_dates_are_read() {
        let date = Some("Sun, 06 Nov 1994 08:49:37 GMT");
        let cases = [
            ("7", None, Some(7.0)),
            (" 0 ", None, Some(0.0)),
            ("1.5", None, Some(1.5)),
            ("99999999999999999999", None, Some(86_400.0)),
            ("Sun, 06 Nov 1994 08:50:07 GMT", date, Some(30.0)),
            ("Sun, 06 Nov 1994 08:40:00 GMT", date, Some(0.0)),
            ("Sun, 06 Nov 1994 08:50:07 GMT", None, None),
            ("soon", date, None),
            ("-3", None, None),
            ("", None, None),
        ];
        for (value, date, expected) in cases {
            let found = retry_after(value, date).map(|pause| pause.as_secs_f64());
            assert_eq!(found, expected, "{value:?}");
        }
        assert_eq!(
            seconds_of("Sun, 06 Nov 1994 08:49:37 GMT"),
            Some(784_111_777)
        );
        assert_eq!(
            seconds_of("Thu, 29 Feb 2024 00:00:00 GMT"),
            Some(1_709_164_800)
        );
    }

    proptest! {
        #[test]
        fn no_value_is_too_much(value in "\\PC{0,40}", date in "\\PC{0,40}") {
            prop_assert!(retry_after(&value, Some(&date)).is_none_or(|pause| pause.as_secs() <= 86_400));
        }
    }
}
