//! Which token comes next? The forward pass of a Llama (Touvron et al. 2023), on one thread of the CPU.
//!
//! RMSNorm (Zhang and Sennrich 2019), rotary positions (Su et al. 2021) over neighbouring pairs as GGUF files order them,
//! attention with grouped queries (Ainslie et al. 2023) and SwiGLU (Shazeer 2020). What the pass gives for a token depends
//! on the tokens before it alone, not on how they were cut into passes. It knows nothing of texts.

use std::io::{Read, Seek};

use super::LocalError;
use super::gguf::Gguf;
use super::weights::{Matrix, Vectors, vector};

/// The most of each count in the metadata: what a damaged file may ask for.
const MOST: usize = 1 << 24;

/// The shape of a model.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Shape {
    layers: usize,
    width: usize,
    heads: usize,
    key_heads: usize,
    head_width: usize,
    inner_width: usize,
    rotated: usize,
    rope_base: f64,
    epsilon: f32,
    /// Tokens that it knows.
    pub(super) vocabulary: usize,
    /// The longest sequence, in tokens, that it was trained for.
    pub(super) context: usize,
}

impl Shape {
    fn read<R: Read + Seek>(file: &Gguf<R>) -> Result<Self, LocalError> {
        let architecture = file.text("general.architecture")?;
        if architecture != "llama" {
            let what = format!("architecture \"{architecture}\"");
            return Err(file.unsupported(what, "\"llama\" (Llama, SmolLM2, TinyLlama)"));
        }
        let needed = |key: &str| match file.needed_size(&format!("llama.{key}"))? {
            n @ 1..=MOST => Ok(n),
            n => Err(file.unsupported(format!("llama.{key} = {n}"), "1 to 16,777,216")),
        };
        let heads = needed("attention.head_count")?;
        let width = needed("embedding_length")?;
        let size = |key: &str, default| {
            let found = file.size(&format!("llama.{key}"));
            found.filter(|n| (1..=MOST).contains(n)).unwrap_or(default)
        };
        let head_width = size("attention.key_length", width / heads);
        let shape = Self {
            layers: needed("block_count")?,
            width,
            heads,
            key_heads: size("attention.head_count_kv", heads),
            head_width,
            inner_width: needed("feed_forward_length")?,
            rotated: size("rope.dimension_count", head_width),
            rope_base: file.float("llama.rope.freq_base").unwrap_or(10_000.0),
            epsilon: narrow(
                file.float("llama.attention.layer_norm_rms_epsilon")
                    .unwrap_or(1e-5),
            ),
            vocabulary: file.list("tokenizer.ggml.tokens")?.len(),
            context: needed("context_length")?,
        };
        let whole = shape.head_width > 0
            && shape.heads.is_multiple_of(shape.key_heads)
            && shape.rotated > 0
            && shape.rotated <= shape.head_width
            && shape.rotated.is_multiple_of(2)
            && shape.vocabulary > 0;
        let plain = ["llama.expert_count", "llama.rope.scaling.factor"]
            .iter()
            .all(|key| !file.metadata.contains_key(*key));
        if whole && plain {
            Ok(shape)
        } else {
            let what = format!("a shape such as {shape:?} with experts or scaled positions");
            Err(file.unsupported(what, "dense models, query heads a multiple of key heads"))
        }
    }

    const fn query_width(&self) -> usize {
        self.heads * self.head_width
    }

    const fn key_width(&self) -> usize {
        self.key_heads * self.head_width
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the nearest 32-bit number is what is wanted"
)]
const fn narrow(x: f64) -> f32 {
    x as f32
}

#[derive(Debug)]
struct Layer {
    attention_norm: Vec<f32>,
    query: Matrix,
    key: Matrix,
    value: Matrix,
    output: Matrix,
    inner_norm: Vec<f32>,
    gate: Matrix,
    up: Matrix,
    down: Matrix,
}

impl Layer {
    fn load<R: Read + Seek>(
        file: &mut Gguf<R>,
        shape: &Shape,
        index: usize,
    ) -> Result<Self, LocalError> {
        let name = |part: &str| format!("blk.{index}.{part}.weight");
        let (width, inner) = (shape.width, shape.inner_width);
        let (queries, keys) = (shape.query_width(), shape.key_width());
        Ok(Self {
            attention_norm: vector(file, &name("attn_norm"), width)?,
            query: Matrix::load(file, &name("attn_q"), queries, width)?,
            key: Matrix::load(file, &name("attn_k"), keys, width)?,
            value: Matrix::load(file, &name("attn_v"), keys, width)?,
            output: Matrix::load(file, &name("attn_output"), width, queries)?,
            inner_norm: vector(file, &name("ffn_norm"), width)?,
            gate: Matrix::load(file, &name("ffn_gate"), inner, width)?,
            up: Matrix::load(file, &name("ffn_up"), inner, width)?,
            down: Matrix::load(file, &name("ffn_down"), width, inner)?,
        })
    }
}

