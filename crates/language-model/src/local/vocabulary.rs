//! Which tokens is a text made of? Byte-level pair encoding as a GGUF file describes it.
//!
//! Texts are read as texts: no text becomes a control token, whatever it says.

use std::collections::BTreeMap;
use std::io::{Read, Seek};

use tokenizers::models::bpe::{BPE, Vocab};
use tokenizers::pre_tokenizers::PreTokenizerWrapper;
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::pre_tokenizers::digits::Digits;
use tokenizers::pre_tokenizers::sequence::Sequence;
use tokenizers::pre_tokenizers::split::{Split, SplitPattern};
use tokenizers::{SplitDelimiterBehavior, Tokenizer};

use super::LocalError;
use super::gguf::{Gguf, Value};

/// How Llama 3 cuts a text before pairs are merged.
const LLAMA_3: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";

/// The type of an ordinary token in GGUF files.
const NORMAL: i128 = 1;

/// The type of a token that a person added, which stands for itself.
const USER: i128 = 4;

/// The tokens of a model.
pub(super) struct Vocabulary {
    tokenizer: Tokenizer,
    /// Bytes of each token; none for control tokens.
    bytes: Vec<Vec<u8>>,
    controls: BTreeMap<String, u32>,
    ends: Vec<u32>,
    begin: Option<u32>,
}

impl std::fmt::Debug for Vocabulary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Vocabulary")
            .field("tokens", &self.bytes.len())
            .field("controls", &self.controls)
            .finish_non_exhaustive()
    }
}

impl Vocabulary {
    /// Reads the vocabulary of a file.
    pub(super) fn read<R: Read + Seek>(file: &Gguf<R>) -> Result<Self, LocalError> {
        let model = file.text("tokenizer.ggml.model")?;
        if model != "gpt2" {
            let what = format!("tokenizer \"{model}\"");
            return Err(file.unsupported(what, "\"gpt2\" (byte-level pair encoding)"));
        }
        let mut vocabulary = Vocab::default();
        let mut controls = BTreeMap::new();
        let mut bytes = Vec::new();
        let types = file.list("tokenizer.ggml.token_type")?;
        let byte_of = byte_of_char();
        let tokens = file.list("tokenizer.ggml.tokens")?;
        for (id, (token, kind)) in (0_u32..).zip(tokens.iter().zip(types)) {
            let (Value::Text(token), Value::Integer(kind)) = (token, kind) else {
                return Err(file.lacks("a list of tokens and their types"));
            };
            let own = || token.chars().map(|c| byte_of.get(&c).copied()).collect();
            let own: Option<Vec<u8>> = match *kind {
                NORMAL => own(),
                USER => Some(token.as_bytes().to_vec()),
                _ => None,
            };
            if *kind == NORMAL {
                vocabulary.insert(token.clone(), id);
            } else if own.is_none() {
                controls.insert(token.clone(), id);
            }
            bytes.push(own.unwrap_or_default());
        }
        if bytes.len() != tokens.len() {
            return Err(file.lacks("a type for each token"));
        }
        let tokenizer = tokenizer(file, vocabulary)?;
        let id = |key: &str| {
            let id = u32::try_from(file.size(&format!("tokenizer.ggml.{key}"))?).ok()?;
            usize::try_from(id)
                .is_ok_and(|id| id < bytes.len())
                .then_some(id)
        };
        let named = ["<|im_end|>", "<|eot_id|>", "<|endoftext|>"];
        let mut ends: Vec<u32> = ["eos_token_id", "eot_token_id"]
            .into_iter()
            .filter_map(id)
            .chain(named.iter().filter_map(|name| controls.get(*name).copied()))
            .collect();
        ends.sort_unstable();
        ends.dedup();
        let adds = file.metadata.get("tokenizer.ggml.add_bos_token") == Some(&Value::Bool(true));
        let begin = id("bos_token_id").filter(|_| adds);
        Ok(Self {
            tokenizer,
            bytes,
            controls,
            ends,
            begin,
        })
    }

