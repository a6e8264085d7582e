"""Makes what `sonometer fit` is tested against: an invented corpus, its features, and the weights scikit-learn finds.

    python3 oracle.py PATH_TO_SONOMETER

writes `corpus.jsonl`, `features.svm` (by `sonometer fit --export-features`) and `weights.txt` (by LinearSVC) beside this
file. The last was made with scikit-learn 1.9.1. The tests read the files; they need neither Python nor this script.
"""

import json
import pathlib
import subprocess
import sys

from sklearn.datasets import load_svmlight_file
from sklearn.svm import LinearSVC

HERE = pathlib.Path(__file__).parent
OPENINGS = ["Hello again.", "About order 4417:", "Well, here I am.", "Good evening!", "Quick note,", "So,"]
KIND = [
    "thank you for the quick parcel", "could you please check the box", "many thanks to your driver",
    "the kettle works and I am happy", "would you mind a small question", "thanks, that helped",
]
CROSS = [
    "the parcel is late and nobody answers", "your driver threw the box over the fence",
    "this kettle is useless", "I want my money back now", "why does nobody answer", "send a working kettle now",
]
ENDINGS = ["The street is Elm Row.", "It rained here.", "My neighbour saw it.", "I live in Hull.", "", "Until Monday."]


def corpus():
    """Two kinds of letters to a shop, a tenth of them with the other kind's words."""
    state = 1

    def draw(among):
        nonlocal state
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        return among[(state >> 33) % len(among)]

    for number in range(160):
        kind = number % 5 < 2
        words = KIND if kind != (draw(range(10)) == 0) else CROSS
        text = " ".join([draw(OPENINGS), draw(words) + ".", draw(words + ["It is blue"]) + ".", draw(ENDINGS)])
        yield {"id": f"letter-{number}", "interaction": {"content": text.strip()}, "labels": {"kind": kind}}


def main():
    lines = [json.dumps(item, ensure_ascii=False) + "\n" for item in corpus()]
    (HERE / "corpus.jsonl").write_text("".join(lines), encoding="utf-8")
    features = HERE / "features.svm"
    arguments = ["fit", str(HERE / "corpus.jsonl"), "--label", "kind", "--marker", "kind", "--language", "en"]
    files = ["--out", str(HERE / "fitted.yaml"), "--export-features", str(features)]
    subprocess.run([sys.argv[1], *arguments, "--repeat", "halve", *files], check=True)
    (HERE / "fitted.yaml").unlink()
    matrix, classes, _ = load_svmlight_file(str(features), query_id=True, zero_based=False)
    rows = []
    for cost, balanced in [(0.01, False), (0.1, False), (0.1, True), (1.0, False)]:
        model = LinearSVC(
            C=cost, dual=True, tol=1e-8, max_iter=10**6, class_weight="balanced" if balanced else None
        ).fit(matrix.toarray(), classes)
        weights = " ".join(f"{weight:.9f}" for weight in model.coef_[0])
        rows.append(f"{cost} {'balanced' if balanced else 'even'} {model.intercept_[0]:.9f} {weights}\n")
    (HERE / "weights.txt").write_text("".join(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
