//! `/sparql`: the SPARQL 1.1 Protocol's query operation, read-only.
//!
//! GET, POST of a form and POST of a query; the results in the format that `Accept` likes best. Which graph answers is said by the parameter
//! `source`, where there are several. Datasets are chosen in the query by `FROM`; the protocol's own parameters for it are refused rather than
//! passed over.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Query, Request, State};
use axum::http::header::{ACCEPT, CONTENT_TYPE, VARY};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use refrain::graph_store::{DefaultGraph, QueryLimits, QueryResult, Solutions};
use refrain::{Engine, EngineError};
use sparesults::{QueryResultsFormat, QueryResultsSerializer};

use crate::app::App;
use crate::error::ApiError;
use crate::extract::{media_type, read};

const FORM: &str = "application/x-www-form-urlencoded";
const QUERY: &str = "application/sparql-query";
const UPDATE: &str = "application/sparql-update";

/// The header that says a result was cut at the bound of rows.
const CUT: &str = "x-refrain-cut";

/// Formats of rows and truths, the one that is given when any will do first.
const RESULTS: [(&str, QueryResultsFormat); 6] = [
    ("application/sparql-results+json", QueryResultsFormat::Json),
    ("application/json", QueryResultsFormat::Json),
    ("application/sparql-results+xml", QueryResultsFormat::Xml),
    ("application/xml", QueryResultsFormat::Xml),
    ("text/csv", QueryResultsFormat::Csv),
    ("text/tab-separated-values", QueryResultsFormat::Tsv),
];

/// Formats of graphs: N-Triples, which is Turtle too.
const GRAPHS: [&str; 3] = ["application/n-triples", "text/turtle", "text/plain"];

/// What is asked of whom.
#[derive(Debug, Default)]
struct Asked {
    query: Option<String>,
    source: Option<String>,
}

impl Asked {
    /// Reads parameters of a URL or a form.
    fn take(&mut self, encoded: &str) -> Result<(), ApiError> {
        let uri: Uri = format!("/?{encoded}")
            .parse()
            .map_err(|error| ApiError::bad(format!("the parameters cannot be read: {error}")))?;
        let Query(pairs) = Query::<Vec<(String, String)>>::try_from_uri(&uri)
            .map_err(|error| ApiError::bad(crate::error::with_causes(&error)).param("query"))?;
        for (name, value) in pairs {
            let slot = match name.as_str() {
                "query" => &mut self.query,
                "source" => &mut self.source,
                "update" => return Err(no_update()),
                "default-graph-uri" | "named-graph-uri" => {
                    return Err(ApiError::bad(format!("{name} is not supported"))
                        .param(name)
                        .remedy("write FROM or FROM NAMED in the query"));
                }
                // Clients send parameters of their own.
                _ => continue,
            };
            if slot.replace(value).is_some() {
                return Err(ApiError::bad(format!("there are several \"{name}\"")).param(name));
            }
        }
        Ok(())
    }
}

/// `GET` and `POST /sparql`
pub(crate) async fn endpoint(
    State(app): State<Arc<App>>,
    request: Request,
) -> Result<Response, ApiError> {
    let headers = request.headers().clone();
    let asked = asked(&app, request).await?;
    let query = asked.query.ok_or_else(|| {
        ApiError::bad("there is no query")
            .param("query")
            .remedy("send it as the parameter `query`, or as the body with `Content-Type: application/sparql-query`")
    })?;
    let limits = QueryLimits {
        timeout: Some(app.limits.sparql_time),
        max_rows: app.limits.sparql_rows,
        default_graph: DefaultGraph::Union,
        ..QueryLimits::default()
    };
    let engine = Arc::clone(&app.engine);
    let answered = app.pool.run_any(app.limits.answer_time, move || {
        let result = evaluate(&engine, asked.source.as_deref(), &query, &limits)?;
        written(&result, &headers)
    });
    answered.await
}

async fn asked(app: &App, request: Request) -> Result<Asked, ApiError> {
    let mut asked = Asked::default();
    if let Some(parameters) = request.uri().query() {
        asked.take(parameters)?;
    }
    if request.method() != Method::POST {
        return Ok(asked);
    }
    let kind = media_type(&request);
    if ![FORM, QUERY, UPDATE].contains(&kind.as_str()) {
        return Err(ApiError::unsupported(&kind, &[FORM, QUERY]));
    }
    if kind == UPDATE {
        return Err(no_update());
    }
    let bytes = read(request, app, app.limits.body_bytes).await?;
    let text = utf8(bytes)?;
    if kind == FORM {
        asked.take(&text)?;
    } else {
        asked.query = Some(text);
    }
    Ok(asked)
}

fn utf8(bytes: Bytes) -> Result<String, ApiError> {
    String::from_utf8(bytes.into())
        .map_err(|error| ApiError::bad(format!("the body is no UTF-8: {error}")).param("body"))
}

fn no_update() -> ApiError {
    ApiError::new(
        StatusCode::FORBIDDEN,
        "read_only",
        "this endpoint answers queries and changes nothing",
    )
    .param("update")
    .remedy("add triples with POST /v1/sources/{name}")
}

fn evaluate(
    engine: &Engine,
    source: Option<&str>,
    query: &str,
    limits: &QueryLimits,
) -> Result<QueryResult, ApiError> {
    let source = engine.source_or_only(source)?;
    let result = source.snapshot()?.query(query, limits);
    Ok(result.map_err(EngineError::from)?)
}

