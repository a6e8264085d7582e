"""The parts of stages, dives and cards: frozen, comparable and hashable.

Numbers are the engine's millionths as floats.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from ._frozen import Frozen
from .model import Evidence, Metamarker

__all__ = [
    "Agent",
    "Attempt",
    "Checkpoint",
    "DiveStep",
    "Envelope",
    "Flag",
    "Measured",
    "Observation",
    "Rules",
    "Stamp",
    "TargetStamp",
    "Totals",
    "Verdict",
    "Walkthrough",
]

class Agent(NamedTuple):
    """The tag of who dived."""

    id: str
    """The agent."""
    version: str | None = None
    """Its version."""


@dataclass(frozen=True, slots=True)
class Envelope:
    """The bounds of a dive."""

    max_turns: int
    """The most actions."""
    ics_budget: int
    """The ICS after which the world ends."""
    max_action_chars: int
    """The most code points of an action."""
    share_scorecard: bool
    """Whether the card shows the reading of every action."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What is to be reached; once reached it stays so."""

    name: str
    """Its name."""
    when: str
    """The guard that says when."""


@dataclass(frozen=True, slots=True)
class Flag:
    """What must not happen; once tripped it stays so."""

    name: str
    """Its name."""
    when: str
    """The guard that says when."""
    ends: bool
    """Whether the world ends then."""


@dataclass(frozen=True, slots=True)
class Rules:
    """How a stage judges."""

    checkpoints: tuple[Checkpoint, ...]
    """What is to be reached."""
    flags: tuple[Flag, ...]
    """What must not happen."""
    on_target: str
    """The guard that says which actions are on target."""
    passes: str
    """The guard that says whether a dive is passed, asked when it is closed."""


@dataclass(frozen=True, slots=True)
class Walkthrough:
    """A run with a known outcome."""

    name: str
    """Its name."""
    seed: int
    """The seed it is opened with."""
    passes: bool
    """Whether it passes."""
    reason: Literal["passed", "flag_tripped", "max_turns", "ics_budget", "checkpoint_missing", "closed_early"] | None
    """Why it ends, where that is part of the test."""
    say: tuple[str, ...]
    """What is said; what is left over when the world has ended is not said."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """A document by name and content."""

    id: str
    """Its id."""
    version: str
    """Its version."""
    digest: str
    """`sha256:` and hexadecimal digits."""


@dataclass(frozen=True, slots=True)
class TargetStamp:
    """What senses every action, by name and content."""

    kind: Literal["protocol", "metric", "blueprint"]
    """What it is."""
    id: str
    """Its id."""
    version: str
    """Its version."""
    digest: str
    """`sha256:` and hexadecimal digits."""
    protocols: tuple[Stamp, ...]
    """Every protocol in it."""


@dataclass(frozen=True, slots=True)
class Observation:
    """What the world shows, on arrival and after an action.

    >>> from sonometer import Stage
    >>> seen = Stage("billing-dispute").open(seed=7).observation
    >>> seen.turn, seen.done, len(seen.world) > 0
    (0, False, True)
    """

    world: str
    """What the world says."""
    turn: int
    """How many actions there were."""
    done: bool
    """Whether it has ended."""
    _json: str = field(repr=False)

    def json(self) -> str:
        """The canonical JSON."""
        return self._json

    def to_dict(self) -> dict[str, Any]:
        """The JSON as Python's dicts and lists."""
        read: dict[str, Any] = json.loads(self._json)
        return read


@dataclass(frozen=True, slots=True)
class Totals:
    """The sums of a dive."""

    turns: int
    """How many actions there were."""
    score: float
    """The mean of their scores; 0 if there were none."""
    on_target: float
    """The share of them that were on target; 0 if there were none."""
    ics: int
    """What they cost."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a dive is judged."""

    passed: bool
    """Whether it passed."""
    reason: Literal["passed", "flag_tripped", "max_turns", "ics_budget", "checkpoint_missing", "closed_early"]
    """Why, or why not: the first of these that applies."""
    checkpoints_hit: tuple[str, ...]
    """The checkpoints reached, in the order of the stage."""
    flags_tripped: tuple[str, ...]
    """The flags tripped, in the order of the stage."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The reading of one action, as it stands on a card."""

    score: float
    """The score, 0 to 1; 0 if the action is insufficient."""
    on_target: bool
    """Whether the action was on target."""
    fidelity: float
    """The index of its fidelity, 0 to 1."""
    ics: int
    """What it cost."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """Which attempt a dive was."""

    number: int
    """Its number, from 1."""
    graded_so_far: int
    """How many graded dives there were when it was closed, abandoned ones included."""
    record: Literal["first", "best", "last", "mean"]
    """Which of them counts."""


@dataclass(frozen=True, slots=True)
class DiveStep:
    """What an action came to. `Dive.act` gives it.

    >>> from sonometer import Stage
    >>> dive = Stage("billing-dispute").open(seed=7)
    >>> step = dive.act("I am really sorry that you have to call about this a third time.")
    >>> step.triggered
    ('empathy',)
    >>> [(found.metamarker, found.source, found.segment) for found in step.evidence]
    [('empathy', 'I am really sorry', 1)]
    """

    observation: Observation
    """What the world answers."""
    score: float
    """The score of the action, 0 to 1; 0 if it is insufficient."""
    on_target: bool
    """Whether the action was on target."""
    fidelity: float
    """The index of its fidelity, 0 to 1."""
    ics: int
    """What it cost."""
    checkpoints: tuple[str, ...]
    """The checkpoints that this action reached, in the order of the stage."""
    flags: tuple[str, ...]
    """The flags that this action tripped, in the order of the stage."""
    totals: Totals
    """The dive so far."""
    evidence: tuple[Evidence, ...] = field(repr=False)
    """The evidence in the action. Segments are those of the talk: the arrival is 0, the nth action 2n − 1."""
    metamarkers: tuple[Metamarker, ...] = field(repr=False)
    """Every metamarker with what it came to, in the order of the target."""
    log_line: str = field(repr=False)
    """The line of the log: the action with what came of it, and the head of the chain."""
    _json: str = field(repr=False)
    _sensed: str = field(repr=False)

    @property
    def done(self) -> bool:
        """Whether the world has ended: `observation.done`."""
        return self.observation.done

    @property
    def triggered(self) -> tuple[str, ...]:
        """The keys of the metamarkers that triggered."""
        return tuple(marker.label for marker in self.metamarkers if marker.triggered)

    @property
    def resonance(self) -> Mapping[str, float]:
        """Every metamarker's resonance, 0 to 1, by its key; a mapping that cannot be changed."""
        return Frozen({marker.label: marker.resonance for marker in self.metamarkers})

    def json(self) -> str:
        """The canonical JSON, as the service answers an action: without readings where the stage does not share them."""
        return self._json

    def to_dict(self) -> dict[str, Any]:
        """The JSON as Python's dicts and lists."""
        read: dict[str, Any] = json.loads(self._json)
        return read

    def reading_json(self) -> str:
        """The canonical JSON of all that was sensed in the action, with offsets in code points."""
        return self._sensed
