//! How much may reading cost? Every bound of this crate, in one place.

use serde::{Deserialize, Serialize};

/// The bounds of reading files. What exceeds one is skipped and reported, and the rest goes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Bytes of a file that is read as a whole (text, Markdown, HTML), as stored and decompressed.
    pub max_file_bytes: u64,
    /// Bytes that a compressed file may expand to, whatever its kind.
    pub max_decompressed_bytes: u64,
    /// Times its size that a compressed file may expand to; only looked at beyond [`Limits::ratio_floor_bytes`].
    pub max_compression_ratio: u64,
    /// Expanded bytes up to which any ratio is fine: small files of little variety compress well.
    pub ratio_floor_bytes: u64,
    /// Bytes of one line of JSON lines.
    pub max_line_bytes: usize,
    /// Bytes of a PDF file.
    pub max_pdf_bytes: u64,
    /// Pages of a PDF; a longer one is skipped.
    pub max_pdf_pages: usize,
    /// Bytes that all object streams of a PDF together, and all its pages' contents together, may each expand to.
    pub max_pdf_decompressed_bytes: usize,
    /// Seconds of wall time for one PDF.
    pub max_pdf_seconds: u64,
    /// Bytes of text taken from one PDF.
    pub max_text_bytes: usize,
    /// Files of one run.
    pub max_files: usize,
    /// Folders below a given path.
    pub max_depth: usize,
    /// Skipped files and lines that are listed one by one; further ones are counted.
    pub max_report_entries: usize,
    /// Bytes asked for at a time.
    pub read_buffer_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_file_bytes: 256 << 20,
            max_decompressed_bytes: 8 << 30,
            max_compression_ratio: 200,
            ratio_floor_bytes: 1 << 20,
            max_line_bytes: 16 << 20,
            max_pdf_bytes: 64 << 20,
            max_pdf_pages: 5_000,
            max_pdf_decompressed_bytes: 128 << 20,
            max_pdf_seconds: 60,
            max_text_bytes: 64 << 20,
            max_files: 1_000_000,
            max_depth: 64,
            max_report_entries: 100,
            read_buffer_bytes: 64 << 10,
        }
    }
}
