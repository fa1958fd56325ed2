//! Which pairs of questions test the reuse guards, and on which graph is each asked?

use std::collections::HashSet;
use std::path::Path;

use serde::Deserialize;

use super::gold::{Expected, Gold};
use super::{DatasetError, DatasetName, GraphName, load_questions, locate, rows};

/// Two questions, and whether the second may be served from the first.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// The set's own id.
    pub id: String,
    /// What a report groups it by.
    pub kind: String,
    /// The graph both are asked on.
    pub graph: GraphName,
    /// Asked first.
    pub first: String,
    /// Asked second, in the same memory.
    pub second: String,
    /// True when both are the same question in other words.
    pub same: bool,
    /// The first's expected answer.
    pub first_gold: Gold,
    /// The second's expected answer.
    pub second_gold: Gold,
}

#[derive(Debug, Deserialize)]
struct Row {
    id: String,
    kind: String,
    text_a: String,
    text_b: String,
    label: u8,
    #[serde(default)]
    source: Option<String>,
    answers_a: Vec<String>,
    answers_b: Vec<String>,
}

/// `cache_kg` lists at most this many answers; of a longer list the first ones are given, and
/// nothing tells that it was cut.
const CACHE_KG_LISTED_ANSWERS: usize = 10;

/// Reads the pairs of `name` under `data`.
///
/// The graph of a PathQuestion pair is the one whose question set has the first question.
///
/// # Errors
/// When a file is missing or a row broken. Question sets have no pairs: empty.
pub fn load_pairs(name: DatasetName, data: &Path) -> Result<Vec<Pair>, DatasetError> {
    if !name.is_pairs() {
        return Ok(Vec::new());
    }
    let rows: Vec<Row> = rows(&locate(data, name.file())?)?;
    let two_hops: HashSet<String> = if rows.iter().any(from_pathquestion) {
        load_questions(DatasetName::Pq2h, data)?
            .into_iter()
            .map(|question| question.text)
            .collect()
    } else {
        HashSet::new()
    };
    let listed_answers = if name == DatasetName::CacheKg {
        CACHE_KG_LISTED_ANSWERS
    } else {
        usize::MAX
    };
    Ok(rows
        .into_iter()
        .map(|row| {
            let graph = if !from_pathquestion(&row) {
                GraphName::Metaqa
            } else if two_hops.contains(&row.text_a) {
                GraphName::Pq2h
            } else {
                GraphName::Pq3h
            };
            Pair {
                first_gold: gold(graph, &row.answers_a, listed_answers),
                second_gold: gold(graph, &row.answers_b, listed_answers),
                id: row.id,
                kind: row.kind,
                graph,
                first: row.text_a,
                second: row.text_b,
                same: row.label == 1,
            }
        })
        .collect())
}

fn from_pathquestion(row: &Row) -> bool {
    row.source.as_deref() == Some("pathquestion")
}

fn gold(graph: GraphName, answers: &[String], listed_answers: usize) -> Gold {
    if answers.is_empty() {
        return Gold::Refusal;
    }
    let expected = answers
        .iter()
        .map(|answer| match answer.as_str() {
            "yes" | "no" => Expected::from_cell(answer),
            label if label.len() < 4 && label.parse::<u32>().is_ok() => Expected::from_cell(label),
            label => Expected::Entity {
                label: label.to_owned(),
                iri: graph.entity_iri(label),
            },
        })
        .collect();
    if answers.len() < listed_answers {
        Gold::Values(expected)
    } else {
        Gold::AtLeast(expected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_graph_of_a_pathquestion_pair_is_that_of_its_first_question() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path();
        fs_err::create_dir_all(data.join("dev/cache_kg")).unwrap();
        fs_err::create_dir_all(data.join("dev/pathquestion")).unwrap();
        fs_err::write(
            data.join("dev/pathquestion/PQ-2H.jsonl"),
            r#"{"id":"1","question":"two?","path":["a","b"],"answers":["x"]}"#,
        )
        .unwrap();
        let row = |text: &str, source: &str| {
            format!(
                r#"{{"id":"1","kind":"k","text_a":"{text}","text_b":"b","label":0,"source":"{source}","answers_a":["x"],"answers_b":[]}}"#
            )
        };
        let rows = [
            row("two?", "pathquestion"),
            row("three?", "pathquestion"),
            row("two?", "metaqa"),
        ];
        fs_err::write(
            data.join("dev/cache_kg/kg_cache_pairs.jsonl"),
            rows.join("\n"),
        )
        .unwrap();
        let pairs = load_pairs(DatasetName::CacheKg, data).unwrap();
        let graphs: Vec<GraphName> = pairs.iter().map(|pair| pair.graph).collect();
        assert_eq!(
            graphs,
            vec![GraphName::Pq2h, GraphName::Pq3h, GraphName::Metaqa]
        );
        assert_eq!(pairs[0].second_gold, Gold::Refusal);
    }

    #[test]
    fn a_list_of_ten_may_be_cut_so_more_values_are_no_mistake() {
        let ten: Vec<String> = (0..10).map(|index| format!("film {index}")).collect();
        assert!(matches!(
            gold(GraphName::Metaqa, &ten, 10),
            Gold::AtLeast(_)
        ));
        assert!(matches!(
            gold(GraphName::Metaqa, &ten[..9], 10),
            Gold::Values(_)
        ));
    }
}
