//! Is an address that of a server on this machine? The environment's proxy is not asked for those.

/// Whether a base URL is that of a server on this machine.
pub(crate) fn is_loopback(base_url: &str) -> bool {
    let rest = base_url
        .split_once("://")
        .map_or(base_url, |(_, rest)| rest);
    let authority = rest.split(['/', '?']).next().unwrap_or_default();
    let host = match authority.strip_prefix('[') {
        Some(v6) => v6.split(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    };
    host.eq_ignore_ascii_case("localhost")
        || host
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_on_this_machine_are_known_by_their_address() {
        for near in [
            "http://localhost:11434/v1",
            "http://127.0.0.1",
            "http://[::1]:8080/v1",
        ] {
            assert!(is_loopback(near), "{near}");
        }
        for far in [
            "https://api.openai.com/v1",
            "http://localhost.example/v1",
            "http://10.0.0.1",
            "",
        ] {
            assert!(!is_loopback(far), "{far}");
        }
    }
}
