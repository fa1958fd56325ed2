//! What does a GGUF file hold? Its metadata, and where its tensors lie.
//!
//! Versions 2 and 3 of the format, little-endian. A file is untrusted: every length is checked against what is left of
//! the file before anything is reserved for it. What the tensors mean is not known here.

use std::collections::BTreeMap;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use candle_core::quantized::GgmlDType;

use super::LocalError;

/// The most arrays within arrays.
const DEPTH: usize = 4;

/// The most elements of a list: vocabularies have some hundred thousand.
const LIST: usize = 1 << 22;

/// The most dimensions of a tensor.
const DIMENSIONS: u32 = 4;

/// One value of the metadata.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    /// Any integer, of at most 64 bits.
    Integer(i128),
    /// A floating-point number.
    Float(f64),
    /// A truth value.
    Bool(bool),
    /// A text.
    Text(String),
    /// Values of one type.
    List(Vec<Self>),
}

/// Where a tensor lies.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TensorPlace {
    /// Its form.
    pub(super) dtype: GgmlDType,
    /// Elements a row, rows, and so on.
    pub(super) dims: Vec<usize>,
    /// Its first byte in the file.
    pub(super) start: u64,
}

/// A GGUF file whose header has been read.
#[derive(Debug)]
pub(super) struct Gguf<R> {
    source: R,
    path: PathBuf,
    /// What the file says of itself.
    pub(super) metadata: BTreeMap<String, Value>,
    /// Its tensors by name.
    pub(super) tensors: BTreeMap<String, TensorPlace>,
}

impl<R: Read + Seek> Gguf<R> {
    /// Reads the header; `path` names the file in errors.
    pub(super) fn open(source: R, path: &Path) -> Result<Self, LocalError> {
        let mut header = Header::new(source, path)?;
        header.magic()?;
        let tensor_count = header.count("tensors", 24)?;
        let value_count = header.count("metadata", 13)?;
        let mut metadata = BTreeMap::new();
        for _ in 0..value_count {
            let key = header.text()?;
            let kind = header.u32()?;
            let value = header.value(kind, DEPTH)?;
            metadata.insert(key, value);
        }
        let mut tensors = BTreeMap::new();
        for _ in 0..tensor_count {
            let (name, place) = header.tensor()?;
            tensors.insert(name, place);
        }
        let alignment = match metadata.get("general.alignment") {
            None => 32,
            Some(Value::Integer(n @ 1..=65_536)) => u64::try_from(*n).unwrap_or(32),
            Some(_) => return Err(header.damaged("the alignment")),
        };
        let data = header.at.next_multiple_of(alignment);
        for (name, place) in &mut tensors {
            let end = data
                .checked_add(place.start)
                .inspect(|start| place.start = *start)
                .and_then(|start| start.checked_add(byte_length(place.dtype, &place.dims)? as u64));
            if end.is_none_or(|end| end > header.length) {
                return Err(header.damaged(&format!("tensor \"{name}\" ends beyond the file")));
            }
        }
        Ok(Self {
            source: header.source,
            path: header.path,
            metadata,
            tensors,
        })
    }

    /// The file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes of the file from `start` on.
    pub(super) fn bytes(&mut self, start: u64, length: usize) -> Result<Vec<u8>, LocalError> {
        let read = |source: &mut R| {
            let mut bytes = vec![0; length];
            source.seek(SeekFrom::Start(start))?;
            source.read_exact(&mut bytes)?;
            Ok(bytes)
        };
        read(&mut self.source).map_err(|source| LocalError::File {
            path: self.path.clone(),
            source,
        })
    }

    /// A text of the metadata.
    pub(super) fn text(&self, key: &str) -> Result<&str, LocalError> {
        match self.metadata.get(key) {
            Some(Value::Text(text)) => Ok(text),
            _ => Err(self.lacks(key)),
        }
    }

    /// A number of things, where the metadata has it.
    pub(super) fn size(&self, key: &str) -> Option<usize> {
        match self.metadata.get(key)? {
            Value::Integer(n) => usize::try_from(*n).ok(),
            Value::Float(_) | Value::Bool(_) | Value::Text(_) | Value::List(_) => None,
        }
    }

