"""Write the golden vectors against which MiniLM on candle is tested.

    python3 golden.py --cache DIR --out ../../crates/language-model/tests/golden/minilm.json
"""

import argparse
import json

import teacher

TEXTS = (
    "who directed the film?",
    "Place of birth",
    "Beyonc\u00e9's father, \u6771\u4eac",
    "antidisestablishmentarianism",
    "",
    " ".join(f"word{number}" for number in range(60)),
)


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--cache", required=True)
    arguments.add_argument("--out", required=True)
    options = arguments.parse_args()
    model = teacher.Teacher(teacher.fetch(options.cache))
    vectors = model.encode(TEXTS, max_pieces=254)
    entries = [
        json.dumps({"text": text, "vector": [round(float(x), 7) for x in vector]})
        for text, vector in zip(TEXTS, vectors)
    ]
    with open(options.out, "w", encoding="utf-8") as file:
        file.write("[\n" + ",\n".join(entries) + "\n]\n")


if __name__ == "__main__":
    main()
