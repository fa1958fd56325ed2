//! `refrain sparql`: a query in, results out.

use std::io::{self, Read, Write};
use std::time::Duration;

use refrain::graph_store::{DefaultGraph, QueryLimits, QueryResult, Solutions};
use sparesults::{QueryResultsFormat, QueryResultsSerializer};

use crate::args::{Global, ResultFormat, SparqlArgs};
use crate::failure::{Failure, Outcome};
use crate::open;
use crate::ui::{TextTable, Tone, Ui, counted};

/// `refrain sparql`
pub(crate) fn run(args: &SparqlArgs, global: &Global, ui: Ui) -> Outcome {
    let query = query(args)?;
    let engine = open::existing(global)?;
    let source = engine.source_or_only(args.source.as_deref())?;
    let limits = QueryLimits {
        timeout: Some(Duration::from_secs(args.timeout)),
        max_rows: args.limit,
        default_graph: DefaultGraph::Union,
        ..QueryLimits::default()
    };
    let result = source
        .snapshot()?
        .query(&query, &limits)
        .map_err(refrain::EngineError::from)?;
    let format = if ui.json {
        ResultFormat::Json
    } else {
        args.results
    };
    match result {
        QueryResult::Solutions(solutions) => {
            solutions_out(&solutions, format, ui)?;
            if solutions.truncated {
                ui.warn(format!(
                    "only the first {} rows; --limit raises that",
                    args.limit
                ));
            }
            Ok(())
        }
        QueryResult::Boolean(truth) => boolean_out(truth, format, ui),
        QueryResult::Graph { triples, truncated } => {
            let mut out = io::BufWriter::new(io::stdout().lock());
            for triple in triples {
                writeln!(out, "{triple} .")?;
            }
            out.flush()?;
            if truncated {
                ui.warn(format!(
                    "only the first {} triples; --limit raises that",
                    args.limit
                ));
            }
            Ok(())
        }
    }
}

fn query(args: &SparqlArgs) -> Outcome<String> {
    let given = match (&args.query, &args.file) {
        (_, Some(file)) => fs_err::read_to_string(file)?,
        (Some(query), None) if query != "-" => query.clone(),
        (_, None) => {
            let mut text = String::new();
            io::stdin().read_to_string(&mut text)?;
            text
        }
    };
    if given.trim().is_empty() {
        return Err(Failure::usage("the query is empty")
            .hint("as in refrain sparql 'SELECT * WHERE { ?s ?p ?o } LIMIT 10'"));
    }
    Ok(given)
}

fn serializer(format: ResultFormat) -> Option<QueryResultsSerializer> {
    let format = match format {
        ResultFormat::Table => return None,
        ResultFormat::Json => QueryResultsFormat::Json,
        ResultFormat::Csv => QueryResultsFormat::Csv,
        ResultFormat::Tsv => QueryResultsFormat::Tsv,
        ResultFormat::Xml => QueryResultsFormat::Xml,
    };
    Some(QueryResultsSerializer::from_format(format))
}

fn boolean_out(truth: bool, format: ResultFormat, ui: Ui) -> Outcome {
    match serializer(format) {
        None => ui.line(if truth { "yes" } else { "no" }),
        Some(serializer) => {
            let mut out = io::stdout().lock();
            serializer.serialize_boolean_to_writer(&mut out, truth)?;
            writeln!(out).map_err(Failure::from)
        }
    }
}

fn solutions_out(solutions: &Solutions, format: ResultFormat, ui: Ui) -> Outcome {
    let Some(serializer) = serializer(format) else {
        return table(solutions, ui);
    };
    let out = io::BufWriter::new(io::stdout().lock());
    let mut writer = serializer.serialize_solutions_to_writer(out, solutions.variables.clone())?;
    for row in &solutions.rows {
        let bound = solutions.variables.iter().zip(row);
        writer.serialize(
            bound.filter_map(|(variable, term)| Some((variable.as_ref(), term.as_ref()?.as_ref()))),
        )?;
    }
    let mut out = writer.finish()?;
    if format == ResultFormat::Json {
        writeln!(out)?;
    }
    out.flush().map_err(Failure::from)
}

fn table(solutions: &Solutions, ui: Ui) -> Outcome {
    let mut table = TextTable::new(solutions.variables.iter().map(|variable| variable.as_str()));
    for row in &solutions.rows {
        let text = |term: &Option<_>| term.as_ref().map_or_else(String::new, ToString::to_string);
        table.row(row.iter().map(text));
    }
    if !table.is_empty() {
        table.print(ui)?;
    }
    let rows = counted(solutions.rows.len() as u64, "row", "rows");
    ui.line(ui.paint(Tone::Faint, &rows))
}
