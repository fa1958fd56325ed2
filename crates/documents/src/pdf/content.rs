//! Which text does a page draw, and where?
//!
//! The operators of a content stream that move or show text (PDF 32000-1, 9.4), and those that change where the page is
//! (8.4.4); forms that the page draws are read too.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};

use lopdf::content::{Content, Operation};
use lopdf::{Dictionary, Document, Object, ObjectId, Stream};

use super::character_map::CharacterMap;
use super::font::Font;
use super::graphics::{Matrix, Run, numbers};
use super::layout::Layout;
use super::{damaged, dictionary, too_large};
use crate::error::SkipReason;
use crate::limits::Limits;

/// Forms inside forms that are followed.
const MAX_FORM_DEPTH: usize = 8;

/// Reads the pages of one document.
pub(super) struct ContentReader<'a> {
    document: &'a Document,
    limits: &'a Limits,
    stop: &'a AtomicBool,
    /// Bytes that contents and fonts may still expand to.
    bytes_left: usize,
    /// Fonts by where their dictionary lies.
    fonts: BTreeMap<*const Dictionary, Rc<Font<'a>>>,
    layout: Layout,
}

/// Where names are looked up, nearest first.
type Resources<'a> = Vec<&'a Dictionary>;

impl<'a> ContentReader<'a> {
    pub(super) fn new(document: &'a Document, limits: &'a Limits, stop: &'a AtomicBool) -> Self {
        Self {
            document,
            limits,
            stop,
            bytes_left: limits.max_pdf_decompressed_bytes,
            fonts: BTreeMap::new(),
            layout: Layout::default(),
        }
    }

    /// The text of a page; a page whose content is broken gives what was read before.
    pub(super) fn page(&mut self, page: ObjectId) -> Result<String, SkipReason> {
        self.layout = Layout::default();
        let resources = match self.document.get_page_resources(page) {
            Ok((direct, ids)) => {
                let referred = ids
                    .into_iter()
                    .filter_map(|id| self.document.get_dictionary(id).ok());
                direct.into_iter().chain(referred).collect()
            }
            Err(_) => Vec::new(),
        };
        let content = match self
            .document
            .get_page_content_with_limit(page, self.bytes_left)
        {
            Ok(content) => content,
            Err(error) if is_too_large(&error) => {
                return Err(too_large(self.limits.max_pdf_decompressed_bytes));
            }
            Err(_) => Vec::new(),
        };
        self.spend(content.len())?;
        self.run(&content, &resources, Matrix::IDENTITY, 0)?;
        Ok(std::mem::take(&mut self.layout).finish())
    }

    fn spend(&mut self, bytes: usize) -> Result<(), SkipReason> {
        let most = self.limits.max_pdf_decompressed_bytes;
        self.bytes_left = self
            .bytes_left
            .checked_sub(bytes)
            .ok_or_else(|| too_large(most))?;
        Ok(())
    }

    fn run(
        &mut self,
        content: &[u8],
        resources: &Resources<'a>,
        page: Matrix,
        depth: usize,
    ) -> Result<(), SkipReason> {
        let mut run = Run::new(page);
        for operation in Content::decode_iter(content) {
            if self.stop.load(Ordering::Relaxed) {
                return Err(damaged("interrupted"));
            }
            let Ok(operation) = operation else { break };
            match operation.operator.as_str() {
                "Tf" => {
                    let name = operation
                        .operands
                        .first()
                        .and_then(|name| name.as_name().ok());
                    run.state.font = match name {
                        Some(name) => self.font(name, resources)?,
                        None => None,
                    };
                    run.state.size = operation
                        .operands
                        .get(1)
                        .and_then(|size| size.as_float().ok())
                        .unwrap_or(1.0);
                }
                "Do" if depth < MAX_FORM_DEPTH => {
                    self.form(&operation, resources, run.state.page, depth)?
                }
                _ => run.operate(&operation, &mut self.layout),
            }
        }
        Ok(())
    }

    fn look_up(&self, kind: &[u8], name: &[u8], resources: &Resources<'a>) -> Option<&'a Object> {
        let document = self.document;
        let found = resources.iter().find_map(|resources| {
            let kind = dictionary(document, resources.get(kind).ok()?)?;
            kind.get(name).ok()
        })?;
        document.dereference(found).ok().map(|(_, object)| object)
    }

    fn font(
        &mut self,
        name: &[u8],
        resources: &Resources<'a>,
    ) -> Result<Option<Rc<Font<'a>>>, SkipReason> {
        let document = self.document;
        let Some(dictionary) = self
            .look_up(b"Font", name, resources)
            .and_then(|font| font.as_dict().ok())
        else {
            return Ok(None);
        };
        let key = std::ptr::from_ref(dictionary);
        if let Some(font) = self.fonts.get(&key) {
            return Ok(Some(Rc::clone(font)));
        }
        let map = dictionary
            .get(b"ToUnicode")
            .ok()
            .and_then(|map| document.dereference(map).ok()?.1.as_stream().ok());
        let map = match map {
            Some(map) => self.expand(map)?.map(|bytes| CharacterMap::parse(&bytes)),
            None => None,
        };
        let font = Rc::new(Font::new(document, dictionary, map, self.bytes_left));
        self.fonts.insert(key, Rc::clone(&font));
        Ok(Some(font))
    }

    /// The bytes of a stream; `None` if it is broken.
    fn expand(&mut self, stream: &Stream) -> Result<Option<Vec<u8>>, SkipReason> {
        match stream.get_plain_content_with_limit(self.bytes_left) {
            Ok(bytes) => {
                self.spend(bytes.len().max(1))?;
                Ok(Some(bytes))
            }
            Err(error) if is_too_large(&error) => {
                Err(too_large(self.limits.max_pdf_decompressed_bytes))
            }
            Err(_) => Ok(None),
        }
    }

    fn form(
        &mut self,
        operation: &Operation,
        resources: &Resources<'a>,
        page: Matrix,
        depth: usize,
    ) -> Result<(), SkipReason> {
        let name = operation
            .operands
            .first()
            .and_then(|name| name.as_name().ok());
        let stream =
            name.and_then(|name| self.look_up(b"XObject", name, resources)?.as_stream().ok());
        let Some(stream) = stream.filter(|stream| {
            stream
                .dict
                .get(b"Subtype")
                .and_then(Object::as_name)
                .is_ok_and(|kind| kind == b"Form")
        }) else {
            return Ok(());
        };
        let Some(content) = self.expand(stream)? else {
            return Ok(());
        };
        let own = stream
            .dict
            .get(b"Resources")
            .ok()
            .and_then(|own| dictionary(self.document, own));
        let resources: Resources<'a> = own
            .into_iter()
            .chain(resources.iter().copied())
            .take(MAX_FORM_DEPTH + 8)
            .collect();
        let matrix = stream.dict.get(b"Matrix").and_then(Object::as_array).ok();
        let matrix = matrix
            .and_then(|matrix| Matrix::of(&numbers(matrix)))
            .unwrap_or(Matrix::IDENTITY);
        self.run(&content, &resources, matrix.then(page), depth + 1)
    }
}

fn is_too_large(error: &lopdf::Error) -> bool {
    matches!(
        error,
        lopdf::Error::Decompress(lopdf::DecompressError::MemoryLimitExceeded { .. })
    )
}
