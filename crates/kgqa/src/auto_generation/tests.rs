use std::convert::Infallible;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use super::*;
use crate::testing::MemoryGraph;

fn films() -> MemoryGraph {
    let mut edges: Vec<(&str, &str, &str)> = vec![
        ("Steven_Spielberg", "born_in", "Ohio"),
        ("David_Lynch", "born_in", "Montana"),
    ];
    let films = [
        (
            "Jaws",
            "Steven_Spielberg",
            "1975",
            "Thriller",
            "Robert_Shaw",
        ),
        (
            "Duel",
            "Steven_Spielberg",
            "1971",
            "Thriller",
            "Dennis_Weaver",
        ),
        (
            "Hook",
            "Steven_Spielberg",
            "1991",
            "Fantasy",
            "Robin_Williams",
        ),
        ("Dune", "David_Lynch", "1984", "Fantasy", "Kyle_MacLachlan"),
        (
            "Blue_Velvet",
            "David_Lynch",
            "1986",
            "Thriller",
            "Kyle_MacLachlan",
        ),
    ];
    for (film, director, year, genre, actor) in films {
        edges.extend([
            (film, "type", "Film"),
            (film, "directed_by", director),
            (film, "release_year", year),
            (film, "has_genre", genre),
            (film, "starred_actors", actor),
            (film, "imdb_id", "tt0073195"),
        ]);
    }
    let graph = MemoryGraph::from_names(&edges).unwrap();
    let mut typed = MemoryGraph::default();
    for mut triple in graph.triples() {
        if triple.predicate.as_str().ends_with("/type") {
            triple.predicate = oxrdf::vocab::rdf::TYPE.into_owned();
        }
        typed.insert(&triple).unwrap();
    }
    typed
}

fn generated(graph: &MemoryGraph, config: &GenerationConfig, seed: u64) -> Vec<Generated> {
    let stars = sample(graph, config, &mut ChaCha8Rng::seed_from_u64(seed)).unwrap();
    let each = stars.iter().zip(seed..).map(|(star, seed)| {
        questions(graph, star, config, &mut ChaCha8Rng::seed_from_u64(seed)).unwrap()
    });
    each.flatten().collect()
}

#[test]
fn one_seed_gives_one_set_of_questions() {
    let graph = films();
    let config = GenerationConfig::default();
    assert_eq!(generated(&graph, &config, 7), generated(&graph, &config, 7));
    assert_ne!(generated(&graph, &config, 7), generated(&graph, &config, 8));
}

#[test]
fn every_question_can_be_run_again_and_names_its_slots_in_order() {
    let graph = films();
    let config = GenerationConfig::default();
    for seed in 0..30 {
        for made in generated(&graph, &config, seed) {
            made.plan.check(&graph, &made.bindings, 3).unwrap();
            let again =
                crate::execute::run(&graph, &made.plan, &made.bindings, &config.limits).unwrap();
            assert_eq!(again.given, made.given);
            let mut at = 0;
            for binding in &made.bindings {
                let name = match &binding.bound {
                    crate::execute::Bound::Entities(ids) => graph.label(ids[0]).unwrap(),
                    crate::execute::Bound::Number(number) => number.to_string(),
                };
                let found = made.question[at..].find(&name);
                at += found.unwrap_or_else(|| panic!("{}: no {name} behind {at}", made.question));
            }
        }
    }
}

#[test]
fn all_kinds_come_up_and_no_identifier_is_asked_for() {
    let graph = films();
    let mut kinds = BTreeSet::new();
    for seed in 0..30 {
        for made in generated(&graph, &GenerationConfig::default(), seed) {
            kinds.insert(made.kind);
            assert!(
                !made.question.contains("imdb") && !made.question.contains("tt00"),
                "{}",
                made.question
            );
            assert!(made.why.contains(made.kind.name()));
        }
    }
    assert_eq!(kinds.into_iter().collect::<Vec<_>>(), Kind::ALL);
}

#[test]
fn a_star_gives_at_most_its_share_and_each_kind_once() {
    let graph = films();
    let config = GenerationConfig {
        per_star: 3,
        ..GenerationConfig::default()
    };
    for star in sample(&graph, &config, &mut ChaCha8Rng::seed_from_u64(1)).unwrap() {
        let made = questions(&graph, &star, &config, &mut ChaCha8Rng::seed_from_u64(2)).unwrap();
        let kinds: BTreeSet<Kind> = made.iter().map(|g| g.kind).collect();
        assert!(made.len() <= 3 && kinds.len() == made.len());
    }
}

