"""Every labelled question of the shipped protocols: the protocol, a short list of key words, a library of the field, a linear model.

usage: table.py [DATA]      (the folder of the labelled data, ../shared/data without it)

`benches/catalogue/run` makes the environment. The protocol is asked by `sonometer evaluate`, so its figures are those of the cards. The linear
model (TF-IDF of words and pairs of words, logistic regression) is trained and asked on folds by likeness: items that share half of their runs
of three words stay in one fold. Key words and libraries have nothing to learn. Sets and packages that are not there are skipped with a notice.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import logging
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from typing import Callable

import numpy
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import f1_score, roc_auc_score
from scipy.stats import spearmanr

from likeness import FOLDS, folds

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMAND = os.environ.get("SONOMETER", str(ROOT / "target/release/sonometer"))
DATA = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "../shared/data"

HEAD = [
    "protocol",
    "question",
    "figure",
    "items",
    "protocol, all items",
    "items not read",
    "key words",
    "library",
    "linear model, by likeness",
]

POLITE = "please, thank, thanks, sorry, could you, would you, would it be possible, appreciate, grateful, kindly, excuse me, great"
GLAD = (
    "thank, thanks, love, great, good, awesome, amazing, nice, happy, glad, best, beautiful, congrats, lol, haha, hope, fun, proud, enjoy, "
    "perfect, wow, cool, excellent, cute"
)
CROSS = (
    "hate, sad, sorry, bad, worst, terrible, angry, stupid, awful, disgusting, fuck, shit, wrong, afraid, scared, annoying, ugly, cry, hurt, "
    "disappointed, worried, embarrassed, damn, gross"
)
PRESSED = "only, left, hurry, limited, last chance, today, sale, deal, no thanks, bought, viewing, in stock, ends, now, popular, customers, in cart"
REFUSES = "sorry, cannot, can't, unable, as an ai, not able to, i won't, not appropriate, i must, against, illegal, cannot provide"
INJECTS = "ignore, forget, previous, instructions, above, prompt, pretend, vergiss, ignoriere, anweisungen, act as, password, spell check"
ABUSES = "stupid, idiot, ignorant, moron, troll, liar, lying, fuck, bullshit, shut up, pathetic, asshole, you are a, grow up, retarded, delusional"
HATE = "hate,hate_them,group_threat,slur"
REASONS = "because, therefore, for example, however, evidence, since, thus, reason, first, studies, research, result, although, according"


def last(item: dict, role: str | None = None) -> str:
    """What is said last (by this role)."""
    told = item["interaction"]
    if "content" in told:
        return told["content"]
    turns = [turn["content"] for turn in told["segments"] if role is None or turn.get("role") == role]
    return turns[-1] if turns else ""


def whole(item: dict) -> str:
    told = item["interaction"]
    return told["content"] if "content" in told else "\n".join(turn["content"] for turn in told["segments"])


@dataclass
class Row:
    """A yes-or-no question about whole items."""

    protocol: str
    question: str
    file: str
    options: list[str]
    truth: Callable[[dict], bool | None]  # None: the item is left out
    words: str = ""
    figure: str = "macro_f1"
    text: Callable[[dict], str] = whole
    unread: str = ""  # the rule of `is_unread` that finds the items nobody read; empty: all were read
    library: Callable[[list[str]], list[float]] | None = None  # a number a text; above 0.05 is a yes
    where: Callable[[dict], bool] = field(default=lambda _: True)


# --- The sentiment of VADER and the detectors of presidio, where they are installed.


def vader(sign: int) -> Callable[[list[str]], list[float]] | None:
    try:
        analyzer = importlib.import_module("vaderSentiment.vaderSentiment").SentimentIntensityAnalyzer()
    except ImportError:
        print("skipped: vaderSentiment (not installed)", file=sys.stderr)
        return None
    return lambda texts: [sign * analyzer.polarity_scores(text)["compound"] for text in texts]


PRESIDIO = {
    "CreditCardRecognizer": "CREDIT_CARD",
    "IbanRecognizer": "IBAN_CODE",
    "UsSsnRecognizer": "US_SSN",
    "UsLicenseRecognizer": "US_DRIVER_LICENSE",
    "EmailRecognizer": "EMAIL_ADDRESS",
    "PhoneRecognizer": "PHONE_NUMBER",
    "IpRecognizer": "IP_ADDRESS",
    "UrlRecognizer": "DOMAIN_NAME",
}
MAPPED = [
    "CREDIT_CARD=payment_card,card_security_code",
    "IBAN_CODE=bank_account",
    "US_SSN=social_security_number",
    "US_DRIVER_LICENSE=driver_license",
    "EMAIL_ADDRESS=email_address",
    "PHONE_NUMBER=phone_number",
    "IP_ADDRESS=ip_address",
    "DOMAIN_NAME=web_address",
]


def presidio_overlap(items: list[dict]) -> float | None:
    """F1 of places that overlap, of the eight types that both find by their form; presidio's patterns alone, without a model."""
    try:
        module = importlib.import_module("presidio_analyzer.predefined_recognizers")
    except ImportError:
        print("skipped: presidio-analyzer (not installed)", file=sys.stderr)
        return None
    recognizers = [(getattr(module, name)(), kind) for name, kind in PRESIDIO.items()]
    right = found = labelled = reached = 0
    for item in items:
        text = item["interaction"]["content"]
        truth = [(s["start"], s["end"], s["type"]) for s in item["labels"]["spans"] if s["type"] in PRESIDIO.values()]
        said = []
        for recognizer, kind in recognizers:
            said += [
                (r.start, r.end, kind)
                for r in recognizer.analyze(text, recognizer.supported_entities, None) or []
                if r.score >= 0.4
            ]
        alike = lambda a, b: a[2] == b[2] and a[0] < b[1] and b[0] < a[1]
        right += sum(any(alike(s, t) for t in truth) for s in said)
        reached += sum(any(alike(t, s) for s in said) for t in truth)
        found += len(said)
        labelled += len(truth)
    precision, recall = right / max(found, 1), reached / max(labelled, 1)
    return 2 * precision * recall / (precision + recall)


