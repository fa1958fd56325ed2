"""Fits the rows of the table: sums of rows should point where the teacher points, and pairs that
WordNet says mean much the same should be nearer to each other than to the rest of the batch."""

import numpy as np
from scipy import sparse


def bags(tokeniser, texts, rows):
    """Counts of rows per text, as a sparse matrix."""
    indices, ends = [], [0]
    for text in texts:
        indices.extend(tokeniser.rows(text))
        ends.append(len(indices))
    data = np.ones(len(indices), dtype=np.float32)
    matrix = sparse.csr_matrix((data, indices, ends), shape=(len(texts), rows))
    matrix.sum_duplicates()
    return matrix


def unit(x):
    """Rows scaled to length one, and the lengths."""
    norms = np.linalg.norm(x, axis=1, keepdims=True) + 1e-9
    return x / norms, norms


class Rows:
    """The table being fitted, with Adam's moments; only the rows of a batch are touched."""

    def __init__(self, initial, rate):
        self.table = initial.astype(np.float32).copy()
        self.initial = self.table.copy()
        self.first, self.second = np.zeros_like(self.table), np.zeros_like(self.table)
        self.rate, self.anchor, self.step = rate, 0.0, 0

    def update(self, bag, gradient, rate):
        """One step for the gradient of the loss by the sums of `bag`."""
        touched = np.unique(bag.indices)
        position = np.empty(self.table.shape[0], dtype=np.int64)
        position[touched] = np.arange(len(touched))
        local = sparse.csr_matrix((bag.data, position[bag.indices], bag.indptr), shape=(bag.shape[0], len(touched)))
        g = local.T @ gradient
        if self.anchor:
            g += self.anchor * (self.table[touched] - self.initial[touched])
        self.step += 1
        m = self.first[touched] = 0.9 * self.first[touched] + 0.1 * g
        v = self.second[touched] = 0.99 * self.second[touched] + 0.01 * g * g
        m = m / (1 - 0.9 ** min(self.step, 1000))
        v = v / (1 - 0.99 ** min(self.step, 1000))
        self.table[touched] -= rate * m / (np.sqrt(v) + 1e-8)


def back(g, u, norms):
    """Gradient through the scaling to length one."""
    return (g - (g * u).sum(axis=1, keepdims=True) * u) / norms


def teacher_gradient(sums, targets, weights):
    """Loss and gradient of weights * (1 - cosine to the target)."""
    u, norms = unit(sums)
    cosine = (u * targets).sum(axis=1)
    return float((1 - cosine).mean()), back(-targets * weights[:, None], u, norms) / len(sums)


def pair_gradient(left, right, temperature, weights):
    """Loss and gradients of the contrast, both ways, of pairs against the rest of the batch."""
    (u, un), (v, vn) = unit(left), unit(right)
    scores = (u @ v.T) / temperature
    size = len(scores)
    gradient, loss = np.zeros_like(scores), 0.0
    for axis in (1, 0):
        shifted = np.exp(scores - scores.max(axis=axis, keepdims=True))
        p = shifted / shifted.sum(axis=axis, keepdims=True)
        loss -= float(np.log(np.diag(p) + 1e-12).mean()) / 2
        p[np.arange(size), np.arange(size)] -= 1
        gradient += p * (weights[:, None] if axis == 1 else weights[None, :])
    gradient /= 2 * size * temperature
    return loss, back(gradient @ v, u, un), back(gradient.T @ u, v, vn)


def fit(initial, corpus, targets, corpus_weights, pairs, pair_weights, settings, watch=None):
    """The fitted table. `corpus`: bags with their targets; `pairs`: (left bags, right bags)."""
    rng = np.random.default_rng(settings["seed"])
    rows = Rows(initial, settings["rate"])
    rows.anchor = settings.get("anchor", 0.0)
    steps, batch = settings["steps"], settings["batch"]
    corpus_order = pair_order = np.empty(0, dtype=np.int64)
    for step in range(steps):
        rate = settings["rate"] * (1 - step / steps) + settings["rate"] * 0.02
        if len(corpus_order) < batch:
            corpus_order = rng.permutation(corpus.shape[0])
        if len(pair_order) < batch:
            pair_order = rng.permutation(pairs[0].shape[0])
        chunk, corpus_order = corpus_order[:batch], corpus_order[batch:]
        bag = corpus[chunk]
        loss, gradient = teacher_gradient(bag @ rows.table, targets[chunk], corpus_weights[chunk])
        parts, gradients = [bag], [gradient]
        if settings["contrast"]:
            picked, pair_order = pair_order[:batch], pair_order[batch:]
            left, right = pairs[0][picked], pairs[1][picked]
            pair_loss, gl, gr = pair_gradient(
                left @ rows.table, right @ rows.table, settings["temperature"], pair_weights[picked]
            )
            parts += [left, right]
            gradients += [settings["contrast"] * gl, settings["contrast"] * gr]
        rows.update(sparse.vstack(parts, format="csr"), np.vstack(gradients), rate)
        if watch and (step + 1) % settings.get("watch", 500) == 0:
            watch(step + 1, loss, pair_loss if settings["contrast"] else 0.0, rows.table)
    return rows.table
