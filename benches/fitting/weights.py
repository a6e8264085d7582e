"""Makes the weights of `argument` 1.1 and `personal-attack` 1.1 again from labelled data, and compares them with the files that ship.

usage: weights.py argument|personal-attack [DATA] [--out FILE]     (the folder of the labelled data, ../shared/data without it)

`benches/fitting/weights` makes the environment. `sonometer fit` finds the features: the lines of `patterns/NAME.txt`, written by hand, and for
`personal-attack` single words and pairs of words. It has no weights of items by length and no negatives of a tenth of the weight, so the
weights are those of a logistic regression. The lines with their weights are printed, or written to FILE; then how far they are from the shipped
ones; then figures of items that were not fitted to.
"""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import numpy
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, roc_auc_score

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
COMMAND = os.environ.get("SONOMETER", str(ROOT / "target/release/sonometer"))
PROTOCOLS = ROOT / "crates/sonometer-catalog/protocols"


def is_tuned(key: str) -> bool:
    """The half of the cards: by the first byte of the SHA-256."""
    return hashlib.sha256(key.encode()).digest()[0] % 2 == 0


def words(text: str) -> int:
    return len(re.findall(r"[\w']+", text))


def load(folder: pathlib.Path, name: str) -> list[dict]:
    return [json.loads(line) for line in (folder / f"{name}.jsonl").read_text().splitlines()]


def by_hand(name: str) -> dict[str, tuple[str, str]]:
    """Each line of the file of patterns, with its marker and the line that ships.

    They are the same but for expressions whose place was made shorter later: those stand behind a tab."""
    marker, lines = "", {}
    for line in (HERE / f"patterns/{name}.txt").read_text().splitlines():
        if line.startswith("[") and line.endswith("]"):
            marker = line.strip("[]")
        elif line:
            fitted, _, ships = line.partition("\t")
            lines[fitted] = (marker, ships or fitted)
    return lines


def features(texts: list[str], positive: list[bool], lines: list[str], options: list[str]) -> tuple[list[str], csr_matrix]:
    """Which lines and words each text holds, as the engine finds them."""
    with tempfile.TemporaryDirectory() as folder:
        data, patterns, table = (pathlib.Path(folder) / name for name in ("texts.jsonl", "patterns.txt", "table.svm"))
        items = [
            {"id": str(number), "interaction": {"content": text}, "labels": {"x": label}}
            for number, (text, label) in enumerate(zip(texts, positive))
        ]
        data.write_text("".join(json.dumps(item) + "\n" for item in items))
        patterns.write_text("".join(line + "\n" for line in lines))
        # The list that `fit` writes is not used: two folds, one cost and few lines save time.
        fixed = ["--language", "en", "--sufficient", "0", "--size", "100", "--regularisation", "0.003", "--no-likeness", "--folds", "2"]
        out = ["--patterns", str(patterns), "--export-features", str(table), "--out", str(pathlib.Path(folder) / "list.yaml")]
        fit = [COMMAND, "fit", str(data), "--label", "x", "--marker", "x", *fixed, *options, *out]
        done = subprocess.run(fit, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(fit)}: {done.stderr or done.stdout}")
        names, row, column = [], [], []
        count = 0
        for line in table.read_text().splitlines():
            if line.startswith("#"):
                names.append(line[2:].split(" ", 1)[1])
                continue
            found = [pair for pair in line.split("#")[0].split()[1:] if not pair.startswith("qid")]
            row += [count] * len(found)
            column += [int(pair.split(":")[0]) - 1 for pair in found]
            count += 1
    return names, csr_matrix((numpy.ones(len(row)), (row, column)), shape=(count, len(names)))


def shipped(name: str) -> tuple[dict[str, float], float | None]:
    """The lines of the weighed markers of the shipped file with their weights, and its bias."""
    weights, bias, inside = {}, None, False
    for line in (PROTOCOLS / f"{name}@1.1.yaml").read_text().splitlines():
        if line.strip() == "weigh: |":
            inside = True
        elif inside and not line.startswith("      "):
            inside = False
        if inside and (found := re.fullmatch(r"      (.+) = (-?[0-9.]+)", line)):
            weights[found[1]] = float(found[2])
        elif line.startswith("    bias:"):
            bias = float(line.split(":")[1])
    return weights, bias