# --- Items that nobody read while the protocol was written: the same rules as in the cards.


def fnv(text: str) -> int:
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = ((value ^ byte) * 0x100000001B3) % 2**64
    return value


def template(item: dict) -> str:
    text, at, out = item["interaction"].get("content", ""), 0, ""
    for start, end, kind in sorted((s["start"], s["end"], s["type"]) for s in item["labels"].get("spans", [])):
        out += text[at:start] + "{" + kind + "}"
        at = end
    return (out + text[at:]).lower()


def is_unread(rule: str, item: dict) -> bool:
    sha = lambda text: hashlib.sha256(text.encode()).digest()
    match rule:
        case "sha":
            return sha(item["id"])[0] % 2 == 1
        case "template":
            return all(byte % 2 == 1 for byte in sha(template(item))[:2])
        case "quarters":
            return fnv(item["id"]) % 4 == 3
        case "questions":
            return fnv(item["interaction"]["segments"][0]["content"]) % 4 == 3
    return False


def features(train: list[str]) -> TfidfVectorizer:
    # Languages without spaces have no words for the pattern: runs of characters serve all.
    spaced = sum(text.count(" ") for text in train) > sum(len(text) for text in train) / 20
    vectorizer = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True) if spaced else TfidfVectorizer(analyzer="char", ngram_range=(1, 3), sublinear_tf=True)
    return vectorizer.fit(train)


def linear(texts: list[str], truths: list[bool], parts: list[int]) -> tuple[float, float]:
    """Macro-F1 and AUC of held-out predictions."""
    said, truth = numpy.zeros(len(texts)), numpy.array(truths)
    for fold in range(FOLDS):
        train = [n for n in range(len(texts)) if parts[n] != fold]
        test = [n for n in range(len(texts)) if parts[n] == fold]
        if not test:
            continue
        vectorizer = features([texts[n] for n in train])
        model = LogisticRegression(C=10, class_weight="balanced", max_iter=1000)
        model.fit(vectorizer.transform([texts[n] for n in train]), truth[train])
        said[test] = model.predict_proba(vectorizer.transform([texts[n] for n in test]))[:, 1]
    return f1_score(truth, said >= 0.5, average="macro"), roc_auc_score(truth, said)


