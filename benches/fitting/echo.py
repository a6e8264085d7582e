"""What words taken over from the other side add to the words of a turn, on held-out items, in Markdown.

usage: echo.py [DATA]     (the folder of the labelled data, ../shared/data without it)

`benches/fitting/echo` makes the environment. `fit` has no such lines, as a line cannot see the turn before, so a linear model is asked:
TF-IDF of words and pairs of words, logistic regression, with and without three numbers. They are the share of the turn's content words
that the turn before it has, how many different ones, and how many pairs of neighbours. Folds by likeness; turns of a talk stay together.
"""

from __future__ import annotations

import json
import pathlib
import re
import sys
from typing import NamedTuple

import numpy
from scipy.sparse import csr_matrix, hstack
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, roc_auc_score

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benches/catalogue"))
from likeness import FOLDS, folds  # noqa: E402

STRATEGIES = (
    "self-need other-need no-need elicit-pref promote-coordination vouch-fair uv-part showing-empathy small-talk".split()
)
# Words that every text has say nothing of who takes up whose.
FUNCTION_WORDS = frozenset(
    "the and but for with are was were been its this that these those you she they our your their him her them "
    "does did not from have has had will would can could should what which who how when where why there here just "
    "very too also than then".split()
)


class Turn(NamedTuple):
    """A labelled turn, the one before it, and its talk, if several turns of a talk are labelled."""

    text: str
    before: str
    positive: bool
    talk: str | None


def content_words(text: str) -> list[str]:
    words = re.findall(r"[a-z']+", text.lower())
    return [word for word in words if len(word) > 2 and word not in FUNCTION_WORDS]


def echo(turn: Turn) -> list[float]:
    """How much of a turn is taken over, each from 0 to 1."""
    own, other = content_words(turn.text), set(content_words(turn.before))
    if not own:
        return [0.0, 0.0, 0.0]
    taken = [word for word in own if word in other]
    pairs = sum(a in other and b in other for a, b in zip(own, own[1:]))
    return [len(taken) / len(own), min(len(set(taken)), 6) / 6, min(pairs, 4) / 4]


def items(data: pathlib.Path, name: str) -> list[dict]:
    return [json.loads(line) for line in (data / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def last_turns(data: pathlib.Path, name: str, label: str, positive: str) -> list[Turn]:
    turns = []
    for item in items(data, name):
        *_, before, last = item["interaction"]["segments"]
        turns.append(Turn(last["content"], before["content"], item["labels"][label] == positive, None))
    return turns


def strategy_turns(data: pathlib.Path, strategy: str) -> list[Turn]:
    turns = []
    for item in items(data, "casino"):
        segments = item["interaction"]["segments"]
        for at, labels in enumerate(item["labels"].get("segments") or []):
            if labels is not None:
                before = segments[at - 1]["content"] if at else ""
                turns.append(Turn(segments[at]["content"], before, strategy in labels, item["id"]))
    return turns


def held_out(turns: list[Turn], with_echo: bool) -> numpy.ndarray:
    """The probability of each turn, by a model that was not trained on its fold."""
    talks = [turn.talk for turn in turns]
    fold = numpy.array(folds([turn.text for turn in turns], talks if talks[0] else None))
    labels = numpy.array([turn.positive for turn in turns])
    told = numpy.zeros(len(turns))
    for number in range(FOLDS):
        train, test = numpy.flatnonzero(fold != number), numpy.flatnonzero(fold == number)
        words = TfidfVectorizer(ngram_range=(1, 2), min_df=3, sublinear_tf=True)
        seen = words.fit_transform(turns[at].text for at in train)
        unseen = words.transform(turns[at].text for at in test)
        if with_echo:
            seen = hstack([seen, csr_matrix([echo(turns[at]) for at in train])]).tocsr()
            unseen = hstack([unseen, csr_matrix([echo(turns[at]) for at in test])]).tocsr()
        model = LogisticRegression(C=10, max_iter=2_000, class_weight="balanced")
        told[test] = model.fit(seen, labels[train]).predict_proba(unseen)[:, 1]
    return told


def main() -> None:
    data = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "../shared/data")
    questions = [
        ("ad hominem, the last of three posts", last_turns(data, "adhominem", "outcome", "ad_hominem")),
        ("refusal, the answer", last_turns(data, "refusal", "answer", "full_refusal")),
    ]
    questions += [(f"negotiation, {strategy}", strategy_turns(data, strategy)) for strategy in STRATEGIES]
    print("| turns | number | of the class | macro-F1 | with echo | AUC | with echo |\n|---|---:|---:|---:|---:|---:|---:|")
    gains = []
    for name, turns in questions:
        labels = [turn.positive for turn in turns]
        figures = []
        for told in (held_out(turns, with_echo) for with_echo in (False, True)):
            figures.append((f1_score(labels, told > 0.5, average="macro"), roc_auc_score(labels, told)))
        (f1, auc), (f1_with, auc_with) = figures
        gains.append((f1_with - f1, auc_with - auc))
        cells = f"{f1:.3f} | {f1_with - f1:+.4f} | {auc:.3f} | {auc_with - auc:+.4f}"
        print(f"| {name} | {len(turns):,} | {sum(labels):,} | {cells} |")
    print(f"| mean | | | | {numpy.mean([g for g, _ in gains]):+.4f} | | {numpy.mean([g for _, g in gains]):+.4f} |")


if __name__ == "__main__":
    main()
