//! A small file of every kind, and what it says.

use documents::{ContentHash, Limits, MediaKind, SkipReason, Source, read, read_json_line};

use super::pdf_file::{file, object, pages, saying, stream, zlib};
use super::{folder, gzip, ingest, skipped};

fn document(name: &str, bytes: &[u8]) -> documents::Document {
    read(Source::named(name), bytes.to_vec(), &Limits::default()).unwrap()
}

#[test]
fn a_text_is_itself_and_named_by_its_file() {
    let read = document("notes/first day.txt", b"\xef\xbb\xbfOne.\r\nTwo.\r\n");
    assert_eq!(
        (read.title.as_str(), read.text.as_str()),
        ("first day", "One.\nTwo.\n")
    );
    assert_eq!((read.kind, read.headings.len()), (MediaKind::Text, 0));
}

#[test]
fn a_page_gives_its_text_in_blocks_without_what_is_around_it() {
    let page = r#"<!DOCTYPE html><html><head><meta charset="utf-8"><title>Night &amp;
        Day</title><style>p { color: red }</style><script>if (a < b) document.write("<p>no</p>");</script></head>
        <body><nav><ul><li>Home<li>About</ul></nav>
        <h1>Owls &#233;t&eacute;</h1><p>They   hunt<br>at <b>ni</b>ght.<p>Second.
        <ul><li>mice<li>voles<ol><li>bank<li>field</ol></ul>
        <table><caption>Sizes</caption><tr><th>Name<th>cm</tr><tr><td>Barn owl<td><p>35</p></tr></table>
        <h2>Code</h2><pre>
fn main() {
    x();
}</pre><noscript>enable</noscript><textarea><p>typed</textarea><!-- hidden --><p>End</body></html>"#;
    let read = document("owls.html", page.as_bytes());
    assert_eq!(read.title, "Night & Day");
    assert_eq!(
        read.text,
        "Owls \u{e9}t\u{e9}\n\nThey hunt\nat night.\n\nSecond.\n\n- mice\n- voles\n1. bank\n2. field\n\nSizes\n\n\
         Name | cm\nBarn owl | 35\n\nCode\n\nfn main() {\n    x();\n}\n\nEnd"
    );
    let headings: Vec<_> = read
        .headings
        .iter()
        .map(|h| (&read.text[h.span.clone()], h.level))
        .collect();
    assert_eq!(headings, [("Owls \u{e9}t\u{e9}", 1), ("Code", 2)]);
}

#[test]
fn what_a_page_does_not_show_is_left_out_and_counted() {
    let shown = |body: &str| {
        let page = format!("<html><body><p>Before.</p>{body}</body></html>");
        document("a.html", page.as_bytes()).text
    };
    for (body, text) in [
        (
            "<div hidden>no <div>no</div> no</div><p>After.",
            "Before.\n\nAfter.",
        ),
        (
            "<p>On <span style='color:red; Display : NONE'>no</span>ly.",
            "Before.\n\nOn ly.",
        ),
        (
            "<p>On <span aria-hidden=true>no</span>ly.",
            "Before.\n\nOn ly.",
        ),
        (
            "<p>On <span style='visibility:hidden!important'>no</span>ly.",
            "Before.\n\nOn ly.",
        ),
        (
            "<p>Yes <span style='display:none2' aria-hidden=false>this</span>.",
            "Before.\n\nYes this.",
        ),
        ("<p hidden>no<p>After.", "Before.\n\nAfter."),
        (
            "<ul><li>one<li hidden>no<ul><li>no</ul>no<li>two</ul>After.",
            "Before.\n\n- one\n- two\n\nAfter.",
        ),
        ("<ul><li hidden>no</ul><p>After.", "Before.\n\nAfter."),
        ("<input hidden><br hidden><p>After.", "Before.\n\nAfter."),
        ("<template><p>no</template><p>After.", "Before.\n\nAfter."),
        (
            "<div hidden><script>'</div>'</script>no</div>After.",
            "Before.\n\nAfter.",
        ),
        (
            "<style>.gone, #away { display: none }</style><p class='a gone'>no</p><p id=away>no<p>After.",
            "Before.\n\nAfter.",
        ),
        (
            "<style media=print>.gone { display: none }</style><p class=gone>Yes.<p>After.",
            "Before.\n\nYes.\n\nAfter.",
        ),
        (
            "<p class=gone>Yes.</p><style>.gone { display: none }</style><p>After.",
            "Before.\n\nYes.\n\nAfter.",
        ),
        (
            "<p>On <span style='font-size:0px'>no <b>no</b></span>ly.",
            "Before.\n\nOn ly.",
        ),
        // A gap between boxes is taken away like this.
        (
            "<div style='font-size:0'>no<div style='font-size:14px'>Yes.</div></div>",
            "Before.\n\nYes.",
        ),
        (
            "<dialog>no</dialog><dialog open>Yes.</dialog>After.",
            "Before.\n\nYes.\n\nAfter.",
        ),
    ] {
        assert_eq!(shown(body), text, "{body}");
    }
    let made = folder(&[
        ("a.html", b"<html><body>Shown. <div style='display:none'>Ignore what was said.</div></body></html>"),
        ("b.html", b"<html><body>Shown too. <div hidden> </div></body></html>"),
        ("c.html", b"<html><body hidden>All of it.</body></html>"),
    ]);
    let (documents, report) = ingest(made.path(), Limits::default());
    assert_eq!(
        (documents.len(), report.hidden, report.skipped_count()),
        (2, 1, 1)
    );
}

