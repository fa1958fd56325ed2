//! Which statements does an input hold, and what in it is broken?
//!
//! Runs on its own thread with a large stack. N-Triples and N-Quads are read in chunks of whole lines, so that each
//! message has its exact line and a broken line costs only itself. Turtle and TriG go on after a broken statement
//! where the parser finds the next one. RDF/XML and JSON-LD cannot be picked up again: what follows the first error in
//! the file is not read.

use std::io::{BufRead, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::SyncSender;

use oxrdfio::{RdfParseError, RdfParser, RdfSyntaxError};

use super::batch::{Batch, Encoder, TooLong};
use super::format::Format;
use super::input::{DepthLimited, EntityLimited, Input, LineCounted, Stop, io_problem};
use crate::error::{ParseProblem, StoreError};

/// Bytes of whole lines that are parsed together.
const CHUNK_BYTES: usize = 1 << 20;
/// The most levels that JSON may be nested.
pub(super) const MAX_JSON_DEPTH: usize = 512;

/// What is done with what the parser finds.
pub(super) struct Sink<'a> {
    pub(super) batch: Batch,
    pub(super) send: &'a SyncSender<Batch>,
    pub(super) encoder: Encoder,
    pub(super) lenient: bool,
    pub(super) kept_problems: usize,
}

impl Sink<'_> {
    pub(super) fn statement(
        &mut self,
        quad: oxrdf::QuadRef<'_>,
    ) -> Result<Result<(), TooLong>, StoreError> {
        if let Err(error) = self.encoder.add(&mut self.batch, quad) {
            return Ok(Err(error));
        }
        if self.batch.is_full() {
            self.flush()?;
        }
        Ok(Ok(()))
    }

    /// An error, or, when lenient, a note of it.
    pub(super) fn problem(&mut self, problem: ParseProblem) -> Result<(), StoreError> {
        if !self.lenient {
            return Err(problem.into());
        }
        self.batch.skipped += 1;
        if self.kept_problems > 0 {
            self.kept_problems -= 1;
            self.batch.problems.push(problem);
        }
        Ok(())
    }

    pub(super) fn flush(&mut self) -> Result<(), StoreError> {
        if !self.batch.is_empty() {
            let batch = std::mem::take(&mut self.batch);
            // The other side hangs up only when it has failed itself.
            self.send.send(batch).map_err(|_| StoreError::Cancelled)?;
        }
        Ok(())
    }
}

pub(super) fn too_long(input: &str, line: u64, TooLong { bytes }: TooLong) -> ParseProblem {
    ParseProblem {
        input: input.to_owned(),
        line,
        column: 0,
        reason: format!("a term of {bytes} bytes is longer than allowed"),
    }
}

fn syntax_problem(input: &str, error: &RdfSyntaxError, first_line: u64) -> ParseProblem {
    let (line, column) = error.location().map_or((0, 0), |range| {
        (range.start.line + first_line, range.start.column + 1)
    });
    ParseProblem {
        input: input.to_owned(),
        line,
        column,
        reason: error.to_string(),
    }
}

/// Parses one input to its end or to the first error that cannot be skipped.
pub(super) fn run(
    input: Input,
    base_iri: Option<&str>,
    table: &super::table::TableOptions,
    max_line_bytes: usize,
    sink: &mut Sink<'_>,
) -> Result<(), StoreError> {
    match (input.format, input.format.rdf()) {
        (format, None) => super::table::run(input, format, table, sink)?,
        (Format::NTriples | Format::NQuads, Some(format)) => {
            run_lines(input, &RdfParser::from_format(format), max_line_bytes, sink)?;
        }
        (_, Some(format)) => {
            let mut parser = RdfParser::from_format(format);
            if let Some(base) = base_iri {
                parser = parser.with_base_iri(base).map_err(|error| ParseProblem {
                    input: base.to_owned(),
                    line: 0,
                    column: 0,
                    reason: format!("not a base IRI: {error}"),
                })?;
            }
            run_stream(input, parser, sink)?;
        }
    }
    sink.flush()
}

/// Reads the next chunk of whole lines. `false` at the end of the input.
fn read_chunk(
    reader: &mut dyn BufRead,
    chunk: &mut Vec<u8>,
    max_line_bytes: usize,
) -> std::io::Result<bool> {
    chunk.clear();
    loop {
        let limit = CHUNK_BYTES
            .saturating_sub(chunk.len())
            .max(max_line_bytes + 1);
        let before = chunk.len();
        // Whole buffers first; then on to the end of the line.
        if before < CHUNK_BYTES {
            let buffer = reader.fill_buf()?;
            if buffer.is_empty() {
                return Ok(!chunk.is_empty());
            }
            let taken = buffer.len();
            chunk.extend_from_slice(buffer);
            reader.consume(taken);
            continue;
        }
        if chunk.ends_with(b"\n") {
            return Ok(true);
        }
        reader.take(limit as u64).read_until(b'\n', chunk)?;
        return Ok(true);
    }
}

