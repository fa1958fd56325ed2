"""The file of the static table: what the Rust side compiles in.

Little endian: magic `RFST`, u32 version, u32 dims, u32 rows, u32 length of the vocabulary in
bytes, 8 bytes of fingerprint (start of the SHA-256 of all that follows); the vocabulary (UTF-8,
one entry a line, sorted by bytes); f32 scale per row; f32 weight per row; i8 rows.
An entry with a space is a collocation, one with ## continues a word. A row's vector is
scale * i8 and already carries its frequency weight, so pooling is a sum.
"""

import hashlib
import pathlib
import struct

import numpy as np


def zipf_weights(ranks, vocabulary_size, a=1e-4):
    """SIF weights a / (a + p) with p from Zipf's law by rank."""
    p = 1.0 / (np.asarray(ranks, dtype=np.float64) + 2.7)
    p /= np.sum(1.0 / (np.arange(vocabulary_size) + 2.7))
    return (a / (a + p)).astype(np.float32)


def write(path, vocabulary, vectors, weights):
    """Quantise to int8 per row and write the file."""
    order = sorted(range(len(vocabulary)), key=lambda row: vocabulary[row].encode())
    vocabulary = [vocabulary[row] for row in order]
    vectors = np.asarray(vectors, dtype=np.float32)[order]
    weights = np.asarray(weights, dtype="<f4")[order]
    peak = np.abs(vectors).max(axis=1)
    scales = np.where(peak > 0, peak / 127, 1.0).astype(np.float32)
    rows = np.clip(np.rint(vectors / scales[:, None]), -127, 127).astype(np.int8)
    words = "\n".join(vocabulary).encode()
    head = struct.pack("<4sIIII", b"RFST", 1, vectors.shape[1], len(vocabulary), len(words))
    body = b"".join([words, scales.astype("<f4").tobytes(), weights.tobytes(), rows.tobytes()])
    pathlib.Path(path).write_bytes(head + hashlib.sha256(body).digest()[:8] + body)


def read(path):
    """The vocabulary and the rows of a file."""
    data = pathlib.Path(path).read_bytes()
    _, _, dims, rows, length = struct.unpack("<4sIIII", data[:20])
    vocabulary, start = data[28 : 28 + length].decode().split("\n"), 28 + length
    scales = np.frombuffer(data, "<f4", rows, start)
    values = np.frombuffer(data, "i1", rows * dims, start + 8 * rows).reshape(rows, dims)
    return vocabulary, values * scales[:, None]