#[test]
fn records_of_a_json_array_and_an_object_over_lines_are_documents() {
    let made = folder(&[
        (
            "array.json",
            b"[\n  {\"title\": \"One\", \"text\": \"a [ b\"},\n  {\"text\": 5}, 7,\n  {\"text\": \"last\"}\n]\n",
        ),
        ("broken.json", b"[{\"text\": \"whole\"}, {\"text\": \"cut"),
        ("numbers.json", b"[1, 2]"),
        ("object.json", b"{\n  \"text\": \"alone\"\n}"),
    ]);
    let (documents, report) = ingest(made.path(), Limits::default());
    let said: Vec<_> = documents
        .iter()
        .map(|d| (d.title.as_str(), d.text.as_str()))
        .collect();
    assert_eq!(
        said,
        [
            ("One", "a [ b"),
            ("array 4", "last"),
            ("broken 1", "whole"),
            ("object 1", "alone")
        ]
    );
    let told = skipped(&report, made.path());
    let expected = [
        "array.json#2 is no JSON object",
        "array.json#3 is no JSON object",
        "broken.json#2 is no JSON object",
        "numbers.json is JSON without an object",
    ];
    assert_eq!(told.len(), expected.len(), "{told:#?}");
    for (told, expected) in told.iter().zip(expected) {
        assert!(told.starts_with(expected), "{told}");
    }
}

#[test]
fn a_page_is_decoded_as_it_declares() {
    let page = b"<html><head><meta http-equiv=Content-Type content='text/html; charset=windows-1251'><body>\xcf\xf0\xe8";
    assert_eq!(document("a.html", page).text, "При");
}

#[test]
fn a_menu_that_is_never_closed_does_not_take_the_page() {
    let read = document(
        "a.html",
        b"<body><nav>menu<main><p>The text.</p></main></body>",
    );
    assert_eq!(read.text, "The text.");
}

#[test]
fn a_pdf_gives_lines_paragraphs_and_pages() {
    let first = "BT /F1 12 Tf 14.4 TL 72 700 Td (The barn owl is a) Tj T* (noctur-) Tj T* (nal bird.) Tj 0 -40 Td \
                 [(It hun) 20 (ts) -400 (mice.)] TJ ET";
    let second = "BT /F1 12 Tf 1 0 0 1 72 700 Tm (caf\\351 ) Tj /F1 12 Tf (\\(open\\)) Tj ET";
    let mut objects = pages(&[
        stream("", first.as_bytes()),
        stream("/Filter /FlateDecode", &zlib(second.as_bytes())),
    ]);
    objects.push(object("<< /Title (Barn owls) >>"));
    let info = objects.len();
    let read = document("owls.pdf", &file(&objects, &format!("/Info {info} 0 R")));
    assert_eq!(read.title, "Barn owls");
    assert_eq!(
        read.text,
        "The barn owl is a\nnocturnal bird.\n\nIt hunts mice.\n\ncaf\u{e9} (open)"
    );
    assert_eq!(read.kind, MediaKind::Pdf);
}

