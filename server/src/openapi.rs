//! `/openapi.json`: what is there, for programs?
//!
//! Written by hand, beside the code: a description is for readers, and macros that derive it would be a dependency on every type. A test
//! holds its paths and methods to [`crate::routes::ROUTES`].

use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;

/// The description.
const DOCUMENT: &str = include_str!("openapi.json");

/// `GET /openapi.json`
pub(crate) async fn document() -> impl IntoResponse {
    ([(CONTENT_TYPE, "application/json")], DOCUMENT)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;
    use crate::access::Need;
    use crate::routes::ROUTES;

    #[test]
    fn it_describes_every_route_and_no_other() {
        let document: Value = serde_json::from_str(DOCUMENT).unwrap();
        assert_eq!(document["info"]["version"], env!("CARGO_PKG_VERSION"));
        let mut described = BTreeSet::new();
        for (path, methods) in document["paths"].as_object().unwrap() {
            for (method, operation) in methods.as_object().unwrap() {
                let name = format!("{} {path}", method.to_uppercase());
                assert!(operation["summary"].is_string(), "{name}");
                assert!(
                    operation["responses"]["200"].is_object() || path == "/v1/responses",
                    "{name}"
                );
                described.insert(name);
            }
        }
        let routes = ROUTES.iter().map(|route| {
            let path = route.path.replace("{*", "{");
            format!("{} {path}", route.method)
        });
        assert_eq!(described, routes.collect::<BTreeSet<_>>());
    }

    #[test]
    fn what_needs_no_key_says_so() {
        let document: Value = serde_json::from_str(DOCUMENT).unwrap();
        for route in ROUTES {
            let path = route.path.replace("{*", "{");
            let operation = &document["paths"][path.as_str()][route.method.to_lowercase()];
            let is_open = operation["security"] == serde_json::json!([]);
            assert_eq!(is_open, route.need == Need::Nothing, "{path}");
        }
    }
}
