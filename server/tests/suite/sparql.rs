//! The SPARQL 1.1 Protocol.

use crate::support::Running;

const DIRECTORS: &str = "SELECT+?d+WHERE+%7B%3Curn:f:heat%3E+%3Curn:f:director%3E+?d%7D";
const QUERY: &str = "SELECT ?d WHERE {<urn:f:heat> <urn:f:director> ?d}";
const FORM: &str = "application/x-www-form-urlencoded";

#[test]
fn the_three_ways_to_ask_answer_alike() {
    let server = Running::films();
    let by_url = server.get(&format!("/sparql?query={DIRECTORS}"));
    assert_eq!(
        by_url.header("content-type"),
        Some("application/sparql-results+json")
    );
    let value = by_url.good();
    assert_eq!(value["results"]["bindings"][0]["d"]["value"], "urn:f:mann");
    let form = format!("query={DIRECTORS}&source=films");
    let by_form = server.send(
        "POST",
        "/sparql",
        &[("content-type", FORM)],
        form.as_bytes(),
    );
    assert_eq!(by_form.body, by_url.body);
    let kind = [("content-type", "application/sparql-query")];
    let direct = server.send("POST", "/sparql", &kind, QUERY.as_bytes());
    assert_eq!(direct.body, by_url.body);
}

#[test]
fn the_format_is_the_one_that_is_accepted() {
    let server = Running::films();
    let get = |query: &str, accept: &str| {
        let path = format!("/sparql?query={query}");
        server.send("GET", &path, &[("accept", accept)], b"")
    };
    let csv = get(DIRECTORS, "text/csv");
    assert_eq!(csv.body, "d\r\nurn:f:mann\r\n");
    let tsv = get(DIRECTORS, "text/tab-separated-values");
    assert_eq!(tsv.body, "?d\n<urn:f:mann>\n");
    let xml = get(DIRECTORS, "application/sparql-results+xml");
    assert!(xml.body.contains("<uri>urn:f:mann</uri>"));
    let truth = get("ASK+%7B%3Curn:f:heat%3E+?p+?o%7D", "*/*").good();
    assert_eq!(truth["boolean"], true);
    let graph = get(
        "CONSTRUCT+%7B%3Curn:a%3E+%3Curn:b%3E+?d%7D+WHERE+%7B%3Curn:f:heat%3E+%3Curn:f:director%3E+?d%7D",
        "text/turtle",
    );
    assert_eq!(graph.body, "<urn:a> <urn:b> <urn:f:mann> .\n");
    get(DIRECTORS, "image/png").refused(406);
}

#[test]
fn what_is_no_query_is_refused() {
    let server = Running::films();
    server.get("/sparql").refused(400);
    server.get("/sparql?query=SELEKT").refused(400);
    server
        .get(&format!("/sparql?query={DIRECTORS}&source=books"))
        .refused(404);
    let dataset = format!("/sparql?query={DIRECTORS}&default-graph-uri=urn:g");
    server.get(&dataset).refused(400);
    let twice = format!("/sparql?query={DIRECTORS}&query={DIRECTORS}");
    server.get(&twice).refused(400);
    let update = server.send(
        "POST",
        "/sparql",
        &[("content-type", FORM)],
        b"update=CLEAR+ALL",
    );
    update.refused(403);
    let kind = [("content-type", "application/sparql-update")];
    server
        .send("POST", "/sparql", &kind, b"CLEAR ALL")
        .refused(403);
    let json = [("content-type", "application/json")];
    server.send("POST", "/sparql", &json, b"{}").refused(415);
}

#[test]
fn a_result_that_was_cut_says_so() {
    let server = Running::with(|options, _| options.limits.sparql_rows = 2);
    let all = server.get("/sparql?query=SELECT+*+WHERE+%7B?s+?p+?o%7D");
    assert_eq!(all.header("x-refrain-cut"), Some("rows"));
    let rows = all.good()["results"]["bindings"].as_array().unwrap().len();
    assert_eq!(rows, 2);
    let one = server.get("/sparql?query=SELECT+*+WHERE+%7B?s+?p+?o%7D+LIMIT+1");
    assert_eq!(one.header("x-refrain-cut"), None);
}
