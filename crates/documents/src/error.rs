//! Why was something not read, and what can be done about it?

use std::fmt;

use crate::document::Source;

/// Why a file, folder or line was skipped.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SkipReason {
    /// The operating system did not give it.
    #[error("cannot be read: {message}")]
    Unreadable {
        /// What it said.
        message: String,
    },
    /// A pipe, device or socket.
    #[error("is no file or folder (a pipe, device or socket); save what it gives to a file")]
    NotRegular,
    /// Its name starts with a full stop, in a folder that was given.
    #[error("is hidden; name it itself to read it")]
    Hidden,
    /// Its name is not Unicode, so it could not be cited.
    #[error("has a name that is not valid Unicode; rename it")]
    Name,
    /// Following it leads back to a folder that it is in.
    #[error("is a link to a folder that it is in")]
    LinkLoop,
    /// It was read already, by another name.
    #[error("is a folder that was read already under another name")]
    Again,
    /// It is below a folder that lies too deep.
    #[error("lies more than {limit} folders deep; name a folder further down")]
    TooDeep {
        /// [`crate::Limits::max_depth`].
        limit: usize,
    },
    /// There were more files than one run may read.
    #[error("is not read: more than {limit} files; add the folders one by one")]
    TooManyFiles {
        /// [`crate::Limits::max_files`].
        limit: usize,
    },
    /// It is of a kind that is not read.
    #[error("is {what}, which is not read; convert it to text, Markdown, HTML, PDF or JSON lines")]
    Kind {
        /// The kind, in words.
        what: &'static str,
    },
    /// It is larger than allowed.
    #[error("is larger than {limit} bytes; split it, or raise the limit")]
    TooLarge {
        /// The limit that it exceeds, in bytes.
        limit: u64,
    },
    /// It unpacks to far more than it holds.
    #[error("unpacks to more than {ratio} times its size; unpack it yourself if you trust it")]
    TooCompressed {
        /// [`crate::Limits::max_compression_ratio`].
        ratio: u64,
    },
    /// There is nothing to read in it.
    #[error("has no text")]
    NoText,
    /// A line of JSON lines is not an object with a text.
    #[error("is no JSON object with a string \"text\": {reason}")]
    JsonLine {
        /// What the parser says.
        reason: String,
    },
    /// The PDF is encrypted.
    #[error("is an encrypted PDF; save it without a password")]
    PdfEncrypted,
    /// The PDF is broken.
    #[error("is a damaged PDF: {reason}; save it anew with another program")]
    PdfDamaged {
        /// What the parser says.
        reason: String,
    },
    /// The PDF has more pages than allowed.
    #[error("is a PDF of more than {limit} pages; split it")]
    PdfPages {
        /// [`crate::Limits::max_pdf_pages`].
        limit: usize,
    },
    /// The PDF took too long.
    #[error("is a PDF that takes more than {seconds} s to read; split it")]
    PdfTime {
        /// [`crate::Limits::max_pdf_seconds`].
        seconds: u64,
    },
}

impl SkipReason {
    /// A word for the reason, to count by.
    #[must_use]
    pub fn label(&self) -> &'static str {
        match self {
            Self::Unreadable { .. } => "unreadable",
            Self::NotRegular => "no file",
            Self::Hidden => "hidden",
            Self::Name => "name",
            Self::LinkLoop => "link loop",
            Self::Again => "read already",
            Self::TooDeep { .. } => "too deep",
            Self::TooManyFiles { .. } => "too many files",
            Self::Kind { .. } => "kind not read",
            Self::TooLarge { .. } => "too large",
            Self::TooCompressed { .. } => "compressed too far",
            Self::NoText => "no text",
            Self::JsonLine { .. } => "bad JSON line",
            Self::PdfEncrypted => "encrypted PDF",
            Self::PdfDamaged { .. } => "damaged PDF",
            Self::PdfPages { .. } => "PDF of too many pages",
            Self::PdfTime { .. } => "PDF too slow",
        }
    }

    /// Does this say that what was there before is there no more? A file that only could not be read may still say it.
    pub(crate) fn replaces(&self) -> bool {
        matches!(
            self,
            Self::NoText | Self::Kind { .. } | Self::JsonLine { .. }
        )
    }
}

/// Something that was skipped. Displayed as `a.zip is a zip archive …, which is not read; …`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// What: a file, a folder, or a line of a file.
    pub source: Source,
    /// Why.
    pub reason: SkipReason,
}

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.source, self.reason)
    }
}
