"""How do people ask for what a noun names? Pairs made by rules of English from WordNet's words.

Inflected forms with their words, wh-words with what they ask for (where: place, when: date, who: the
agent of a verb, how tall: height). No pair is made for a single word by hand.
"""

import re

import vocabulary
import wordnet

# Past and participle of verbs that a rule would get wrong, beside those of `vocabulary`.
IRREGULAR = """bear bore born; beat beat beaten; bend bent bent; bet bet bet; bid bid bid; bind bound bound;
bite bit bitten; bleed bled bled; blow blew blown; break broke broken; breed bred bred; burn burnt burnt;
buy bought bought; catch caught caught; choose chose chosen; cost cost cost; cut cut cut; deal dealt dealt;
dig dug dug; do did done; drink drank drunk; drive drove driven; dwell dwelt dwelt; eat ate eaten; feed fed fed;
feel felt felt; fight fought fought; flee fled fled; fly flew flown; forget forgot forgotten; freeze froze frozen;
hang hung hung; hear heard heard; hide hid hidden; hit hit hit; hurt hurt hurt; kneel knelt knelt; lend lent lent;
let let let; light lit lit; mean meant meant; meet met met; pay paid paid; read read read; ride rode ridden;
ring rang rung; rise rose risen; say said said; seek sought sought; send sent sent; shake shook shaken;
shine shone shone; shoot shot shot; show showed shown; shut shut shut; sing sang sung; sink sank sunk; sit sat sat;
sleep slept slept; slide slid slid; spend spent spent; spin spun spun; spread spread spread; spring sprang sprung;
steal stole stolen; stick stuck stuck; strike struck struck; swear swore sworn; sweep swept swept; swim swam swum;
swing swung swung; tear tore torn; throw threw thrown; wake woke woken; wear wore worn; weave wove woven;
wind wound wound"""
PASTS = {forms.split()[0]: forms.split()[1:] for forms in IRREGULAR.replace("\n", " ").split(";")}
PLURALS = {
    "child": "children", "man": "men", "woman": "women", "person": "people", "wife": "wives", "life": "lives",
    "leaf": "leaves", "foot": "feet", "tooth": "teeth", "half": "halves", "knife": "knives", "wolf": "wolves",
}


def verb_forms(verb):
    """Past, participle, gerund and third person; doubled consonants and irregular pasts as English has them."""
    past, participle, gerund, third = vocabulary.verb_forms(verb)
    if verb in PASTS:
        past, participle = PASTS[verb]
    elif re.fullmatch(r"[^aeiou]*[aeiou][bdgklmnprt]", verb) and verb not in vocabulary.VERBS:
        past = participle = verb + verb[-1] + "ed"
        gerund = verb + verb[-1] + "ing"
    if verb in PASTS and re.fullmatch(r"[^aeiou]*[aeiou][dgmnpt]", verb):
        gerund = verb + verb[-1] + "ing"
    return past, participle, gerund, third


def plural(noun):
    """The plural of a noun or of a phrase that ends in one."""
    head, _, last = noun.rpartition(" ")
    return (head + " " if head else "") + (PLURALS.get(last) or vocabulary.plural(last))


def inflected(words, known):
    """Words with their forms, and synonyms, hypernyms and definitions of forms; only forms in `known`."""
    forms = {"n": lambda word: [plural(word)], "v": verb_forms}
    for synset in words.synsets.values():
        of = forms.get(synset.key[0])
        if synset.instance or of is None:
            continue
        usual = [w for w in synset.words if words.common(w, synset.key) and w == w.lower() and " " not in w]
        for word in usual:
            for form in dict.fromkeys(of(word)):
                if form in known and form != word:
                    yield "inflection", word, form
                    yield "inflected definition", form, synset.definition
        near = [(a, b) for i, a in enumerate(usual) for b in usual[i + 1 :]]
        near += [(a, b) for kind, a, b, _ in words.pointed(synset) if kind in ("hypernym", "group") and " " not in a + b]
        for left, right in near:
            for a, b in dict.fromkeys(zip(of(left), of(right))):
                if a in known and b in known:
                    yield "inflected", a, b


def asked(words, known):
    """Questions with the nouns that name what they ask for."""
    for synset in words.synsets.values():
        if synset.instance:
            continue
        for kind, left, right, other in words.pointed(synset):
            if kind == "attribute" and synset.key[0] == "a" and words.usage[left]:
                yield "asked", f"how {left} is it", right
                yield "asked", f"how {left}", right
            if kind != "derivation" or synset.key[0] != "v" or other.key[0] != "n" or not words.usage[left]:
                continue
            past, participle, _, third = verb_forms(left)
            if other.topic == wordnet.PERSON:
                for asked in (f"who {past}", f"{participle} by", f"who {third} it", f"who was it {participle} by"):
                    yield "asked", asked, right
            elif other.topic in wordnet.HAPPENINGS:
                yield "asked", f"when was it {participle}", f"date of {right}"
                yield "asked", f"when did they {left}", f"{right} date"
                yield "asked", f"what year {past}", f"year of {right}"
                yield "asked", f"where was it {participle}", f"place of {right}"
                yield "asked", f"where did they {left}", f"{right} place"
                yield "asked", f"who {past}", f"{participle} by"