/// The result in the format that is liked best.
fn written(result: &QueryResult, headers: &HeaderMap) -> Result<Response, ApiError> {
    let (kind, body, is_cut) = match result {
        QueryResult::Boolean(truth) => {
            let (kind, format) = result_format(headers)?;
            let serializer = QueryResultsSerializer::from_format(format);
            let body = serializer.serialize_boolean_to_writer(Vec::new(), *truth);
            (kind, body.map_err(EngineError::Files)?, false)
        }
        QueryResult::Solutions(solutions) => {
            let (kind, format) = result_format(headers)?;
            let body = rows(solutions, format).map_err(EngineError::Files)?;
            (kind, body, solutions.truncated)
        }
        QueryResult::Graph { triples, truncated } => {
            let kind = preferred(headers, &GRAPHS).ok_or_else(|| not_acceptable(&GRAPHS))?;
            let lines = triples.iter().map(|triple| format!("{triple} .\n"));
            (kind, lines.collect::<String>().into_bytes(), *truncated)
        }
    };
    let mut response = body.into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(with_charset(kind)));
    headers.append(VARY, HeaderValue::from_static("accept"));
    if is_cut {
        headers.insert(CUT, HeaderValue::from_static("rows"));
    }
    Ok(response)
}

fn rows(solutions: &Solutions, format: QueryResultsFormat) -> std::io::Result<Vec<u8>> {
    let serializer = QueryResultsSerializer::from_format(format);
    let mut writer =
        serializer.serialize_solutions_to_writer(Vec::new(), solutions.variables.clone())?;
    for row in &solutions.rows {
        let bound = solutions.variables.iter().zip(row);
        writer.serialize(
            bound.filter_map(|(variable, term)| Some((variable.as_ref(), term.as_ref()?.as_ref()))),
        )?;
    }
    writer.finish()
}

fn result_format(headers: &HeaderMap) -> Result<(&'static str, QueryResultsFormat), ApiError> {
    let known = RESULTS.map(|(kind, _)| kind);
    let kind = preferred(headers, &known).ok_or_else(|| not_acceptable(&known))?;
    let found = RESULTS.into_iter().find(|(known, _)| *known == kind);
    found.ok_or_else(ApiError::internal)
}

/// The texts say their characters; the others have theirs by definition.
fn with_charset(kind: &'static str) -> &'static str {
    match kind {
        "text/csv" => "text/csv; charset=utf-8",
        "text/tab-separated-values" => "text/tab-separated-values; charset=utf-8",
        "text/turtle" => "text/turtle; charset=utf-8",
        "text/plain" => "text/plain; charset=utf-8",
        other => other,
    }
}

fn not_acceptable(known: &[&str]) -> ApiError {
    ApiError::new(
        StatusCode::NOT_ACCEPTABLE,
        "not_acceptable",
        "the result has none of the formats that Accept names",
    )
    .param("accept")
    .remedy(format!("accept one of {}", known.join(", ")))
}

/// The one of `known` that `Accept` gives the most weight (RFC 9110, section 12.5.1), the first of several; the first of all where there is
/// no such header.
fn preferred(headers: &HeaderMap, known: &[&'static str]) -> Option<&'static str> {
    let mut texts = Vec::new();
    for value in headers.get_all(ACCEPT) {
        texts.push(value.to_str().unwrap_or_default().to_ascii_lowercase());
    }
    let text = texts.join(",");
    if text.trim().is_empty() {
        return known.first().copied();
    }
    let ranges: Vec<(&str, f32)> = text.split(',').map(range).collect();
    let mut best: Option<(&'static str, f32)> = None;
    for kind in known {
        let weight = weight(&ranges, kind);
        if weight > best.map_or(0.0, |(_, most)| most) {
            best = Some((kind, weight));
        }
    }
    best.map(|(kind, _)| kind)
}

/// A media range and its weight.
fn range(text: &str) -> (&str, f32) {
    let mut parts = text.split(';').map(str::trim);
    let kind = parts.next().unwrap_or_default();
    let weight = parts.find_map(|part| part.strip_prefix("q=")?.parse().ok());
    (kind, weight.unwrap_or(1.0))
}

/// The weight of the most exact range that fits.
fn weight(ranges: &[(&str, f32)], kind: &str) -> f32 {
    let group = kind
        .split_once('/')
        .map_or_else(String::new, |(group, _)| format!("{group}/*"));
    for wanted in [kind, group.as_str(), "*/*"] {
        if let Some((_, weight)) = ranges.iter().find(|(range, _)| *range == wanted) {
            return *weight;
        }
    }
    0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best(accept: &'static str) -> Option<&'static str> {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, accept.parse().unwrap());
        preferred(&headers, &RESULTS.map(|(kind, _)| kind))
    }

    #[test]
    fn the_format_with_the_most_weight_is_given() {
        for (accept, kind) in [
            ("*/*", Some("application/sparql-results+json")),
            ("text/csv", Some("text/csv")),
            ("text/*;q=0.5, application/xml;q=0.4", Some("text/csv")),
            (
                "application/sparql-results+xml;q=0.9, text/csv;q=0.1, */*;q=0.05",
                Some("application/sparql-results+xml"),
            ),
            ("text/html", None),
            ("text/csv;q=0", None),
        ] {
            assert_eq!(best(accept), kind, "{accept}");
        }
    }
}
