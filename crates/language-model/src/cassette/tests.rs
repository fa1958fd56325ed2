use super::*;
use crate::{Message, Scripted, no_stream};

fn request(text: &str) -> ChatRequest {
    ChatRequest::new("parse", vec![Message::user(text)])
}

fn record(path: &Path, script: Vec<Result<String, ModelError>>, texts: &[&str]) {
    let recorder = Recorder::to_file(Scripted::queue(script), path).unwrap();
    for text in texts {
        drop(recorder.complete(&request(text), &mut no_stream));
    }
}

fn unauthorized() -> ModelError {
    ModelError::Unauthorized {
        endpoint: "http://e".into(),
        model: "m".into(),
        status: 401,
    }
}

#[test]
fn a_replay_says_what_was_said_in_order_with_errors_and_usage() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    let script = vec![Ok("é\n1".into()), Err(unauthorized()), Ok("2".into())];
    let live = Scripted::queue(script.clone());
    record(&path, script, &["q", "r", "q"]);
    let replay = Replay::from_file(&path).unwrap();
    assert_eq!((replay.model(), replay.left()), ("scripted", 3));
    for text in ["q", "r", "q"] {
        let expected = live.complete(&request(text), &mut no_stream);
        let mut told = String::new();
        let found = replay.complete(&request(text), &mut |piece| told.push_str(piece));
        match (expected, found) {
            (Ok(expected), Ok(found)) => {
                assert_eq!((&found.text, &told), (&expected.text, &expected.text));
                assert_eq!(found.usage, expected.usage);
                assert_eq!(found.origin, Origin::Replayed);
            }
            (Err(expected), Err(found)) => assert_eq!(expected.to_string(), found.to_string()),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(replay.left(), 0);
}

#[test]
fn what_was_not_recorded_is_an_error_that_names_the_stage() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    record(&path, vec![Ok("1".into())], &["q"]);
    let replay = Replay::from_file(&path).unwrap();
    let error = replay
        .complete(&request("other"), &mut no_stream)
        .unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("the cassette has no reply for stage parse (")
    );
    replay.complete(&request("q"), &mut no_stream).unwrap();
    assert!(replay.complete(&request("q"), &mut no_stream).is_err());
}

#[test]
fn a_torn_tail_is_left_out_said_and_cut_off_by_recording_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    record(&path, vec![Ok("1".into()), Ok("2".into())], &["a", "b"]);
    let whole = fs_err::read(&path).unwrap();
    let second = whole
        .iter()
        .enumerate()
        .filter(|(_, byte)| **byte == b'\n')
        .nth(1)
        .unwrap()
        .0
        + 1;
    // Wherever the last line is torn, the lines before it are there.
    for end in second + 1..whole.len() {
        fs_err::write(&path, &whole[..end]).unwrap();
        let replay = Replay::from_file(&path).unwrap();
        assert!(replay.was_torn());
        assert_eq!(replay.left(), 1);
    }
    record(&path, vec![Ok("2".into())], &["b"]);
    assert_eq!(fs_err::read(&path).unwrap(), whole);
}

#[test]
fn what_is_no_cassette_is_refused_and_not_written_to() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.txt");
    for text in [
        "my notes\n",
        "{\"format\":\"refrain-cassette-0\",\"model\":\"m\"}\n",
    ] {
        fs_err::write(&path, text).unwrap();
        assert!(matches!(
            Replay::from_file(&path),
            Err(CassetteError::Header { .. })
        ));
        let model = Scripted::replies(["x"]);
        assert!(matches!(
            Recorder::to_file(model, &path),
            Err(CassetteError::Header { .. })
        ));
        assert_eq!(fs_err::read_to_string(&path).unwrap(), text);
    }
    fs_err::write(
        &path,
        format!("{{\"format\":\"{FORMAT}\",\"model\":\"m\"}}\n"),
    )
    .unwrap();
    let other = Recorder::to_file(Scripted::replies(["x"]), &path);
    assert!(matches!(other, Err(CassetteError::OtherModel { .. })));
}

#[test]
fn damage_before_the_end_is_named_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    record(&path, vec![Ok("1".into()), Ok("2".into())], &["a", "b"]);
    let text = fs_err::read_to_string(&path).unwrap();
    fs_err::write(&path, text.replacen("\"request\"", "\"requ", 1)).unwrap();
    let error = Replay::from_file(&path).unwrap_err();
    assert!(
        matches!(error, CassetteError::Line { line: 2, .. }),
        "{error}"
    );
}

/// A disk that is full after some bytes, and has room again later.
struct FullDisk {
    file: io::Cursor<Vec<u8>>,
    room: usize,
}

impl Write for FullDisk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let fits = bytes.len().min(self.room);
        if fits == 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.room -= fits;
        self.file.write(&bytes[..fits])
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for FullDisk {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

impl Lines for FullDisk {
    fn cut(&mut self, bytes: u64) -> io::Result<()> {
        self.file.get_mut().truncate(bytes.try_into().unwrap());
        Ok(())
    }
}

#[test]
fn a_line_that_does_not_fit_leaves_no_half() {
    let mut disk = FullDisk {
        file: io::Cursor::default(),
        room: 8,
    };
    write_line(&mut disk, &"one").unwrap();
    let error = write_line(&mut disk, &"two").unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    disk.room = 100;
    write_line(&mut disk, &"three").unwrap();
    assert_eq!(disk.file.into_inner(), b"\"one\"\n\"three\"\n");
}

#[test]
fn a_file_has_one_recorder_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    let first = Recorder::to_file(Scripted::replies(["1"]), &path).unwrap();
    let second = Recorder::to_file(Scripted::replies(["1"]), &path);
    assert!(matches!(second, Err(CassetteError::InUse { .. })));
    drop(first);
    assert!(Recorder::to_file(Scripted::replies(["1"]), &path).is_ok());
}

/// The reason of such an error is not kept in a cassette and came back empty.
#[test]
fn what_cannot_be_asked_is_refused_alike_and_not_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    let mut empty = request("q");
    empty.messages.clear();
    let recorder = Recorder::to_file(Scripted::replies(["1"]), &path).unwrap();
    let live = recorder.complete(&empty, &mut no_stream).unwrap_err();
    drop(recorder);
    let replay = Replay::from_file(&path).unwrap();
    assert_eq!(replay.left(), 0);
    let replayed = replay.complete(&empty, &mut no_stream).unwrap_err();
    assert_eq!(live.to_string(), replayed.to_string());
    assert!(live.to_string().contains("it has no message"));
}
