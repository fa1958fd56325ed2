use std::path::Path;

use toml::Value;

use super::layers::flatten;
use super::*;

fn variables(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

#[test]
fn the_defaults_hold_every_setting_and_nothing_else() {
    assert_eq!(Config::default().memory.examples, 5);
    let written = Value::try_from(Config::default()).unwrap();
    let Value::Table(written) = written else {
        panic!("a config is a table")
    };
    let mut in_types: Vec<_> = flatten(&written).into_iter().map(|(key, _)| key).collect();
    in_types.sort();
    let in_file: Vec<_> = Layers::defaults().settings.into_keys().collect();
    assert_eq!(in_types, in_file);
}

#[test]
fn a_flag_beats_the_environment_which_beats_the_file_which_beats_the_default() {
    let file = Path::new("refrain.toml");
    let text = "[memory]\ncapacity = 7\nexamples = 3\n[budget]\nrows = 9\n";
    let layers = Layers::defaults()
        .file(file, text)
        .unwrap()
        .environment(variables(&[
            ("REFRAIN__MEMORY__CAPACITY", "8"),
            ("REFRAIN__MEMORY__EXAMPLES", "4"),
            ("REFRAIN_DIR", "not a setting"),
        ]))
        .unwrap()
        .flag("--set", "memory.capacity", "9")
        .unwrap();
    let config = layers.config().unwrap();
    assert_eq!(config.memory.capacity, 9);
    assert_eq!(config.memory.examples, 4);
    assert_eq!(config.budget.rows, 9);
    assert_eq!(config.budget.tokens, 20_000);
    let origin = |key: &str| {
        layers
            .settings()
            .into_iter()
            .find(|setting| setting.key == key)
            .map(|setting| setting.origin.to_string())
    };
    assert_eq!(origin("memory.capacity").as_deref(), Some("--set"));
    assert_eq!(
        origin("memory.examples").as_deref(),
        Some("$REFRAIN__MEMORY__EXAMPLES")
    );
    assert_eq!(origin("budget.rows").as_deref(), Some("refrain.toml"));
    assert_eq!(origin("budget.tokens").as_deref(), Some("default"));
}

#[test]
fn a_misspelt_key_is_refused_with_the_one_it_meant() {
    let refused = Layers::defaults().file(Path::new("r.toml"), "[memory]\ncapcity = 7");
    let Err(ConfigError::UnknownKey { suggestion, .. }) = refused else {
        panic!("{refused:?}")
    };
    assert_eq!(suggestion.as_deref(), Some("memory.capacity"));
    let refused = Layers::defaults().environment(variables(&[("REFRAIN__CAPACITY", "1")]));
    let Err(ConfigError::UnknownKey { suggestion, .. }) = refused else {
        panic!("{refused:?}")
    };
    assert_eq!(suggestion.as_deref(), Some("memory.capacity"));
}

#[test]
fn a_wrong_type_and_a_senseless_value_name_their_origin() {
    let refused = Layers::defaults()
        .file(Path::new("r.toml"), "[memory]\ncapacity = \"many\"")
        .unwrap_err();
    assert_eq!(
        refused.to_string(),
        "setting \"memory.capacity\" must be a whole number, but r.toml says \"many\""
    );
    for (key, value) in [
        ("memory.capacity", "0"),
        ("memory.relevance_weight", "2"),
        ("memory.policy", "mru"),
        ("memory.preset", "squid"),
        ("planner.max_depth", "4"),
        ("budget.rows", "-1"),
    ] {
        let layers = Layers::defaults().flag("--set", key, value).unwrap();
        let refused = layers.config().unwrap_err().to_string();
        assert!(
            refused.contains(key) && refused.contains("--set"),
            "{refused}"
        );
    }
}

#[test]
fn every_policy_can_be_chosen_and_a_misspelt_one_is_suggested() {
    for name in PolicyName::ALL {
        let layers = Layers::defaults().flag("--set", "memory.policy", name.as_str());
        assert_eq!(layers.unwrap().config().unwrap().memory.policy, name);
    }
    let layers = Layers::defaults().flag("--set", "memory.policy", "survivl");
    let refused = layers.unwrap().config().unwrap_err().to_string();
    assert!(refused.contains("did you mean \"survival\"?"), "{refused}");
}

#[test]
fn a_preset_stands_in_for_defaults_and_gives_way_to_what_is_said() {
    let preset = Layers::defaults()
        .file(Path::new("r.toml"), "[memory]\npreset = \"cacherag\"")
        .unwrap();
    let memory = preset.config().unwrap().memory;
    assert_eq!(
        (memory.policy, memory.bucket_capacity),
        (PolicyName::Lru, 10)
    );
    let policy = preset
        .settings()
        .into_iter()
        .find(|s| s.key == "memory.policy");
    assert_eq!(policy.unwrap().origin.to_string(), "preset cacherag");
    let said = preset.flag("--set", "memory.bucket_capacity", "3").unwrap();
    let memory = said.config().unwrap().memory;
    assert_eq!(
        (memory.policy, memory.bucket_capacity),
        (PolicyName::Lru, 3)
    );
}

#[test]
fn a_file_that_is_not_toml_is_named_with_the_line() {
    let refused = Layers::defaults()
        .file(Path::new("r.toml"), "[memory]\ncapacity = = 3")
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("r.toml") && refused.contains("line 2"),
        "{refused}"
    );
}
