"""How well does an embedder find the relation that a phrase means?

`relations.txt` holds about a hundred generic relations with labels as knowledge graphs spell them
and phrases as people ask. Each phrase is ranked against one label of every relation, once per
spelling of the labels. Relations are split in two by their place in the file: choices are made on
the first half (dev), the second (test) is only reported.
"""

import pathlib

import numpy as np


def load(path=None):
    """[(labels, phrases)] of the file of relations."""
    path = path or pathlib.Path(__file__).with_name("relations.txt")
    relations = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            labels, phrases = line.split(" : ")
            relations.append(([x.strip() for x in labels.split("|")], [x.strip() for x in phrases.split(";")]))
    return relations


RELATIONS = load()


def all_texts():
    """Every text that the evaluation embeds."""
    texts = []
    for labels, phrases in RELATIONS:
        texts.extend(labels)
        texts.extend(phrases)
    return list(dict.fromkeys(texts))


def score(embed):
    """{"dev": (hits at 1, MRR), "test": ...} of `embed`, a function from texts to unit rows.

    A relation whose label is the same text as the right one's counts as right too.
    """
    results = {"dev": [], "test": []}
    for spelling in range(3):
        names = [labels[min(spelling, len(labels) - 1)] for labels, _ in RELATIONS]
        rows = embed(names)
        for index, (_, phrases) in enumerate(RELATIONS):
            similarity = embed(phrases) @ rows.T
            right = [i for i, name in enumerate(names) if name == names[index]]
            best = similarity[:, right].max(axis=1)
            others = np.delete(similarity, right, axis=1)
            ranks = 1 + (others >= best[:, None]).sum(axis=1)
            results["dev" if index % 2 == 0 else "test"].extend(ranks.tolist())
    return {k: (float(np.mean(np.array(r) == 1)), float(np.mean(1 / np.array(r))), len(r)) for k, r in results.items()}
