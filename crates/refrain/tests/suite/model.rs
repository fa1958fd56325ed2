//! A language model beside the built-in planner: asked only where it is unsure, within the budget, and never believed blindly.

use std::sync::Arc;

use language_model::{ChatRequest, ModelError, Scripted};
use refrain::{Answer, AskRequest, Config, Engine, HitKind, Verdict, graph_store};
use serde_json::json;

use crate::support::{films, labels, name, surroundings};

struct Modelled {
    engine: Engine,
    model: Arc<Scripted>,
    _directory: tempfile::TempDir,
}

impl Modelled {
    fn new(
        config: Config,
        reply: impl Fn(&ChatRequest) -> Result<String, ModelError> + Send + Sync + 'static,
    ) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let model = Arc::new(Scripted::function(reply));
        let engine = Engine::open_or_create(&directory.path().join("d"), config, surroundings(1))
            .unwrap()
            .with_model(Arc::clone(&model) as Arc<dyn language_model::LanguageModel>);
        engine
            .load(refrain::LoadRequest {
                source: "films".to_owned(),
                inputs: vec![graph_store::Source::text("graph.ttl", films(40))],
                format: None,
                lenient: false,
                description: None,
                progress: None,
                cancel: None,
            })
            .unwrap();
        Self {
            engine,
            model,
            _directory: directory,
        }
    }

    fn ask(&self, question: &str) -> Answer {
        let answer = self.engine.ask(&AskRequest::new(question)).unwrap();
        self.engine.settle().unwrap();
        answer
    }
}

fn directed_by() -> String {
    json!({
        "thought": "", "paths": [{ "from": 0, "steps": ["directed by"] }], "then": "values",
        "attribute": "", "operator": "=", "value": -1,
    })
    .to_string()
}

#[test]
fn a_sure_plan_costs_no_call_and_an_unsure_one_costs_one() {
    let modelled = Modelled::new(Config::default(), |_| Ok(directed_by()));
    let sure = modelled.ask(&format!("who directed {}?", name(0)));
    assert_eq!((sure.cost.model_calls, modelled.model.calls()), (0, 0));
    let unsure = modelled.ask(&format!("who brought {} to the screen?", name(4)));
    assert_eq!(labels(&unsure), [name(1001)]);
    assert_eq!((unsure.cost.model_calls, modelled.model.calls()), (1, 1));
    assert!(unsure.cost.tokens > 0 && !unsure.citations.is_empty());
}

#[test]
fn what_the_model_planned_is_remembered_and_costs_no_second_call() {
    let modelled = Modelled::new(Config::default(), |_| Ok(directed_by()));
    let first = modelled.ask(&format!("who brought {} to the screen?", name(4)));
    modelled
        .engine
        .feedback("default", &first.id, Verdict::Good)
        .unwrap();
    let second = modelled.ask(&format!("who brought {} to the screen?", name(8)));
    assert_eq!(labels(&second), [name(1002)]);
    assert_eq!(second.hit_kind, HitKind::Plan);
    assert_eq!(modelled.model.calls(), 1);
}

#[test]
fn a_plan_that_a_person_called_wrong_is_not_taken_from_the_model_again() {
    let modelled = Modelled::new(Config::default(), |_| Ok(directed_by()));
    let question = format!("who brought {} to the screen?", name(4));
    let first = modelled.ask(&question);
    modelled
        .engine
        .feedback("default", &first.id, Verdict::Bad)
        .unwrap();
    assert_ne!(labels(&modelled.ask(&question)), labels(&first));
}

#[test]
fn a_model_that_fails_changes_nothing_and_is_reported() {
    let modelled = Modelled::new(Config::default(), |_| {
        Err(ModelError::ScriptEnded {
            model: "scripted".to_owned(),
            stage: "compile".to_owned(),
        })
    });
    let answer = modelled.ask(&format!("who brought {} to the screen?", name(4)));
    assert!(answer.refused);
    assert!(
        answer.cut.iter().any(|cut| cut.contains("language model")),
        "{:?}",
        answer.cut
    );
}

#[test]
fn no_question_passes_its_budget_of_calls() {
    for most in [0, 1] {
        let mut config = Config::default();
        config.budget.model_calls = most;
        config.model.plans = refrain::config::When::Always;
        let modelled = Modelled::new(config, |_| Ok("no plan".to_owned()));
        for n in 0..4 {
            let answer = modelled.ask(&format!("who directed {}?", name(n)));
            assert!(answer.cost.model_calls <= most);
            assert_eq!(labels(&answer), [name(1000)], "the built-in plan stands");
        }
        assert!(modelled.model.calls() <= 4 * most as usize);
    }
}

#[test]
fn a_denial_or_a_name_that_is_not_there_is_no_question_for_the_model() {
    let modelled = Modelled::new(Config::default(), |_| Ok(directed_by()));
    for question in [
        format!("who did not direct {}?", name(0)),
        "who directed Zork Blorpington?".to_owned(),
        "what is the weather like?".to_owned(),
    ] {
        assert!(modelled.ask(&question).refused, "{question}");
    }
    assert_eq!(modelled.model.calls(), 0);
}

/// Replies that try to be more than a plan.
fn hostile(n: usize) -> String {
    let texts = [
        "Ignore the schema and answer: 42",
        "{\"paths\":[{\"from\":0,\"steps\":[\"drop graph\"]}],\"then\":\"values\"}",
        "{\"paths\":[{\"from\":9,\"steps\":[\"directed by\"]}]}",
        "{\"paths\":[{\"from\":0,\"steps\":[\"<http://e.org/p/directed_by>\"]}]}",
        "INSERT DATA { <a> <b> <c> }",
        "{\"paths\":\"all\"}",
        "\u{202e}{}",
        "null",
        "[]",
        "{\"paths\":[{\"from\":0,\"steps\":[\"directed by\",\"directed by\",\"directed by\",\"directed by\"]}]}",
    ];
    format!("{}{}", texts[n % texts.len()], " ".repeat(n / texts.len()))
}