    /// Tokens of a text.
    pub(super) fn encode(&self, text: &str) -> Result<Vec<u32>, tokenizers::Error> {
        Ok(self.tokenizer.encode_fast(text, false)?.get_ids().to_vec())
    }

    /// Bytes that a token stands for; none for a control token.
    pub(super) fn bytes(&self, token: u32) -> &[u8] {
        let index = usize::try_from(token).ok();
        index
            .and_then(|index| self.bytes.get(index))
            .map_or(&[], Vec::as_slice)
    }

    /// The token that stands for one byte.
    pub(super) fn byte(&self, byte: u8) -> Option<u32> {
        let found = (0_u32..)
            .zip(&self.bytes)
            .find(|(_, own)| own.as_slice() == [byte]);
        found.map(|(token, _)| token)
    }

    /// A control token by its name.
    pub(super) fn control(&self, name: &str) -> Option<u32> {
        self.controls.get(name).copied()
    }

    /// Whether a reply ends with this token.
    pub(super) fn is_end(&self, token: u32) -> bool {
        self.ends.binary_search(&token).is_ok()
    }

    /// The token with which every prompt begins, if there is one.
    pub(super) const fn begin(&self) -> Option<u32> {
        self.begin
    }
}

fn tokenizer<R: Read + Seek>(file: &Gguf<R>, vocabulary: Vocab) -> Result<Tokenizer, LocalError> {
    let pre = file.text("tokenizer.ggml.pre").unwrap_or("gpt-2");
    let wrong = |source| LocalError::Tokenizer {
        path: file.path().to_owned(),
        source,
    };
    let (cut, ignore_merges): (Vec<PreTokenizerWrapper>, bool) = match pre {
        "smollm" | "starcoder" => {
            let bytes = ByteLevel::new(false, false, true);
            (vec![Digits::new(true).into(), bytes.into()], false)
        }
        "gpt-2" => (vec![ByteLevel::new(false, false, true).into()], false),
        "llama-bpe" => {
            let pattern = SplitPattern::Regex(LLAMA_3.to_owned());
            let cut = Split::new(pattern, SplitDelimiterBehavior::Isolated, false);
            let bytes = ByteLevel::new(false, false, false);
            (vec![cut.map_err(wrong)?.into(), bytes.into()], true)
        }
        _ => {
            let what = format!("the pre-tokenizer \"{pre}\"");
            return Err(file.unsupported(what, "smollm, starcoder, gpt-2, llama-bpe"));
        }
    };
    let mut merges = Vec::new();
    for merge in file.list("tokenizer.ggml.merges")? {
        let parts = match merge {
            Value::Text(text) => text.split_once(' '),
            Value::Integer(_) | Value::Float(_) | Value::Bool(_) | Value::List(_) => None,
        };
        let (left, right) = parts.ok_or_else(|| file.lacks("merges of two parts"))?;
        merges.push((left.to_owned(), right.to_owned()));
    }
    let bpe = BPE::builder()
        .vocab_and_merges(vocabulary, merges)
        .ignore_merges(ignore_merges)
        .build()
        .map_err(wrong)?;
    let mut tokenizer = Tokenizer::new(bpe);
    tokenizer.with_pre_tokenizer(Some(Sequence::new(cut)));
    Ok(tokenizer)
}

/// The bytes for which the characters of a byte-level vocabulary stand: printable ones for themselves, the others for
/// those from U+0100 on, in their order (Radford et al. 2019).
fn byte_of_char() -> BTreeMap<char, u8> {
    let printable = |byte: &u8| matches!(byte, 0x21..=0x7e | 0xa1..=0xac | 0xae..=0xff);
    let others = (0..=u8::MAX).filter(|byte| !printable(byte));
    let moved = ('\u{100}'..).zip(others);
    (0..=u8::MAX)
        .filter(printable)
        .map(|byte| (char::from(byte), byte))
        .chain(moved)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_has_a_character_of_its_own() {
        let bytes = byte_of_char();
        assert_eq!(bytes.len(), 256);
        assert_eq!(bytes[&'Ġ'], b' ');
        assert_eq!(bytes[&'Ċ'], b'\n');
        assert_eq!(bytes[&'a'], b'a');
    }
}