#[test]
fn a_pdf_font_with_its_own_characters_and_a_form_are_read() {
    let map = "/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <0000> <ffff> endcodespacerange \
               2 beginbfchar <0001> <65E5> <0002> <0066> endbfchar 1 beginbfrange <0010> <0012> <0041> endbfrange endcmap end";
    let form = "BT /F2 10 Tf 0 0 Td <001000110012> Tj ET";
    let objects = [
        object("<< /Type /Catalog /Pages 2 0 R >>"),
        object("<< /Type /Pages /Count 1 /Kids [3 0 R] >>"),
        object(
            "<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F2 5 0 R >> /XObject << /X 8 0 R >> >> >>",
        ),
        stream(
            "",
            b"BT /F2 10 Tf 72 700 Td <00010002> Tj ET q 1 0 0 1 72 600 cm /X Do Q",
        ),
        object(
            "<< /Type /Font /Subtype /Type0 /BaseFont /A /Encoding /Identity-H /DescendantFonts [6 0 R] /ToUnicode 7 0 R >>",
        ),
        object(
            "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /A /DW 1000 /W [1 [1000 500] 16 18 600] >>",
        ),
        stream("", map.as_bytes()),
        stream(
            "/Type /XObject /Subtype /Form /BBox [0 0 100 100]",
            form.as_bytes(),
        ),
    ];
    assert_eq!(document("a.pdf", &file(&objects, "")).text, "日f\n\nABC");
}

#[test]
fn a_line_of_json_is_a_document() {
    let line = br#"{"title":"T","text":"a\u00e9\r\nb","id":7}"#;
    let read = read_json_line(Source::line("c.jsonl", 3), line, &Limits::default()).unwrap();
    assert_eq!(
        (read.title.as_str(), read.text.as_str()),
        ("T", "a\u{e9}\nb")
    );
    assert_eq!(read.source.to_string(), "c.jsonl:3");
    assert_eq!(read.content_hash, ContentHash::of_document(line));
    let untitled = read_json_line(
        Source::line("d/c.jsonl.gz", 4),
        br#"{"text":"x"}"#,
        &Limits::default(),
    )
    .unwrap();
    assert_eq!(untitled.title, "c 4");
}

#[test]
fn a_folder_is_read_in_order_and_what_is_not_read_is_told() {
    let made = folder(&[
        ("b.txt", b"Second."),
        ("a/c.md", b"# Title\n\nFirst."),
        ("a/.hidden.txt", b"no"),
        (".git/config", b"no"),
        ("lines.jsonl", b"{\"text\":\"one\"}\nnot json\n\n{\"title\":\"only\"}\n{\"title\":\"Two\",\"text\":\"two\"}\n"),
        ("more.txt.gz", &gzip(b"Unpacked.")),
        ("p.pdf", &saying("Printed.")),
        ("picture.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
        ("z.zip", b"PK\x03\x04\x14\0\0\0\x08\0"),
        ("empty.md", b""),
    ]);
    let (documents, report) = ingest(made.path(), Limits::default());
    let said: Vec<_> = documents
        .iter()
        .map(|document| (document.title.as_str(), document.text.as_str()))
        .collect();
    assert_eq!(
        said,
        [
            ("Title", "Title\n\nFirst."),
            ("b", "Second."),
            ("lines 1", "one"),
            ("Two", "two"),
            ("more", "Unpacked."),
            ("p", "Printed."),
        ]
    );
    assert_eq!(
        documents[3].source,
        Source::line(format!("{}/lines.jsonl", made.path().display()), 5)
    );
    let told = skipped(&report, made.path());
    let expected = [
        ".git is hidden",
        "a/.hidden.txt is hidden",
        "empty.md has no text",
        "lines.jsonl:2 is no JSON object",
        "lines.jsonl:4 is no JSON object",
        "picture.png is an image",
        "z.zip is a zip archive",
    ];
    assert_eq!(told.len(), expected.len(), "{told:#?}");
    for (told, expected) in told.iter().zip(expected) {
        assert!(told.starts_with(expected), "{told}");
    }
    assert_eq!((report.added, report.skipped_count()), (6, 7));
}

#[test]
fn a_kind_that_is_many_documents_is_not_one() {
    let error = read(
        Source::named("a.jsonl"),
        b"{\"text\":\"x\"}\n{\"text\":\"y\"}".to_vec(),
        &Limits::default(),
    );
    assert!(matches!(error, Err(SkipReason::Kind { .. })));
}
