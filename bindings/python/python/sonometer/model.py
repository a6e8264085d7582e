"""The parts of readings: frozen, comparable, and hashable where all they hold is.

Numbers are the engine's millionths as floats; places are code points, as Python counts.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias

__all__ = [
    "ActantFlow",
    "CatalogEntry",
    "ComparisonSide",
    "Counts",
    "Diagnostic",
    "Estimate",
    "Event",
    "Evidence",
    "EvidenceFound",
    "Fidelity",
    "FidelityChanged",
    "Ics",
    "Ledger",
    "LedgerMarker",
    "LedgerMatch",
    "LedgerScope",
    "Level",
    "Marker",
    "MarkerFlow",
    "Masked",
    "Metamarker",
    "Part",
    "Place",
    "Released",
    "ResonanceChanged",
    "Segment",
    "Shift",
    "Side",
    "Signal",
    "Step",
    "Stretch",
    "Temporal",
    "Unheard",
    "WeakSignal",
]


class Segment(NamedTuple):
    """One turn of an interaction."""

    role: str | None
    """Who speaks; None for a plain text."""
    content: str
    """What is said."""
    timestamp: float | None = None
    """When, in seconds from any origin."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of one segment."""

    segment: int
    """The segment, from 0."""
    start: int
    """The first code point of its content."""
    end: int
    """One past the last."""


class Evidence(NamedTuple):
    """A match that adds to its metamarker, or takes away from it."""

    metamarker: str
    """The key of the metamarker."""
    score: float
    """What it adds to its metamarker, above 0, at most 1; below 0 in `against`."""
    source: str
    """The matched text, masked where the protocol says so; that of several segments joined by line breaks."""
    segment: int
    """The segment it is in, from 0."""
    start: int
    """The first code point of the segment's content."""
    end: int
    """One past the last."""
    role: str | None
    """Who said it, as the interaction writes it; None for a plain text."""
    actant: str | None
    """The protocol's name for that role; None for a plain text."""
    joined: tuple[Stretch, ...]
    """Where it goes on in later segments."""


@dataclass(frozen=True, slots=True)
class Metamarker:
    """What a metamarker came to."""

    label: str
    """Its key."""
    resonance: float
    """Its activation, 0 to 1."""
    evidence: float
    """The evidence behind it, at least 0."""
    triggered: bool
    """Whether the activation reaches the trigger."""


@dataclass(frozen=True, slots=True)
class WeakSignal:
    """Something that a metamarker which did not trigger has found, or nearly found."""

    metamarker: str
    """Its key."""
    proximity: float
    """How near it came, 0 to 0.99."""
    hint: str
    """What was missing, for people."""
    kind: str
    """The same for programs: `more`, `role`, `negated`, `gap` and so on."""
    found: Evidence | None
    """The match behind it, with what it adds to its metamarker or would have added; None where there is no such match."""


@dataclass(frozen=True, slots=True)
class Fidelity:
    """How far a reading can be trusted."""

    index: float
    """Density times clarity, 0 to 1."""
    sufficient: bool
    """Whether the index reaches what the protocol asks for."""
    density: float
    """The least satisfied need: words, turns, words of a role; 0 to 1."""
    clarity: float
    """The readable share of the words, damped where they are of another language; 0 to 1."""
    roles_asked: tuple[str, ...] = ()
    """The roles that metamarkers ask for, if no segment has one of them; else empty."""
    roles_seen: tuple[str, ...] = ()
    """The roles of the segments then, at most ten."""


@dataclass(frozen=True, slots=True)
class Unheard:
    """A metamarker that needs a role that no segment has."""

    metamarker: str
    """Its key."""
    roles: tuple[str, ...]
    """The roles that it asks for and that no segment has."""


@dataclass(frozen=True, slots=True)
class Ics:
    """What a reading consumed."""

    consumed: int
    """Triggered metamarkers."""
    cost_usd: float
    """That times the price, in US dollars."""
    sgm_version: str | None = None
    """The model iteration; None for comparisons."""
    markers: tuple[str, ...] = ()
    """The keys of the metamarkers that were counted; empty for comparisons."""


