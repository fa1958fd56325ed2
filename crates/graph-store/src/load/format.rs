//! In which format is an input written?

use oxrdfio::{JsonLdProfileSet, RdfFormat};

/// A format that the store reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Turtle.
    Turtle,
    /// N-Triples.
    NTriples,
    /// N-Quads.
    NQuads,
    /// TriG.
    TriG,
    /// RDF/XML.
    RdfXml,
    /// JSON-LD. Remote contexts are not fetched.
    JsonLd,
    /// Comma-separated subject, predicate, object. See [`crate::LoadOptions::table_base`].
    Csv,
    /// Tab-separated subject, predicate, object.
    Tsv,
}

impl Format {
    /// The format with a name as users write it.
    ///
    /// ```
    /// assert_eq!(graph_store::Format::from_name("n-triples"), Some(graph_store::Format::NTriples));
    /// ```
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let letters: String = name
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .map(|letter| letter.to_ascii_lowercase())
            .collect();
        Some(match letters.as_str() {
            "turtle" | "ttl" | "n3" => Self::Turtle,
            "ntriples" | "nt" => Self::NTriples,
            "nquads" | "nq" => Self::NQuads,
            "trig" => Self::TriG,
            "rdfxml" | "rdf" | "xml" | "owl" => Self::RdfXml,
            "jsonld" | "json" => Self::JsonLd,
            "csv" => Self::Csv,
            "tsv" | "tab" => Self::Tsv,
            _ => return None,
        })
    }

    /// The format that a file name says, compression suffixes aside.
    #[must_use]
    pub fn from_file_name(name: &str) -> Option<Self> {
        let lower = name.to_ascii_lowercase();
        let plain = [".gz", ".gzip", ".zst", ".zstd"]
            .iter()
            .find_map(|suffix| lower.strip_suffix(suffix))
            .unwrap_or(&lower);
        let (stem, extension) = plain.rsplit_once('.')?;
        (!stem.is_empty()).then(|| Self::from_name(extension))?
    }

    /// The format that the first bytes of an input look like.
    #[must_use]
    pub fn from_content(start: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(start);
        let text = text.trim_start_matches('\u{FEFF}').trim_start();
        if text.starts_with("<?xml")
            || text.starts_with("<rdf:RDF")
            || text.starts_with("<!DOCTYPE")
        {
            return Some(Self::RdfXml);
        }
        if text.starts_with('{')
            || (text.starts_with('[') && text[1..].trim_start().starts_with(['{', '"']))
        {
            return Some(Self::JsonLd);
        }
        let line = text
            .lines()
            .find(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'))?
            .trim();
        let upper = line.to_ascii_uppercase();
        if ["@PREFIX", "@BASE", "PREFIX ", "BASE ", "GRAPH "]
            .iter()
            .any(|word| upper.starts_with(word))
        {
            // Every Turtle document is a TriG document.
            return Some(Self::TriG);
        }
        let is_statement = (line.starts_with('<') || line.starts_with("_:")) && line.ends_with('.');
        if is_statement && !line.contains(';') && line.matches(" .").count() == 1 {
            // Every N-Triples line is an N-Quads line.
            return Some(Self::NQuads);
        }
        if line.starts_with('<') || line.starts_with("_:") || line.starts_with('[') {
            return Some(Self::TriG);
        }
        if line.matches('\t').count() >= 2 {
            return Some(Self::Tsv);
        }
        (line.matches(',').count() >= 2).then_some(Self::Csv)
    }

    /// The parser's format; `None` for the two table formats.
    pub(super) fn rdf(self) -> Option<RdfFormat> {
        Some(match self {
            Self::Turtle => RdfFormat::Turtle,
            Self::NTriples => RdfFormat::NTriples,
            Self::NQuads => RdfFormat::NQuads,
            Self::TriG => RdfFormat::TriG,
            Self::RdfXml => RdfFormat::RdfXml,
            Self::JsonLd => RdfFormat::JsonLd {
                profile: JsonLdProfileSet::empty(),
            },
            Self::Csv | Self::Tsv => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_say_the_format_whatever_the_compression() {
        assert_eq!(Format::from_file_name("a.b.nt.gz"), Some(Format::NTriples));
        assert_eq!(Format::from_file_name("/x/a.TTL.zst"), Some(Format::Turtle));
        assert_eq!(Format::from_file_name("a.jsonld"), Some(Format::JsonLd));
        assert_eq!(Format::from_file_name("a.bin"), None);
        assert_eq!(Format::from_file_name("nt"), None);
        assert_eq!(Format::from_file_name(".nt"), None);
    }

    #[test]
    fn content_says_the_format_when_the_name_does_not() {
        for (start, format) in [
            ("<?xml version='1.0'?>", Some(Format::RdfXml)),
            ("{\"@id\": 1}", Some(Format::JsonLd)),
            ("[{\"@id\": 1}]", Some(Format::JsonLd)),
            ("# hello\n@prefix a: <urn:a> .", Some(Format::TriG)),
            ("<urn:a> <urn:b> <urn:c> .\n", Some(Format::NQuads)),
            (
                "<urn:a> <urn:b> <urn:c> ; <urn:d> 1 .\n",
                Some(Format::TriG),
            ),
            ("[] <urn:b> 1 .", Some(Format::TriG)),
            ("subject,predicate,object\n", Some(Format::Csv)),
            ("a\tb\tc\n", Some(Format::Tsv)),
            ("hello world", None),
            ("", None),
        ] {
            assert_eq!(Format::from_content(start.as_bytes()), format, "{start}");
        }
    }
}