def report(name: str, made: dict[str, float], bias: float | None, out: pathlib.Path | None) -> None:
    lines = "".join(f"{line} = {weight:.4f}\n" for line, weight in sorted(made.items(), key=lambda pair: -pair[1]))
    if out is None:
        print(lines, end="")
    else:
        out.write_text(lines)
    there, there_bias = shipped(name)
    both = made.keys() & there.keys()
    apart = max((abs(round(made[line], 4) - there[line]) for line in both), default=0.0)
    print(f"{name}: {len(made)} lines made, {len(there)} ship, {len(both)} are the same lines; largest difference of a weight {apart:.4f}")
    if bias is not None:
        print(f"bias {bias:.4f} made, {there_bias:.4f} ships")


# --- `argument`: the difference of both texts of a pair.

# By this the weights are multiplied, of lines that speak for the score and of those against it.
FOR, AGAINST = 0.35, 1.33
SPEAK_FOR = ("development", "substance")
# Has a weight and was left out by hand: laughter and greetings belong to the site.
LEFT_OUT = "(lol|"


def argument(folder: pathlib.Path, out: pathlib.Path | None) -> None:
    pairs = load(folder, "convarg")
    sides = [[pair[f"interaction_{side}"]["content"] for pair in pairs] for side in "ab"]
    texts = sorted(set(sides[0] + sides[1]))
    place = {text: number for number, text in enumerate(texts)}
    lines = by_hand("argument")
    names, table = features(texts, [number % 2 == 0 for number in range(len(texts))], list(lines), ["--words", "1", "--support", "2"])
    hand = numpy.array([name in lines for name in names])
    first, second = (numpy.array([place[text] for text in side]) for side in sides)
    difference = (table[second] - table[first]).tocsr()[:, hand]
    truth = numpy.array([pair["labels"]["more_convincing"] == "b" for pair in pairs])
    topics = numpy.array([pair["labels"]["topic"] for pair in pairs])
    tuned = numpy.array([is_tuned(topic) for topic in topics])
    length = numpy.array([words(text) for text in texts], float)
    level = numpy.abs(numpy.log(length[second] / length[first])) < 0.2

    def fit(rows: numpy.ndarray) -> LogisticRegression:
        model = LogisticRegression(C=0.003, fit_intercept=False, max_iter=3000)
        return model.fit(difference[rows], truth[rows])

    weights = fit(truth == truth).coef_[0]
    made = {}
    for line, weight in zip(numpy.array(names)[hand], weights):
        marker, ships = lines[line]
        speaks_for = marker in SPEAK_FOR
        strength = weight if speaks_for else -weight
        if strength >= 0.02 and not line.startswith(LEFT_OUT):
            made[ships] = strength * (FOR if speaks_for else AGAINST)
    report("argument", made, None, out)

    right = lambda said, rows: f"{((said > 0) == truth)[rows].mean():.3f} of {rows.sum()}"
    said = numpy.zeros(len(pairs))
    for topic in sorted(set(topics)):
        said[topics == topic] = fit(topics != topic).decision_function(difference[topics == topic])
    print(f"each topic, fitted to the others: {right(said, said == said)}; texts of like length {right(said, level)}")
    said = fit(tuned).decision_function(difference)
    print(f"four topics, on the other three (as 1.0): {right(said, ~tuned)}; texts of like length {right(said, ~tuned & level)}")
    longer = length[second] - length[first]
    print(f"the longer text: {right(longer, longer == longer)}; of like length {right(longer, level)}")


# --- `personal-attack`: posts of like length against each other, with ordinary talk.

