//! What would a system say whose every reply is written down? (A double for the runners' tests.)

use std::collections::HashMap;
use std::path::Path;

use crate::dataset::GraphName;
use crate::system::{HitKind, HitSource, Reply, System, Value};

/// Gives the replies it was told, and keeps what it heard.
#[derive(Debug, Default)]
pub(crate) struct Scripted {
    replies: HashMap<String, Reply>,
    /// Everything that was done to it, in order.
    pub(crate) heard: Vec<String>,
}

impl Scripted {
    /// Answers `question` with `labels`; no labels is a refusal.
    pub(crate) fn answer(mut self, question: &str, labels: &[&str]) -> Self {
        self.replies
            .insert(question.to_owned(), reply(question, labels));
        self
    }

    /// Answers `question` by reuse of what `from` was answered with `labels`.
    pub(crate) fn reuse(mut self, question: &str, labels: &[&str], from: &str) -> Self {
        let source = HitSource {
            id: "e1".into(),
            question: from.to_owned(),
            values: self
                .replies
                .get(from)
                .map(|reply| reply.values.clone())
                .unwrap_or_default(),
        };
        let reply = Reply {
            hit_kind: HitKind::Plan,
            source: Some(source),
            ..reply(question, labels)
        };
        self.replies.insert(question.to_owned(), reply);
        self
    }
}

fn reply(question: &str, labels: &[&str]) -> Reply {
    Reply {
        id: format!("answer to {question}"),
        values: labels
            .iter()
            .map(|label| Value {
                label: (*label).to_owned(),
                iri: None,
            })
            .collect(),
        refused: labels.is_empty(),
        executable: (!labels.is_empty()).then_some(true),
        sparql: (!labels.is_empty()).then(|| format!("query of {question}")),
        micros: 1500,
        model_calls: 0,
        ..Reply::default()
    }
}

impl System for Scripted {
    fn load_graph(&mut self, name: GraphName, _file: &Path) -> anyhow::Result<u64> {
        self.heard.push(format!("load {}", name.as_str()));
        Ok(100)
    }

    fn fresh_memory(&mut self) -> anyhow::Result<()> {
        self.heard.push("fresh".into());
        Ok(())
    }

    fn ask(&mut self, graph: GraphName, question: &str) -> anyhow::Result<Reply> {
        self.heard
            .push(format!("ask {} {question}", graph.as_str()));
        Ok(self
            .replies
            .get(question)
            .cloned()
            .unwrap_or_else(|| Reply {
                refused: true,
                ..Reply::default()
            }))
    }

    fn feedback(&mut self, answer_id: &str, right: bool) -> anyhow::Result<()> {
        self.heard.push(format!("feedback {answer_id} {right}"));
        Ok(())
    }

    fn settle(&mut self) -> anyhow::Result<()> {
        self.heard.push("settle".into());
        Ok(())
    }
}
