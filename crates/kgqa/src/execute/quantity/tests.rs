use super::*;

fn number_in(text: &str) -> Option<f64> {
    match quantity_of_text(text) {
        Some(Quantity::Number(number)) => Some(number),
        Some(Quantity::Date(_)) | None => None,
    }
}

fn year_of(text: &str) -> Option<f64> {
    match quantity_of_text(text) {
        Some(Quantity::Date(years)) => Some(years),
        Some(Quantity::Number(_)) | None => None,
    }
}

#[test]
fn numbers_may_have_a_sign_groups_an_exponent_and_a_unit() {
    let cases = [
        ("1997", 1997.0),
        (" 42 ", 42.0),
        ("-7", -7.0),
        ("−7.5", -7.5),
        ("1,234 kg", 1234.0),
        ("1,234,567.5", 1_234_567.5),
        ("12 mm", 12.0),
        ("12mm", 12.0),
        ("5 square metres", 5.0),
        ("80 km/h", 80.0),
        ("37.5 °C", 37.5),
        ("99%", 99.0),
        ("$1,000", 1000.0),
        ("1.5e3", 1500.0),
        ("2E-2", 0.02),
        (".5", 0.5),
    ];
    for (text, wanted) in cases {
        assert_eq!(number_in(text), Some(wanted), "{text}");
    }
}

#[test]
fn what_only_begins_like_a_number_is_none() {
    let cases = [
        "",
        "-",
        "kg",
        ".",
        "NaN",
        "INF",
        "1e999",
        "1,5",
        "1,23,456",
        "1.2.3",
        "2001: A Space Odyssey",
        "1990-1995",
        "0x1F",
        "7 of the best films",
        "12 \u{1F600}",
    ];
    for text in cases {
        assert_eq!(quantity_of_text(text), None, "{text}");
    }
}

#[test]
fn dates_are_ordered_as_time_is() {
    let ascending = [
        "-0044-03-15",
        "0476-09-04",
        "1999-12-31T23:59:59Z",
        "2000-01-01T00:30:00+00:00",
        "2000-01-01T00:30:00-01:00",
        "2000-02-29",
        "2000-03-01",
        "2000-03-01 12:00",
        "2000-12-31",
        "2001-01-01",
        "12001-01-01",
    ];
    let years: Vec<f64> = ascending.iter().map(|t| year_of(t).expect(t)).collect();
    assert!(years.windows(2).all(|w| w[0] < w[1]), "{years:?}");
    assert_eq!(year_of("2000-03"), year_of("2000-03-01"));
}

#[test]
fn what_only_looks_like_a_date_is_none() {
    let cases = [
        "2000-13-01",
        "2000-00-01",
        "2000-01-32",
        "2000-1-1",
        "200-01-01",
        "2000-01-01T",
        "2000-01-01x",
        "2000-01-01T10",
        "2000-01-01T10:00:99:00",
    ];
    for text in cases {
        assert_eq!(year_of(text), None, "{text}");
    }
}

#[test]
fn a_date_and_a_bare_year_are_compared_as_years() {
    let (may, year) = (Quantity::Date(1997.33), Quantity::Number(1997.0));
    assert!(may.compares(Operator::Equal, year) && year.compares(Operator::Equal, may));
    assert!(!may.compares(Operator::Greater, year) && may.compares(Operator::LessOrEqual, year));
    assert!(may.compares(Operator::Greater, Quantity::Date(1997.0)));
}

proptest::proptest! {
    #[test]
    fn no_text_panics(text in "[-+−$]?[0-9]{0,5}[-:T,.eE/ 0-9]{0,12}.{0,4}") {
        if let Some(quantity) = quantity_of_text(&text) {
            proptest::prop_assert!(quantity.key().is_finite());
        }
    }
}