/// Keys and values of the tokens so far.
#[derive(Debug, Default)]
pub(super) struct Cache {
    /// The tokens, in their order.
    pub(super) tokens: Vec<u32>,
    keys: Vec<Vec<f32>>,
    values: Vec<Vec<f32>>,
}

impl Cache {
    /// Keeps the longest beginning that `tokens` share with what was seen, though never all of `tokens`.
    pub(super) fn keep(&mut self, tokens: &[u32], shape: &Shape) -> usize {
        let pairs = self.tokens.iter().zip(tokens);
        let shared = pairs.take_while(|(a, b)| a == b).count();
        let kept = shared.min(tokens.len().saturating_sub(1));
        self.tokens.truncate(kept);
        for held in self.keys.iter_mut().chain(&mut self.values) {
            held.truncate(kept * shape.key_width());
        }
        kept
    }
}

/// A Llama with its weights.
#[derive(Debug)]
pub(super) struct Llama {
    shape: Shape,
    embedding: Matrix,
    layers: Vec<Layer>,
    norm: Vec<f32>,
    /// Its own, or the embedding's.
    output: Option<Matrix>,
    /// Radians a position, for each rotated pair.
    frequencies: Vec<f64>,
}

impl Llama {
    /// Loads the weights.
    pub(super) fn load<R: Read + Seek>(file: &mut Gguf<R>) -> Result<Self, LocalError> {
        let shape = Shape::read(file)?;
        let (width, vocabulary) = (shape.width, shape.vocabulary);
        let embedding = Matrix::load(file, "token_embd.weight", vocabulary, width)?;
        let layers = (0..shape.layers).map(|index| Layer::load(file, &shape, index));
        let layers = layers.collect::<Result<_, _>>()?;
        let norm = vector(file, "output_norm.weight", width)?;
        let output = file
            .tensors
            .contains_key("output.weight")
            .then(|| Matrix::load(file, "output.weight", vocabulary, width))
            .transpose()?;
        let frequencies = frequencies(file, &shape)?;
        Ok(Self {
            shape,
            embedding,
            layers,
            norm,
            output,
            frequencies,
        })
    }

    /// The model's shape.
    pub(super) const fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Reads `tokens` after those of the cache and gives a number for each token that may come next: the higher, the likelier.
    /// Nothing, where `tokens` are none; tokens beyond the vocabulary count as the first.
    pub(super) fn forward(&self, tokens: &[u32], cache: &mut Cache) -> Vec<f32> {
        let shape = &self.shape;
        if tokens.is_empty() {
            return Vec::new();
        }
        let start = cache.tokens.len();
        cache.keys.resize_with(shape.layers, Vec::new);
        cache.values.resize_with(shape.layers, Vec::new);
        let mut rows: Vec<f32> = Vec::with_capacity(tokens.len() * shape.width);
        for token in tokens {
            let row = usize::try_from(*token).ok();
            let row = row.filter(|row| *row < shape.vocabulary).unwrap_or(0);
            rows.extend(self.embedding.row(row));
        }
        for (index, layer) in self.layers.iter().enumerate() {
            let (keys, values) = (&mut cache.keys[index], &mut cache.values[index]);
            self.attend(layer, start, &mut rows, keys, values);
            feed_forward(layer, shape, &mut rows);
        }
        cache.tokens.extend_from_slice(tokens);
        let last = &rows[rows.len() - shape.width..];
        let last = normed(last, &self.norm, shape.epsilon);
        let output = self.output.as_ref().unwrap_or(&self.embedding);
        output.times(&Vectors::new(&last, shape.width))
    }

    fn attend(
        &self,
        layer: &Layer,
        start: usize,
        rows: &mut [f32],
        keys: &mut Vec<f32>,
        values: &mut Vec<f32>,
    ) {
        let shape = &self.shape;
        let input = normed(rows, &layer.attention_norm, shape.epsilon);
        let input = Vectors::new(&input, shape.width);
        let mut queries = layer.query.times(&input);
        let mut new_keys = layer.key.times(&input);
        for (numbers, width) in [
            (&mut queries, shape.query_width()),
            (&mut new_keys, shape.key_width()),
        ] {
            for (offset, row) in numbers.chunks_exact_mut(width).enumerate() {
                self.rotate(row, start + offset);
            }
        }
        keys.extend(new_keys);
        values.extend(layer.value.times(&input));
        let mut mixed = vec![0.0; queries.len()];
        let mut scores = Vec::new();
        let group = shape.heads / shape.key_heads;
        let rows_of = queries.chunks_exact(shape.query_width());
        for (offset, (query, out)) in rows_of
            .zip(mixed.chunks_exact_mut(shape.query_width()))
            .enumerate()
        {
            let seen = (start + offset + 1) * shape.key_width();
            let heads = query.chunks_exact(shape.head_width);
            for (head, (query, out)) in heads
                .zip(out.chunks_exact_mut(shape.head_width))
                .enumerate()
            {
                let at = head / group * shape.head_width;
                mix(
                    query,
                    &keys[..seen],
                    &values[..seen],
                    (at, shape.key_width()),
                    &mut scores,
                    out,
                );
            }
        }
        let mixed = Vectors::new(&mixed, shape.query_width());
        add(rows, &layer.output.times(&mixed));
    }

