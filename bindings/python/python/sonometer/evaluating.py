"""Labelled rows against a target, and protocols fitted to them. Rows come as people have them; the native half computes."""

from __future__ import annotations

import difflib as _difflib
import html as _markup
import json as _json
import os
import re as _re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from . import _sonometer
from ._labelled import Columns, labelled, ordinary, plain
from .errors import InvalidRequestError, WrongTypeError, _kind

__all__ = ["Figure", "FitReport", "Report", "Threshold", "evaluate", "fit"]

# A value, several of them, or a text as the command takes it: "a,b", ">=0.5", "1..3".
_Class = str | bool | int | float | Iterable[str | bool | int | float]
_Progress = Callable[[int, int], object]


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure with its 95 % interval; None where it is not defined."""

    value: float | None
    """The figure itself."""
    low: float | None
    """Where the interval begins."""
    high: float | None
    """Where it ends."""


@dataclass(frozen=True, slots=True)
class Threshold:
    """A threshold that the labels support, and what it would cost: figures of items that it was not chosen on."""

    value: float
    """Positive from here on."""
    low: float
    """The lowest threshold that parts of the data choose. The wider the range, the less the labels settle."""
    high: float
    """The highest of these."""
    limit: float | None
    """The share of alarms on ordinary talk that it may cost; None: chosen by the labels alone."""
    precision: float | None
    recall: float | None
    macro_f1: float | None
    alarms: Figure | None
    """Alarms on the background; None without one."""
    right: int
    """How many cases become right that the rule in use has wrong."""
    wrong: int
    """How many become wrong."""


@dataclass(frozen=True, repr=False)
class _Told:
    _json: str
    _text: str = field(compare=False)
    _html: str = field(compare=False)

    def json(self) -> str:
        """One line of JSON: the text that `sonometer … --json` prints."""
        return self._json

    def to_dict(self) -> dict[str, Any]:
        """The JSON as Python's dicts and lists."""
        told: dict[str, Any] = _json.loads(self._json)
        return told

    def __str__(self) -> str:
        return self._text

    def html(self) -> str:
        """A page for browsers with all that was found, such as curves and the worst errors; it needs no network."""
        return self._html

    def _repr_html_(self) -> str:
        # In a frame, so that the page's style stays its own.
        page = _markup.escape(self._html)
        return f'<iframe srcdoc="{page}" sandbox="allow-scripts" style="width:100%;height:40em;border:0"></iframe>'


@dataclass(frozen=True, repr=False)
class Report(_Told):
    """What an evaluation found. `str` gives tables for people, a notebook shows a page with curves and the worst errors.

    >>> import sonometer
    >>> rows = [
    ...     {"text": "Thank you so much for the quick answer, it works again now.", "polite": True},
    ...     {"text": "Nobody has answered my mail for a week, and it still fails.", "polite": False},
    ... ]
    >>> report = sonometer.evaluate("courtesy@1.0", rows, marker="gratitude")
    >>> report.kind, report.figures["f1"].value, report.counts["true_positives"]
    ('whole', 1.0, 1)
    """

    @property
    def kind(self) -> str:
        """What was judged: `whole`, `segments`, `spans`, `choice`, `graded` or `pairs`."""
        return str(self.to_dict()["rule"]["unit"])

    @property
    def label(self) -> str:
        """The label that was compared with."""
        return str(self.to_dict()["data"]["label"])

    @property
    def figures(self) -> dict[str, Figure]:
        """The figures on all cases, by name: `precision`, `recall`, `f1`, `macro_f1`, `auc`, …, or `spearman`, or `accuracy`."""
        return _figures(self.to_dict()["figures"])

    @property
    def covered(self) -> dict[str, Figure]:
        """The same on the cases that held enough to be measured."""
        return _figures(self.to_dict()["covered"])

    @property
    def counts(self) -> dict[str, int]:
        """How many cases ended how; empty for grades."""
        return dict(self.to_dict()["figures"].get("counts", {}))

    @property
    def coverage(self) -> float | None:
        """The share of the cases that held enough to be measured."""
        return _float(self.to_dict()["coverage"])

    @property
    def alarms(self) -> dict[str, Figure]:
        """Alarms on the background: `per_piece`, as long as the items, and `per_talk`; empty without one."""
        return _alarms(self.to_dict())

    @property
    def thresholds(self) -> tuple[Threshold, ...]:
        """Thresholds that the labels support, the one that looks at nothing but them last; empty for places, choices, grades and pairs."""
        return tuple(_threshold(told) for told in self.to_dict().get("thresholds", []))

    @property
    def notes(self) -> tuple[str, ...]:
        """What to know before trusting the figures: which threshold is better, whether labels are too few."""
        return tuple(_sonometer._spelt(note) for note in self.to_dict()["notes"])

    def __repr__(self) -> str:
        return f"<Report: {self.kind}, label {self.label}>"