# Names of topics and of the forum say what is talked about, not how. No such word gets a weight.
TOPICS = set(
    "islam islamic muslim muslims hillary clinton trump bernie sanders healthcare borders border immigration immigrants white black blacks "
    "whites women woman men man rape feminist feminism feminists gay gun guns israel jews jewish hitler nazi nazis economics internet science "
    "movie movies game games god religion religious atheist christian bible abortion police cops obama democrats republicans liberal liberals "
    "conservative left right tax taxes gender trans sex sexual race racial racism racist america american americans us usa uk country countries "
    "government law laws legal war school schools college children child kids parents he she him her his hers reddit cmv delta deltas www http "
    "https com org wikipedia en hit la r u red low water car food money market company companies social health death drug drugs party win wage "
    "jobs job pay income tv music art book books film south state states city cities said_removed removed deleted".split()
)
# What stands where a post begins or ends: fit knows it, and it tells no more than the words alone.
PLACES = ("<start>", "<end>", "^ ")
WORDS = 600  # of the data, those that move the sum most
FOLDS = 10
SCALE, THRESHOLD = 0.05, 0.95  # a weight of the file, and the sum that is 0.5
TALK = 0.1  # the weight of all ordinary talk beside that of all posts
DRAWN = {
    "background": 5000,
    "casino": 1000,
    "uptake": 600,
    "politeness": 1000,
    "pii": 400,
    "refusal": 600,
    "darkpattern": 400,
    "injection": 200,
    "convarg": 1500,
    "goemotions": 1200,
}
PREFIX = {"darkpattern": "dark", "goemotions": "goemo"}  # names of drawn texts decide which half they are in


def ordinary(folder: pathlib.Path, threads: list[dict]) -> list[tuple[str, str]]:
    """Texts in which nobody attacks, drawn with a fixed seed, each with a name that says which half it is in."""
    random.seed(7)
    drawn = []
    for name, most in [*DRAWN.items(), ("before", 600)]:
        if name == "before":
            calm = [item for item in threads if item["labels"]["outcome"] != "ad_hominem"]
            texts = {turn["content"] for item in calm for turn in item["interaction"]["segments"][:-1]}
        elif name == "convarg":
            texts = {item[f"interaction_{side}"]["content"] for item in load(folder, name) for side in "ab"}
        else:
            items = load(folder, name)
            if name == "injection":
                items = [item for item in items if not item["labels"]["injection"]]
            if name == "goemotions":
                items = [item for item in items if not {"anger", "annoyance", "disgust", "disapproval"} & set(item["labels"]["emotions"])]
            told = [item["interaction"] for item in items]
            texts = {turn["content"] for one in told for turn in one.get("segments", [one])}
        texts = sorted(text for text in texts if text.strip())
        chosen = random.sample(texts, min(most, len(texts)))
        drawn += [(f"{PREFIX.get(name, name)}-{number}", text) for number, text in enumerate(chosen)]
    return drawn


def equal_length(said: numpy.ndarray, truth: numpy.ndarray, length: numpy.ndarray) -> float:
    """The share of pairs in the right order, of those whose lengths differ by about a tenth."""
    logs = numpy.log(numpy.maximum(1, length))
    right = pairs = 0.0
    for one in numpy.where(truth)[0]:
        other = numpy.where(~truth & (numpy.abs(logs - logs[one]) <= 0.1))[0]
        right += (said[one] > said[other]).sum() + 0.5 * (said[one] == said[other]).sum()
        pairs += len(other)
    return right / pairs


