use super::*;

fn recogniser(names: &[&str], extraction: Extraction) -> Recogniser {
    let labels: Vec<Label> = names.iter().map(|n| Label::title(n)).collect();
    Recogniser::new(Gazetteer::new(&labels).unwrap(), extraction)
}

fn found<'t>(recogniser: &Recogniser, text: &'t str) -> Vec<(&'t str, Source)> {
    recogniser
        .mentions(text, Casing::of(text))
        .into_iter()
        .map(|m| (&text[m.span], m.source))
        .collect()
}

#[test]
fn sources_are_united_longest_first_and_nested_only_known_names() {
    let both = recogniser(
        &["Burgundy", "Beatrice I, Countess of Burgundy"],
        Extraction::Full,
    );
    assert_eq!(
        found(
            &both,
            "What nationality is Beatrice I, Countess Of Burgundy's husband?"
        ),
        [("Beatrice I, Countess Of Burgundy", Source::Gazetteer)]
    );
    assert_eq!(
        found(&both, "The Duke of Burgundy died on 3 May 1363."),
        [
            ("Duke of Burgundy", Source::Capitalised),
            ("Burgundy", Source::Gazetteer),
            ("3 May 1363", Source::Date)
        ]
    );
}

#[test]
fn extraction_decides_which_sources_are_asked() {
    let text = "He lived in Lower Burgundy since 1363.";
    let names = ["Burgundy"];
    let of = |extraction| -> Vec<Source> {
        found(&recogniser(&names, extraction), text)
            .into_iter()
            .map(|(_, s)| s)
            .collect()
    };
    assert_eq!(
        of(Extraction::Full),
        [Source::Capitalised, Source::Gazetteer, Source::Date]
    );
    assert_eq!(
        of(Extraction::GazetteerOnly),
        [Source::Gazetteer, Source::Date]
    );
    assert_eq!(
        of(Extraction::CapitalisedOnly),
        [Source::Capitalised, Source::Date]
    );
}

#[test]
fn text_without_capitals_has_its_known_names_and_dates() {
    let full = recogniser(&["The Godfather"], Extraction::Full);
    let text = "Who directed the godfather in 1972?";
    assert_eq!(Casing::of(text), Casing::LowerCase);
    assert_eq!(
        found(&full, text),
        [("the godfather", Source::Gazetteer), ("1972", Source::Date)]
    );
}

#[test]
fn the_parts_of_a_list_are_kept_beside_it() {
    let full = recogniser(&[], Extraction::Full);
    let text = "It shows Lothair and Teutberga.";
    let names: Vec<&str> = found(&full, text).into_iter().map(|(n, _)| n).collect();
    assert_eq!(names, ["Lothair and Teutberga", "Lothair", "Teutberga"]);
}

#[test]
fn a_name_with_a_parenthesis_is_whole() {
    let full = recogniser(&["Dark River (2017 film)"], Extraction::Full);
    assert_eq!(
        found(&full, "Who made Dark River (2017 Film)?")[0].0,
        "Dark River (2017 Film)"
    );
}