@dataclass(frozen=True, repr=False)
class FitReport(_Told):
    """What fitting or tuning came to: a protocol, and how good it is. With `language="auto"` and texts of several languages, `languages` has
    a report for each."""

    _protocol: str
    _is_better: bool
    _languages: tuple[tuple[str, tuple[str, str, str, str]], ...] = ()

    @property
    def languages(self) -> dict[str, FitReport]:
        """With `language="auto"`, the reports by language (`"de"`), the one of most items first; else empty."""
        return {code: FitReport(*forms, True) for code, forms in self._languages}

    @property
    def protocol(self) -> str:
        """The text of the protocol file."""
        return self._one()._protocol

    @property
    def is_better(self) -> bool:
        """Whether it is another protocol than before: False where tuning did no better on items that it had not seen."""
        return self._is_better

    @property
    def held_out(self) -> dict[str, float]:
        """The figures on items that were not seen: `precision`, `recall`, `f1`, `macro_f1`, `auc`, `insufficient`; of a choice `macro_f1`,
        `accuracy`, `trigger_macro_f1`, `one_triggered`; of pairs `accuracy`, `longer`, `even_accuracy`, `even_longer`."""
        return {name: float(figure) for name, figure in self._one().to_dict()["held_out"].items()}

    @property
    def training(self) -> dict[str, float]:
        """The figures on all items."""
        return {name: float(figure) for name, figure in self._one().to_dict()["training"].items()}

    @property
    def alarms(self) -> dict[str, Figure]:
        """Alarms on background that was not seen: `per_piece`, as long as the items, and `per_talk`; empty without a background."""
        return _alarms(self._one().to_dict())

    @property
    def thresholds(self) -> tuple[Threshold, ...]:
        """Thresholds for several shares of alarms, the one that looks at nothing but the labels last, as in `Report`; empty where none is
        chosen, as for choices and pairs."""
        return tuple(_threshold(told) for told in self._one().to_dict().get("thresholds") or [])

    def sensor(self) -> _sonometer.Sensor:
        """The protocol made ready."""
        return _sonometer.Sensor.from_source(self.protocol)

    def _one(self) -> FitReport:
        """Itself, unless there are several languages."""
        if self._protocol or not self._languages:
            return self
        codes = ", ".join(code for code, _ in self._languages)
        fix = f'take the report of one, such as `report.languages["{self._languages[0][0]}"]`'
        raise InvalidRequestError(f"the texts are in several languages ({codes}); {fix}", place="languages", fix=fix)

    def __repr__(self) -> str:
        if not self._protocol and self._languages:
            return f"<FitReport: {', '.join(code for code, _ in self._languages)}>"
        name = "macro-F1" if "macro_f1" in self.held_out else "accuracy"
        return f"<FitReport: {name} {self.held_out[name.lower().replace('-', '_')]} on items that were not seen>"


