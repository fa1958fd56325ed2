"""LinearRAG as its paper and its published settings say, word for word and without any cleverness.

The other side of `make bench-rag`: it indexes and asks the same passages with the same static word vectors as the Rust
side and prints one JSON object. It needs Python 3.9 and numpy, and is written from a restatement of the paper alone.

    python3 reference.py CORPUS.json.gz QUESTIONS.json.gz VECTORS_DIRECTORY [PASSAGES [QUESTIONS]]

VECTORS_DIRECTORY holds words.txt, one word a line, and words.f32, their vectors as little-endian float32.

What is simplified, always in this side's favour: names are found by one regular expression instead of a tagging model,
and a text's vector is the normalised sum of its words' vectors.
"""

import gzip
import hashlib
import json
import math
import pathlib
import re
import sys
import time

import numpy as np

MAX_ITERATIONS = 3
ITERATION_THRESHOLD = 0.4
TOP_K_SENTENCE = 1
PASSAGE_RATIO = 1.5
PASSAGE_NODE_WEIGHT = 0.05
DAMPING = 0.5
RETRIEVAL_TOP_K = 5
PPR_TOLERANCE = 1e-10

NAME = re.compile(r"[A-Z][\w'’.-]*(?: (?:(?:of|the|de|la|von|van|and) )?[A-Z0-9][\w'’.-]*)*|\b[12]\d{3}\b")
SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9\"“])")
WORD = re.compile(r"\w+")


class Embedder:
    """A text is the normalised sum of its words."""

    def __init__(self, directory):
        directory = pathlib.Path(directory)
        words = (directory / "words.txt").read_text(encoding="utf-8").split("\n")
        self.rows = {word: row for row, word in enumerate(words) if word}
        self.table = np.fromfile(directory / "words.f32", dtype="<f4").reshape(len(self.rows), -1)

    def embed(self, texts):
        out = np.zeros((len(texts), self.table.shape[1]), dtype=np.float32)
        for place, text in enumerate(texts):
            rows = [self.rows[word] for word in WORD.findall(text.lower()) if word in self.rows]
            if rows:
                out[place] = self.table[rows].sum(axis=0)
        norms = np.linalg.norm(out, axis=1, keepdims=True)
        return out / np.where(norms > 0, norms, 1.0)


def names(text):
    found = (match.group().rstrip(".'’-") for match in NAME.finditer(text))
    return [name for name in found if name]


def identity(namespace, text):
    return namespace + "-" + hashlib.md5(text.encode("utf-8")).hexdigest()


