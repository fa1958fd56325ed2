//! Can a text break the reader of plans? Reading never panics, what is read is canonical, and it prints as a query.
#![no_main]

use kgqa::plan::{Plan, SlotText};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(plan) = text.parse::<Plan>() else { return };
    assert_eq!(plan.to_string(), text);
    assert_eq!(plan.template(), text);
    let _ = (plan.hops(), plan.predicates(), plan.slots(), plan.paths());
    let query = plan.to_sparql(&|slot| SlotText::Number(f64::from(slot.0)));
    assert!(matches!(plan, Plan::Sparql(_)) || !query.is_empty());
});
