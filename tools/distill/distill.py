"""Distil the teacher into the static table of crates/language-model.

    python3 distill.py --cache DIR --out ../../crates/language-model/data/static.bin
"""

import argparse

import numpy as np

import table
import teacher

DIMS = 256


def pca(vectors, dims):
    """Centre and project on the leading axes; the sign of an axis is fixed by its peak."""
    centred = vectors - vectors.mean(axis=0)
    _, axes = np.linalg.eigh(np.cov(centred.T.astype(np.float64)))
    axes = axes[:, ::-1][:, :dims]
    axes = axes * np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(dims)])
    return (centred @ axes).astype(np.float32)


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--cache", required=True)
    arguments.add_argument("--out", required=True)
    options = arguments.parse_args()

    model = teacher.Teacher(teacher.fetch(options.cache))
    used = [
        (rank, piece)
        for rank, piece in enumerate(model.vocabulary)
        if not (piece.startswith("[") and piece.endswith("]") and len(piece) > 2)
    ]
    vectors = model.encode_ids([[rank] for rank, _ in used])
    vectors = pca(vectors, DIMS)
    weights = table.zipf_weights([rank for rank, _ in used], len(model.vocabulary))
    table.write(options.out, [piece for _, piece in used], vectors * weights[:, None], weights)


if __name__ == "__main__":
    main()
