"""The texts on which the table is fitted to the teacher: made from WordNet alone, none from any benchmark."""

import random

import vocabulary

NOUN_TEMPLATES = (
    "{} of", "has {}", "what is the {} of", "who is the {} of", "which {}", "the {} of the {}", "{} name", "list of {}s",
    "what {} does it have", "number of {}s", "who is his {}", "the first {}",
)
VERB_TEMPLATES = (
    "{0} by", "who {0} it", "{1}", "{2}", "which one {2} the other", "was {0} in", "when was it {0}", "where did they {3}",
    "{0} with", "what does she {3}", "who {2}", "the one that {0} it",
)


def texts(wordnet, seed=7):
    """(kind, text) pairs in a fixed order."""
    rng = random.Random(seed)
    out = []
    nouns, verbs, rare = [], [], []
    for synset in wordnet.synsets.values():
        if synset.instance:
            continue
        used = any(wordnet.count.get((word.lower(), synset.key), 0) for word in synset.words)
        for word in synset.words:
            if word != word.lower():
                continue
            if wordnet.usage[word] and synset.key[0] in "nv":
                (nouns if synset.key[0] == "n" else verbs).append(word)
            if wordnet.usage[word] or wordnet.common(word, synset.key, 1) and word.count(" ") < 2:
                out.append(("word", word))
        if used:
            out.append(("definition", synset.definition))
        else:
            rare.append(("definition", synset.definition))
        out.extend(("example", example) for example in synset.examples[:2])
    nouns, verbs = sorted(set(nouns)), sorted(set(verbs))
    for noun in nouns:
        for template in rng.sample(NOUN_TEMPLATES, 2):
            out.append(("template", template.format(noun, rng.choice(nouns))))
    for verb in verbs:
        past, _, gerund, third = vocabulary.verb_forms(verb)
        for template in rng.sample(VERB_TEMPLATES, 4):
            out.append(("template", template.format(past, gerund, third, verb)))
    out.extend(rng.sample(rare, 12_000))
    return list(dict.fromkeys((kind, " ".join(text.split()[:24])) for kind, text in out))
