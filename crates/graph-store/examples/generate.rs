//! Prints a made-up graph as N-Triples: `cargo run --release -p graph-store --example generate -- STATEMENTS` (1,000 if
//! not said).
//!
//! Ten statements a thing: type, label, year, score, six links. A tenth of all links go to one hub.

use std::io::{BufWriter, Write};

const WORDS: [&str; 32] = [
    "amber", "brook", "cedar", "delta", "ember", "fable", "grove", "haven", "iris", "jade", "kite",
    "lumen", "maple", "noble", "ocean", "pearl", "quill", "river", "stone", "tidal", "umber",
    "vivid", "willow", "xenon", "yonder", "zephyr", "arrow", "birch", "coral", "drift", "eagle",
    "flint",
];
const BASE: &str = "http://example.org/";

fn mix(n: u64) -> u64 {
    let n = (n ^ (n >> 31)).wrapping_mul(0x7fb5_d329_728e_a185);
    (n ^ (n >> 27)).wrapping_mul(0x81da_def4_bc2d_d44d)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let statements: u64 = std::env::args()
        .nth(1)
        .map_or(Ok(1_000), |count| count.parse())?;
    let things = (statements / 10).max(1);
    let mut out = BufWriter::with_capacity(1 << 20, std::io::stdout().lock());
    for n in 0..things {
        let r = mix(n);
        let word = |shift: u64| WORDS[usize::try_from((r >> shift) % 32).unwrap_or(0)];
        writeln!(
            out,
            "<{BASE}thing/{n}> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <{BASE}Kind{}> .",
            r % 20
        )?;
        writeln!(
            out,
            "<{BASE}thing/{n}> <http://www.w3.org/2000/01/rdf-schema#label> \"{} {} {} {}\" .",
            word(3),
            word(13),
            word(23),
            n % 1_000
        )?;
        writeln!(
            out,
            "<{BASE}thing/{n}> <{BASE}year> \"{}\"^^<http://www.w3.org/2001/XMLSchema#gYear> .",
            1900 + r % 120
        )?;
        writeln!(
            out,
            "<{BASE}thing/{n}> <{BASE}score> \"{}\"^^<http://www.w3.org/2001/XMLSchema#integer> .",
            r % 100_000
        )?;
        for link in 0..6 {
            let target = if link == 5 && r % 10 < 6 {
                0
            } else {
                mix(n * 8 + link) % things
            };
            writeln!(
                out,
                "<{BASE}thing/{n}> <{BASE}link{link}> <{BASE}thing/{target}> ."
            )?;
        }
    }
    out.flush()?;
    Ok(())
}
