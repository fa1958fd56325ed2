//! How does each set write its questions and its gold answers?

use std::path::Path;

use serde::Deserialize;

use super::gold::{Expected, Gold};
use super::{DatasetError, DatasetName, GraphName, locate, rows};
use crate::gold_model::GoldPath;

/// A question with the answer the set expects.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The set's own id.
    pub id: String,
    /// The text.
    pub text: String,
    /// The graph it is asked on.
    pub graph: GraphName,
    /// What a report groups it by: the type in FilmQA, the path's shape elsewhere.
    pub kind: String,
    /// What is right.
    pub gold: Gold,
    /// The paths that lead there, where the set tells.
    pub paths: Vec<GoldPath>,
}

/// A row of any question set; each set fills some of the fields.
#[derive(Debug, Deserialize)]
struct Row {
    id: String,
    question: String,
    #[serde(default)]
    answers: Vec<Cells>,
    #[serde(default)]
    answer_ids: Option<Vec<String>>,
    /// FilmQA's kind of question.
    #[serde(rename = "type")]
    kind: Option<String>,
    /// MetaQA's kind of question.
    qtype: Option<String>,
    topic_label: Option<String>,
    topic_labels: Option<Vec<String>>,
    path: Option<Vec<String>>,
    paths: Option<Vec<Vec<String>>>,
    /// CK25's SPARQL features.
    features: Option<Vec<String>>,
}

/// One answer: a value, or CK25's row of cells.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Cells {
    One(String),
    Row(Vec<Option<String>>),
}

/// Reads the questions of `name` under `data`.
///
/// # Errors
/// When a file is missing or a row broken. Pair sets have no questions of their own: empty.
pub fn load_questions(name: DatasetName, data: &Path) -> Result<Vec<Question>, DatasetError> {
    let (false, Some(&graph)) = (name.is_pairs(), name.graphs().first()) else {
        return Ok(Vec::new());
    };
    let rows: Vec<Row> = rows(&locate(data, name.file())?)?;
    Ok(rows
        .into_iter()
        .map(|row| Question {
            kind: kind(&row),
            gold: gold(name, graph, &row),
            paths: paths(&row),
            id: row.id,
            text: row.question,
            graph,
        })
        .collect())
}

fn paths(row: &Row) -> Vec<GoldPath> {
    let topics: Vec<&String> = row
        .topic_labels
        .iter()
        .flatten()
        .chain(&row.topic_label)
        .collect();
    let paths = row.paths.iter().flatten().chain(&row.path);
    topics
        .into_iter()
        .zip(paths)
        .map(|(from, steps)| GoldPath {
            from: from.clone(),
            steps: steps.clone(),
        })
        .collect()
}

fn kind(row: &Row) -> String {
    if let Some(kind) = row.kind.as_ref().or(row.qtype.as_ref()) {
        return kind.clone();
    }
    if let Some(path) = &row.path {
        return path.join(" / ");
    }
    if let Some(paths) = &row.paths {
        let paths: Vec<_> = paths.iter().map(|path| path.join(" / ")).collect();
        return paths.join(" & ");
    }
    if let Some(features) = &row.features {
        return features.join("+").to_lowercase();
    }
    answer_shape(&row.question).to_owned()
}

/// BESTIARY gives no kinds; the question's own opening does.
fn answer_shape(question: &str) -> &'static str {
    let question = question.to_lowercase();
    let opening = question.split_whitespace().next().unwrap_or_default();
    if ["is", "are", "do", "does", "did", "was"].contains(&opening) {
        "yes/no"
    } else if question.contains("how many") {
        "count"
    } else if question.contains("average") || question.contains("percentage") {
        "average"
    } else if ["most", "max", "min", "top", "lowest", "highest", "rarest"]
        .iter()
        .any(|word| question.contains(word))
    {
        "superlative"
    } else {
        "list"
    }
}

fn gold(name: DatasetName, graph: GraphName, row: &Row) -> Gold {
    let cells = row.answers.iter().flat_map(|cells| match cells {
        Cells::One(cell) => vec![cell.as_str()],
        Cells::Row(cells) => cells.iter().flatten().map(String::as_str).collect(),
    });
    match name {
        DatasetName::Ck25 | DatasetName::Bestiary => {
            let mut expected: Vec<Expected> = Vec::new();
            for cell in cells.map(Expected::from_cell) {
                if !expected.contains(&cell) {
                    expected.push(cell);
                }
            }
            Gold::Values(expected)
        }
        DatasetName::Filmqa | DatasetName::FilmqaTraps => {
            let kind = row.kind.as_deref().unwrap_or_default();
            film_gold(kind, graph, cells.map(str::to_owned))
        }
        DatasetName::Pq2h
        | DatasetName::Pq3h
        | DatasetName::Pql2h
        | DatasetName::Pql3h
        | DatasetName::WcP1
        | DatasetName::WcP2
        | DatasetName::WcC
        | DatasetName::Metaqa1hop
        | DatasetName::Metaqa2hop
        | DatasetName::Metaqa3hop
        | DatasetName::CacheKg => Gold::Values(entities(graph, cells, row.answer_ids.as_deref())),
    }
}

