"""Distil the teacher into the static table of crates/language-model.

    python3 -m pip install -r requirements.txt
    python3 distill.py --cache DIR --out ../../crates/language-model/data/static.bin

1. Every piece, whole word and collocation of the vocabulary goes through the teacher alone.
2. The vectors are centred, lose their three leading axes (they say how common a word is, not what
   it means: Mu and Viswanath 2018), are cut to 256 axes and weighted by frequency (Arora et al. 2017).
3. From there the rows are fitted so that sums of rows point where the teacher points, on short texts
   made from WordNet, and so that pairs are near which mean much the same (fit.py): WordNet says so,
   or RDF vocabularies, or the rules by which English asks for what a noun names.
4. int8 with a scale per row.

All random choices are seeded. Sums of floats depend on the BLAS library, so another machine may give
a file that differs in the last bits; on one machine with one thread (OPENBLAS_NUM_THREADS=1) the file
is the same every time.
"""

import argparse

import numpy as np
from scipy import sparse

import corpus
import evaluation
import fit
import ontologies
import phrasing
import table
import teacher
import vocabulary
import wordnet

DIMS, DROPPED, EXTRA, MAX_PIECES = 256, 3, 14_000, 5
SIF = 1e-3
FIRST_WORD = 1996  # "the": BERT's words follow its control tokens and single characters, by frequency
RARE = 30_000
COMMON_LETTERS = {"a": 2, "s": 5, "i": 10}
PAIR_WEIGHTS = {
    "synonym": 1.0, "derivation": 1.0, "attribute": 1.0, "definition": 1.0, "pertainym": 0.7,
    "hypernym": 0.6, "group": 0.6, "similar": 0.4,
    "inflection": 1.0, "inflected": 1.0, "inflected definition": 1.0, "asked": 1.0,
    "described": 1.0, "alternative": 1.0, "broader": 0.5, "bare": 0.5,
}
FIT = {"seed": 1, "rate": 0.003, "steps": 2000, "batch": 512, "contrast": 0.1, "temperature": 0.1}


def axes(vectors):
    """The mean, and the axes kept; the sign of an axis is fixed by its peak."""
    mean = vectors.mean(axis=0)
    _, found = np.linalg.eigh(np.cov((vectors[::3] - mean).T.astype(np.float64)))
    found = found[:, ::-1][:, DROPPED : DROPPED + DIMS]
    found = found * np.sign(found[np.abs(found).argmax(axis=0), np.arange(DIMS)])
    return mean, found.astype(np.float32)


def frequency_ranks(model, pieces, entries):
    """Rank by frequency of each entry, as far as the order of BERT's vocabulary tells."""
    ranks = []
    for piece in pieces:
        rank = model.id_of[piece] - FIRST_WORD
        ranks.append(COMMON_LETTERS.get(piece, rank if rank >= 0 else RARE))
    return np.array(ranks + [RARE] * (entries - len(pieces)))


def usable(texts):
    """Which texts have a row at all."""
    return np.diff(texts.indptr) > 0


def all_pairs(words, terms, entries):
    """(kind, left, right) of all sources; the smaller ones are repeated, so that they are seen more often."""
    known = set(entries)
    yield from words.pairs()
    for _ in range(2):
        yield from words.pairs_in_use()
    for _ in range(5):
        yield from terms.pairs()
    yield from phrasing.inflected(words, known)
    for _ in range(2):
        yield from phrasing.asked(words, known)


def pairs_of(pairs, tokeniser, size):
    """Bags of both sides of pairs, with weights; pairs with the same rows are left out."""
    pairs = list(pairs)
    left = fit.bags(tokeniser, [pair[1] for pair in pairs], size)
    right = fit.bags(tokeniser, [pair[2] for pair in pairs], size)
    differ = np.asarray(abs(left - right).sum(axis=1)).ravel() > 0
    kept = usable(left) & usable(right) & differ
    weights = np.array([PAIR_WEIGHTS[pair[0]] for pair in pairs], dtype=np.float32)
    return (left[kept], right[kept]), weights[kept]


def embedder(tokeniser, rows):
    """A function from texts to unit vectors, as `StaticEmbedder` has it."""
    return lambda texts: fit.unit(np.array([rows[tokeniser.rows(text)].sum(axis=0) for text in texts]))[0]


def report(name, embed):
    """Print hits at 1 and mean reciprocal rank on the relations."""
    scores = evaluation.score(embed)
    print(name, *(f"{k}: hits@1 {v[0]:.3f} mrr {v[1]:.3f} ({v[2]})" for k, v in scores.items()), flush=True)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--cache", required=True, help="directory for downloads and the teacher's vectors")
    arguments.add_argument("--out", required=True, help="file of the table")
    options = arguments.parse_args()

    model = teacher.Teacher(teacher.fetch(options.cache))
    words = wordnet.WordNet(wordnet.fetch(options.cache))
    control = lambda piece: piece.startswith("[") and piece.endswith("]") and len(piece) > 2
    pieces = [piece for piece in model.vocabulary if not control(piece)]
    entries = vocabulary.choose(pieces, words, EXTRA)
    size = len(entries)
    alone = np.vstack([
        model.encode_pieces_cached([model.id_of[piece] for piece in pieces], options.cache),
        model.encode_cached(entries[len(pieces) :], options.cache),
    ])
    texts = [text for _, text in corpus.texts(words) if 1 <= len(model.pieces(text)) <= MAX_PIECES]
    vectors = model.encode_cached(texts, options.cache)

    tokeniser = vocabulary.Tokeniser(entries)
    bags = fit.bags(tokeniser, texts, size)
    bags, vectors = bags[usable(bags)], vectors[usable(bags)]
    bags = sparse.vstack([bags, sparse.eye(size, format="csr", dtype=np.float32)], format="csr")
    vectors = np.vstack([vectors, alone])
    mean, kept = axes(vectors)
    weights = table.zipf_weights(frequency_ranks(model, pieces, size), len(model.vocabulary), SIF)
    initial = (alone - mean) @ kept * weights[:, None]
    targets = fit.unit((vectors - mean) @ kept)[0]

    known = dict(zip(evaluation.all_texts(), model.encode_cached(evaluation.all_texts(), options.cache)))
    report("teacher", lambda asked: np.array([known[text] for text in asked]))
    report("before fitting", embedder(tokeniser, initial))
    terms = ontologies.Ontologies(ontologies.fetch(options.cache))
    pairs, pair_weights = pairs_of(all_pairs(words, terms, entries), tokeniser, size)
    evenly = np.ones(len(targets), dtype=np.float32)
    rows = fit.fit(initial, bags, targets, evenly, pairs, pair_weights, FIT)
    report("fitted", embedder(tokeniser, rows))
    table.write(options.out, entries, rows, weights)
    stored, quantised = table.read(options.out)
    report("as stored", embedder(vocabulary.Tokeniser(stored), quantised))


if __name__ == "__main__":
    main()
