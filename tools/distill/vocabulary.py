"""The words of the table: BERT's pieces, whole words it would cut, and collocations."""

import collections
import re
import unicodedata

IRREGULAR = """be was been being is; become became become becoming becomes; begin began begun beginning begins;
bring brought brought bringing brings; build built built building builds; come came come coming comes;
draw drew drawn drawing draws; fall fell fallen falling falls; find found found finding finds;
get got gotten getting gets; give gave given giving gives; go went gone going goes;
grow grew grown growing grows; have had had having has; hold held held holding holds;
keep kept kept keeping keeps; know knew known knowing knows; lay laid laid laying lays;
lead led led leading leads; leave left left leaving leaves; lie lay lain lying lies;
lose lost lost losing loses; make made made making makes; put put put putting puts;
run ran run running runs; see saw seen seeing sees; sell sold sold selling sells;
set set set setting sets; speak spoke spoken speaking speaks; stand stood stood standing stands;
take took taken taking takes; teach taught taught teaching teaches; tell told told telling tells;
think thought thought thinking thinks; win won won winning wins; write wrote written writing writes"""
VERBS = {forms.split()[0]: forms.split()[1:] for forms in IRREGULAR.replace("\n", " ").split(";")}
APOSTROPHES = "'\u2019\u02bc"


def words(text):
    """The words of a text, as `language_model::words` has them, but for the case of identifiers."""
    text = unicodedata.normalize("NFKD", text.lower())
    text = "".join(c for c in text if not unicodedata.category(c).startswith("M"))
    text = re.sub(rf"(?<=[^\W_])[{APOSTROPHES}]s\b", " ", text)
    return re.findall(r"[^\W_]+", text)


def verb_forms(verb):
    """Past, participle, gerund and third person of a verb or of a phrase that starts with one."""
    head, _, rest = verb.partition(" ")
    if head in VERBS:
        forms = VERBS[head]
    else:
        stem = head[:-1] if head.endswith("e") else head
        consonant_y = re.search(r"[^aeiou]y$", head)
        past = head[:-1] + "ied" if consonant_y else stem + "ed"
        third = head[:-1] + "ies" if consonant_y else head + ("es" if re.search(r"(s|x|z|ch|sh|o)$", head) else "s")
        forms = [past, past, stem + "ing", third]
    return [form + (" " + rest if rest else "") for form in forms]


def plural(noun):
    """The regular plural of a noun."""
    if re.search(r"[^aeiou]y$", noun):
        return noun[:-1] + "ies"
    return noun + ("es" if re.search(r"(s|x|z|ch|sh)$", noun) else "s")


def choose(pieces, wordnet, extra):
    """BERT's pieces followed by the `extra` most used words and collocations of WordNet that they lack."""
    known = set(pieces)
    seen = collections.Counter()
    for synset in wordnet.synsets.values():
        for text in [synset.definition, *synset.examples]:
            tokens = words(text)
            for size in (1, 2, 3):
                seen.update(" ".join(tokens[i : i + size]) for i in range(len(tokens) - size + 1))
    candidates = {}

    def offer(entry, score):
        if entry not in known and re.fullmatch(r"[a-z]+( [a-z]+){0,2}", entry) and len(entry) > 2:
            candidates[entry] = max(candidates.get(entry, 0), score)

    for synset in wordnet.synsets.values():
        pos = synset.key[0]
        if synset.instance or pos == "r":
            continue
        for word in synset.words:
            if word != word.lower():
                continue
            entry = " ".join(words(word))
            score = 2 * wordnet.usage[word] + seen[entry]
            if " " not in entry:
                offer(entry, score)
                # Forms made by rule may not exist: only what is seen counts.
                for form in verb_forms(entry) if pos == "v" else [plural(entry)] if pos == "n" else []:
                    offer(form, seen[form])
            elif score >= 4:
                offer(entry, 0.6 * score)
                for form in verb_forms(entry) if pos == "v" else [plural(entry)] if pos == "n" else []:
                    offer(form, max(seen[form], (0.4 if pos == "v" else 0.1) * score))
    ranked = sorted(candidates, key=lambda entry: (-candidates[entry], entry))
    return list(pieces) + ranked[:extra]


class Tokeniser:
    """Collocations first, then words, then WordPiece: the same as `StaticEmbedder::tokens`."""

    def __init__(self, vocabulary):
        self.row = {entry: row for row, entry in enumerate(vocabulary)}
        self.longest = max(1 + entry.count(" ") for entry in vocabulary)

    def rows(self, text):
        """Rows of the table for a text; words without any are left out."""
        tokens, out, start = words(text), [], 0
        while start < len(tokens):
            for size in range(min(self.longest, len(tokens) - start), 1, -1):
                row = self.row.get(" ".join(tokens[start : start + size]))
                if row is not None:
                    out.append(row)
                    start += size
                    break
            else:
                out.extend(self.pieces(tokens[start]))
                start += 1
        return out

    def pieces(self, word):
        """WordPiece rows of one word."""
        start, out = 0, []
        while start < len(word):
            for end in range(len(word), start, -1):
                row = self.row.get(("##" if start else "") + word[start:end])
                if row is not None:
                    out.append(row)
                    start = end
                    break
            else:
                return []
        return out
