//! Each classic policy against a naive implementation of its paper: plain vectors, no index, written apart.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::{evictions, trace};
use crate::PolicyName;

/// A cache that is asked for one key at a time; who is evicted.
trait Naive {
    fn ask(&mut self, key: u128) -> Option<u128>;
}

fn play(mut naive: impl Naive, keys: &[u128]) -> Vec<u128> {
    keys.iter().filter_map(|key| naive.ask(*key)).collect()
}

fn take(list: &mut Vec<u128>, key: u128) -> bool {
    let place = list.iter().position(|other| *other == key);
    place.map(|place| list.remove(place)).is_some()
}

/// First in, first out; or, where `renews`, least recently used.
struct Line {
    capacity: usize,
    renews: bool,
    list: Vec<u128>,
}

impl Naive for Line {
    fn ask(&mut self, key: u128) -> Option<u128> {
        if self.list.contains(&key) {
            if self.renews {
                take(&mut self.list, key);
                self.list.push(key);
            }
            return None;
        }
        let evicted = (self.list.len() == self.capacity).then(|| self.list.remove(0));
        self.list.push(key);
        evicted
    }
}

struct Frequency {
    capacity: usize,
    list: Vec<(u128, u32)>,
}

impl Naive for Frequency {
    fn ask(&mut self, key: u128) -> Option<u128> {
        if let Some(entry) = self.list.iter_mut().find(|entry| entry.0 == key) {
            entry.1 += 1;
            return None;
        }
        let mut evicted = None;
        if self.list.len() == self.capacity {
            let least = self.list.iter().map(|entry| entry.1).min().unwrap();
            let place = self.list.iter().position(|entry| entry.1 == least).unwrap();
            evicted = Some(self.list.remove(place).0);
        }
        self.list.push((key, 0));
        evicted
    }
}

/// Megiddo and Modha, Figure 4; lists grow at the end.
#[derive(Default)]
struct ArcFigure4 {
    c: usize,
    p: f64,
    t1: Vec<u128>,
    t2: Vec<u128>,
    b1: Vec<u128>,
    b2: Vec<u128>,
}

impl ArcFigure4 {
    #[expect(clippy::cast_precision_loss, reason = "short lists")]
    fn replace(&mut self, in_b2: bool) -> Option<u128> {
        let n = self.t1.len() as f64;
        let once = !self.t1.is_empty() && ((in_b2 && n == self.p.floor()) || n > self.p);
        if once || self.t2.is_empty() {
            let out = self.t1.remove(0);
            self.b1.push(out);
            Some(out)
        } else {
            let out = self.t2.remove(0);
            self.b2.push(out);
            Some(out)
        }
    }
}

impl Naive for ArcFigure4 {
    #[expect(clippy::cast_precision_loss, reason = "short lists")]
    fn ask(&mut self, key: u128) -> Option<u128> {
        let (n1, n2) = (self.b1.len() as f64, self.b2.len() as f64);
        if take(&mut self.t1, key) || take(&mut self.t2, key) {
            self.t2.push(key);
            return None;
        }
        if take(&mut self.b1, key) {
            self.p = (self.p + (n2 / n1).max(1.0)).min(self.c as f64);
            let out = self.replace(false);
            self.t2.push(key);
            return out;
        }
        if take(&mut self.b2, key) {
            self.p = (self.p - (n1 / n2).max(1.0)).max(0.0);
            let out = self.replace(true);
            self.t2.push(key);
            return out;
        }
        let mut out = None;
        if self.t1.len() + self.b1.len() == self.c {
            if self.t1.len() < self.c {
                self.b1.remove(0);
                out = self.replace(false);
            } else {
                out = Some(self.t1.remove(0));
            }
        } else {
            let total = self.t1.len() + self.t2.len() + self.b1.len() + self.b2.len();
            if total >= self.c {
                if total == 2 * self.c {
                    self.b2.remove(0);
                }
                if self.t1.len() + self.t2.len() == self.c {
                    out = self.replace(false);
                }
            }
        }
        self.t1.push(key);
        out
    }
}

struct SieveHand {
    capacity: usize,
    /// Oldest first.
    list: Vec<(u128, bool)>,
    hand: usize,
}