class LinearRag:
    def __init__(self, passages, embedder):
        self.embedder = embedder
        self.passages = list(dict.fromkeys(passages))
        self.passage_ids = [identity("passage", text) for text in self.passages]
        sentences, entities = {}, {}
        self.entity_sentences, self.sentence_entities = {}, {}
        passage_entities = []
        for text in self.passages:
            mentioned = []
            for sentence in SENTENCE.split(text):
                found = list(dict.fromkeys(names(sentence)))
                if not found:
                    continue
                sentence_id = identity("sentence", sentence)
                sentences[sentence_id] = sentence
                for name in found:
                    entity_id = identity("entity", name)
                    entities[entity_id] = name
                    mentioned.append(entity_id)
                    of = self.entity_sentences.setdefault(entity_id, [])
                    if sentence_id not in of:
                        of.append(sentence_id)
                    of = self.sentence_entities.setdefault(sentence_id, [])
                    if entity_id not in of:
                        of.append(entity_id)
            passage_entities.append(list(dict.fromkeys(mentioned)))
        self.sentence_place = {key: place for place, key in enumerate(sentences)}
        self.entity_place = {key: place for place, key in enumerate(entities)}
        self.entity_ids, self.entity_names = list(entities), list(entities.values())
        self.passage_vectors = embedder.embed(self.passages)
        self.sentence_vectors = embedder.embed(list(sentences.values()))
        self.entity_vectors = embedder.embed(self.entity_names)
        self.lower = [text.lower() for text in self.passages]
        self.walk(passage_entities)

    def walk(self, passage_entities):
        """The undirected, weighted graph of passages and entities, as lists of edges in both directions."""
        source, target, weights = [], [], []
        count = len(self.passages)
        for passage, members in enumerate(passage_entities):
            times = [self.passages[passage].count(self.entity_names[self.entity_place[e]]) for e in members]
            total = sum(times)
            for entity, n in zip(members, times):
                node = count + self.entity_place[entity]
                source += [passage, node]
                target += [node, passage]
                weights += [n / total, n / total]
        self.nodes = count + len(self.entity_names)
        self.source, self.target = np.array(source, dtype=np.int64), np.array(target, dtype=np.int64)
        weights = np.array(weights)
        degree = np.bincount(self.source, weights, self.nodes)
        self.transition = weights / degree[self.source]
        self.dangling = degree == 0

    def seeds(self, question):
        mentions = list(dict.fromkeys(name.lower() for name in names(question)))
        seeds = {}
        if mentions and self.entity_names:
            for vector in self.embedder.embed(mentions):
                cosines = self.entity_vectors @ vector
                best = int(np.argmax(cosines))
                seeds[self.entity_ids[best]] = float(cosines[best])
        return seeds

    def activate(self, vector, seeds):
        active = {entity: (score, 1) for entity, score in seeds.items()}
        weights = dict(seeds)
        used, frontier = set(), dict(seeds)
        for iteration in range(1, MAX_ITERATIONS):
            following = {}
            for entity, score in frontier.items():
                if score < ITERATION_THRESHOLD:
                    continue
                candidates = [s for s in self.entity_sentences[entity] if s not in used]
                cosines = [(float(self.sentence_vectors[self.sentence_place[s]] @ vector), s) for s in candidates]
                cosines.sort(key=lambda pair: -pair[0])
                for cosine, sentence in cosines[:TOP_K_SENTENCE]:
                    used.add(sentence)
                    passed = score * cosine
                    if passed < ITERATION_THRESHOLD:
                        continue
                    for reached in self.sentence_entities[sentence]:
                        weights[reached] = weights.get(reached, 0.0) + passed
                        following[reached] = passed
            active.update({entity: (score, iteration + 1) for entity, score in following.items()})
            frontier = following
            if not frontier:
                break
        return active, weights

    def ask(self, question):
        vector = self.embedder.embed([question])[0]
        cosines = (self.passage_vectors @ vector).astype(np.float64)
        seeds = self.seeds(question)
        if not seeds:
            return np.argsort(-cosines, kind="stable")[:RETRIEVAL_TOP_K]
        active, weights = self.activate(vector, seeds)
        spread = cosines.max() - cosines.min()
        dense = (cosines - cosines.min()) / spread if spread > 0 else np.ones_like(cosines)
        bonus = np.zeros(len(self.passages))
        for entity, (score, tier) in active.items():
            name = self.entity_names[self.entity_place[entity]].lower()
            for passage, text in enumerate(self.lower):
                occurrences = text.count(name)
                if occurrences:
                    bonus[passage] += score * math.log(1 + occurrences) / max(tier, 1)
        restart = np.zeros(self.nodes)
        restart[: len(self.passages)] = PASSAGE_NODE_WEIGHT * (PASSAGE_RATIO * dense + np.log(1 + bonus))
        for entity, weight in weights.items():
            restart[len(self.passages) + self.entity_place[entity]] = weight
        restart[np.isnan(restart) | (restart < 0)] = 0
        restart /= restart.sum()
        x = restart
        while True:
            flow = np.bincount(self.target, self.transition * x[self.source], self.nodes)
            following = DAMPING * (flow + x[self.dangling].sum() * restart) + (1 - DAMPING) * restart
            change = np.abs(following - x).sum()
            x = following
            if change < PPR_TOLERANCE:
                break
        return np.argsort(-x[: len(self.passages)], kind="stable")[:RETRIEVAL_TOP_K]


def main(corpus, questions, vectors, passage_count=None, question_count=None):
    with gzip.open(corpus, "rt", encoding="utf-8") as file:
        entries = json.load(file)[: int(passage_count) if passage_count else None]
    with gzip.open(questions, "rt", encoding="utf-8") as file:
        asked = [entry["question"] for entry in json.load(file)][: int(question_count) if question_count else None]
    embedder = Embedder(vectors)
    start = time.perf_counter()
    index = LinearRag([f"{entry['title']}\n{entry['text']}" for entry in entries], embedder)
    seconds = time.perf_counter() - start
    millis = []
    for question in asked:
        start = time.perf_counter()
        index.ask(question)
        millis.append((time.perf_counter() - start) * 1000)
    millis.sort()
    print(json.dumps({
        "passages": len(index.passages),
        "entities": len(index.entity_names),
        "index_passages_per_s": len(index.passages) / seconds,
        "questions": len(millis),
        "p50_ms": millis[len(millis) // 2],
        "p95_ms": millis[int(len(millis) * 0.95)],
    }))


if __name__ == "__main__":
    main(*sys.argv[1:])