    /// A number of things that the metadata must have.
    pub(super) fn needed_size(&self, key: &str) -> Result<usize, LocalError> {
        self.size(key).ok_or_else(|| self.lacks(key))
    }

    /// A floating-point number, where the metadata has it.
    pub(super) fn float(&self, key: &str) -> Option<f64> {
        match self.metadata.get(key)? {
            Value::Float(x) => Some(*x),
            Value::Integer(_) | Value::Bool(_) | Value::Text(_) | Value::List(_) => None,
        }
    }

    /// A list that the metadata must have.
    pub(super) fn list(&self, key: &str) -> Result<&[Value], LocalError> {
        match self.metadata.get(key) {
            Some(Value::List(values)) => Ok(values),
            _ => Err(self.lacks(key)),
        }
    }

    /// The error of a file without `what`.
    pub(super) fn lacks(&self, what: &str) -> LocalError {
        LocalError::Lacks {
            path: self.path.clone(),
            what: what.to_owned(),
        }
    }

    /// The error of a file whose `what` is not supported.
    pub(super) fn unsupported(&self, what: String, supported: &str) -> LocalError {
        LocalError::Unsupported {
            path: self.path.clone(),
            what,
            supported: supported.to_owned(),
        }
    }
}

/// Bytes that a tensor takes; `None` where its dimensions are impossible.
pub(super) fn byte_length(dtype: GgmlDType, dims: &[usize]) -> Option<usize> {
    let elements = dims.iter().try_fold(1_usize, |n, d| n.checked_mul(*d))?;
    let row = dims.first().copied().unwrap_or(1);
    if !row.is_multiple_of(dtype.block_size()) {
        return None;
    }
    (elements / dtype.block_size()).checked_mul(dtype.type_size())
}

/// The part of the file that is being read.
struct Header<R> {
    source: R,
    path: PathBuf,
    at: u64,
    length: u64,
}

impl<R: Read + Seek> Header<R> {
    fn new(mut source: R, path: &Path) -> Result<Self, LocalError> {
        let length = source.seek(SeekFrom::End(0)).and_then(|length| {
            source.rewind()?;
            Ok(length)
        });
        let length = length.map_err(|source| LocalError::File {
            path: path.to_owned(),
            source,
        })?;
        Ok(Self {
            source,
            path: path.to_owned(),
            at: 0,
            length,
        })
    }

    fn damaged(&self, what: &str) -> LocalError {
        LocalError::Damaged {
            path: self.path.clone(),
            what: what.to_owned(),
            at: self.at,
        }
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], LocalError> {
        let mut bytes = [0; N];
        match self.source.read_exact(&mut bytes) {
            Ok(()) => {
                self.at += N as u64;
                Ok(bytes)
            }
            Err(_) => Err(self.damaged("the header is cut")),
        }
    }

    fn u32(&mut self) -> Result<u32, LocalError> {
        Ok(u32::from_le_bytes(self.take()?))
    }

    fn magic(&mut self) -> Result<(), LocalError> {
        let foreign = |path: &Path, found: String| LocalError::Foreign {
            path: path.to_owned(),
            found,
        };
        if self.length < 8 {
            return Err(foreign(&self.path, format!("it has {} bytes", self.length)));
        }
        let magic: [u8; 4] = self.take()?;
        if magic != *b"GGUF" {
            let found = format!("it starts with \"{}\"", magic.escape_ascii());
            return Err(foreign(&self.path, found));
        }
        match self.u32()? {
            2 | 3 => Ok(()),
            version => Err(LocalError::Unsupported {
                path: self.path.clone(),
                what: format!("version {version} of the format"),
                supported: "2 and 3, little-endian".to_owned(),
            }),
        }
    }