def evaluate(
    target: Any,
    items: Any,
    *,
    label: str | int | None = None,
    text: Columns | None = None,
    id: str | int | None = None,
    positive: _Class | None = None,
    negative: _Class | None = None,
    where: str | Sequence[str] | Mapping[str, _Class] | None = None,
    fold: str | None = None,
    group: str | int | None = None,
    unit: Literal["whole", "segments", "spans"] | None = None,
    marker: str | Sequence[str] | None = None,
    threshold: float | Literal["best"] | None = None,
    lower: bool | None = None,
    map: str | Sequence[str] | Mapping[str, str | Sequence[str]] | None = None,
    offsets: Literal["bytes", "chars", "utf16"] = "chars",
    by: str | None = None,
    errors: int = 5,
    graded: bool = False,
    choice: Literal["highest", "first"] | None = None,
    explain: bool = False,
    background: Any = None,
    alarms: float | None = None,
    progress: _Progress | None = None,
) -> Report:
    """How well a target agrees with what people labelled: figures with intervals, and the worst errors.

    `items`: rows (dicts), a dict of columns, a DataFrame of pandas or Polars, a Table of pyarrow, or the path of a `.jsonl`
    file. `text` names the column of the interactions (default: `interaction`, `text`, `content`, `segments`, or `messages`,
    `contents` or `conversations`, which hold chats as other programs write them; for pairs `interaction_a` and
    `interaction_b`), `id` that of the ids (default: `id`). All other columns are labels, or, where there is a column `labels`
    of dicts, these. Lines of a file are such rows, or what the command reads. Options are those of `sonometer evaluate`;
    `lower=False` is `--higher`.

    `background` is ordinary interactions, without labels, to count false alarms on: texts, interactions, rows, or the path of a
    `.jsonl` file or several; `alarms` the share of them that may be alarms, for which a threshold is proposed.

    `progress` is called with what is done and all there is to do, from 0 again for each kind of work: sensing, comparing texts,
    measuring. Ctrl-C stops the work.

    >>> import sonometer
    >>> columns = {"text": ["Thank you so much, that helped a lot!", "It is broken again, come and mend it."], "polite": [1, 0]}
    >>> sonometer.evaluate("courtesy@1.0", columns, label="polite")
    <Report: whole, label polite>
    >>> sonometer.evaluate("courtesy@1.0", columns, label="polit")
    Traceback (most recent call last):
      ...
    sonometer.errors.InvalidRequestError: no item has the label `polit`; ... did you mean `polite`? (at items)
    """
    asked = {
        "unit": unit,
        "markers": _names(marker, "marker"),
        "threshold": _number(threshold, "threshold"),
        "lower": lower,
        "map": _map(map),
        "offsets": offsets,
        "by": by,
        "errors": errors,
        "graded": graded,
        "choice": choice,
        "explain": explain,
        "alarms": _number(alarms, "alarms"),
    }
    if alarms is not None and background is None:
        fix = "give it, such as background=\"ordinary.jsonl\", or leave `alarms` out"
        raise InvalidRequestError(f"`alarms` is counted on ordinary talk, and `background` is not given; {fix}", place="alarms", fix=fix)
    selection = _selection(label, positive, negative, where, fold, group)
    ready = target if isinstance(target, _sonometer.Target) else _sonometer.load(target)
    _expect_columns(text, id, progress)
    rows = labelled(items, text, id)
    usual = ordinary(background, text)
    with _typed(evaluate, asked | selection | {"marker": marker}):
        told = _sonometer._evaluate(ready, rows, selection, asked, usual, progress)
    return Report(*told)


