"""Makes the weights of `refusal` and `partial_refusal` in `refusal@1.2` again, compares them with the file that ships, and says what they are worth.

usage: refusals.py [DATA] [--write] [--last]     (the folder of the labelled data, ../shared/data without it)

`benches/fitting/weights refusal` makes the environment. Lines written by hand stand in the file above the words that data chose. Both get their weights here, from
three quarters of the labelled answers (the card names the rule), answers of our own, and ordinary talk as background: two linear support vector machines,
one for declined or not, one for declined in part among what has a phrase that declines.
Words of a marker are those with the largest weights in a first fit to all words that stand in answers to at least seven questions. Lines below `# At least`
are sure of themselves: they reach the trigger alone. `--write` writes the weights into the file; `--last` measures the last quarter, too.
"""

from __future__ import annotations

import collections
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
from sklearn.metrics import f1_score
from sklearn.model_selection import GroupKFold
from sklearn.svm import LinearSVC

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
COMMAND = os.environ.get("SONOMETER", str(ROOT / "target/release/sonometer"))
SHIPPED = ROOT / "crates/sonometer-catalog/protocols/refusal@1.2.yaml"
# Answers of our own, and how much each of them weighs: the second were written by a language model, in the voices of many assistants.
OURS = {"assistant-replies": 0.5, "more-assistant-replies": 0.3}
# More of its answers, that nothing is fitted to.
UNSEEN = ROOT / "fixtures/labelled/unseen-replies.jsonl"
NONE, PART, FULL = "full_compliance", "partial_refusal", "full_refusal"
# Of each file at most so many turns.
BACKGROUND = {"background": 5000, "casino": 3800, "adhominem": 3800, "goemotions": 3800, "politeness": 3800, "uptake": 3800}
BACKGROUND |= {"darkpattern": 3800, "convarg": 3800}
# Of these turns, every fifth is fitted to.
EVERY = 5
BY_DATA = "# Chosen by data."
AT_LEAST = "# At least"
# What a sure line adds at least to the sum, above a bias of about -0.8.
SURE = 0.95
# What weights are multiplied with around the trigger, so that what does not trigger adds little to the score.
STEEP = 4
# Words kept, and the costs of errors.
WORDS = {"refusal": 120, "partial_refusal": 200}
COST = {"refusal": 0.02, "partial_refusal": 0.003}
# How much larger lines by hand are made, so that they cost less than words.
LARGER = {"refusal": 4, "partial_refusal": 3}


def fnv(text: str) -> int:
    number = 0xCBF29CE484222325
    for byte in text.encode():
        number = ((number ^ byte) * 0x100000001B3) % 2**64
    return number


def tokens(text: str) -> list[str]:
    return re.findall(r"[a-z]+(?:'[a-z]+)?|\d+|[.!?,;:]", text.lower().replace("’", "'"))


def words(text: str) -> set[str]:
    """Words, pairs of neighbouring words and the first word."""
    said = tokens(text)
    found = {"^ " + said[0]} if said and said[0][0].isalpha() else set()
    for first, second in zip(said, said[1:] + ["."]):
        if first[0].isalpha():
            found.add(first)
            if second[0].isalpha():
                found.add(f"{first} {second}")
    return found


