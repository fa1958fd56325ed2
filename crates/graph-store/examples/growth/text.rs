//! Which statements are the graphs of the measurements made of?

use std::fmt::Write as _;

/// A quarter of the statements go to one hub; each thing has eight.
pub(crate) fn text(statements: usize) -> String {
    let things = statements / 8;
    let mut text = String::with_capacity(statements * 64);
    for n in 0..things {
        let _ = writeln!(
            text,
            "<urn:t{n}> <http://www.w3.org/2000/01/rdf-schema#label> \"thing number {n}\" ."
        );
        for link in 0..7 {
            let target = if link < 2 {
                0
            } else {
                (n * 31 + link * 7_919 + 1) % things
            };
            let _ = writeln!(text, "<urn:t{n}> <urn:link{link}> <urn:t{target}> .");
        }
    }
    text
}