def fit(
    items: Any,
    *,
    marker: str | None = None,
    choice: str | None = None,
    tune: Any = None,
    weigh: bool = False,
    label: str | int | None = None,
    text: str | None = None,
    id: str | int | None = None,
    positive: _Class | None = None,
    negative: _Class | None = None,
    where: str | Sequence[str] | Mapping[str, _Class] | None = None,
    fold: str | None = None,
    group: str | int | None = None,
    protocol_id: str | None = None,
    version: str | None = None,
    taxonomy: str | None = None,
    language: str | None = None,
    sufficient: float | None = None,
    by: str | None = None,
    turns: bool = False,
    scope: str | None = None,
    words: int = 2,
    prefix: int = 4,
    support: int = 3,
    size: int = 2000,
    repeat: Literal["once", "halve", "all"] = "once",
    regularisation: float | Sequence[float] | None = None,
    balanced: bool = False,
    folds: int = 5,
    aim: Literal["macro-f1", "f1"] = "macro-f1",
    stop_list: str | Iterable[str] | None = None,
    patterns: Any = None,
    names: bool = False,
    digits: bool = False,
    features: Sequence[str] | None = None,
    likeness: bool = True,
    background: Any = None,
    alarms: float | None = None,
    progress: _Progress | None = None,
) -> FitReport:
    """Makes a weighted list from labelled interactions, or tunes a protocol (`tune`) to them.

    `items`, `text`, `id`, `background` and `progress` are as with `evaluate`; options are those of `sonometer fit`. `protocol_id` is
    the id of the new protocol (default: the marker); `stop_list` is `"function-words"` or words, `patterns` a list of further pattern
    lines, or a protocol (path, id of the catalogue, YAML): its lines and lists are chosen from, and the marker is written into it.
    `features` are kinds of lines beside words (`["edges", "negation"]`; `[]` for none, `None` for those of the command).
    `choice` is a label each value of which gets a marker; the one with the highest activation is the choice. Rows of pairs are ranked:
    `held_out` then has `accuracy`, `longer` (of choosing the longer text), and `even_accuracy` and `even_longer` of pairs of nearly the
    same length.
    `language="auto"` recognises the language of each text. If nearly all are in one, the protocol has that one; otherwise
    `report.languages` has a report with a protocol for each.
    `scope` is the turns that the list is asked of at a time: "turn" (the default with `turns`), "3 turns", "last turn",
    "last 3 turns" or "interaction". Texts that are alike stay on one side of every fold; `likeness=False` is `--no-likeness`.

    >>> import sonometer
    >>> names = ["anna", "ben", "carla", "dora", "emil", "finn", "gina", "hugo", "ina", "jan", "kim", "lea"]
    >>> rows = [{"text": f"thanks {name}", "kind": True} for name in names]
    >>> rows += [{"text": f"{name} wants more", "kind": False} for name in names]
    >>> report = sonometer.fit(rows, marker="kindness", label="kind", sufficient=0.1, likeness=False)  # they are all alike
    >>> report.held_out["f1"], "thanks" in report.protocol
    (1.0, True)
    """
    # A text is the name of a protocol, or the protocol; lines come as a list of them.
    lines = patterns is not None and not isinstance(patterns, (str, os.PathLike, Mapping, _sonometer.Sensor))
    wanted = {
        "marker": marker,
        "choice": choice,
        "weigh": weigh,
        "id": protocol_id,
        "version": version,
        "taxonomy": taxonomy,
        "language": language,
        "sufficient": _number(sufficient, "sufficient"),
        "by": by,
        "turns": turns,
        "scope": scope,
        "words": words,
        "prefix": prefix,
        "support": support,
        "size": size,
        "repeat": repeat,
        "regularisation": [regularisation] if isinstance(regularisation, (int, float)) else regularisation,
        "balanced": balanced,
        "folds": folds,
        "aim": aim,
        "stop_list": stop_list if stop_list is None or isinstance(stop_list, str) else "\n".join(_names(stop_list, "stop_list")),
        "patterns": "\n".join(_names(patterns, "patterns")) if lines else None,
        "names": names,
        "digits": digits,
        "features": None if features is None else _names(features, "features"),
        "likeness": likeness,
        "alarms": _number(alarms, "alarms"),
    }
    if scope is not None and tune is not None:
        fix = "remove it, or write `scope` into the protocol"
        raise InvalidRequestError(f"`scope` cannot be given with `tune`; {fix}", place="scope", fix=fix)
    if weigh and tune is None:
        fix = "give the protocol whose weights are to be chosen as `tune`, or leave `weigh` out"
        raise InvalidRequestError(f"`weigh` does nothing without `tune`; {fix}", place="weigh", fix=fix)
    # One word alone is hardly a list; one like the name of the list that is known is a slip.
    if isinstance(stop_list, str) and stop_list != "function-words" and _difflib.get_close_matches(stop_list, ["function-words"], cutoff=0.8):
        fix = "write stop_list=\"function-words\""
        raise InvalidRequestError(f"`stop_list` is {stop_list!r}; {fix}", place="stop_list", fix=fix)
    if marker is None and tune is None and choice is None:
        fix = "give a label for the new marker, such as marker=\"kindness\""
        raise InvalidRequestError(f"`marker` is not given; {fix}", place="marker", fix=fix)
    selection = _selection(label, positive, negative, where, fold, group)
    source = None if tune is None else (_name(tune), tune)
    base = None if patterns is None or lines else (_name(patterns), patterns)
    _expect_columns(text, id, progress)
    rows = labelled(items, text, id)
    usual = ordinary(background, text)
    with _typed(fit, wanted | selection | {"protocol_id": protocol_id}):
        forms, is_better, languages = _sonometer._fit(rows, selection, wanted, source, base, usual, progress)
    return FitReport(*forms, is_better, tuple(languages))