    /// Turns the pairs of every head by their position.
    fn rotate(&self, heads: &mut [f32], position: usize) {
        #[expect(
            clippy::cast_precision_loss,
            reason = "positions are far below 2 to the 52nd"
        )]
        let position = position as f64;
        for (pair, frequency) in self.frequencies.iter().enumerate() {
            let (sin, cos) = (position * frequency).sin_cos();
            let (sin, cos) = (narrow(sin), narrow(cos));
            for head in heads.chunks_exact_mut(self.shape.head_width) {
                let (a, b) = (head[2 * pair], head[2 * pair + 1]);
                head[2 * pair] = a * cos - b * sin;
                head[2 * pair + 1] = a * sin + b * cos;
            }
        }
    }
}

/// Radians a position of each pair; `rope_freqs` divides them, as models for long contexts have it.
fn frequencies<R: Read + Seek>(file: &mut Gguf<R>, shape: &Shape) -> Result<Vec<f64>, LocalError> {
    let pairs = shape.rotated / 2;
    let divisors = if file.tensors.contains_key("rope_freqs.weight") {
        vector(file, "rope_freqs.weight", pairs)?
    } else {
        vec![1.0; pairs]
    };
    #[expect(
        clippy::cast_precision_loss,
        reason = "a head has far fewer than 2 to the 52nd numbers"
    )]
    let exponent = |pair: usize| (2 * pair) as f64 / shape.rotated as f64;
    let frequencies = divisors.iter().enumerate();
    Ok(frequencies
        .map(|(pair, divisor)| shape.rope_base.powf(-exponent(pair)) / f64::from(*divisor))
        .collect())
}

/// One head's attention: the values, weighted by how well their keys fit the query.
fn mix(
    query: &[f32],
    keys: &[f32],
    values: &[f32],
    (at, width): (usize, usize),
    scores: &mut Vec<f32>,
    out: &mut [f32],
) {
    #[expect(clippy::cast_precision_loss, reason = "a head has few numbers")]
    let scale = 1.0 / (query.len() as f32).sqrt();
    scores.clear();
    let key = |row: &[f32]| dot(query, &row[at..at + query.len()]) * scale;
    scores.extend(keys.chunks_exact(width).map(key));
    let most = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for score in scores.iter_mut() {
        *score = (*score - most).exp();
        sum += *score;
    }
    for (score, row) in scores.iter().zip(values.chunks_exact(width)) {
        let weight = score / sum;
        for (out, value) in out.iter_mut().zip(&row[at..]) {
            *out += weight * value;
        }
    }
}

fn feed_forward(layer: &Layer, shape: &Shape, rows: &mut [f32]) {
    let input = normed(rows, &layer.inner_norm, shape.epsilon);
    let input = Vectors::new(&input, shape.width);
    let mut inner = layer.gate.times(&input);
    for (gate, up) in inner.iter_mut().zip(layer.up.times(&input)) {
        *gate = *gate / (1.0 + (-*gate).exp()) * up;
    }
    let inner = Vectors::new(&inner, shape.inner_width);
    add(rows, &layer.down.times(&inner));
}

/// RMSNorm of each row.
fn normed(rows: &[f32], weights: &[f32], epsilon: f32) -> Vec<f32> {
    let mut out = Vec::with_capacity(rows.len());
    for row in rows.chunks_exact(weights.len()) {
        #[expect(clippy::cast_precision_loss, reason = "a row has few numbers")]
        let mean = dot(row, row) / row.len() as f32;
        let scale = 1.0 / (mean + epsilon).sqrt();
        out.extend(row.iter().zip(weights).map(|(x, w)| x * scale * w));
    }
    out
}

/// A sum in eight lanes, so that it can be done eight at a time in an order that is always the same.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let (a, a_rest) = a.as_chunks::<8>();
    let (b, b_rest) = b.as_chunks::<8>();
    let mut lanes = [0.0_f32; 8];
    for (a, b) in a.iter().zip(b) {
        for (lane, (a, b)) in lanes.iter_mut().zip(a.iter().zip(b)) {
            *lane += a * b;
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    lanes.iter().sum::<f32>() + rest
}

fn add(rows: &mut [f32], more: &[f32]) {
    for (row, more) in rows.iter_mut().zip(more) {
        *row += more;
    }
}