    /// A count of things that take at least `least` bytes each.
    fn count(&mut self, what: &str, least: u64) -> Result<usize, LocalError> {
        let count = u64::from_le_bytes(self.take()?);
        let left = self.length.saturating_sub(self.at);
        if count > left / least {
            return Err(self.damaged(&format!("{count} {what} are more than the file can hold")));
        }
        usize::try_from(count).map_err(|_| self.damaged(what))
    }

    fn text(&mut self) -> Result<String, LocalError> {
        let length = self.count("characters of a text", 1)?;
        let mut bytes = vec![0; length];
        if self.source.read_exact(&mut bytes).is_err() {
            return Err(self.damaged("a text is cut"));
        }
        self.at += length as u64;
        String::from_utf8(bytes).map_err(|_| self.damaged("a text is not UTF-8"))
    }

    fn value(&mut self, kind: u32, depth: usize) -> Result<Value, LocalError> {
        let value = match kind {
            0 => Value::Integer(u8::from_le_bytes(self.take()?).into()),
            1 => Value::Integer(i8::from_le_bytes(self.take()?).into()),
            2 => Value::Integer(u16::from_le_bytes(self.take()?).into()),
            3 => Value::Integer(i16::from_le_bytes(self.take()?).into()),
            4 => Value::Integer(self.u32()?.into()),
            5 => Value::Integer(i32::from_le_bytes(self.take()?).into()),
            6 => Value::Float(f32::from_le_bytes(self.take()?).into()),
            7 => Value::Bool(self.take::<1>()? != [0]),
            8 => Value::Text(self.text()?),
            9 if depth > 0 => {
                let kind = self.u32()?;
                let count = self.count("elements of a list", 1)?;
                if count > LIST {
                    return Err(self.damaged(&format!("a list of {count}")));
                }
                // Reserves nothing ahead: an element in memory is larger than in the file.
                let mut values = Vec::new();
                for _ in 0..count {
                    values.push(self.value(kind, depth - 1)?);
                }
                Value::List(values)
            }
            10 => Value::Integer(u64::from_le_bytes(self.take()?).into()),
            11 => Value::Integer(i64::from_le_bytes(self.take()?).into()),
            12 => Value::Float(f64::from_le_bytes(self.take()?)),
            _ => return Err(self.damaged(&format!("{kind} is no type of a value"))),
        };
        Ok(value)
    }

    fn tensor(&mut self) -> Result<(String, TensorPlace), LocalError> {
        let name = self.text()?;
        let count = self.u32()?;
        if !(1..=DIMENSIONS).contains(&count) {
            return Err(self.damaged(&format!("tensor \"{name}\" has {count} dimensions")));
        }
        let mut dims = Vec::new();
        for _ in 0..count {
            let dim = u64::from_le_bytes(self.take()?);
            dims.push(usize::try_from(dim).map_err(|_| self.damaged("a dimension"))?);
        }
        let kind = self.u32()?;
        let dtype = dtype(kind).ok_or_else(|| LocalError::Unsupported {
            path: self.path.clone(),
            what: format!("tensor type {kind} of \"{name}\""),
            supported: "F32, F16, BF16, Q4_0 to Q8_0, Q2_K to Q6_K".to_owned(),
        })?;
        let start = u64::from_le_bytes(self.take()?);
        if byte_length(dtype, &dims).is_none() {
            return Err(self.damaged(&format!("tensor \"{name}\" of {dims:?} is no {dtype:?}")));
        }
        Ok((name, TensorPlace { dtype, dims, start }))
    }
}

/// Forms of tensors by their number in the format.
const fn dtype(kind: u32) -> Option<GgmlDType> {
    Some(match kind {
        0 => GgmlDType::F32,
        1 => GgmlDType::F16,
        2 => GgmlDType::Q4_0,
        3 => GgmlDType::Q4_1,
        6 => GgmlDType::Q5_0,
        7 => GgmlDType::Q5_1,
        8 => GgmlDType::Q8_0,
        10 => GgmlDType::Q2K,
        11 => GgmlDType::Q3K,
        12 => GgmlDType::Q4K,
        13 => GgmlDType::Q5K,
        14 => GgmlDType::Q6K,
        30 => GgmlDType::BF16,
        _ => return None,
    })
}
