//! Small PDF files made by hand.

use std::io::Write as _;

/// An object's body; a stream has its data.
pub(crate) struct Object {
    pub(crate) body: String,
    pub(crate) stream: Option<Vec<u8>>,
}

pub(crate) fn object(body: &str) -> Object {
    Object {
        body: body.to_owned(),
        stream: None,
    }
}

pub(crate) fn stream(body: &str, data: &[u8]) -> Object {
    Object {
        body: format!("<< {body} /Length {} >>", data.len()),
        stream: Some(data.to_vec()),
    }
}

pub(crate) fn zlib(data: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

/// A file of `objects`, numbered from 1, of which the first is the catalogue; `trailer` adds entries.
pub(crate) fn file(objects: &[Object], trailer: &str) -> Vec<u8> {
    let mut bytes = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n".to_vec();
    let mut offsets = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        offsets.push(bytes.len());
        writeln!(bytes, "{} 0 obj\n{}", index + 1, object.body).unwrap();
        if let Some(data) = &object.stream {
            bytes.extend_from_slice(b"stream\n");
            bytes.extend_from_slice(data);
            bytes.extend_from_slice(b"\nendstream\n");
        }
        bytes.extend_from_slice(b"endobj\n");
    }
    let xref = bytes.len();
    writeln!(bytes, "xref\n0 {}\n0000000000 65535 f ", objects.len() + 1).unwrap();
    for offset in offsets {
        writeln!(bytes, "{offset:010} 00000 n ").unwrap();
    }
    writeln!(
        bytes,
        "trailer\n<< /Size {} /Root 1 0 R {trailer} >>\nstartxref\n{xref}\n%%EOF",
        objects.len() + 1
    )
    .unwrap();
    bytes
}

/// A file whose pages have these contents, set in Helvetica.
pub(crate) fn pages(contents: &[Object]) -> Vec<Object> {
    let first = 4;
    let kids: Vec<String> = (0..contents.len())
        .map(|page| format!("{} 0 R", first + 2 * page))
        .collect();
    let mut objects = vec![
        object("<< /Type /Catalog /Pages 2 0 R >>"),
        object(&format!(
            "<< /Type /Pages /Count {} /Kids [{}] >>",
            contents.len(),
            kids.join(" ")
        )),
        object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"),
    ];
    for (page, content) in contents.iter().enumerate() {
        objects.push(object(&format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources << /Font << /F1 3 0 R >> >> /Contents {} 0 R >>",
            first + 2 * page + 1
        )));
        objects.push(Object {
            body: content.body.clone(),
            stream: content.stream.clone(),
        });
    }
    objects
}

/// A file of one page that shows `text`.
pub(crate) fn saying(text: &str) -> Vec<u8> {
    let content = format!("BT /F1 12 Tf 72 700 Td ({text}) Tj ET");
    file(&pages(&[stream("", content.as_bytes())]), "")
}