@contextmanager
def _typed(function: Callable[..., Any], given: Mapping[str, Any]) -> Iterator[None]:
    """Options of a wrong type are named as they are called here; the native half names fields of its own."""
    try:
        yield
    except TypeError as error:
        found = _re.fullmatch(r"failed to extract field \w+\.(\w+)", str(error))
        if found is None:
            raise
        name = {"markers": "marker", "id": "protocol_id", "filters": "where"}.get(found[1], found[1])
        value = given.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and "int" in str(function.__annotations__.get(name)):
            what, fix = str(value), "give 0 or more" if value < 0 else "give a smaller number"
        else:
            what, fix = _kind(value), f"its type is {function.__annotations__.get(name)}"
        raise WrongTypeError(f"`{name}` is {what}; {fix}", place=name, fix=fix) from None


def _figures(told: Mapping[str, Any]) -> dict[str, Figure]:
    """Every figure of a block; what is not defined is None in JSON, and so are counts no figures."""
    rest = {"counts", "cases", "items", "pairs"}
    own = ((name, figure or {}) for name, figure in told.items() if name not in rest)
    return {name: Figure(*(_float(figure.get(part)) for part in ("value", "low", "high"))) for name, figure in own}


def _alarms(told: Mapping[str, Any]) -> dict[str, Figure]:
    """The shares of alarms, by what they are counted in."""
    alarms = told.get("alarms") or {}
    return {name: _figures({name: alarms[name]})[name] for name in ("per_piece", "per_talk") if name in alarms}


def _threshold(told: Mapping[str, Any]) -> Threshold:
    low, high = told["range"]
    changed = told.get("changed", {"right": 0, "wrong": 0})
    return Threshold(
        value=float(told["threshold"]),
        low=float(low),
        high=float(high),
        limit=_float(told["limit"]),
        precision=_float(told["precision"]),
        recall=_float(told["recall"]),
        macro_f1=_float(told["macro_f1"]),
        alarms=_figures({"alarms": told["alarms"]})["alarms"] if told["alarms"] else None,
        right=changed["right"],
        wrong=changed["wrong"],
    )


def _float(number: float | None) -> float | None:
    """JSON writes whole numbers without a point."""
    return None if number is None else float(number)


def _name(tune: Any) -> str:
    if isinstance(tune, _sonometer.Target):
        return f"{tune.id}@{tune.version}"
    is_name = isinstance(tune, os.PathLike) or isinstance(tune, str) and "\n" not in tune and not tune.lstrip().startswith("{")
    return str(tune) if is_name else "the protocol"


