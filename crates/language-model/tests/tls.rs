//! Is a server reached over TLS, with an authority of one's own and through a proxy?
//!
//! `tests/tls/README.md` says where the certificates come from.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use language_model::openai::{OpenAi, OpenAiConfig, Secret};
use language_model::testing::{RecordedRequest, parse_request};
use language_model::{ChatRequest, Completion, LanguageModel, Message, ModelError, no_stream};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

const AUTHORITY: &[u8] = include_bytes!("tls/authority.pem");
const REPLY: &[u8] = include_bytes!("wire/openai_object.txt");

/// Answers one request over TLS; nothing when the client hangs up before it has sent one.
fn answer_once() -> (SocketAddr, JoinHandle<Option<RecordedRequest>>) {
    let chain =
        CertificateDer::from_pem_slice(include_bytes!("tls/server.pem")).expect("a certificate");
    let key = PrivateKeyDer::from_pem_slice(include_bytes!("tls/server-key.pem")).expect("a key");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(|builder| {
            builder
                .with_no_client_auth()
                .with_single_cert(vec![chain], key)
        });
    let config = Arc::new(config.expect("they fit"));
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("it is bound");
    let thread = std::thread::spawn(move || {
        let (stream, _) = listener.accept().expect("a client");
        let mut tls = StreamOwned::new(
            ServerConnection::new(config).expect("a sound configuration"),
            stream,
        );
        let (mut bytes, mut piece) = (Vec::new(), [0; 4096]);
        loop {
            match tls.read(&mut piece) {
                Ok(0) | Err(_) => return None,
                Ok(count) => bytes.extend_from_slice(&piece[..count]),
            }
            if let Ok(request) = parse_request(&bytes) {
                tls.write_all(REPLY).expect("the client reads");
                tls.conn.send_close_notify();
                tls.flush().expect("the client reads");
                return Some(request);
            }
        }
    });
    (address, thread)
}

fn ask(address: SocketAddr, change: impl Fn(&mut OpenAiConfig)) -> Result<Completion, ModelError> {
    let mut config = OpenAiConfig::new(format!("https://{address}/v1"), "m");
    config.timeout = Duration::from_secs(20);
    config.api_key = Some(Secret::new("sk-over-tls"));
    change(&mut config);
    let request = ChatRequest::new("test", vec![Message::user("Who directed Solaris?")]);
    OpenAi::new(config)?.complete(&request, &mut no_stream)
}

#[test]
fn an_authority_of_the_settings_is_trusted_and_an_unknown_one_is_not() {
    let (address, server) = answer_once();
    let trust = |config: &mut OpenAiConfig| config.root_certificates_pem = Some(AUTHORITY.into());
    assert_eq!(ask(address, trust).unwrap().text, "Andrei Tarkovsky");
    assert_eq!(server.join().unwrap().unwrap().key(), "sk-over-tls");

    let (address, server) = answer_once();
    let error = ask(address, |_| {}).unwrap_err();
    assert!(matches!(error, ModelError::Unreachable { .. }), "{error:?}");
    assert!(error.to_string().contains("certificate"), "{error}");
    assert_eq!(server.join().unwrap(), None); // no key was sent
}

#[test]
fn through_a_proxy_the_key_is_seen_by_the_server_alone() {
    let (address, server) = answer_once();
    let proxy = TcpListener::bind("127.0.0.1:0").unwrap();
    let proxy_address = proxy.local_addr().unwrap();
    let seen = std::thread::spawn(move || {
        let (client, _) = proxy.accept().unwrap();
        let mut from_client = BufReader::new(client.try_clone().unwrap());
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(from_client.read_line(&mut head).unwrap() > 0);
        }
        let mut server = TcpStream::connect(address).unwrap();
        let (mut back, mut to_client) = (server.try_clone().unwrap(), client);
        to_client.write_all(b"HTTP/1.1 200 OK\r\n\r\n").unwrap();
        std::thread::spawn(move || std::io::copy(&mut back, &mut to_client));
        let (mut passed, mut piece) = (Vec::new(), [0; 4096]);
        while let Ok(count @ 1..) = from_client.read(&mut piece) {
            passed.extend_from_slice(&piece[..count]);
            server.write_all(&piece[..count]).unwrap_or_default();
        }
        (head, passed)
    });
    let reply = ask(address, |config| {
        config.root_certificates_pem = Some(AUTHORITY.into());
        config.proxy = Some(Secret::new(&format!("http://me:word@{proxy_address}")));
    });
    assert_eq!(reply.unwrap().text, "Andrei Tarkovsky");
    assert_eq!(server.join().unwrap().unwrap().key(), "sk-over-tls");
    let (head, passed) = seen.join().unwrap();
    assert!(head.starts_with(&format!("CONNECT {address} ")), "{head}");
    let head = head.to_lowercase();
    assert!(
        head.contains("proxy-authorization: basic bwu6d29yza=="),
        "{head}"
    );
    assert!(!passed.is_empty() && !passed.windows(11).any(|bytes| bytes == b"sk-over-tls"));
}
