//! What of a server's address may be shown?

/// An address as it may be shown: without a user name and password before the host, and without what follows a `?`, where
/// keys stand, too.
#[must_use]
pub fn shown_url(url: &str) -> String {
    let url = url.split(['?', '#']).next().unwrap_or_default();
    let url = url.trim_end_matches('/');
    match url.split_once("://") {
        Some((scheme, rest)) => {
            let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            let host = authority.rsplit('@').next().unwrap_or_default();
            format!("{scheme}://{host}{path}")
        }
        None => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_passwords_nor_what_follows_a_question_mark_is_shown() {
        assert_eq!(
            shown_url("http://u:p@h/v1/?api-key=secret#x"),
            "http://h/v1"
        );
        assert_eq!(shown_url("https://h:8443/v1"), "https://h:8443/v1");
        assert_eq!(shown_url("nonsense?x"), "nonsense");
    }
}
