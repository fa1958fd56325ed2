//! How well are questions over documents answered? `corpus_qa SET DATA [OUT.json] [MINILM_DIR CACHE_FILE [VARIANTS]]`.
//!
//! Sets: 2wikimultihopqa, musique100, hotpotqa100. With `--features minilm` and a directory of weights it embeds with
//! all-MiniLM-L6-v2, each text once over all runs, in the cache file; with a number of variants only the first ones are
//! compared.

use std::path::Path;

use anyhow::Context;
use testsuite::{CorpusOptions, corpus_qa, corpus_texts};

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [set, data, rest @ ..] = arguments.as_slice() else {
        anyhow::bail!("usage: corpus_qa SET DATA [OUT.json] [MINILM_DIR CACHE_FILE [VARIANTS]]");
    };
    let mut options = CorpusOptions::new(set.parse()?, Path::new(data));
    if let [_, _, _, variants] = rest {
        options.variants.truncate(variants.parse()?);
    }
    if let [_, weights, cache, ..] = rest {
        options.embedder = minilm(weights, cache)?;
        let texts = corpus_texts(&options)?;
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        options.embedder.embed(&texts)?;
    }
    let report = corpus_qa(&options)?;
    if let Some(path) = rest.first() {
        let json = serde_json::to_string_pretty(&report.to_json()?)?;
        fs_err::write(path, json + "\n").context("the report could not be written")?;
    }
    #[expect(clippy::print_stdout, reason = "an example talks to a person")]
    {
        print!("{}", report.table());
    }
    Ok(())
}

#[cfg(feature = "minilm")]
fn minilm(
    weights: &str,
    cache: &str,
) -> anyhow::Result<std::sync::Arc<dyn language_model::Embedder>> {
    let model = std::sync::Arc::new(language_model::MiniLm::from_dir(weights)?);
    Ok(std::sync::Arc::new(testsuite::VectorCache::open(
        model,
        Path::new(cache),
    )?))
}

#[cfg(not(feature = "minilm"))]
fn minilm(
    _weights: &str,
    _cache: &str,
) -> anyhow::Result<std::sync::Arc<dyn language_model::Embedder>> {
    anyhow::bail!("this build has no MiniLM: build with --features minilm")
}