@dataclass(frozen=True, slots=True)
class Signal:
    """How evidence is spread (SGM 1.5)."""

    spread: float
    """From 0 (one metamarker has all the evidence) to 1 (all have the same)."""
    coherence: float
    """From 0 (no two following segments of a speaker share a metamarker) to 1 (they are all alike)."""
    dominant_mode: str | None
    """The metamarker that weighs most; None where none resonates."""


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a conversation."""

    role: str | None
    """The protocol's name of the role; None: there is none, or it is everybody but the primary."""
    words: int
    """Words said."""
    weighted: float
    """Evidence times weight of all metamarkers."""


@dataclass(frozen=True, slots=True)
class MarkerFlow:
    """What one metamarker does on each side."""

    label: str
    """Its key."""
    evidence: tuple[float, float]
    """Its evidence on the primary and on the secondary side."""
    leads: tuple[int, int]
    """How often the primary side began it and the other took it up, and the reverse."""


@dataclass(frozen=True, slots=True)
class ActantFlow:
    """Which side of a conversation carries which metamarker (SGM 1.5)."""

    primary_driven: tuple[str, ...]
    """Metamarkers of which the primary side has at least twice the evidence per word."""
    secondary_driven: tuple[str, ...]
    """Metamarkers of which the secondary side has."""
    direction: Literal["primary_to_secondary", "secondary_to_primary", "mutual", "none"]
    """Who takes up what the other began."""
    balance: float
    """1: both sides have the same weighted evidence per word; 0: all is on one side, or there is none."""
    primary: Side
    """The primary side."""
    secondary: Side
    """The secondary side."""
    markers: tuple[MarkerFlow, ...]
    """The metamarkers with evidence on a side."""


@dataclass(frozen=True, slots=True)
class Level:
    """A window of an interaction and its level."""

    segment: int
    """The earliest segment in it, from 0."""
    segments: int
    """How many it contains."""
    level: float
    """Its level, 0 to 1."""


@dataclass(frozen=True, slots=True)
class Temporal:
    """How the level of an interaction develops (SGM 1.5)."""

    trend: str
    """Which way it goes."""
    phase_shifts: int
    """How often it changes for good."""
    window: str
    """The length of a window, as it was used: `60 seconds`, `4 turns`."""
    levels: tuple[Level, ...]
    """The windows that have a segment, in order."""


class Place(NamedTuple):
    """A place in an interaction that still comes in."""

    segment: int
    """The segment, from 0; the one behind the last where everything before it is complete."""
    offset: int
    """How far into its content, in the unit of the session."""


class Released(NamedTuple):
    """Text of one segment, as it may be shown."""

    segment: int
    """The segment, from 0."""
    text: str
    """The next part of its content."""


@dataclass(frozen=True, slots=True)
class EvidenceFound:
    """A piece of evidence. It is that of the reading at the end, unless the content turns out to be insufficient there."""

    event: ClassVar[Literal["evidence"]] = "evidence"
    metamarker: str
    """The key of the metamarker."""
    score: float
    """What it adds to its metamarker, above 0, at most 1."""
    source: str
    """The text, masked where the protocol says so."""
    segment: int
    """The segment it is in."""
    start: int
    """Where it begins, in the unit of the session."""
    end: int
    """Where it ends."""
    joined: tuple[Stretch, ...]
    """Where it goes on in later segments."""


@dataclass(frozen=True, slots=True)
class Masked:
    """A stretch that must be masked. It is reported regardless of fidelity."""

    event: ClassVar[Literal["mask"]] = "mask"
    segment: int
    """The segment it is in."""
    start: int
    """Where it begins, in the unit of the session."""
    end: int
    """Where it ends."""
    shown: str
    """What is shown in its place, of the same length in characters."""


@dataclass(frozen=True, slots=True)
class ResonanceChanged:
    """The resonance of a metamarker by the evidence reported so far."""

    event: ClassVar[Literal["resonance"]] = "resonance"
    metamarker: str
    """Its key."""
    score: float
    """Its activation, 0 to 1."""