/// Entities by label; the IRI is made from the given id, or from the label.
fn entities<'a>(
    graph: GraphName,
    labels: impl Iterator<Item = &'a str>,
    ids: Option<&[String]>,
) -> Vec<Expected> {
    labels
        .enumerate()
        .map(|(index, label)| Expected::Entity {
            label: label.to_owned(),
            iri: ids
                .and_then(|ids| ids.get(index))
                .and_then(|id| Some(format!("{}{id}", graph.entity_namespace()?)))
                .or_else(|| graph.entity_iri(label)),
        })
        .collect()
}

/// FilmQA's answers: numbers for counts, yes or no, nothing for the unanswerable, films otherwise.
fn film_gold(kind: &str, graph: GraphName, answers: impl Iterator<Item = String>) -> Gold {
    match kind {
        "unanswerable" => Gold::Refusal,
        "count" | "yesno" => Gold::Values(answers.map(|cell| Expected::from_cell(&cell)).collect()),
        _ => {
            let answers: Vec<String> = answers.collect();
            Gold::Values(entities(graph, answers.iter().map(String::as_str), None))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(name: DatasetName, file: &str, lines: &str) -> Vec<Question> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(file);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(&path, lines).unwrap();
        load_questions(name, folder.path()).unwrap()
    }

    #[test]
    fn entity_ids_of_the_set_become_iris() {
        let questions = load(
            DatasetName::Pq2h,
            "dev/pathquestion/PQ-2H.jsonl",
            r#"{"id":"1","question":"q?","path":["a","b"],"answers":["enno iii"],"answer_ids":["enno_iii"],"sparql":""}"#,
        );
        assert_eq!(questions[0].kind, "a / b");
        assert_eq!(
            questions[0].gold,
            Gold::Values(vec![Expected::Entity {
                label: "enno iii".into(),
                iri: Some("http://example.org/pq/entity/enno_iii".into())
            }])
        );
    }

    #[test]
    fn film_questions_expect_numbers_truths_films_or_a_refusal() {
        let questions = load(
            DatasetName::Filmqa,
            "dev/filmqa/questions.jsonl",
            concat!(
                r#"{"id":"1","type":"count","question":"q","answers":["7"],"group":1}"#,
                "\n",
                r#"{"id":"2","type":"yesno","question":"q","answers":["no"],"group":1}"#,
                "\n",
                r#"{"id":"3","type":"unanswerable","question":"q","answers":[],"group":1}"#,
                "\n",
                r#"{"id":"4","type":"filter","question":"q","answers":["K2"],"group":1}"#,
            ),
        );
        assert_eq!(questions[0].gold, Gold::Values(vec![Expected::Number(7.0)]));
        assert_eq!(
            questions[1].gold,
            Gold::Values(vec![Expected::Boolean(false)])
        );
        assert_eq!(questions[2].gold, Gold::Refusal);
        assert_eq!(questions[3].gold.labels(), vec!["K2"]);
        assert_eq!(questions[3].kind, "filter");
    }

    #[test]
    fn rows_of_several_columns_are_compared_as_the_set_of_their_cells() {
        let questions = load(
            DatasetName::Ck25,
            "dev/ck25/ck25.jsonl",
            r#"{"id":"1","question":"q","features":["SELECT","COUNT"],"answers":[["Sales","9"],["Data","9",null]]}"#,
        );
        assert_eq!(questions[0].gold.labels(), vec!["Sales", "9", "Data"]);
        assert_eq!(questions[0].kind, "select+count");
    }

    #[test]
    fn an_iri_of_a_general_graph_is_compared_as_an_iri() {
        let questions = load(
            DatasetName::Bestiary,
            "dev/bestiary/bestiary.jsonl",
            r#"{"id":"1","question":"what is the rarest?","answers":["http://e/o#ogre"]}"#,
        );
        assert_eq!(
            questions[0].gold,
            Gold::Values(vec![Expected::Entity {
                label: "ogre".into(),
                iri: Some("http://e/o#ogre".into())
            }])
        );
        assert_eq!(questions[0].kind, "superlative");
    }
}
