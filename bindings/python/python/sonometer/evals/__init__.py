"""What a text must come to, as tests and evaluation tools ask it: the same answer each time.

>>> from sonometer.evals import Expectation
>>> wanted = Expectation("courtesy@1.0", at_least=0.5, triggered=["gratitude"], silent=["contempt"])
>>> verdict = wanted.judge("Good morning, thank you so much for your help!")
>>> verdict.passed, verdict.score
(True, 0.544769)
>>> print(Expectation("courtesy@1.0", at_most=0.2).judge("Thank you so much for your help!").reason)
the score of courtesy@1.0 is 0.494769, above 0.2
  gratitude 0.6 "Thank you" at 0–9

What glues this to a tool stands in modules of their own, which import it only when they are used: `pytest_plugin`, `inspect_ai`,
`promptfoo`, `deepeval`, `ragas`, `huggingface`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import lru_cache
from typing import Any

from .._sonometer import Reading, Target, _shown_roles, load
from ..errors import InvalidRequestError, WrongTypeError, _kind

__all__ = ["Expectation", "Verdict", "assert_reading"]

# The pieces of evidence that a reason shows.
_MOST_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Verdict:
    """What an expectation comes to for one interaction."""

    passed: bool
    """Whether all holds."""
    score: float | None
    """The score of the reading; None where there was not enough to measure."""
    reason: str
    """What does not hold, with evidence and places, masked where the target masks; else the score in words."""
    named: Mapping[str, float]
    """The resonance of each metamarker."""
    reading: Reading = field(repr=False)
    """The reading itself."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """What must hold for readings of a target. Bounds include their value."""

    target: str | Target[Any]
    """A target, or the name of one that ships: `courtesy`, `courtesy@2.0`."""
    at_least: float | None = None
    """The least score."""
    at_most: float | None = None
    """The greatest score."""
    triggered: Sequence[str] = ()
    """Metamarkers that must trigger."""
    silent: Sequence[str] = ()
    """Metamarkers that must not."""
    sufficient: bool = True
    """Whether too little to measure is a failure."""

    def __post_init__(self) -> None:
        target = _target(self.target)
        known = [marker.label for marker in target.metamarkers]
        for name in ("triggered", "silent"):
            labels = getattr(self, name)
            if isinstance(labels, str):
                message = f"`{name}` is a str; give a list of metamarkers: {name}=[{labels!r}]"
                raise InvalidRequestError(message, place=name)
            if not isinstance(labels, Iterable):
                raise WrongTypeError(f"`{name}` is {_kind(labels)}; give a list of metamarkers", place=name)
            for at, label in enumerate(labels):
                if label not in known:
                    message = f"{_called(target)} has no metamarker `{label}`; it has {', '.join(known)}"
                    raise InvalidRequestError(message, place=f"{name}[{at}]")
        for name in ("at_least", "at_most"):
            bound = getattr(self, name)
            if bound is not None and (isinstance(bound, bool) or not hasattr(type(bound), "__float__")):
                raise WrongTypeError(f"`{name}` is {_kind(bound)}; give a number from 0 to 1", place=name)
            if bound is not None and not 0 <= bound <= 1:
                raise InvalidRequestError(f"`{name}` is {bound}; scores are from 0 to 1", place=name)
        if not isinstance(self.sufficient, bool):
            raise WrongTypeError(f"`sufficient` is {_kind(self.sufficient)}; give True or False", place="sufficient")

    def judge(self, interaction: Any) -> Verdict:
        """Senses an interaction, in any form that `Target.sense` takes, and says whether it is as expected."""
        target = _target(self.target)
        reading = target.sense(interaction)
        wrong, markers = self._wrong(_called(target), reading)
        if wrong:
            reason = "\n".join([*wrong, *_evidence(reading, markers), *_near(reading, self.triggered)])
        else:
            reason = f"the score of {_called(target)} is {reading.score} ({target.score_meaning})"
        return Verdict(not wrong, reading.score, reason, dict(reading.resonance), reading)

    def _wrong(self, name: str, reading: Reading) -> tuple[list[str], set[str]]:
        """What does not hold, and the metamarkers whose evidence shows why; none stands for all."""
        if not reading.sufficient:
            index = reading.fidelity.index
            fix = "give more text, or `sufficient=False`"
            return ([f"there is too little text to measure: the fidelity for {name} is {index}; {fix}"] if self.sufficient else []), set()
        score, wrong, markers = reading.score, [], set[str]()
        if score is not None and self.at_least is not None and score < self.at_least:
            wrong.append(f"the score of {name} is {score}, below {self.at_least}")
        if score is not None and self.at_most is not None and score > self.at_most:
            wrong.append(f"the score of {name} is {score}, above {self.at_most}")
        is_about_score = bool(wrong)
        for label in self.triggered:
            if label not in reading.triggered:
                wrong.append(f"`{label}` did not trigger: its resonance is {reading.resonance[label]}")
                markers.add(label)
        for label in self.silent:
            if label in reading.triggered:
                wrong.append(f"`{label}` triggered: its resonance is {reading.resonance[label]}")
                markers.add(label)
        return wrong, set() if is_about_score else markers


def assert_reading(interaction: Any, target: str | Target[Any], **expected: Any) -> Reading:
    """Fails with the evidence where an interaction is not as expected (`Expectation` has the names); else gives its reading.

    >>> from sonometer.evals import assert_reading
    >>> assert_reading("Thank you so much for your help!", "courtesy@1.0", at_least=0.4, silent=["contempt"]).triggered
    ('gratitude',)
    """
    __tracebackhide__ = True
    verdict = expectation(target, expected).judge(interaction)
    if not verdict.passed:
        raise AssertionError(verdict.reason)
    return verdict.reading


def expectation(target: str | Target[Any], expected: Mapping[str, Any]) -> Expectation:
    """An expectation by its names, as a program gives them."""
    names = [one.name for one in fields(Expectation) if one.name != "target"]
    if unknown := [name for name in expected if name not in names]:
        fix = f"what can be expected is {', '.join(names)}"
        raise InvalidRequestError(f"unknown expectation `{unknown[0]}`; {fix}", place=unknown[0], fix=fix)
    return Expectation(target, **expected)


@lru_cache(maxsize=64)
def _loaded(name: str) -> Target[Any]:
    return load(name)


def _target(target: str | Target[Any]) -> Target[Any]:
    found = _loaded(target) if isinstance(target, str) else target
    if not isinstance(found, Target):
        fix = "give one, or the name of what ships"
        raise WrongTypeError(f"{_kind(found)} is no target; {fix}", place="target", fix=fix)
    return found


def _called(target: Target[Any]) -> str:
    return f"{target.id}@{target.version}"


def _evidence(reading: Reading, markers: set[str]) -> list[str]:
    """Evidence as lines: of these metamarkers, or of all."""
    found = [piece for piece in reading.evidence if not markers or piece.metamarker in markers]
    # A role that has a text in it that is masked has a number.
    roles = dict(_shown_roles(reading))
    lines = []
    for piece in found[:_MOST_SHOWN]:
        turn = "" if piece.role is None else f"turn {piece.segment} ({roles.get(piece.role, piece.role)}), "
        # JSON's quotes keep a line one line, whatever a text holds.
        source = json_text(piece.source)
        lines.append(f"  {piece.metamarker} {piece.score} {source} at {turn}{piece.start}–{piece.end}")
    if len(found) > _MOST_SHOWN:
        lines.append(f"  and {len(found) - _MOST_SHOWN} more pieces of evidence")
    return lines


def _near(reading: Reading, wanted: Sequence[str]) -> list[str]:
    """What metamarkers that had to trigger lack, as the engine tells it."""
    weak = [signal for signal in reading.weak_signals if signal.metamarker in wanted]
    return [f"  {signal.metamarker} came near ({signal.proximity}): {signal.hint}" for signal in weak[:_MOST_SHOWN]]


def json_text(text: str) -> str:
    """A text in quotes, with marks that would break a line or turn it around written out."""
    quoted = json.dumps(text, ensure_ascii=False)
    return "".join(mark if mark.isprintable() else f"\\u{ord(mark):04x}" for mark in quoted)
