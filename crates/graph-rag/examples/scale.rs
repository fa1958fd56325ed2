//! How large a corpus can be indexed and asked? `cargo run --release -p graph-rag --example scale -- [PASSAGES]
//! [QUESTIONS] [DIRECTORY]` (1,000 passages and 100 questions if not said).
//!
//! The passages are made up, the same on every run: words of a Zipf vocabulary, a title each, three to seven sentences
//! that mention the title and other things, well-known ones more often. A tenth of the questions names something that is
//! not there. Processor time of the median question is that of the thread that asks: all of it where there is one processor,
//! as under `taskset -c 0`. With a directory the index is saved there and opened again; one that lies there is opened at once.

use std::time::Instant;

use graph_rag::{DocumentId, Index, IndexConfig, LinearRagConfig, Passage};
use language_model::StaticEmbedder;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const SEED: u64 = 20_261_130;
const SYLLABLES: [&str; 24] = [
    "ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu", "na", "pe", "ri", "so", "tu", "va",
    "we", "xi", "yo", "zu", "bra", "cle", "dri", "sto",
];
const COMMON: [&str; 20] = [
    "the", "of", "and", "in", "was", "to", "a", "is", "by", "for", "as", "on", "with", "from",
    "at", "he", "born", "film", "directed", "known",
];
const PATTERNS: [&str; 4] = [
    "Who directed",
    "Where was the father of",
    "When was the maker of",
    "What is known of",
];

/// A number that is small more often than not: of rank `r` with a probability near `1 / r`.
fn zipf(rng: &mut ChaCha8Rng, size: usize) -> usize {
    let size = size.max(1) as f64;
    let rank = size.powf(rng.random_range(0.0..1.0)) - 1.0;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "0 to below the size"
    )]
    let rank = rank as usize;
    rank
}

