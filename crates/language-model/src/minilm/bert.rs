//! How does a BERT encoder turn token ids into token vectors?
//!
//! Devlin et al. 2018, without masks: every sequence of a batch has the same length. Exact (erf) GELU.

use candle_core::{D, Module, Result, Tensor};
use candle_nn::{Embedding, LayerNorm, Linear, VarBuilder, embedding, layer_norm, linear};
use serde::Deserialize;

/// The part of `config.json` that shapes the network.
#[derive(Debug, Deserialize)]
pub(super) struct BertConfig {
    pub(super) hidden_size: usize,
    pub(super) max_position_embeddings: usize,
    num_hidden_layers: usize,
    num_attention_heads: usize,
    intermediate_size: usize,
    vocab_size: usize,
    type_vocab_size: usize,
    layer_norm_eps: f64,
}

pub(super) struct Bert {
    words: Embedding,
    positions: Tensor,
    kind: Tensor,
    norm: LayerNorm,
    layers: Vec<Layer>,
}

impl Bert {
    pub(super) fn load(config: &BertConfig, builder: &VarBuilder<'_>) -> Result<Self> {
        let parts = builder.pp("embeddings");
        let size = config.hidden_size;
        let kinds = embedding(
            config.type_vocab_size,
            size,
            parts.pp("token_type_embeddings"),
        )?;
        let positions = embedding(
            config.max_position_embeddings,
            size,
            parts.pp("position_embeddings"),
        )?;
        let layers = (0..config.num_hidden_layers)
            .map(|index| Layer::load(config, &builder.pp(format!("encoder.layer.{index}"))));
        Ok(Self {
            words: embedding(config.vocab_size, size, parts.pp("word_embeddings"))?,
            positions: positions.embeddings().clone(),
            kind: kinds.embeddings().narrow(0, 0, 1)?,
            norm: layer_norm(size, config.layer_norm_eps, parts.pp("LayerNorm"))?,
            layers: layers.collect::<Result<_>>()?,
        })
    }

    /// Token vectors, (batch, length, hidden), of ids, (batch, length).
    pub(super) fn forward(&self, ids: &Tensor) -> Result<Tensor> {
        let positions = self.positions.narrow(0, 0, ids.dim(1)?)?;
        let words = self.words.forward(ids)?;
        let summed = words.broadcast_add(&self.kind)?.broadcast_add(&positions)?;
        let mut hidden = self.norm.forward(&summed)?;
        for layer in &self.layers {
            hidden = layer.forward(&hidden)?;
        }
        Ok(hidden)
    }
}

struct Layer {
    heads: usize,
    query: Linear,
    key: Linear,
    value: Linear,
    attended: Linear,
    attended_norm: LayerNorm,
    inner: Linear,
    outer: Linear,
    outer_norm: LayerNorm,
}

impl Layer {
    fn load(config: &BertConfig, builder: &VarBuilder<'_>) -> Result<Self> {
        let (size, inner, eps) = (
            config.hidden_size,
            config.intermediate_size,
            config.layer_norm_eps,
        );
        let dense = |rows, columns, name: &str| linear(rows, columns, builder.pp(name));
        let norm = |name: &str| layer_norm(size, eps, builder.pp(name));
        Ok(Self {
            heads: config.num_attention_heads,
            query: dense(size, size, "attention.self.query")?,
            key: dense(size, size, "attention.self.key")?,
            value: dense(size, size, "attention.self.value")?,
            attended: dense(size, size, "attention.output.dense")?,
            attended_norm: norm("attention.output.LayerNorm")?,
            inner: dense(size, inner, "intermediate.dense")?,
            outer: dense(inner, size, "output.dense")?,
            outer_norm: norm("output.LayerNorm")?,
        })
    }

    fn forward(&self, hidden: &Tensor) -> Result<Tensor> {
        let attended = self.attended.forward(&self.attend(hidden)?)?;
        let hidden = self.attended_norm.forward(&(attended + hidden)?)?;
        let outer = self
            .outer
            .forward(&self.inner.forward(&hidden)?.gelu_erf()?)?;
        self.outer_norm.forward(&(outer + hidden)?)
    }

    fn attend(&self, hidden: &Tensor) -> Result<Tensor> {
        let (batch, length, size) = hidden.dims3()?;
        let width = size / self.heads.max(1);
        let split = |projection: &Linear| {
            let projected = projection
                .forward(hidden)?
                .reshape((batch, length, self.heads, width))?;
            projected.transpose(1, 2)?.contiguous()
        };
        let (query, key, value) = (split(&self.query)?, split(&self.key)?, split(&self.value)?);
        #[expect(
            clippy::cast_precision_loss,
            reason = "the width of a head is some tens"
        )]
        let scale = 1.0 / (width as f64).sqrt();
        let scores = (query.matmul(&key.transpose(D::Minus1, D::Minus2)?.contiguous()?)? * scale)?;
        let mixed = candle_nn::ops::softmax_last_dim(&scores)?.matmul(&value)?;
        mixed.transpose(1, 2)?.reshape((batch, length, size))
    }
}
