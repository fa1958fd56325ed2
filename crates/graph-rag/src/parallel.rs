//! How is a long list filled by all processors at once?
//!
//! Each gets a run of its own, so that the result does not depend on how many there are. Short lists are filled at once:
//! starting a thread costs some ten microseconds.

use std::num::NonZero;
use std::sync::OnceLock;

/// Threads that fill one list, at most.
const MAX_THREADS: usize = 8;

/// How many threads fill a long list. Asked of the system once: that takes longer than many a list.
pub(crate) fn threads() -> usize {
    static THREADS: OnceLock<usize> = OnceLock::new();
    *THREADS.get_or_init(|| {
        std::thread::available_parallelism()
            .map_or(1, NonZero::get)
            .min(MAX_THREADS)
    })
}

/// Fills a list by runs; `fill` is given where its run starts, and what it gives is returned run by run. A list of fewer
/// than `least` items is one run.
pub(crate) fn fill<T: Send, R: Send>(
    list: &mut [T],
    least: usize,
    fill: impl Fn(usize, &mut [T]) -> R + Sync,
) -> Vec<R> {
    if list.len() < least || threads() < 2 {
        return vec![fill(0, list)];
    }
    let run = list.len().div_ceil(threads()).max(1);
    let ends: Vec<usize> = (1..threads()).map(|n| n * run).collect();
    fill_between(list, &ends, fill)
}

/// As [`fill`], with the runs parted at the given places, ascending.
pub(crate) fn fill_between<T: Send, R: Send>(
    list: &mut [T],
    ends: &[usize],
    fill: impl Fn(usize, &mut [T]) -> R + Sync,
) -> Vec<R> {
    let fill = &fill;
    let mut runs = Vec::with_capacity(ends.len() + 1);
    let (mut start, mut rest) = (0, list);
    for end in ends {
        let (run, later) = rest.split_at_mut((*end).max(start).min(start + rest.len()) - start);
        let next = start + run.len();
        runs.push((start, run));
        (start, rest) = (next, later);
    }
    let last = (start, rest);
    std::thread::scope(|scope| {
        let others: Vec<_> = runs
            .into_iter()
            .map(|(start, run)| scope.spawn(move || fill(start, run)))
            .collect();
        let own = fill(last.0, last.1);
        let others = others.into_iter().map(|other| match other.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        let mut results: Vec<R> = others.collect();
        results.push(own);
        results
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(runs: Vec<usize>, list: &[usize]) {
        assert!(list.iter().enumerate().all(|(at, value)| *value == at * 2));
        assert_eq!(runs.into_iter().sum::<usize>(), 100);
    }

    #[test]
    fn any_split_fills_alike() {
        let doubled = |start: usize, run: &mut [usize]| {
            for (at, slot) in run.iter_mut().enumerate() {
                *slot = (start + at) * 2;
            }
            run.len()
        };
        for least in [0, 3, 1_000] {
            let mut list = vec![0; 100];
            filled(fill(&mut list, least, doubled), &list);
        }
        for ends in [&[][..], &[0], &[7, 7, 99], &[100, 300]] {
            let mut list = vec![0; 100];
            filled(fill_between(&mut list, ends, doubled), &list);
        }
    }
}