@dataclass(frozen=True, slots=True)
class FidelityChanged:
    """Whether what came in so far is sufficient."""

    event: ClassVar[Literal["fidelity"]] = "fidelity"
    index: float
    """Density times clarity, 0 to 1."""
    sufficient: bool
    """Whether the index reaches what the protocol asks for."""
    density: float
    """The least satisfied need."""
    clarity: float
    """The readable share of the words."""


Event: TypeAlias = EvidenceFound | Masked | ResonanceChanged | FidelityChanged
"""What a session can tell; `event` says which it is."""


@dataclass(frozen=True, slots=True)
class Step:
    """What a push brought to light."""

    settled_to: Place
    """Everything before this place is settled: no evidence and no mask there can change any more. It never goes back."""
    released_to: Place
    """Text before this place may be shown with the masks reported so far. With `release` it runs ahead of `settled_to`, as soon
    as no masked pattern can reach the text any more; without, the two are the same. It never goes back."""
    events: tuple[Event, ...]
    """What is new, in the order of the text; resonances and fidelity come last."""
    released: tuple[Released, ...]
    """The text up to `released_to` that is new, masked, if the session releases it."""
    _json: str = field(repr=False)

    def json(self) -> str:
        """The canonical JSON."""
        return self._json

    def to_dict(self) -> dict[str, Any]:
        """The JSON as Python's dicts and lists."""
        read: dict[str, Any] = json.loads(self._json)
        return read


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a metric or blueprint with its own score."""

    kind: Literal["protocol", "metric"]
    """What it is."""
    id: str
    """Its id."""
    version: str
    """The version that is used."""
    weight: float
    """The weight of its score."""
    complement: bool
    """Whether what its score lacks to 1 is averaged."""
    score: float | None
    """Its score; None when the content is insufficient."""


@dataclass(frozen=True, slots=True)
class LedgerMatch:
    """One match of one line, and why it counts or not."""

    list: str
    """The list of the metamarker that contains the line."""
    line: str
    """The pattern line as written."""
    strength: float
    """What this match is worth."""
    segment: int
    """The segment, from 0."""
    start: int
    """The first code point of its content."""
    end: int
    """One past the last."""
    joined: tuple[Stretch, ...]
    """Where it goes on in later segments."""
    unfolded: bool
    """Whether it was found in the text with disguises undone."""
    source: str
    """The matched text, masked where the protocol says so."""
    contribution: float
    """What it added."""
    failed: tuple[str, ...]
    """The conditions it failed, such as `negated`; empty if it counts."""
    lacks: tuple[str, ...]
    """What it lacks for its full strength: `pair`, `echo`."""


class LedgerScope(NamedTuple):
    """How a metamarker with `scope` was asked: of each stretch of turns by itself, and the strongest counts."""

    of: str
    """The scope, such as `turn`."""
    turns: tuple[int, ...]
    """The turns that it is asked of, from 0."""
    stretches: int
    """How many stretches they make."""
    held: int
    """In how many of these it reaches the trigger."""
    strongest: tuple[int, int] | None
    """The first and the last turn of the strongest; None if no turn is asked."""


@dataclass(frozen=True, slots=True)
class LedgerMarker:
    """How one metamarker came to its activation."""

    label: str
    """Its label."""
    weight: int
    """Its weight in the score."""
    pole: Literal["for", "against"]
    """Its side in the score."""
    repeat: Literal["halve", "once", "all"]
    """How repeated uses of a line count."""
    bias: float
    """Added to the contributions."""
    per_words: int | None
    """Evidence per so many words, if so."""
    share_full: float | None
    """The rate that counts as 1, if the activation is a rate of turns."""
    scope: LedgerScope | None
    """How a metamarker with `scope` was asked."""
    evidence: float
    """The evidence, at least 0."""
    half: float
    """How fast the activation saturates."""
    activation: float
    """The activation, 0 to 1."""
    trigger: float
    """The activation from which it is triggered."""
    triggered: bool
    """Whether it is."""
    matches: tuple[LedgerMatch, ...]
    """Every match of its lines."""


@dataclass(frozen=True, slots=True)
class Counts:
    """What fidelity counts, with what the protocol asks for."""

    words: int
    """Tokens that are words."""
    words_needed: int
    """As many words as the protocol asks for."""
    turns: int
    """Turns with a word."""
    turns_needed: int
    """As many of them as the protocol asks for."""
    roles: dict[str, tuple[int, int]]
    """Of each role that must have spoken, its words and as many as the protocol asks for."""
    readable: float
    """Words that can be read, those of a turn weighted by how sure its recogniser was."""
    noise: int
    """Runs of replacement and control characters."""
    language: str | None
    """The code of the language that clarity is measured by; `None` without language data."""
    function_words: int | None
    """Words that are function words of the language."""
    foreign_words: int | None
    """Foreign words: everyday words of other languages."""


@dataclass(frozen=True, slots=True)
class Ledger:
    """The computation of one reading."""

    score_kind: Literal["mean", "risk", "any"]
    """How the activations become the score."""
    score: float | None
    """The score; None when the content is insufficient."""
    density: float
    """Density of the fidelity."""
    clarity: float
    """Clarity of the fidelity."""
    index: float
    """Density times clarity."""
    sufficient_from: float
    """The index from which content is sufficient."""
    counts: Counts
    """What density and clarity are made of."""
    markers: tuple[LedgerMarker, ...]
    """One entry for each metamarker, in the order of the protocol."""


@dataclass(frozen=True, slots=True)
class Shift:
    """A metamarker's resonance in two interactions."""

    a: float
    """In the first."""
    b: float
    """In the second."""
    change: float
    """The second minus the first."""


