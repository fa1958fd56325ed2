//! How is a long list filled by all processors at once?
//!
//! Each gets a run of its own, so that the result does not depend on how many there are. Short lists are filled at once:
//! starting a thread costs some ten microseconds.

use std::num::NonZero;

/// Threads that fill one list, at most.
const MAX_THREADS: usize = 8;

/// Fills a list by runs; `fill` is given where its run starts, and what it gives is returned run by run. A list of fewer
/// than `least` items is one run.
pub(crate) fn fill<T: Send, R: Send>(
    list: &mut [T],
    least: usize,
    fill: impl Fn(usize, &mut [T]) -> R + Sync,
) -> Vec<R> {
    let threads = std::thread::available_parallelism()
        .map_or(1, NonZero::get)
        .min(MAX_THREADS);
    if list.len() < least || threads < 2 {
        return vec![fill(0, list)];
    }
    let run = list.len().div_ceil(threads);
    let fill = &fill;
    std::thread::scope(|scope| {
        let mut runs = list.chunks_mut(run).enumerate();
        let first = runs.next();
        let others: Vec<_> = runs
            .map(|(n, slots)| scope.spawn(move || fill(n * run, slots)))
            .collect();
        let first = first.map(|(_, slots)| fill(0, slots));
        let others = others.into_iter().map(|other| match other.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        first.into_iter().chain(others).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_split_fills_alike() {
        for least in [0, 3, 1_000] {
            let mut list = vec![0; 100];
            let runs = fill(&mut list, least, |start, run| {
                for (at, slot) in run.iter_mut().enumerate() {
                    *slot = (start + at) * 2;
                }
                run.len()
            });
            assert!(list.iter().enumerate().all(|(at, value)| *value == at * 2));
            assert_eq!(runs.iter().sum::<usize>(), 100);
        }
    }
}