# --- Sonometer and the table.


def asked(protocol: str, file: pathlib.Path, options: list[str]) -> dict | None:
    done = subprocess.run([COMMAND, "evaluate", protocol, str(file), *options, "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        print(f"skipped: {protocol}: {done.stderr.strip()}", file=sys.stderr)
        return None
    return json.loads(done.stdout)["figures"]


def load(name: str) -> list[dict]:
    path = DATA / f"{name}.jsonl"
    if not path.exists():
        print(f"skipped: {name}.jsonl (not there)", file=sys.stderr)
        return []
    return [json.loads(line) for line in path.read_text().splitlines()]


def key_words(texts: list[str], words: str) -> list[float]:
    find = re.compile("|".join(rf"\b{re.escape(word.strip())}\b" for word in words.split(",")), re.IGNORECASE)
    return [float(len(find.findall(text))) for text in texts]


def told(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def show(*cells: str) -> None:
    print("| " + " | ".join(cells) + " |", flush=True)


def ours(row: Row, items: list[dict], path: pathlib.Path) -> list[float | None]:
    figures = []
    for chosen in (items, [item for item in items if is_unread(row.unread, item)]):
        path.write_text("".join(json.dumps(item) + "\n" for item in chosen))
        report = asked(row.protocol, path, row.options) if chosen else None
        figures.append(report[row.figure]["value"] if report else None)
    return figures


def yes_or_no(row: Row, path: pathlib.Path) -> None:
    items = [item for item in load(row.file) if row.truth(item) is not None and row.where(item)]
    if not items:
        return
    all_items, unread = ours(row, items, path)
    if all_items is None:
        return
    texts, truths = [row.text(item) for item in items], [bool(row.truth(item)) for item in items]
    scored = lambda numbers, above: (
        f1_score(truths, [number > above for number in numbers], average="macro"),
        roc_auc_score(truths, numbers),
    )
    at = ("macro_f1", "auc").index(row.figure)
    words = scored(key_words(texts, row.words), 0)[at] if row.words else None
    library = scored(row.library(texts), 0.05)[at] if row.library else None
    model = linear(texts, truths, folds(texts))[at]
    name = {"macro_f1": "macro-F1", "auc": "AUC"}[row.figure]
    show(row.protocol, row.question, name, f"{len(items):,}", *map(told, (all_items, unread, words, library, model)))


def one_of(values: set, label: str) -> Callable[[dict], bool]:
    def truth(item: dict) -> bool:
        value = item["labels"][label]
        return bool(values & set(value)) if isinstance(value, list) else value in values

    return truth


def feeling(question: str, marker: str, emotions: str, words: str, sign: int) -> Row:
    options = ["--marker", marker, "--label", "emotions", "--positive", emotions]
    library = vader(sign)
    return Row("affect", question, "goemotions", options, one_of(set(emotions.split(",")), "emotions"), words, library=library)


POSITIVE = "admiration,amusement,approval,caring,desire,excitement,gratitude,joy,love,optimism,pride,relief"
NEGATIVE = "anger,annoyance,disappointment,disapproval,disgust,embarrassment,fear,grief,nervousness,remorse,sadness"


def rows() -> list[Row]:
    quartile = lambda item: {"polite": True, "impolite": False}.get(item["labels"]["quartile"])
    quarters = ["--label", "quartile", "--positive", "polite", "--negative", "impolite"]
    refused = one_of({"full_refusal", "partial_refusal"}, "answer")
    label = lambda name: lambda item: bool(item["labels"][name])
    attack = ["--label", "outcome", "--positive", "ad_hominem"]
    abuse = lambda language: "abuse" if language == "en" else f"abuse-{language}"
    mixed = [
        Row(abuse(code), f"hate ({code})", "hatecheck_ml", ["--label", "hateful", "--marker", HATE], label("hateful"),
            unread="" if code in ("de", "zh") else "quarters",
            where=lambda item, code=code: item["labels"]["lang"] == code)
        for code in ("de", "es", "fr", "it", "pt", "zh")
    ]  # fmt: skip
    return [
        feeling("positive comments", "positive", POSITIVE, GLAD, 1),
        feeling("negative comments", "negative", NEGATIVE, CROSS, -1),
        Row("courtesy", "polite and impolite quarter, order", "politeness", quarters, quartile, POLITE, "auc", library=vader(1)),
        Row("courtesy", "the same, as a decision", "politeness", quarters, quartile, POLITE, library=vader(1)),
        Row("pressure-tactics", "dark patterns of shop pages", "darkpattern", ["--label", "dark"], label("dark"), PRESSED),
        Row("prompt-attack", "injections", "injection", ["--label", "injection"], label("injection"), INJECTS, unread="quarters"),
        Row("refusal", "refused in full or in part", "refusal",
            ["--label", "answer", "--positive", "full_refusal,partial_refusal"], refused, REFUSES,
            text=lambda item: last(item, "assistant"), unread="questions"),
        Row("personal-attack", "attacks in the last post", "adhominem", attack, one_of({"ad_hominem"}, "outcome"), ABUSES, text=last),
        Row("personal-attack", "the same, order", "adhominem", attack, one_of({"ad_hominem"}, "outcome"), ABUSES, "auc", text=last),
        Row("abuse", "hate (en)", "hatecheck", ["--label", "hateful", "--marker", HATE], label("hateful"), ABUSES, library=vader(-1)),
        *mixed,
        Row("abuse-de", "offences (de)", "offense_de", ["--label", "offensive"], label("offensive")),
        Row("abuse-zh", "offences (zh)", "offense_zh", ["--label", "offensive"], label("offensive")),
    ]  # fmt: skip


MOVES = {
    "small_talk": "small-talk",
    "self_need": "self-need",
    "other_need": "other-need",
    "no_need": "no-need",
    "elicit_preference": "elicit-pref",
    "coordination": "promote-coordination",
    "fairness": "vouch-fair",
    "empathy": "showing-empathy",
    "undervalue": "uv-part",
}


def negotiation(path: pathlib.Path) -> None:
    """The mean of nine moves of a turn; talks stay in one fold."""
    talks = load("casino")
    if not talks:
        return
    turns = [
        (turn["content"], set(said if isinstance(said, list) else [said]), talk["id"])
        for talk in talks
        for turn, said in zip(talk["interaction"]["segments"], talk["labels"].get("segments") or [])
        if said is not None
    ]
    texts, groups = [turn[0] for turn in turns], [turn[2] for turn in turns]
    parts, found, unread, model = folds(texts, groups), [], [], []
    for marker, move in MOVES.items():
        options = ["--marker", marker, "--label", "segments", "--positive", move]
        row = Row("negotiation", "", "casino", options, lambda _: True, unread="sha")
        whole_set, other = ours(row, talks, path)
        found.append(whole_set)
        unread.append(other)
        model.append(linear(texts, [move in turn[1] for turn in turns], parts)[0])
    mean = lambda figures: sum(figures) / len(figures)
    show("negotiation", "nine moves of a turn, mean", "macro-F1", f"{len(turns):,}", told(mean(found)), told(mean(unread)), "-", "-", told(mean(model)))


def uptake(path: pathlib.Path) -> None:
    items = [item for item in load("uptake") if item["labels"].get("uptake_z") is not None]
    if not items:
        return
    row = Row("uptake", "", "uptake", ["--label", "uptake_z", "--graded"], lambda _: True, figure="spearman", unread="sha")
    all_items, unread = ours(row, items, path)
    words = lambda text: set(re.findall(r"\w+", text.lower()))
    turns = [[turn["content"] for turn in item["interaction"]["segments"]] for item in items]
    shared = [len(words(own) & words(other)) for own, other in turns]
    truth = numpy.array([item["labels"]["uptake_z"] for item in items])
    texts, said = [pair[1] for pair in turns], numpy.zeros(len(items))
    parts = numpy.array(folds(texts))
    for fold in range(FOLDS):
        train, test = numpy.flatnonzero(parts != fold), numpy.flatnonzero(parts == fold)
        vectorizer = features([texts[n] for n in train])
        model = Ridge(alpha=1.0).fit(vectorizer.transform([texts[n] for n in train]), truth[train])
        said[test] = model.predict(vectorizer.transform([texts[n] for n in test]))
    order = lambda numbers: spearmanr(numbers, truth).statistic
    show("uptake", "how far a teacher builds on a student (key words: words that both say)", "Spearman", f"{len(items):,}",
         *map(told, (all_items, unread, order(shared), None, order(said))))  # fmt: skip


def personal_data(path: pathlib.Path) -> None:
    items = load("pii")
    if not items:
        return
    figures = []
    for chosen in (items, [item for item in items if is_unread("template", item)]):
        # A type that no item has is an error of `evaluate`.
        types = {kind for item in chosen for kind in item["labels"]["types"]}
        pairs = [pair for pair in MAPPED if pair.split("=")[0] in types]
        options = ["--label", "spans", "--unit", "spans"] + [part for pair in pairs for part in ("--map", pair)]
        path.write_text("".join(json.dumps(item) + "\n" for item in chosen))
        report = asked("personal-data", path, options)
        figures.append(report["f1"]["value"] if report else None)
    show("personal-data", "places of eight types with a form (library: presidio's patterns)", "F1, overlap", f"{len(items):,}",
         *map(told, (*figures, None, presidio_overlap(items), None)))  # fmt: skip


def names(path: pathlib.Path) -> None:
    items = load("pii")
    if not items:
        return
    options = ["--label", "spans", "--unit", "spans", "--map", "PERSON=person,introduced_person,person_in_small_letters"]
    row = Row("names-and-places", "", "pii", options, lambda _: True, figure="f1", unread="template")
    show("names-and-places", "persons", "F1, overlap", f"{len(items):,}", *map(told, (*ours(row, items, path), None, None, None)))


def argument(path: pathlib.Path) -> None:
    """Pairs of arguments: which convinces more. The model learns from the difference of two arguments; topics stay in one fold."""
    items = load("convarg")
    row = Row("argument", "", "convarg", ["--label", "more_convincing"], lambda _: True, figure="accuracy")
    all_items, unread = ours(row, items, path) if items else (None, None)
    if all_items is None:
        return
    sides = [[item[f"interaction_{side}"]["content"] for side in "ab"] for item in items]
    truth = numpy.array([item["labels"]["more_convincing"] == "a" for item in items])
    accuracy = lambda difference: float(numpy.mean(numpy.where(difference == 0, 0.5, (difference > 0) == truth)))
    by_words = numpy.array([a - b for a, b in (key_words(pair, REASONS) for pair in sides)])
    by_length = numpy.array([len(a) - len(b) for a, b in sides])
    parts = numpy.array(folds([a for a, _ in sides], [item["labels"]["topic"] for item in items]))
    said = numpy.zeros(len(items))
    for fold in range(FOLDS):
        train, test = numpy.flatnonzero(parts != fold), numpy.flatnonzero(parts == fold)
        if not len(test):
            continue
        vectorizer = features([text for n in train for text in sides[n]])
        change = lambda chosen: vectorizer.transform([sides[n][0] for n in chosen]) - vectorizer.transform([sides[n][1] for n in chosen])
        model = LogisticRegression(C=1, max_iter=1000).fit(change(train), truth[train])
        said[test] = model.decision_function(change(test))
    show("argument", "which of two convinces more (library: the longer one)", "accuracy", f"{len(items):,}",
         *map(told, (all_items, unread, accuracy(by_words), accuracy(by_length), accuracy(said))))  # fmt: skip


def main() -> None:
    show(*HEAD)
    print("|---|---|---" + "|---:" * (len(HEAD) - 3) + "|", flush=True)
    # A library of presidio asks the network for a list of domains, and takes its own copy where there is none.
    logging.disable(logging.ERROR)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "items.jsonl"
        for row in rows():
            yes_or_no(row, path)
        for table in (negotiation, uptake, personal_data, names, argument):
            table(path)


if __name__ == "__main__":
    main()
