//! What of a language model's answers from passages is believed?
//!
//! Three readers that are no models, on every question: a perfect one, which answers from the evidence it is shown and cites
//! it; one that knows the answer but cites other sentences than the evidence; and one that cites the evidence but gives the
//! answer of another question. The first should be believed, the others not.

use graph_rag::LinearRagConfig;
use graph_rag::generation::GenerateConfig;
use language_model::{Embedder, Scripted};
use serde::Serialize;
use serde_json::{Value, json};

use super::IndexedCorpus;
use super::load::{Corpus, CorpusQuestion};
use super::measure::{contains_answer, wants_text};
use super::stream::share;

/// Sentences that a reply cites, at most.
const MOST_CITED: usize = 8;

/// Shares of the questions with a textual answer, in `0..=1`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct ReadingFigures {
    /// Questions of which a sentence that is shown has the answer.
    pub readable: f64,
    /// Questions that the perfect reader answers and is believed: contain-match with a perfect model.
    pub believed: f64,
    /// Of the answers known but not cited from the evidence, those not believed.
    pub refused_uncited: f64,
    /// Of the answers of another question, those not believed.
    pub refused_other: f64,
}

#[derive(Clone, Copy)]
enum Reader {
    Perfect,
    Uncited,
    Other,
}

/// Asks all three about every question with a textual answer.
pub(crate) fn reading(
    corpus: &Corpus,
    indexed: &IndexedCorpus,
    embedder: &dyn Embedder,
) -> anyhow::Result<ReadingFigures> {
    let settings = LinearRagConfig::default();
    let index = &indexed.index;
    let asked: Vec<&CorpusQuestion> = corpus.questions.iter().filter(|q| wants_text(q)).collect();
    let (mut readable, mut believed) = (0, 0);
    let (mut uncited, mut uncited_refused, mut other, mut other_refused) = (0, 0, 0, 0);
    for (place, question) in asked.iter().enumerate() {
        let query = index.query(&question.question, embedder, &settings)?;
        let found = index.search(&query, &query.seeds, &settings);
        let stranger = &asked[(place + asked.len() / 2) % asked.len()].answers;
        let ask = |reader: Reader| -> anyhow::Result<Option<Option<String>>> {
            let seen = std::sync::atomic::AtomicBool::new(false);
            let told = std::sync::Arc::new(seen);
            let (answers, mentions) = (question.answers.clone(), query.mentions.clone());
            let (stranger, tell) = (stranger.clone(), std::sync::Arc::clone(&told));
            let model = Scripted::function(move |request| {
                let prompt = request.messages.last().map_or("", |m| m.content.as_str());
                let reply = reply(prompt, reader, &answers, &mentions, &stranger);
                tell.store(reply.is_some(), std::sync::atomic::Ordering::Relaxed);
                Ok(reply.unwrap_or_else(no_answer).to_string())
            });
            let config = GenerateConfig::default();
            let generated = index.generate(&model, &query, &found.passages, None, &config)?;
            let answered = told.load(std::sync::atomic::Ordering::Relaxed);
            Ok(answered.then(|| generated.ok().map(|g| g.answer)))
        };
        if let Some(answer) = ask(Reader::Perfect)? {
            readable += 1;
            believed +=
                usize::from(answer.is_some_and(|text| contains_answer(&text, &question.answers)));
        }
        if let Some(answer) = ask(Reader::Uncited)? {
            uncited += 1;
            uncited_refused += usize::from(answer.is_none());
        }
        if let Some(answer) = ask(Reader::Other)? {
            other += 1;
            other_refused += usize::from(answer.is_none());
        }
    }
    Ok(ReadingFigures {
        readable: share(readable, asked.len()),
        believed: share(believed, asked.len()),
        refused_uncited: share(uncited_refused, uncited),
        refused_other: share(other_refused, other),
    })
}

fn no_answer() -> Value {
    json!({ "thought": "", "citations": [], "answer": "" })
}

/// What a reader replies; nothing when it has nothing to cite.
fn reply(
    prompt: &str,
    reader: Reader,
    answers: &[String],
    mentions: &[String],
    stranger: &[String],
) -> Option<Value> {
    let shown: Value = serde_json::from_str(prompt).ok()?;
    let mut evidence = Vec::new();
    let mut context = Vec::new();
    let mut elsewhere = Vec::new();
    for passage in shown["passages"].as_array()? {
        let title = passage["title"].as_str()?;
        let mut of_title = false;
        for sentence in passage["sentences"].as_array()? {
            let text = sentence["text"].as_str()?;
            let whole = format!("{title} {text}").to_lowercase();
            let names = mentions.iter().any(|m| whole.contains(m.as_str()));
            if contains_answer(text, answers) {
                evidence.push(sentence["n"].clone());
            } else if names && !of_title {
                of_title = true;
                context.push(sentence["n"].clone());
            } else if !names {
                elsewhere.push(sentence["n"].clone());
            }
        }
    }
    let answer = match reader {
        Reader::Perfect | Reader::Uncited => answers.first()?,
        Reader::Other => stranger.first()?,
    };
    let cited: Vec<Value> = match reader {
        _ if evidence.is_empty() => return None,
        Reader::Uncited => context
            .into_iter()
            .chain(elsewhere)
            .take(MOST_CITED)
            .collect(),
        Reader::Perfect | Reader::Other => {
            // The evidence, and for each passage that speaks of a name its first sentence that does.
            let room = MOST_CITED.saturating_sub(context.len()).max(2);
            let proof = evidence.into_iter().take(room);
            proof.chain(context).take(MOST_CITED).collect()
        }
    };
    (!cited.is_empty()).then(|| json!({ "thought": "", "citations": cited, "answer": answer }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_has_nothing_to_say_where_the_answer_is_not_shown() {
        let prompt = json!({ "passages": [
            { "title": "Gyre", "sentences": [{ "n": 1, "text": "It is by Bo." }, { "n": 2, "text": "It is long." }] },
        ]})
        .to_string();
        let of = |reader, answer: &str| {
            let (answers, mentions) = ([answer.to_owned()], ["gyre".to_owned()]);
            reply(&prompt, reader, &answers, &mentions, &["Metz".to_owned()])
        };
        assert_eq!(of(Reader::Perfect, "Kiruna"), None);
        let perfect = of(Reader::Perfect, "Bo").unwrap();
        assert_eq!(
            (&perfect["citations"], &perfect["answer"]),
            (&json!([1, 2]), &json!("Bo"))
        );
        assert_eq!(of(Reader::Uncited, "Bo").unwrap()["citations"], json!([2]));
        assert_eq!(of(Reader::Other, "Bo").unwrap()["answer"], json!("Metz"));
    }
}
