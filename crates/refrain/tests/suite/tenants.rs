//! Does anything of one tenant reach another?

use std::collections::BTreeMap;

use crate::support::{Fixture, films, name};
use refrain::HitKind;

/// Interleaved questions of two tenants.
const REQUESTS: usize = 10_000;

#[test]
fn two_tenants_with_the_same_questions_never_hit_each_others_experiences() {
    let fixture = Fixture::with("films", &films(80));
    let mut owners: BTreeMap<String, &str> = BTreeMap::new();
    let mut first_was_planned = BTreeMap::new();
    for request in 0..REQUESTS {
        let tenant = if request % 2 == 0 { "ada" } else { "bob" };
        let film = name(request / 2 % 40);
        let question = match request / 2 / 40 % 2 {
            0 => format!("who directed {film}?"),
            _ => format!("who wrote {film}?"),
        };
        let answer = fixture
            .engine
            .ask(&refrain::AskRequest {
                namespace: tenant.to_owned(),
                ..refrain::AskRequest::new(&question)
            })
            .unwrap();
        if request < 400 {
            fixture.engine.settle().unwrap();
        }
        first_was_planned
            .entry(tenant)
            .or_insert(answer.hit_kind == HitKind::None);
        if let Some(id) = &answer.experience {
            let own = fixture.engine.experience(tenant, id).is_ok();
            assert!(own, "{tenant} was answered by {id}");
            assert_eq!(*owners.entry(id.clone()).or_insert(tenant), tenant);
        }
    }
    assert_eq!(
        first_was_planned,
        BTreeMap::from([("ada", true), ("bob", true)])
    );
    let ids = |tenant: &str| {
        let all = fixture.engine.experiences(tenant, usize::MAX).unwrap();
        all.into_iter().map(|one| one.id).collect::<Vec<_>>()
    };
    let (ada, bob) = (ids("ada"), ids("bob"));
    assert!(!ada.is_empty() && ada.iter().all(|id| !bob.contains(id)));
    fixture
        .engine
        .forget("ada", refrain::remembered::Forget::All)
        .unwrap();
    assert_eq!(ids("bob"), bob);
    assert!(ids("ada").is_empty());
}