@dataclass(frozen=True, slots=True)
class ComparisonSide:
    """One of two compared interactions."""

    label: str
    """Its label; `a` or `b` where it has none."""
    score: float
    """The overall score."""
    resonance: Mapping[str, float]
    """Every metamarker's resonance."""
    triggered: int
    """How many metamarkers triggered."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """ICS to be expected."""

    min: int
    """The least."""
    max: int
    """The most."""
    typical: float
    """What is usual."""
    measured: bool
    """Whether `typical` was measured; if not, it is the most."""
    _json: str = field(repr=False)

    def json(self) -> str:
        """The canonical JSON, with what they cost."""
        return self._json

    def to_dict(self) -> dict[str, Any]:
        """The JSON as Python's dicts."""
        read: dict[str, Any] = json.loads(self._json)
        return read


@dataclass(frozen=True, slots=True)
class Marker:
    """A metamarker as its author describes it."""

    label: str
    """What readings call it."""
    description: str
    """What it means."""
    importance: Literal["low", "medium", "high", "critical"]
    """Its weight in the score."""
    pole: Literal["for", "against"]
    """Which way it moves the score, where the markers of a protocol are of both poles."""
    effect: Literal["improves", "worsens"]
    """Whether finding it is good news: by its pole, by the kind of score, and by which scores are the good ones."""


@dataclass(frozen=True, slots=True)
class CatalogEntry:
    """One version of what ships."""

    kind: Literal["protocol", "metric", "blueprint", "stage"]
    """What it is."""
    id: str
    """Its id."""
    version: str
    """Its version."""
    name: str
    """Its name for people."""
    status: str
    """`draft`, `published`, `active` or `archived`."""
    description: str
    """What it is for."""
    source: str = field(repr=False)
    """The file as its author wrote it."""


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A finding about the file of a protocol, metric, blueprint or stage."""

    code: str
    """A code that is never reused, such as `SM0101`."""
    severity: Literal["error", "warning"]
    """Whether the file cannot be used, or probably does not do what is meant."""
    message: str
    """What is wrong."""
    fix: str
    """What to do about it."""
    line: int
    """The line, from 1."""
    column: int
    """The column, from 1, in code points."""
    start: int
    """The first code point of the source."""
    end: int
    """One past the last."""

    def __str__(self) -> str:
        return f"{self.line}:{self.column}: {self.severity}[{self.code}]: {self.message}; {self.fix}"

    def to_dict(self) -> dict[str, Any]:
        """As a dict."""
        return dataclasses.asdict(self)