fn run_lines(
    mut input: Input,
    parser: &RdfParser,
    max_line_bytes: usize,
    sink: &mut Sink<'_>,
) -> Result<(), StoreError> {
    let mut chunk = Vec::with_capacity(CHUNK_BYTES + 64 * 1024);
    let mut line = 1;
    loop {
        let more = read_chunk(input.reader.as_mut(), &mut chunk, max_line_bytes)
            .map_err(|error| io_problem(&input.name, error))?;
        if !more {
            return Ok(());
        }
        let lines = chunk.iter().filter(|byte| **byte == b'\n').count() as u64;
        let whole = chunk.ends_with(b"\n");
        let last_line_bytes = chunk.len()
            - chunk
                .iter()
                .rposition(|byte| *byte == b'\n')
                .map_or(0, |at| at + 1);
        if !whole && last_line_bytes > max_line_bytes {
            chunk.truncate(chunk.len() - last_line_bytes);
            parse_lines(&input.name, parser, &chunk, line, sink)?;
            sink.problem(ParseProblem {
                input: input.name.clone(),
                line: line + lines,
                column: 0,
                reason: format!("the line is longer than {max_line_bytes} bytes"),
            })?;
            skip_line(input.reader.as_mut()).map_err(|error| io_problem(&input.name, error))?;
            line += lines + 1;
            continue;
        }
        parse_lines(&input.name, parser, &chunk, line, sink)?;
        line += lines;
    }
}

fn skip_line(reader: &mut dyn BufRead) -> std::io::Result<()> {
    loop {
        let buffer = reader.fill_buf()?;
        if buffer.is_empty() {
            return Ok(());
        }
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let taken = end.map_or(buffer.len(), |at| at + 1);
        reader.consume(taken);
        if end.is_some() {
            return Ok(());
        }
    }
}

fn parse_lines(
    name: &str,
    parser: &RdfParser,
    chunk: &[u8],
    first_line: u64,
    sink: &mut Sink<'_>,
) -> Result<(), StoreError> {
    let mut long = Vec::new();
    let (mut rest, mut rest_line) = (chunk, first_line);
    while !rest.is_empty() {
        let mut broken = None;
        for quad in parser.clone().for_slice(rest) {
            match quad {
                Ok(quad) => {
                    if let Err(error) = sink.statement(quad.as_ref())? {
                        long.push(error);
                    }
                }
                Err(error) => {
                    broken = Some(error);
                    break;
                }
            }
        }
        let Some(error) = broken else { break };
        sink.problem(syntax_problem(name, &error, rest_line))?;
        // An open quote makes the parser read on over the line's end; the next line is a new start all the same.
        let offset = error.location().map_or(0, |range| range.start.offset);
        let start = usize::try_from(offset)
            .unwrap_or(rest.len())
            .min(rest.len());
        let end = rest[start..].iter().position(|byte| *byte == b'\n');
        let (skipped, next) = rest.split_at(end.map_or(rest.len(), |end| start + end + 1));
        rest_line += skipped.iter().filter(|byte| **byte == b'\n').count() as u64;
        rest = next;
    }
    if long.is_empty() {
        return Ok(());
    }
    // Rare: parse line by line to find where the long terms are.
    let mut found = long.into_iter();
    for (at, line) in chunk.split(|byte| *byte == b'\n').enumerate() {
        for quad in parser.clone().for_slice(line).flatten() {
            let mut scratch = Batch::default();
            if sink.encoder.add(&mut scratch, quad.as_ref()).is_err()
                && let Some(error) = found.next()
            {
                sink.problem(too_long(name, first_line + at as u64, error))?;
            }
        }
    }
    Ok(())
}

fn run_stream(input: Input, parser: RdfParser, sink: &mut Sink<'_>) -> Result<(), StoreError> {
    let name = input.name;
    let lines = Arc::new(AtomicU64::new(0));
    let counted = LineCounted {
        reader: input.reader,
        lines: Arc::clone(&lines),
    };
    let recovers = matches!(input.format, Format::Turtle | Format::TriG);
    let reader: Box<dyn Read + Send> = match input.format {
        Format::JsonLd => Box::new(DepthLimited::new(counted, MAX_JSON_DEPTH)),
        Format::RdfXml => Box::new(EntityLimited::new(counted)),
        Format::Turtle
        | Format::NTriples
        | Format::NQuads
        | Format::TriG
        | Format::Csv
        | Format::Tsv => Box::new(counted),
    };
    for quad in parser.for_reader(reader) {
        let near = || lines.load(Ordering::Relaxed) + 1;
        match quad {
            Ok(quad) => {
                if let Err(error) = sink.statement(quad.as_ref())? {
                    // The parser reads ahead, so this is the line or shortly after it.
                    sink.problem(too_long(&name, near(), error))?;
                }
            }
            Err(RdfParseError::Syntax(error)) => {
                let mut problem = syntax_problem(&name, &error, 1);
                if problem.line == 0 {
                    problem.line = near();
                }
                if !recovers && sink.lenient {
                    problem
                        .reason
                        .push_str("; the rest of the input is skipped");
                }
                sink.problem(problem)?;
                if !recovers {
                    break;
                }
            }
            Err(RdfParseError::Io(error)) => {
                let stop = error
                    .get_ref()
                    .and_then(|inner| inner.downcast_ref::<Stop>());
                if let Some(Stop::TooDeep { .. } | Stop::Entity { .. }) = stop {
                    return Err(ParseProblem {
                        input: name,
                        line: near(),
                        column: 0,
                        reason: error.to_string(),
                    }
                    .into());
                }
                return Err(io_problem(&name, error));
            }
        }
    }
    Ok(())
}
