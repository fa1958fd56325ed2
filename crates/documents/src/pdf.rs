//! What does a PDF say?
//!
//! The text that its pages draw, in the order in which they draw it; lines and paragraphs are told by position. A scanned
//! page has no text. PDFs are parsed by [`lopdf`], on a thread of its own: what panics there, takes too long or would
//! expand too far is reported and harms nothing else. A thread that takes too long is told to stop and left to itself.

mod character_map;
mod content;
mod font;
mod graphics;
mod layout;
mod object_streams;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use lopdf::{Dictionary, Document, LoadOptions, Object};

use crate::encoding::clean;
use crate::error::SkipReason;
use crate::limits::Limits;
use crate::text::{Extracted, one_line};

/// Stack of the thread that parses: the parser recurses into nested objects.
const STACK_BYTES: usize = 64 << 20;

/// Bytes that a PDF's title may have.
const MAX_TITLE_BYTES: usize = 1_000;

/// Reads a PDF.
pub(crate) fn read(bytes: Vec<u8>, limits: &Limits) -> Result<Extracted, SkipReason> {
    let stop = Arc::new(AtomicBool::new(false));
    let (sender, receiver) = sync_channel(1);
    let (worker_stop, worker_limits) = (Arc::clone(&stop), *limits);
    let work = move || {
        let read = catch_unwind(AssertUnwindSafe(|| {
            extract(&bytes, &worker_limits, &worker_stop)
        }));
        let read = read.unwrap_or_else(|_| Err(damaged("the parser failed on it")));
        // Nobody waits for it any more when the time was up.
        let _ = sender.send(read);
    };
    thread::Builder::new()
        .name("pdf".to_owned())
        .stack_size(STACK_BYTES)
        .spawn(work)
        .map_err(|error| SkipReason::Unreadable {
            message: error.to_string(),
        })?;
    match receiver.recv_timeout(Duration::from_secs(limits.max_pdf_seconds)) {
        Ok(read) => read,
        Err(RecvTimeoutError::Timeout) => {
            stop.store(true, Ordering::Relaxed);
            Err(SkipReason::PdfTime {
                seconds: limits.max_pdf_seconds,
            })
        }
        Err(RecvTimeoutError::Disconnected) => Err(damaged("the parser failed on it")),
    }
}

fn damaged(reason: impl ToString) -> SkipReason {
    SkipReason::PdfDamaged {
        reason: reason.to_string(),
    }
}

fn too_large(limit: usize) -> SkipReason {
    SkipReason::TooLarge {
        limit: limit as u64,
    }
}

fn extract(bytes: &[u8], limits: &Limits, stop: &AtomicBool) -> Result<Extracted, SkipReason> {
    let most = limits.max_pdf_decompressed_bytes;
    if object_streams::contains(bytes, b"/Encrypt") {
        return Err(SkipReason::PdfEncrypted);
    }
    if !object_streams::expand_within(bytes, most, stop) {
        return Err(too_large(most));
    }
    let options = LoadOptions::with_max_decompressed_size(most);
    let document = Document::load_mem_with_options(bytes, options).map_err(damaged)?;
    let pages: Vec<_> = document
        .page_iter()
        .take(limits.max_pdf_pages.saturating_add(1))
        .collect();
    if pages.len() > limits.max_pdf_pages {
        return Err(SkipReason::PdfPages {
            limit: limits.max_pdf_pages,
        });
    }
    let mut reader = content::ContentReader::new(&document, limits, stop);
    let mut text = String::new();
    for page in pages {
        let page = reader.page(page)?;
        let page = clean(page);
        if text.len() + page.len() > limits.max_text_bytes {
            return Err(too_large(limits.max_text_bytes));
        }
        if !text.is_empty() && !page.is_empty() {
            text.push_str("\n\n");
        }
        text.push_str(&page);
    }
    Ok(Extracted {
        title: title(&document),
        ..Extracted::plain(text)
    })
}

/// The title in the document's information, if it has one.
fn title(document: &Document) -> Option<String> {
    let info = document.trailer.get(b"Info").ok()?;
    let info = dictionary(document, info)?;
    let (_, title) = document.dereference(info.get(b"Title").ok()?).ok()?;
    let bytes = title.as_str().ok()?;
    let bytes = &bytes[..bytes.len().min(MAX_TITLE_BYTES)];
    let title = match bytes {
        [0xfe, 0xff, rest @ ..] => encoding_rs::UTF_16BE.decode_without_bom_handling(rest).0,
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest),
        bytes => {
            encoding_rs::WINDOWS_1252
                .decode_without_bom_handling(bytes)
                .0
        }
    };
    Some(one_line(&clean(title.into_owned())))
}

/// The dictionary that `object` is or refers to.
fn dictionary<'a>(document: &'a Document, object: &'a Object) -> Option<&'a Dictionary> {
    document.dereference(object).ok()?.1.as_dict().ok()
}