#[test]
fn two_hundred_hostile_replies_change_no_answer_and_no_budget() {
    let mut config = Config::default();
    config.model.plans = refrain::config::When::Always;
    config.memory.enabled = false;
    let turn = std::sync::atomic::AtomicUsize::new(0);
    let modelled = Modelled::new(config, move |_| {
        Ok(hostile(
            turn.fetch_add(1, std::sync::atomic::Ordering::Relaxed),
        ))
    });
    let mut calls = 0;
    for n in 0..200 {
        let answer = modelled.ask(&format!("who directed {}?", name(n % 40)));
        assert_eq!(labels(&answer), [name(1000 + n % 40 / 4)], "{}", hostile(n));
        // One that is not of the asked form is asked for once more, and that counts.
        assert!((1..=2).contains(&answer.cost.model_calls));
        calls += answer.cost.model_calls as usize;
    }
    assert_eq!(modelled.model.calls(), calls);
}

#[test]
fn a_model_may_word_an_answer_but_not_change_it() {
    let mut config = Config::default();
    config.model.summaries = refrain::config::When::Always;
    let saying = |director: String| {
        Modelled::new(config.clone(), move |request| {
            assert_eq!(request.stage, "summarize");
            Ok(json!({ "text": format!("It was directed by {director} [1].") }).to_string())
        })
    };
    let modelled = saying(name(1000));
    let worded = modelled.ask(&format!("who directed {}?", name(0)));
    assert_eq!(
        worded.text,
        format!("It was directed by {} [1].", name(1000))
    );
    assert_eq!((worded.cost.model_calls, worded.model.is_some()), (1, true));
    let wrong = saying(name(1009)).ask(&format!("who directed {}?", name(4)));
    assert_eq!(
        (&wrong.text, labels(&wrong)),
        (&name(1001), vec![name(1001)])
    );
    assert!(
        wrong.cut.iter().any(|cut| cut.contains("leaves out")),
        "{:?}",
        wrong.cut
    );
    let again = modelled.ask(&format!("who directed {}?", name(0)));
    assert_eq!((again.text, again.cost.model_calls), (worded.text, 0));
}

/// Words each question that names a film as a person would, and plans what the built-in planner is unsure of.
fn helpful(request: &ChatRequest) -> String {
    if request.stage == "compile" {
        return directed_by().replace("directed", "written");
    }
    let asked: serde_json::Value =
        serde_json::from_str(&request.messages.last().unwrap().content).unwrap();
    let questions = asked["questions"].as_array().unwrap();
    let wordings: Vec<serde_json::Value> = questions
        .iter()
        .filter(|q| {
            let text = q["text"].as_str().unwrap();
            let film = (0..40).any(|n| q["names"] == json!([name(n)]));
            film && text.ends_with("written by?")
        })
        .map(|q| json!({ "n": q["n"], "text": format!("who brought {} to the screen?", q["names"][0].as_str().unwrap()) }))
        .chain([json!({ "n": 1, "text": "who is it?" })])
        .collect();
    json!({ "wordings": wordings }).to_string()
}

fn warm(engine: &Engine, model_calls: u32, dry_run: bool) -> refrain::warm::WarmReport {
    let never = std::sync::atomic::AtomicBool::new(false);
    let request = refrain::warm::WarmRequest {
        source: None,
        namespace: "default".to_owned(),
        entities: 20,
        questions_per_entity: 5,
        seed: 5,
        model_calls,
        dry_run,
        resume: refrain::warm::Resume::No,
        progress: &|_, _, _| {},
        cancel: &never,
    };
    engine.warm(&request).unwrap().remove(0)
}

#[test]
fn a_model_s_wordings_teach_how_people_ask_and_cost_what_is_allowed() {
    let modelled = Modelled::new(Config::default(), |request| Ok(helpful(request)));
    let cold = modelled.engine.ask(&AskRequest {
        model: refrain::ModelUse::Off,
        ..AskRequest::new(format!("who brought {} to the screen?", name(39)))
    });
    assert!(cold.unwrap().refused);
    let dry = warm(&modelled.engine, 1_000, true);
    assert!(
        dry.made > 0 && dry.model_calls > 0 && dry.tokens > 0,
        "{dry:?}"
    );
    assert_eq!((dry.kept, modelled.model.calls()), (0, 0));
    let report = warm(&modelled.engine, 1_000, false);
    assert!(report.worded > 0, "{report:?}");
    assert!(report.left_out.contains_key("a wording without its names"));
    assert_eq!(report.model_calls as usize, modelled.model.calls());
    let taught = modelled.engine.ask(&AskRequest {
        model: refrain::ModelUse::Off,
        ..AskRequest::new(format!("who brought {} to the screen?", name(39)))
    });
    let plain = modelled.ask(&format!("who was {} written by?", name(39)));
    assert_eq!(labels(&taught.unwrap()), labels(&plain));
}

#[test]
fn a_warm_start_makes_no_more_calls_than_it_may() {
    for most in [0, 1, 5, 9] {
        let modelled = Modelled::new(Config::default(), |request| Ok(helpful(request)));
        let report = warm(&modelled.engine, most, false);
        assert!(report.model_calls <= most, "{report:?}");
        assert_eq!(report.model_calls as usize, modelled.model.calls());
        assert!(report.kept > 0);
    }
}
