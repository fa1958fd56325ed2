use super::*;
use crate::{Message, Scripted, no_stream};
use proptest::prelude::*;

fn request(words: usize, max_tokens: u32) -> ChatRequest {
    let mut request = ChatRequest::new("s", vec![Message::user("word ".repeat(words))]);
    request.max_tokens = max_tokens;
    request
}

/// A model that replies with a text of about as many tokens as it may.
fn eager() -> Scripted {
    Scripted::function(|request| {
        std::thread::yield_now();
        Ok("x ".repeat(request.max_tokens as usize / 2))
    })
}

fn hammer(budget: &Budget<Scripted>, threads: usize, request: &ChatRequest) {
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| while budget.complete(request, &mut no_stream).is_ok() {});
        }
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn calls_hold_exactly_and_tokens_and_money_to_one_call(
        threads in 1_usize..6,
        max_calls in 1_u64..60,
        max_tokens in 1_u64..4_000,
        max_dollars in 0.000_001..0.01_f64,
        words in 1_usize..20,
        reply in 1_u32..80,
    ) {
        let request = request(words, reply);
        let price = Price { prompt_dollars_per_million: 1.5, completion_dollars_per_million: 6.0 };
        let config = BudgetConfig {
            max_calls: Some(max_calls),
            max_tokens: Some(max_tokens),
            max_dollars: Some(max_dollars),
            price,
        };
        let budget = Budget::new(eager(), config);
        hammer(&budget, threads, &request);
        let spent = budget.spent();
        let one = tokens::upper_bound(&request);
        prop_assert!(spent.calls <= max_calls);
        prop_assert!(spent.tokens < max_tokens + one);
        let limit = u128::from(micro(max_dollars)) * 1_000_000;
        prop_assert!(spent.picodollars < limit + u128::from(one) * u128::from(micro(6.0)));
        prop_assert_eq!(budget.inner.calls() as u64, spent.calls);
        // One of the limits was really reached.
        prop_assert!(budget.exhausted(&spent).is_some());
    }
}

#[test]
fn the_error_says_which_limit() {
    let config = BudgetConfig {
        max_calls: Some(1),
        ..BudgetConfig::default()
    };
    let budget = Budget::new(eager(), config);
    let request = request(1, 4);
    budget.complete(&request, &mut no_stream).unwrap();
    let error = budget.complete(&request, &mut no_stream).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the budget of 1 calls is used up; raise it or wait for the next period"
    );
    assert_eq!(budget.inner.calls(), 1);
}

#[test]
fn what_was_spent_before_counts() {
    let config = BudgetConfig {
        max_tokens: Some(100),
        ..BudgetConfig::default()
    };
    let spent = Spent {
        calls: 3,
        tokens: 100,
        picodollars: 0,
    };
    let budget = Budget::resumed(eager(), config, spent);
    assert!(budget.complete(&request(1, 4), &mut no_stream).is_err());
    assert_eq!(budget.inner.calls(), 0);
}