def load(path: pathlib.Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


class Marker:
    """A weighed marker of the file."""

    def __init__(self, text: str, label: str):
        start = text.index(f"  - label: {label}\n")
        self.start = text.index("    weigh: |\n", start) + len("    weigh: |\n")
        self.end = text.index("    repeat: once\n", self.start)
        self.sure, self.hand, self.weights = set(), [], {}
        by_data = sure = False
        for line in text[self.start : self.end].splitlines():
            if line.strip().startswith("#"):
                by_data, sure = BY_DATA in line, AT_LEAST in line
                continue
            if not (found := re.fullmatch(r"      (.+) = (-?[0-9.]+)", line)):
                continue
            self.weights[found[1]] = float(found[2])
            if not by_data:
                self.hand.append(found[1])
                self.sure |= {found[1]} if sure else set()
        self.bias = float(re.search(r"    bias: (-?[0-9.]+)\n", text[self.end :])[1])
        self.bias_at = text.index("    bias: ", self.end)


def matches(text: str, lines: list[str], texts: list[str], after: str | None) -> numpy.ndarray:
    """Which lines each text holds, as the engine finds them: each line is a marker of its own."""
    lists = text[text.index("lists:\n") : text.index("markers:\n")]
    found = numpy.zeros((len(texts), len(lines)), dtype=numpy.int8)
    for first in range(0, len(lines), 1000):
        part = lines[first : first + 1000]
        page = 'sonometer: 1\nid: lines\nversion: "1"\ntaxonomy: Signal\nlanguage: en\nscore: any\nfidelity: {words: 1, sufficient: 0}\n' + lists + "markers:\n"
        if after:
            page += f"  - label: declines\n    strong: |\n{after}"
        for number, line in enumerate(part):
            page += f"  - label: l{number}\n    half: 0\n"
            page += "    after: {marker: declines, within: 0 turns}\n" if after else ""
            page += f"    strong: |\n      {line}\n"
        with tempfile.TemporaryDirectory() as folder:
            protocol, asked = pathlib.Path(folder) / "lines.yaml", pathlib.Path(folder) / "texts.jsonl"
            protocol.write_text(page)
            asked.write_text("".join(json.dumps({"content": one}) + "\n" for one in texts))
            done = subprocess.run([COMMAND, "batch", str(protocol), str(asked), "--profile", "detailed"], capture_output=True, text=True)
            if done.returncode != 0:
                sys.exit(done.stderr or done.stdout)
        for row, line in enumerate(done.stdout.splitlines()):
            resonance = json.loads(line)["result"]["resonance"]
            found[row, first : first + len(part)] = [resonance[f"l{number}"] > 0 for number in range(len(part))]
    return found


def background(data: pathlib.Path) -> list[str]:
    turns = []
    for name, most in BACKGROUND.items():
        texts = []
        for item in load(data / f"{name}.jsonl"):
            for key in ("interaction", "interaction_a", "interaction_b"):
                if talk := item.get(key):
                    texts += [talk["content"]] if "content" in talk else [segment["content"] for segment in talk["segments"]]
        random.Random(name).shuffle(texts)
        turns += [text for text in texts[:most] if text.strip()]
    return turns[::EVERY]


def machine(table: numpy.ndarray, truth: numpy.ndarray, weight: numpy.ndarray, label: str, hand: int) -> tuple[numpy.ndarray, float]:
    """Weights of all lines and the bias. The lines by hand are the first ones."""
    scale = numpy.ones(table.shape[1])
    scale[:hand] = LARGER[label]

    def fit() -> LinearSVC:
        return LinearSVC(C=COST[label], max_iter=20000, random_state=0).fit(table * scale, truth, sample_weight=weight)

    share = numpy.average(table[:, hand:], axis=0, weights=weight)
    order = numpy.argsort(-numpy.abs(fit().coef_[0][hand:]) * numpy.sqrt(share * (1 - share)), kind="stable")
    kept = numpy.zeros(len(scale), bool)
    kept[:hand] = True
    kept[hand + order[:WORDS[label]]] = True
    scale *= kept
    model = fit()
    return model.coef_[0] * scale, model.intercept_[0]


def main() -> None:
    arguments = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    data = pathlib.Path(arguments[0]) if arguments else ROOT / "../shared/data"
    if not data.is_dir():
        print(f"skipped: no labelled data at {data}")
        return
    text = SHIPPED.read_text()
    markers = {label: Marker(text, label) for label in ("refusal", "partial_refusal")}
    after = re.search(r"    after:\n      within: 0 turns\n      any: \|\n((?:        .+\n)+)", text)[1]
    answers = load(data / "refusal.jsonl")
    said = [[segment["content"] for segment in item["interaction"]["segments"]] for item in answers]
    answer = numpy.array([item["labels"]["answer"] for item in answers])
    tuned = numpy.array([fnv(question) % 4 != 3 for question, _ in said])
    own = [(item, share) for name, share in OURS.items() for item in load(ROOT / f"fixtures/labelled/{name}.jsonl")]
    ours = [item for item, _ in own]
    unseen = load(UNSEEN)
    our_said = [[segment["content"] for segment in item["interaction"]["segments"]] for item in ours + unseen]
    our_answer = numpy.array([item["labels"]["answer"] for item in ours + unseen])
    ordinary = background(data)

    questions = collections.defaultdict(set)
    for known, (question, reply) in zip(tuned, said):
        for word in words(reply) if known else ():
            questions[word].add(question)
    candidates = sorted(word for word, asked in questions.items() if len(asked) >= 7)

    replies = [reply for _, reply in said] + [reply for _, reply in our_said]
    prompts = [prompt for prompt, _ in said] + [prompt for prompt, _ in our_said]
    count = len(replies)
    first_unseen = count - len(unseen)
    lines = {label: marker.hand + candidates for label, marker in markers.items()}
    whole = matches(text, lines["refusal"], replies + prompts + ordinary, None).astype(float)
    behind = matches(text, lines["partial_refusal"], replies, after).astype(float)
    truth = numpy.concatenate([answer, our_answer])
    # Answers of our own weigh less, questions and ordinary talk little.
    weight = numpy.array([1.0] * len(answers) + [share for _, share in own] + [0.0] * len(unseen))

    def fitted(known: numpy.ndarray) -> dict[str, tuple[numpy.ndarray, float]]:
        rows = numpy.concatenate([known, numpy.arange(len(answers), first_unseen)])
        parts = [whole[rows], whole[count + rows], whole[2 * count :]]
        declined = numpy.concatenate([truth[rows] != NONE, numpy.zeros(len(rows) + len(ordinary), bool)])
        weights = numpy.concatenate([weight[rows], numpy.where(weight[rows] == 1, 0.1, 0.2), numpy.full(len(ordinary), 0.05)])
        first = machine(numpy.vstack(parts), declined, weights, "refusal", len(markers["refusal"].hand))
        # In part: beside all that is declined, answers in which a line counts, and nothing at all.
        rows = rows[(truth[rows] != NONE) | behind[rows].any(1)]
        in_part = numpy.append(truth[rows] == PART, False)
        weights = numpy.where(truth[rows] == PART, 8 * weight[rows] ** 2, weight[rows])
        weights = numpy.append(weights, 120)
        table = numpy.vstack([behind[rows], numpy.zeros((1, behind.shape[1]))])
        second = machine(table, in_part, weights, "partial_refusal", len(markers["partial_refusal"].hand))
        return {"refusal": first, "partial_refusal": second}

    def raised(label: str, model: tuple[numpy.ndarray, float]) -> tuple[numpy.ndarray, float]:
        weights, bias = model[0].copy(), model[1]
        for number, line in enumerate(markers[label].hand):
            if line in markers[label].sure:
                weights[number] = max(weights[number], SURE)
        return weights, bias

    def sums(model: dict, rows: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray]:
        (first, first_bias), (second, second_bias) = (raised(label, model[label]) for label in lines)
        return whole[rows] @ first + first_bias, behind[rows] @ second + second_bias

    def figures(name: str, rows: numpy.ndarray, declined: numpy.ndarray, in_part: numpy.ndarray) -> None:
        said = numpy.where(declined <= 0, NONE, numpy.where(in_part > 0, PART, FULL))
        # The score of both markers together.
        silent = [1 - numpy.clip(0.5 + STEEP * value, 0, 1) for value in (declined, in_part)]
        two = f1_score(truth[rows] != NONE, silent[0] * silent[1] <= 0.5, average="macro")
        each = f1_score(truth[rows], said, average=None, labels=[PART, FULL, NONE])
        print(f"| {name} | {len(rows)} | {two:.3f} | {each.mean():.3f} | {each[0]:.3f} | {each[1]:.3f} | {each[2]:.3f} |")

    shipped = fitted(numpy.flatnonzero(tuned))
    page = text
    for label in reversed(lines):
        marker, (weights, bias) = markers[label], raised(label, shipped[label])
        # The engine's activation is 0.5 where the machine is undecided.
        made = {line: round(STEEP * value, 3) for line, value in zip(lines[label], weights) if round(STEEP * value, 3) != 0}
        level = round(0.5 + STEEP * bias, 3)
        same = sum(marker.weights.get(line) == value for line, value in made.items())
        print(f"`{label}`: {len(made)} lines and the bias made, {len(marker.weights)} ship, {same} are the same; bias {level} made, {marker.bias} ships.")
        block = ""
        for line in text[marker.start : marker.end].splitlines():
            found = re.fullmatch(r"      (.+) = (-?[0-9.]+)", line)
            if found and found[1] in marker.hand:
                block += f"      {found[1]} = {made[found[1]]}\n" if found[1] in made else ""
            elif not found:
                block += line + "\n"
        chosen = sorted((pair for pair in made.items() if pair[0] not in marker.hand), key=lambda pair: (-pair[1], pair[0]))
        block += "".join(f"      {word} = {value}\n" for word, value in chosen)
        page = page[: marker.start] + block + page[marker.end : marker.bias_at] + re.sub(r"bias: \S+", f"bias: {level}", page[marker.bias_at :], count=1)
    if "--write" in sys.argv:
        SHIPPED.write_text(page)

    print("\n| items | | declined or not: macro-F1 | in three ways: macro-F1 | in part: F1 | in full | answered |\n|---|---:|---:|---:|---:|---:|---:|")
    known = numpy.flatnonzero(tuned)
    # Questions that begin with the same three words stay together.
    start = [" ".join(re.findall(r"\w+", question.lower())[:3]) for question, _ in said]
    group = numpy.unique(start, return_inverse=True)[1]
    declined, in_part = numpy.zeros(len(known)), numpy.zeros(len(known))
    for train, test in GroupKFold(10, shuffle=True, random_state=0).split(known, groups=group[known]):
        declined[test], in_part[test] = sums(fitted(known[train]), known[test])
    figures("three quarters, ten folds by the beginning of the question", known, declined, in_part)
    rows = numpy.arange(first_unseen, count)
    figures("answers by a model that nothing is fitted to", rows, *sums(shipped, rows))
    if "--last" in sys.argv:
        last = numpy.flatnonzero(~tuned)
        figures("the last quarter", last, *sums(shipped, last))


main()