impl Naive for SieveHand {
    fn ask(&mut self, key: u128) -> Option<u128> {
        if let Some(entry) = self.list.iter_mut().find(|entry| entry.0 == key) {
            entry.1 = true;
            return None;
        }
        let mut evicted = None;
        if self.list.len() == self.capacity {
            if self.hand >= self.list.len() {
                self.hand = 0;
            }
            while self.list[self.hand].1 {
                self.list[self.hand].1 = false;
                self.hand = (self.hand + 1) % self.list.len();
            }
            evicted = Some(self.list.remove(self.hand).0);
        }
        self.list.push((key, false));
        evicted
    }
}

struct Queues2 {
    kin: usize,
    kout: usize,
    capacity: usize,
    a1in: Vec<u128>,
    a1out: Vec<u128>,
    am: Vec<u128>,
}

impl Naive for Queues2 {
    fn ask(&mut self, key: u128) -> Option<u128> {
        if take(&mut self.am, key) {
            self.am.push(key);
            return None;
        }
        if self.a1in.contains(&key) {
            return None;
        }
        let known = self.a1out.contains(&key);
        let mut out = None;
        if self.a1in.len() + self.am.len() == self.capacity {
            if self.a1in.len() > self.kin || self.am.is_empty() {
                let gone = self.a1in.remove(0);
                self.a1out.push(gone);
                if self.a1out.len() > self.kout {
                    self.a1out.remove(0);
                }
                out = Some(gone);
            } else {
                out = Some(self.am.remove(0));
            }
        }
        if known && take(&mut self.a1out, key) {
            self.am.push(key);
        } else {
            self.a1in.push(key);
        }
        out
    }
}

struct ThreeQueues {
    capacity: usize,
    small: Vec<(u128, u8)>,
    main: Vec<(u128, u8)>,
    ghosts: Vec<u128>,
}

impl ThreeQueues {
    fn evict_main(&mut self) -> Option<u128> {
        while !self.main.is_empty() {
            let (key, uses) = self.main.remove(0);
            if uses == 0 {
                return Some(key);
            }
            self.main.push((key, uses - 1));
        }
        None
    }

    fn evict_small(&mut self) -> Option<u128> {
        while !self.small.is_empty() {
            let (key, uses) = self.small.remove(0);
            if uses <= 1 {
                self.ghosts.push(key);
                let most = self.capacity - (self.capacity / 10).max(1);
                while self.ghosts.len() > most {
                    self.ghosts.remove(0);
                }
                return Some(key);
            }
            self.main.push((key, uses));
        }
        None
    }
}

impl Naive for ThreeQueues {
    fn ask(&mut self, key: u128) -> Option<u128> {
        let entries = self.small.iter_mut().chain(self.main.iter_mut());
        if let Some(entry) = entries.into_iter().find(|entry| entry.0 == key) {
            entry.1 = (entry.1 + 1).min(3);
            return None;
        }
        let mut out = None;
        if self.small.len() + self.main.len() == self.capacity {
            if self.small.len() >= (self.capacity / 10).max(1) {
                out = self.evict_small();
            }
            out = out.or_else(|| self.evict_main());
            out = out.or_else(|| self.evict_small());
        }
        if take(&mut self.ghosts, key) {
            self.main.push((key, 0));
        } else {
            self.small.push((key, 0));
        }
        out
    }
}

struct Window {
    capacity: usize,
    window: Vec<u128>,
    probation: Vec<u128>,
    protected: Vec<u128>,
    counts: BTreeMap<u128, u32>,
    sampled: usize,
}

impl Window {
    fn count(&mut self, key: u128) {
        *self.counts.entry(key).or_default() += 1;
        self.sampled += 1;
        if self.sampled >= 10 * self.capacity {
            self.sampled /= 2;
            for count in self.counts.values_mut() {
                *count /= 2;
            }
        }
    }
}