/// The word of a number, two to four syllables.
fn word(mut number: usize) -> String {
    let mut word = String::new();
    for n in 0..4 {
        word.push_str(SYLLABLES[number % SYLLABLES.len()]);
        number /= SYLLABLES.len();
        if number == 0 && n > 0 {
            break;
        }
    }
    word
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

/// The name of a thing: its passage's title.
fn name(thing: usize) -> String {
    let (first, last) = (thing % 4_001, thing / 4_001 * 7 + thing % 613);
    format!(
        "{} {}",
        capitalised(&word(first + 600)),
        capitalised(&word(last + 700))
    )
}

struct Maker {
    rng: ChaCha8Rng,
    things: usize,
}

impl Maker {
    fn sentence(&mut self, about: &str) -> String {
        let mut words = vec![about.to_owned()];
        for _ in 0..self.rng.random_range(8..18) {
            words.push(match self.rng.random_range(0..10) {
                0..4 => COMMON[zipf(&mut self.rng, COMMON.len())].to_owned(),
                4 => name(zipf(&mut self.rng, self.things)),
                _ => word(zipf(&mut self.rng, 60_000)),
            });
        }
        format!("{}.", words.join(" "))
    }

    fn passage(&mut self, thing: usize) -> Passage {
        let title = name(thing);
        let sentences: Vec<String> = (0..self.rng.random_range(3..8))
            .map(|n| self.sentence(if n == 0 { &title } else { "He" }))
            .collect();
        Passage {
            document: DocumentId(format!("{thing:08}")),
            ordinal: 0,
            title,
            text: sentences.join(" "),
        }
    }

    fn question(&mut self, number: usize) -> String {
        let pattern = PATTERNS[number % PATTERNS.len()];
        let thing = if number % 10 == 9 {
            "Qwertz Uiopue".to_owned()
        } else if number.is_multiple_of(2) {
            name(zipf(&mut self.rng, self.things))
        } else {
            name(self.rng.random_range(0..self.things))
        };
        format!("{pattern} {thing} {}?", word(zipf(&mut self.rng, 60_000)))
    }
}

#[expect(clippy::print_stdout, reason = "an example talks to a person")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, usual: usize| {
        arguments
            .get(at)
            .map_or(Ok(usual), |text| text.parse::<usize>())
    };
    let (things, questions) = (number(0, 1_000)?, number(1, 100)?);
    let embedder = StaticEmbedder::builtin();
    let mut maker = Maker {
        rng: ChaCha8Rng::seed_from_u64(SEED),
        things,
    };
    let passages: Vec<Passage> = (0..things).map(|thing| maker.passage(thing)).collect();

    let directory = arguments.get(2).map(std::path::Path::new);
    let made = directory.filter(|directory| directory.join("documents.index").is_file());
    let index = match made {
        Some(directory) => opened(directory)?,
        None => {
            let start = Instant::now();
            let index = Index::build(passages, [], IndexConfig::default(), embedder.as_ref())?;
            let seconds = start.elapsed().as_secs_f64();
            println!(
                "indexed in {seconds:.1} s, {:.0} passages/s",
                things as f64 / seconds
            );
            match directory {
                Some(directory) => {
                    index.save(directory)?;
                    opened(directory)?
                }
                None => index,
            }
        }
    };
    let graph = index.graph();
    println!(
        "{} passages, {} sentences, {} entities, {} edges",
        index.len(),
        graph.sentences().len(),
        graph.entities().len(),
        graph.passage_entity_edges()
    );

    let config = LinearRagConfig::default();
    let mut millis = Vec::with_capacity(questions);
    let (mut processor, mut own) = (None, Vec::with_capacity(questions));
    for number in 0..questions {
        let question = maker.question(number);
        let (start, before) = (Instant::now(), thread_millis());
        let found = index.retrieve(&question, embedder.as_ref(), &config)?;
        millis.push(start.elapsed().as_secs_f64() * 1_000.0);
        own.extend(
            before
                .zip(thread_millis())
                .map(|(before, now)| now - before),
        );
        assert!(!found.passages.is_empty() || things == 0);
        processor = processor.or_else(processor_seconds);
    }
    if let Some(first) = millis.first() {
        println!("first question {first:.2} ms");
    }
    millis.sort_by(f64::total_cmp);
    let at = |hundredth: usize| {
        let place = millis.len() * hundredth / 100;
        millis.get(place).copied().unwrap_or(0.0)
    };
    println!(
        "{questions} questions: p50 {:.2} ms, p95 {:.2} ms, fastest {:.2} ms",
        at(50),
        at(95),
        at(0)
    );
    own.sort_by(f64::total_cmp);
    if let Some(median) = own.get(own.len() / 2) {
        println!("median {median:.2} ms of processor time in the thread that asks");
    }
    if let (Some(before), Some(now)) = (processor, processor_seconds()) {
        let each = (now - before) * 1_000.0 / millis.len().saturating_sub(1).max(1) as f64;
        println!("{each:.2} ms of processor time a question after the first, all threads together");
    }
    if let Some(peak) = peak_memory() {
        println!("peak memory {peak:.2} GiB");
    }
    Ok(())
}

#[expect(clippy::print_stdout, reason = "an example talks to a person")]
fn opened(directory: &std::path::Path) -> Result<Index, graph_rag::GraphRagError> {
    let start = Instant::now();
    let index = Index::open(directory)?;
    println!("opened in {:.3} s", start.elapsed().as_secs_f64());
    Ok(index)
}

/// Seconds of processor time so far, where the system tells it as Linux does.
fn processor_seconds() -> Option<f64> {
    let stat = fs_err::read_to_string("/proc/self/stat").ok()?;
    // Behind the name in parentheses; a tick is a hundredth of a second.
    let fields = stat.rsplit_once(") ")?.1.split(' ');
    let ticks: Vec<f64> = fields
        .skip(11)
        .take(2)
        .filter_map(|ticks| ticks.parse().ok())
        .collect();
    Some(ticks.iter().sum::<f64>() / 100.0)
}

/// Milliseconds of processor time of this thread so far, where the system tells it as Linux does.
fn thread_millis() -> Option<f64> {
    let stat = fs_err::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: f64 = stat.split(' ').next()?.parse().ok()?;
    Some(nanoseconds / 1e6)
}

/// The largest resident set so far, in GiB, where the system tells it as Linux does.
fn peak_memory() -> Option<f64> {
    let status = fs_err::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib / 1_048_576.0)
}