def personal_attack(folder: pathlib.Path, out: pathlib.Path | None) -> None:
    threads = load(folder, "adhominem")
    posts = []
    for item in threads:
        text = item["interaction"]["segments"][-1]["content"]
        # Nobody can tell what stood there.
        if text.strip() not in ("[removed]", "[deleted]"):
            posts.append((item["id"], text, item["labels"]["outcome"] == "ad_hominem"))
    talk = ordinary(folder, threads)
    keys = [key for key, _, _ in posts] + [key for key, _ in talk]
    texts = [text for _, text, _ in posts] + [text for _, text in talk]
    truth = numpy.array([attack for _, _, attack in posts] + [False] * len(talk))
    is_post = numpy.arange(len(texts)) < len(posts)
    half = numpy.array([is_tuned(key) for key in keys])
    length = numpy.array([words(text) for text in texts])
    lines = by_hand("personal-attack")
    names, table = features(texts, truth.tolist(), list(lines), ["--words", "2", "--support", "5"])
    hand = numpy.array([name in lines for name in names])
    words_alone = ~numpy.array([any(place in name for place in PLACES) for name in names])
    edges = numpy.quantile(numpy.log(length[is_post] + 1), numpy.linspace(0, 1, 11)[1:-1])
    band = numpy.digitize(numpy.log(length + 1), edges)

    def fit(posts_of: numpy.ndarray, talk_of: numpy.ndarray, columns: numpy.ndarray) -> LogisticRegression:
        weight = numpy.zeros(len(texts))
        # Posts of one class and band of length weigh as much as those of the other class in that band (at most four times).
        for number in range(10):
            for label in (False, True):
                rows = posts_of & (band == number) & (truth == label)
                if rows.any():
                    weight[rows] = min(4, (posts_of & (band == number)).sum() / 2 / rows.sum())
        weight[talk_of] = TALK * posts_of.sum() / talk_of.sum()
        rows = posts_of | talk_of
        model = LogisticRegression(C=0.1, max_iter=4000)
        return model.fit(table[rows][:, columns], truth[rows], sample_weight=weight[rows])

    def chosen(posts_of: numpy.ndarray, talk_of: numpy.ndarray) -> tuple[numpy.ndarray, LogisticRegression]:
        share = numpy.asarray(table[posts_of].mean(0)).ravel()
        often = hand | words_alone & (numpy.asarray(table[posts_of].sum(0)).ravel() >= 8)
        moves = numpy.zeros(len(names))
        moves[often] = numpy.abs(fit(posts_of, talk_of, often).coef_[0]) * numpy.sqrt(share * (1 - share))[often]
        topical = lambda name: bool(TOPICS & set(name.replace("*", "").split()))
        best = [at for at in numpy.argsort(-moves) if not hand[at] and not topical(names[at])][:WORDS]
        columns = hand.copy()
        columns[best] = True
        return columns, fit(posts_of, talk_of, columns)

    columns, model = chosen(is_post, ~is_post)
    made = dict(zip(numpy.array(names)[columns], SCALE * model.coef_[0]))
    made = {line: weight for line, weight in made.items() if abs(round(weight, 4)) >= 0.0003}
    report("personal-attack", made, 0.5 + SCALE * (float(model.intercept_[0]) - THRESHOLD), out)

    def outside(name: str, said: numpy.ndarray, asked: numpy.ndarray) -> None:
        rows, calm = is_post & asked, ~is_post & asked
        yes = said > THRESHOLD
        print(
            f"{name} ({rows.sum()} posts): AUC {roc_auc_score(truth[rows], said[rows]):.3f}, "
            f"at equal length {equal_length(said[rows], truth[rows], length[rows]):.3f}, "
            f"macro-F1 {f1_score(truth[rows], yes[rows], average='macro'):.3f}, recall {yes[rows & truth].mean():.3f}, "
            f"alarms {100 * yes[calm].mean():.2f} % of {calm.sum()} ordinary texts"
        )

    def fitted_to(rows: numpy.ndarray) -> numpy.ndarray:
        columns, model = chosen(is_post & rows, ~is_post & rows)
        return model.decision_function(table[:, columns])

    fold = numpy.array([hashlib.sha256(f"fold {key}".encode()).digest()[0] % FOLDS for key in keys])
    said = numpy.zeros(len(texts))
    for number in range(FOLDS):
        said[fold == number] = fitted_to(fold != number)[fold == number]
    outside(f"{FOLDS} folds, each by the others", said, fold == fold)
    outside("one half, on the other (as 1.0)", fitted_to(half), ~half)
    outside("the other way round", fitted_to(~half), half)


def main() -> None:
    arguments = sys.argv[1:]
    out = None
    if "--out" in arguments:
        at = arguments.index("--out")
        out = pathlib.Path(arguments[at + 1])
        del arguments[at : at + 2]
    make = {"argument": argument, "personal-attack": personal_attack}.get(arguments[0] if arguments else "")
    if make is None:
        sys.exit("name a protocol: benches/fitting/weights argument, personal-attack or refusal")
    folder = pathlib.Path(arguments[1]) if len(arguments) > 1 else ROOT / "../shared/data"
    if not folder.is_dir():
        sys.exit(f"skipped: {folder} (no labelled data there)")
    make(folder, out)


if __name__ == "__main__":
    main()
