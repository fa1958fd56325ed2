//! Which known name did the user probably mean?
//!
//! Optimal string alignment distance (Damerau–Levenshtein without overlapping edits) over case-folded characters. Not for entity linking:
//! that is `graph_store`'s label index.

/// The closest of `known` to `asked`, when it is close enough to be worth suggesting.
///
/// "Close enough" is at most a third of the longer name's characters changed, or one name being a prefix of the other (from three
/// characters on). Ties go to the first in the order given.
///
/// ```
/// assert_eq!(refrain::suggest::closest("flims", ["books", "films"]), Some("films"));
/// assert_eq!(refrain::suggest::closest("music", ["books", "films"]), None);
/// ```
pub fn closest<'a>(asked: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let asked = fold(asked);
    let mut best: Option<(usize, &str)> = None;
    for name in known {
        let folded = fold(name);
        let distance = distance(&asked, &folded);
        let longest = asked.len().max(folded.len());
        let is_prefix = asked.len().min(folded.len()) >= 3
            && (folded.starts_with(&asked) || asked.starts_with(&folded));
        if distance * 3 > longest && !is_prefix {
            continue;
        }
        if best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, name));
        }
    }
    best.map(|(_, name)| name)
}

/// Longest name that is compared; what lies beyond is ignored.
const MAX_COMPARED_CHARS: usize = 120;

fn fold(name: &str) -> Vec<char> {
    name.chars()
        .flat_map(char::to_lowercase)
        .take(MAX_COMPARED_CHARS)
        .collect()
}

fn distance(a: &[char], b: &[char]) -> usize {
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, to) in b.iter().enumerate() {
            let replaced = last[j] + usize::from(from != to);
            let mut least = replaced.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *from == b[j - 1] && a[i - 1] == *to {
                least = least.min(before_last[j - 1] + 1);
            }
            row.push(least);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_swap_is_one_edit() {
        let chars = |s: &str| s.chars().collect::<Vec<_>>();
        assert_eq!(distance(&chars("flims"), &chars("films")), 1);
        assert_eq!(distance(&chars(""), &chars("abc")), 3);
    }

    #[test]
    fn a_prefix_is_suggested_and_a_stranger_is_not() {
        assert_eq!(
            closest("compl", ["completions", "config"]),
            Some("completions")
        );
        assert_eq!(closest("zzz", ["completions", "config"]), None);
        assert_eq!(closest("", ["a"]), None);
    }
}