#[test]
fn the_rare_kinds_of_node_are_sampled_as_well_as_the_common_ones() {
    let mut edges: Vec<(String, &str, &str)> = (0..200)
        .map(|i| (format!("film_{}", word(i)), "genre", "Drama"))
        .collect();
    edges.push(("Rosebud".to_owned(), "capital", "Nowhere"));
    let edges: Vec<(&str, &str, &str)> =
        edges.iter().map(|(s, p, o)| (s.as_str(), *p, *o)).collect();
    let graph = MemoryGraph::from_names(&edges).unwrap();
    let config = GenerationConfig {
        stars: 8,
        ..GenerationConfig::default()
    };
    let stars = sample(&graph, &config, &mut ChaCha8Rng::seed_from_u64(3)).unwrap();
    let names: Vec<&str> = stars.iter().map(|s| s.label.as_str()).collect();
    assert!(
        stars.len() == 8
            && names.contains(&"Rosebud")
            && names.contains(&"Nowhere")
            && names.contains(&"Drama"),
        "{names:?}"
    );
}

#[test]
fn classes_and_properties_are_not_asked_about() {
    let mut graph = films();
    let class = oxrdf::NamedNode::new("http://example.org/Film").unwrap();
    let owl = oxrdf::NamedNode::new("http://www.w3.org/2002/07/owl#Class").unwrap();
    let about = oxrdf::NamedNode::new("http://example.org/about").unwrap();
    graph
        .insert(&oxrdf::Triple::new(
            class.clone(),
            oxrdf::vocab::rdf::TYPE,
            owl,
        ))
        .unwrap();
    graph
        .insert(&oxrdf::Triple::new(class.clone(), about, class))
        .unwrap();
    let stars = sample(
        &graph,
        &GenerationConfig::default(),
        &mut ChaCha8Rng::seed_from_u64(3),
    )
    .unwrap();
    assert!(stars.len() > 5 && stars.iter().all(|s| s.label != "Film"));
}

/// A word of letters for a number, so that it is a name.
fn word(number: u32) -> String {
    number
        .to_string()
        .chars()
        .filter_map(|c| char::from_u32(u32::from(c) + 49))
        .collect()
}

#[test]
fn bounds_are_kept() {
    let graph = films();
    let config = GenerationConfig {
        max_answers: 1,
        ..GenerationConfig::default()
    };
    for made in generated(&graph, &config, 5) {
        assert!(
            !matches!(&made.given, Given::Values(values) if values.len() > 1),
            "{}",
            made.question
        );
    }
    let none = GenerationConfig {
        predicates: 0,
        ..GenerationConfig::default()
    };
    assert!(generated(&graph, &none, 5).is_empty());
    assert!(generated(&MemoryGraph::default(), &GenerationConfig::default(), 5).is_empty());
}

#[test]
fn the_second_look_keeps_what_is_answered_alike_and_accounts_for_the_rest() {
    let graph = films();
    let made = generated(&graph, &GenerationConfig::default(), 5);
    let values = made
        .iter()
        .find(|g| matches!(&g.given, Given::Values(v) if v.len() > 1))
        .unwrap();
    let Given::Values(mut ids) = values.given.clone() else {
        panic!("chosen so")
    };
    ids.reverse();
    let mut look = SecondLook::default();
    let mut ask = |generated: &Generated, given: Option<Given>| {
        look.judge(generated, &mut |_| Ok::<_, Infallible>(given.clone()))
            .unwrap()
    };
    assert_eq!(
        ask(values, Some(Given::Values(ids))),
        Verdict::Kept,
        "order does not matter"
    );
    assert_eq!(ask(values, None), Verdict::Repeated);
    let others: Vec<&Generated> = made
        .iter()
        .filter(|g| g.question != values.question)
        .take(2)
        .collect();
    assert_eq!(ask(others[0], None), Verdict::Unanswered);
    assert_eq!(
        ask(others[1], Some(Given::Number(-1.0))),
        Verdict::AnsweredOtherwise
    );
    let failed = look.judge(made.last().unwrap(), &mut |_| Err("out of budget"));
    assert_eq!(failed, Err("out of budget"));
    assert_eq!(look.account().values().sum::<usize>(), 4);
    assert_eq!(
        (look.count(Verdict::Kept), look.count(Verdict::Repeated)),
        (1, 1)
    );
}