def _number(value: float | str | None, name: str) -> str | None:
    """A number in decimal digits."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, type) or not hasattr(value, "__float__"):
        raise WrongTypeError(f"`{name}` is {_kind(value)}; give a number", place=name, fix="give a number")
    try:
        return f"{float(value):.6f}"
    except OverflowError:
        fix = "give a number from 0 to 1"
        raise InvalidRequestError(f"`{name}` is larger than a float can be; {fix}", place=name, fix=fix) from None


def _names(names: str | Iterable[str] | None, name: str) -> list[str]:
    if names is None or isinstance(names, str):
        return [] if names is None else [names]
    fix = "give a str or a list of them"
    if not isinstance(names, Iterable):
        raise WrongTypeError(f"`{name}` is {_kind(names)}; {fix}", place=name, fix=fix)
    each = list(names)
    for at, one in enumerate(each):
        if not isinstance(one, str):
            raise WrongTypeError(f"`{name}` has {_kind(one)}; {fix}", place=f"{name}[{at}]", fix=fix)
    return each


def _expect_columns(text: Any, ids: Any, progress: Any) -> None:
    """Refuses names of columns that are no names, and a `progress` that is no function."""
    pair = text if isinstance(text, (tuple, list)) else (text,)
    for name, names, most in (("text", pair, 2), ("id", (ids,), 1)):
        if not 1 <= len(names) <= most or not all(one is None or isinstance(one, (str, int)) for one in names):
            fix = "give the name of a column" + (", or two of them for pairs" if name == "text" else "")
            raise WrongTypeError(f"`{name}` is not the name of a column; {fix}", place=name, fix=fix)
    if not (progress is None or callable(progress)):
        fix = "give a function that takes two numbers: what is done, and all there is to do"
        raise WrongTypeError(f"`progress` is {_kind(progress)}; {fix}", place="progress", fix=fix)


def _class(values: Any, name: str) -> str | None:
    """A class of values as the command takes it."""
    if values is None or isinstance(values, str):
        return values
    written = plain(values)
    each = written if isinstance(written, list) else [written]
    if odd := [one for one in each if not isinstance(one, (str, bool, int, float))]:
        fix = "give a text, a number, True, False, or a list of these"
        raise WrongTypeError(f"`{name}` has {_kind(odd[0])}; {fix}", place=name, fix=fix)
    # A text by itself may be several values or a range; one that stands for something else, such as a day, is that value.
    return _json.dumps([written] if isinstance(written, str) else written)


def _map(entries: str | Sequence[str] | Mapping[str, str | Sequence[str]] | None) -> list[tuple[list[str], list[str]]]:
    if isinstance(entries, Mapping):
        return [([kind], _names(markers, "map")) for kind, markers in entries.items()]
    split = [entry.partition("=") for entry in _names(entries, "map")]
    for kinds, sign, markers in split:
        if not (sign and kinds.strip() and markers.strip()):
            fix = "write a label type and the markers that find it, such as {\"EMAIL\": \"email_address\"}"
            raise InvalidRequestError(f"`map` has an entry without a type or a marker; {fix}", place="map", fix=fix)
    return [([one.strip() for one in kinds.split(",")], [one.strip() for one in markers.split(",")]) for kinds, _, markers in split]


def _selection(
    label: str | int | None,
    positive: _Class | None,
    negative: _Class | None,
    where: str | Sequence[str] | Mapping[str, _Class] | None,
    fold: str | None,
    group: str | int | None,
) -> dict[str, Any]:
    if isinstance(where, Mapping) and (empty := [path for path, values in where.items() if values is None]):
        fix = "give a text, a number, True, False, or a list of these"
        raise WrongTypeError(f"`where` has None for `{empty[0]}`; {fix}", place="where", fix=fix)
    filters = (
        [(path, _class(values, "where")) for path, values in where.items()]
        if isinstance(where, Mapping)
        else [("", condition) for condition in _names(where, "where")]
    )
    return {
        "label": None if label is None else str(label),
        "positive": _class(positive, "positive"),
        "negative": _class(negative, "negative"),
        "filters": filters,
        "fold": fold,
        "group": None if group is None else str(group),
    }
