//! PDF files that are broken, or mean harm.

use documents::{Document, Limits, SkipReason, Source, read};

use super::pdf_file::{Object, file, object, pages, saying, stream, zlib};

const MEGABYTE: usize = 1 << 20;

fn attempt(bytes: Vec<u8>) -> Result<Document, SkipReason> {
    read(Source::named("a.pdf"), bytes, &Limits::default())
}

#[test]
fn a_pdf_cut_off_anywhere_is_read_or_told() {
    let whole = saying("A text to be found.");
    assert_eq!(attempt(whole.clone()).unwrap().text, "A text to be found.");
    for length in 5..whole.len() {
        if let Err(reason) = attempt(whole[..length].to_vec()) {
            assert!(
                matches!(reason, SkipReason::PdfDamaged { .. } | SkipReason::NoText),
                "{length}: {reason}"
            );
        }
    }
}

#[test]
fn a_pdf_with_any_byte_changed_is_read_or_told() {
    let whole = saying("A text to be found.");
    for at in 5..whole.len() {
        for changed in [0, b'0', b'9', b'(', b'<', 0xff] {
            let mut bytes = whole.clone();
            bytes[at] = changed;
            let _ = attempt(bytes);
        }
    }
}

#[test]
fn a_stream_that_declares_any_length_is_no_larger_than_the_file() {
    for length in [
        "999999999999",
        "-1",
        "99999999999999999999999999",
        "6 0 R",
        "null",
        "5 0 R",
    ] {
        let mut objects = pages(&[stream("", b"BT /F1 12 Tf (short) Tj ET")]);
        objects[4].body = format!("<< /Length {length} >>");
        match attempt(file(&objects, "")) {
            Ok(document) => assert_eq!(document.text, "short", "{length}"),
            Err(reason) => assert!(
                matches!(reason, SkipReason::PdfDamaged { .. } | SkipReason::NoText),
                "{reason}"
            ),
        }
    }
}

#[test]
fn contents_and_objects_that_expand_too_far_are_told() {
    let zeros = zlib(&vec![b' '; 130 * MEGABYTE]);
    let page = stream("/Filter /FlateDecode", &zeros);
    assert!(matches!(
        attempt(file(&pages(&[page]), "")),
        Err(SkipReason::TooLarge { .. })
    ));
    // Each within the bound, all together not; and the type's name written with an escape.
    let half = zlib(&vec![b' '; 50 * MEGABYTE]);
    for kind in ["/Type /ObjStm", "/Type /Obj#53tm", "/Type /XRef"] {
        let mut objects = pages(&[stream("", b"BT ET")]);
        objects.extend(
            (0..3).map(|_| stream(&format!("{kind} /N 1 /First 4 /Filter /FlateDecode"), &half)),
        );
        assert!(
            matches!(
                attempt(file(&objects, "")),
                Err(SkipReason::TooLarge { .. })
            ),
            "{kind}"
        );
    }
    let twice = stream("/Filter [/FlateDecode /FlateDecode]", &zlib(&zeros));
    assert!(matches!(
        attempt(file(&pages(&[twice]), "")),
        Err(SkipReason::TooLarge { .. })
    ));
}

#[test]
fn what_refers_to_itself_ends() {
    let kids = [
        object("<< /Type /Catalog /Pages 2 0 R >>"),
        object("<< /Type /Pages /Count 2 /Kids [2 0 R 2 0 R] /Parent 2 0 R >>"),
    ];
    assert!(attempt(file(&kids, "")).is_err());
    let form = |content: &str| Object {
        stream: Some(content.as_bytes().to_vec()),
        body: format!(
            "<< /Subtype /Form /Resources << /XObject << /X 6 0 R >> /Font << /F1 3 0 R >> >> /Length {} >>",
            content.len()
        ),
    };
    let mut objects = pages(&[stream("", b"BT /F1 12 Tf (seen) Tj ET /X Do")]);
    objects[3].body = objects[3]
        .body
        .replace("/Font <<", "/XObject << /X 6 0 R >> /Font <<");
    objects.push(form(&"/X Do ".repeat(8)));
    assert_eq!(attempt(file(&objects, "")).unwrap().text, "seen");
}

#[test]
fn nesting_without_end_is_read_or_told() {
    for open in ["[", "<<", "(", "<< /A ", "[<<"] {
        let objects = [
            object("<< /Type /Catalog /Pages 2 0 R >>"),
            object(&open.repeat(100_000)),
        ];
        assert!(attempt(file(&objects, "")).is_err(), "{open}");
        let content = format!("{} BT", open.repeat(100_000));
        assert!(
            attempt(file(&pages(&[stream("", content.as_bytes())]), "")).is_err(),
            "{open}"
        );
    }
}

#[test]
fn encrypted_long_and_slow_ones_are_told() {
    let objects = pages(&[stream("", b"BT ET")]);
    assert_eq!(
        attempt(file(&objects, "/Encrypt << /Filter /Standard >>")),
        Err(SkipReason::PdfEncrypted)
    );
    let contents: Vec<Object> = (0..3)
        .map(|_| stream("", b"BT /F1 12 Tf (x) Tj ET"))
        .collect();
    let three = file(&pages(&contents), "");
    let limits = Limits {
        max_pdf_pages: 2,
        ..Limits::default()
    };
    assert_eq!(
        read(Source::named("a.pdf"), three.clone(), &limits),
        Err(SkipReason::PdfPages { limit: 2 })
    );
    let limits = Limits {
        max_text_bytes: 3,
        ..Limits::default()
    };
    assert_eq!(
        read(Source::named("a.pdf"), three.clone(), &limits),
        Err(SkipReason::TooLarge { limit: 3 })
    );
    let limits = Limits {
        max_pdf_bytes: 100,
        ..Limits::default()
    };
    assert_eq!(
        read(Source::named("a.pdf"), three, &limits),
        Err(SkipReason::TooLarge { limit: 100 })
    );
    let long = stream("", "BT /F1 12 Tf (word) Tj ET ".repeat(400_000).as_bytes());
    let limits = Limits {
        max_pdf_seconds: 0,
        ..Limits::default()
    };
    let slow = read(Source::named("a.pdf"), file(&pages(&[long]), ""), &limits);
    assert_eq!(slow, Err(SkipReason::PdfTime { seconds: 0 }));
}
