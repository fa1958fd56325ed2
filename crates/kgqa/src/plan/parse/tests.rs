use proptest::prelude::*;

use super::*;

fn hop() -> impl Strategy<Value = Hop> {
    let local = prop_oneof!["[a-z_]{1,8}", "[a-zA-Zéß日%]{0,4}"];
    (local, any::<bool>()).prop_filter_map("an IRI", |(local, inverse)| {
        let predicate = format!("http://e.org/{local}");
        NamedNode::new(predicate.clone())
            .is_ok()
            .then_some(Hop { predicate, inverse })
    })
}

fn attribute() -> impl Strategy<Value = Attribute> {
    let several = prop_oneof![Just(Several::Any), Just(Several::Earliest)];
    (hop(), several).prop_map(|(hop, several)| Attribute { hop, several })
}

fn slot() -> impl Strategy<Value = Slot> {
    any::<u8>().prop_map(Slot)
}

fn extreme() -> impl Strategy<Value = Extreme> {
    prop_oneof![Just(Extreme::Least), Just(Extreme::Most)]
}

fn operator() -> impl Strategy<Value = Operator> {
    use Operator::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual};
    prop::sample::select(vec![Less, LessOrEqual, Greater, GreaterOrEqual, Equal])
}

fn plan() -> impl Strategy<Value = Plan> {
    let path = (slot(), prop::collection::vec(hop(), 0..4))
        .prop_map(|(anchor, hops)| Plan::Path(Path { anchor, hops }));
    let compare = (prop::collection::vec(slot(), 1..4), attribute(), extreme()).prop_map(
        |(anchors, attribute, extreme)| Plan::Compare {
            anchors,
            attribute,
            extreme,
        },
    );
    let leaf = prop_oneof![path, compare, any::<String>().prop_map(Plan::Sparql)];
    leaf.prop_recursive(4, 16, 3, |inner| {
        let boxed = inner.clone().prop_map(Box::new);
        prop_oneof![
            prop::collection::vec(inner, 1..4).prop_map(Plan::Intersect),
            boxed.clone().prop_map(Plan::Count),
            (boxed.clone(), slot()).prop_map(|(input, value)| Plan::Ask { input, value }),
            (boxed.clone(), attribute(), operator(), slot()).prop_map(
                |(input, attribute, operator, value)| Plan::Filter {
                    input,
                    attribute,
                    operator,
                    value
                }
            ),
            (boxed, attribute(), extreme(), any::<u32>()).prop_map(
                |(input, attribute, extreme, limit)| Plan::OrderLimit {
                    input,
                    attribute,
                    extreme,
                    limit
                }
            ),
        ]
    })
}

proptest! {
    #[test]
    fn every_plan_is_read_back_as_it_was(plan in plan()) {
        prop_assert_eq!(plan.to_string().parse::<Plan>(), Ok(plan));
    }

    #[test]
    fn no_text_panics_and_what_is_read_is_canonical(text in r#"(and|ask|count|filter|order|compare|earliest |sparql|\(|\)|, |\$[0-9]|/|\^|<|>|=|http://e\.org/p|least|most|"|\\u\{41\}|\\n|é){0,24}"#) {
        if let Ok(plan) = text.parse::<Plan>() {
            prop_assert_eq!(plan.to_string(), text);
        }
    }

    #[test]
    fn a_damaged_plan_never_panics(plan in plan(), cut in any::<prop::sample::Index>(), junk in ".{0,3}") {
        let text = plan.to_string();
        let at = (0..=cut.index(text.len() + 1)).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0);
        let _ = format!("{}{junk}{}", &text[..at], &text[at..]).parse::<Plan>();
    }
}

#[test]
fn an_error_says_where_and_what_was_expected() {
    let cases = [
        ("", 0, "a slot or an operator"),
        ("$256", 1, "a slot's number, at most 255"),
        ("$0/<not an iri>", 4, "an IRI"),
        ("$0/<http://e.org/p", 18, ">"),
        ("and($0, )", 8, "a slot or an operator"),
        (
            "filter($0, <http://e.org/p>, !=, $1)",
            29,
            "<, <=, >, >= or =",
        ),
        ("order($0, <http://e.org/p>, first, 1)", 28, "least or most"),
        ("compare(<http://e.org/p>, most)", 8, "a slot"),
        ("$0 ", 2, "the end"),
        ("sparql(\"ASK {}", 14, "a closing quote"),
    ];
    for (text, at, wanted) in cases {
        match text.parse::<Plan>() {
            Err(PlanParseError::Unexpected {
                position, expected, ..
            }) => assert_eq!((position, expected), (at, wanted), "{text}"),
            other => panic!("{text}: {other:?}"),
        }
    }
}

#[test]
fn length_and_depth_are_bounded() {
    let deep = format!("{}$0{}", "count(".repeat(9), ")".repeat(9));
    assert!(matches!(
        deep.parse::<Plan>(),
        Err(PlanParseError::TooDeep { position: 54 })
    ));
    assert!(
        format!("{}$0{}", "count(".repeat(8), ")".repeat(8))
            .parse::<Plan>()
            .is_ok()
    );
    let long = format!("$0{}", "/<http://e.org/p>".repeat(1000));
    assert!(matches!(
        long.parse::<Plan>(),
        Err(PlanParseError::TooLong { .. })
    ));
}

#[test]
fn equal_plans_have_one_text() {
    assert_eq!(
        "$00".parse::<Plan>(),
        Err(PlanParseError::NotCanonical {
            canonical: "$0".to_owned()
        })
    );
    let escaped = "sparql(\"\\u{41}SK {}\")".parse::<Plan>();
    assert!(matches!(escaped, Err(PlanParseError::NotCanonical { .. })));
}