impl Naive for Window {
    fn ask(&mut self, key: u128) -> Option<u128> {
        self.count(key);
        let most = (self.capacity / 100).max(1);
        if take(&mut self.window, key) {
            self.window.push(key);
            return None;
        }
        if take(&mut self.protected, key) {
            self.protected.push(key);
            return None;
        }
        if take(&mut self.probation, key) {
            self.protected.push(key);
            if self.protected.len() > (self.capacity - most) * 4 / 5 {
                let demoted = self.protected.remove(0);
                self.probation.push(demoted);
            }
            return None;
        }
        self.window.push(key);
        if self.window.len() > most {
            let candidate = self.window.remove(0);
            self.probation.push(candidate);
            let total = self.window.len() + self.probation.len() + self.protected.len();
            if total > self.capacity {
                // The candidate stands last; the victim is the least recently used of the others.
                self.probation.pop();
                let kept = self.probation.first().or(self.protected.first()).copied();
                let count = |key: u128| self.counts.get(&key).copied().unwrap_or(0);
                return match kept {
                    Some(kept) if count(candidate) > count(kept) => {
                        take(&mut self.probation, kept);
                        take(&mut self.protected, kept);
                        self.probation.push(candidate);
                        Some(kept)
                    }
                    _ => Some(candidate),
                };
            }
        }
        None
    }
}

fn naive(name: PolicyName, capacity: usize, keys: &[u128]) -> Option<Vec<u128>> {
    let line = |renews| Line {
        capacity,
        renews,
        list: Vec::new(),
    };
    Some(match name {
        PolicyName::Fifo => play(line(false), keys),
        PolicyName::Lru => play(line(true), keys),
        PolicyName::Lfu => play(
            Frequency {
                capacity,
                list: Vec::new(),
            },
            keys,
        ),
        PolicyName::ArcClassic => play(
            ArcFigure4 {
                c: capacity,
                ..ArcFigure4::default()
            },
            keys,
        ),
        PolicyName::Sieve => play(
            SieveHand {
                capacity,
                list: Vec::new(),
                hand: 0,
            },
            keys,
        ),
        PolicyName::S3Fifo => play(
            ThreeQueues {
                capacity,
                small: Vec::new(),
                main: Vec::new(),
                ghosts: Vec::new(),
            },
            keys,
        ),
        PolicyName::TinyLfu => play(
            Window {
                capacity,
                window: Vec::new(),
                probation: Vec::new(),
                protected: Vec::new(),
                counts: BTreeMap::new(),
                sampled: 0,
            },
            keys,
        ),
        PolicyName::TwoQ => play(
            Queues2 {
                kin: (capacity / 4).max(1),
                kout: (capacity / 2).max(1),
                capacity,
                a1in: Vec::new(),
                a1out: Vec::new(),
                am: Vec::new(),
            },
            keys,
        ),
        PolicyName::Arc
        | PolicyName::SolarAReference
        | PolicyName::SolarEReference
        | PolicyName::SolarReference
        | PolicyName::SolarPaper
        | PolicyName::SolarFixed
        | PolicyName::Solar
        | PolicyName::Survival => return None,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn classic_policies_evict_what_their_papers_say(keys in prop::collection::vec(0_u128..24, 0..400), capacity in 2_usize..16) {
        for name in PolicyName::ALL {
            if let Some(expected) = naive(name, capacity, &keys) {
                prop_assert_eq!(evictions(name, capacity, &keys), expected, "{}", name.as_str());
            }
        }
    }
}

/// Misses of each policy on one committed trace: any change of behaviour shows.
#[test]
fn golden_evictions_on_one_trace() {
    let keys = trace(5_000, 300, 17);
    let counts: Vec<(&str, usize)> = PolicyName::ALL
        .into_iter()
        .map(|name| (name.as_str(), evictions(name, 50, &keys).len()))
        .collect();
    assert_eq!(
        counts,
        [
            ("fifo", 3865),
            ("lru", 3836),
            ("lfu", 3695),
            ("arc", 3780),
            ("arc-classic", 3819),
            ("sieve", 3714),
            ("s3-fifo", 3703),
            ("tiny-lfu", 3648),
            ("2q", 3786),
            ("solar-a-reference", 403),
            ("solar-e-reference", 3824),
            ("solar-reference", 400),
            ("solar-paper", 1871),
            ("solar-fixed", 336),
            ("solar", 1931),
            ("survival", 301)
        ]
    );
}
