"""The native half of `sonometer`."""

from collections.abc import AsyncIterable, Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from os import PathLike
from typing import Any, Generic, Literal, NoReturn, SupportsIndex, TypeAlias, TypeVar, final, overload

from typing_extensions import disjoint_base

from . import diving, files, model, reporting
from .chats import MessageForm
from .errors import SonometerError
from .streaming import Guard, Stream

__all__ = [
    "Blueprint",
    "Comparison",
    "Dive",
    "Exchange",
    "Extract",
    "Frame",
    "Further",
    "Interaction",
    "Metric",
    "ModelGuard",
    "Places",
    "Reading",
    "Readings",
    "Sensor",
    "Session",
    "SigningKey",
    "Stage",
    "StageCard",
    "Table",
    "Target",
    "__version__",
    "_dive_talk",
    "_evaluate",
    "_fit",
    "_read_apart",
    "_report",
    "_report_talk",
    "_restore_comparison",
    "_restore_dive",
    "_restore_extract",
    "_read_messages",
    "_restore_interaction",
    "_restore_reading",
    "_restore_stage",
    "_restore_target",
    "_shown_roles",
    "_spelt",
    "blueprints",
    "check",
    "extract",
    "fingerprint",
    "load",
    "metrics",
    "protocols",
    "stages",
]

__version__: str

_Number: TypeAlias = int | float | Decimal
# (role, content), (role, content, seconds) or a chat message; of a list of these, type checkers know no more than this.
_Segment: TypeAlias = tuple[str | _Number | None, ...] | Mapping[str, object]
_Interaction: TypeAlias = str | Interaction | Extract | Sequence[_Segment] | Mapping[str, object]
_Target: TypeAlias = str | PathLike[str] | Mapping[str, object] | Target[Reading]
_Stage: TypeAlias = str | PathLike[str] | Mapping[str, object] | Stage
_Chunk: TypeAlias = str | bytes | bytearray
_File: TypeAlias = str | PathLike[str] | PathLike[bytes] | bytes | bytearray
# Called with the path of a WAV file and with `channel`, `seconds` and `language`.
_Transcriber: TypeAlias = Callable[..., str | bytes | bytearray | dict[str, Any]]
_Kind: TypeAlias = Literal[
    "text",
    "json",
    "jsonl",
    "turns",
    "timed",
    "vtt",
    "srt",
    "whatsapp",
    "chat",
    "speech",
    "pdf",
    "docx",
    "odt",
    "html",
    "markdown",
    "rtf",
    "mail",
    "sheet",
    "csv",
    "audio",
]
_Profile: TypeAlias = Literal["raw", "detailed", "discovery"]
_Offsets: TypeAlias = Literal["bytes", "chars", "utf16"]
_R_co = TypeVar("_R_co", bound=Reading, covariant=True)
_T_co = TypeVar("_T_co", covariant=True)
_Modality: TypeAlias = Literal["text", "transcript", "audio", "document"]

@final
class Interaction:
    """What is measured: a text, or the turns of a conversation. Immutable; cheap to copy."""

    def __new__(cls, content: _Interaction, /, *, label: str | None = None) -> Interaction: ...
    @staticmethod
    def from_json(text: str | bytes, /) -> Interaction:
        """Reads the JSON text of an interaction, strictly: nothing is accepted and ignored."""
    @staticmethod
    def from_messages(messages: object, /, *, form: MessageForm | None = None) -> Interaction:
        """The turns of a chat in any form that `sonometer.chats.read_messages` reads; each notice of it is a `UserWarning`."""
    @property
    def modality(self) -> _Modality:
        """`text` or `transcript`; of files also `document` and `audio`."""
    @property
    def segments(self) -> tuple[model.Segment, ...]:
        """The turns. A text has one without a role."""
    @property
    def content(self) -> str | None:
        """The text of a text or document; None for a conversation."""
    @property
    def label(self) -> str | None:
        """The name that comparisons call it by, if it has one."""
    def with_label(self, label: str, /) -> Interaction:
        """The same interaction with another label."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __copy__(self) -> Interaction: ...
    def __deepcopy__(self, _memo: object) -> Interaction: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Extract:
    """What a file holds: what is sensed, and where in the file it stands. Immutable. `extract` gives it."""

    @property
    def interaction(self) -> Interaction:
        """What is sensed."""
    @property
    def kind(self) -> _Kind:
        """What the file is, such as `pdf` or `vtt`."""
    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should know: what was left out, repaired or guessed. Empty for most files."""
    @property
    def text(self) -> str:
        """The text: that of a document as it is sensed, that of a conversation in lines with roles."""
    @property
    def pieces(self) -> tuple[files.Piece, ...]:
        """Every stretch of the text with the place that it comes from, in order."""
    @property
    def sound(self) -> files.Sound | None:
        """Of a recording: what it is, who heard the words, and the transcript; else None."""
    @overload
    def place(self, segment: model.Evidence | model.EvidenceFound, /, offset: None = None) -> files.Place:
        """Where in the file evidence stands."""
    @overload
    def place(self, segment: SupportsIndex, /, offset: SupportsIndex) -> files.Place:
        """Where in the file a character of a segment stands."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __copy__(self) -> Extract: ...
    def __deepcopy__(self, _memo: object) -> Extract: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@disjoint_base
class Target(Generic[_R_co]):
    """What all things that measure have in common: `Sensor`, `Metric` and `Blueprint`."""

    @property
    def kind(self) -> Literal["protocol", "metric", "blueprint"]:
        """What it is."""
    @property
    def id(self) -> str:
        """Its id."""
    @property
    def version(self) -> str:
        """Its version."""
    @property
    def name(self) -> str:
        """Its name for people."""
    @property
    def description(self) -> str:
        """What it is for, for people."""
    @property
    def status(self) -> Literal["draft", "published", "active", "archived"]:
        """The state of this version."""
    @property
    def better(self) -> Literal["higher", "lower"]:
        """Which scores are the good ones."""
    @property
    def score_meaning(self) -> str:
        """The meaning of scores 0 and 1 and which is better, in one line."""
    @property
    def modalities(self) -> tuple[_Modality, ...]:
        """What it reads."""
    @property
    def metamarkers(self) -> tuple[model.Marker, ...]:
        """Its metamarkers, in the order of readings."""
    @property
    def digest(self) -> str:
        """The identity of this version: `sha256:` and the SHA-256 of its canonical JSON."""
    @property
    def source(self) -> str:
        """Its canonical JSON. Reading it back gives an equal target; list files and what a metric or blueprint names are not in it, so give `files`
        or `shelf` again."""
    @property
    def warnings(self) -> tuple[model.Diagnostic, ...]:
        """What its author should look at."""
    def sense(
        self,
        interaction: _Interaction,
        /,
        *,
        usd_per_ics: _Number | None = None,
        ignore_fidelity: bool = False,
        mask: str | None = None,
        mask_key: bytes | None = None,
    ) -> _R_co:
        """Measures an interaction. Content that is insufficient gives a reading too: one that says so."""
    def mask(self, text: str, /, *, mask: str | None = None, mask_key: bytes | None = None) -> str:
        """A text with everything masked that the target masks: what may be shown or stored. A target that masks nothing warns."""
    def fidelity(self, interaction: _Interaction, /) -> model.Fidelity:
        """Whether an interaction holds enough for a reliable reading; costs no ICS."""
    def compare(
        self,
        a: _Interaction,
        b: _Interaction,
        /,
        *,
        usd_per_ics: _Number | None = None,
        ignore_fidelity: bool = False,
    ) -> Comparison:
        """Measures two interactions and what lies between them."""
    @overload
    def batch(
        self,
        interactions: Iterable[_Interaction],
        /,
        *,
        errors: Literal["raise"] = "raise",
        threads: int | None = None,
        usd_per_ics: _Number | None = None,
        ignore_fidelity: bool = False,
        mask: str | None = None,
        mask_key: bytes | None = None,
    ) -> list[_R_co]:
        """Measures many interactions on all cores; the readings are in the order of the interactions."""
    @overload
    def batch(
        self,
        interactions: Iterable[_Interaction],
        /,
        *,
        errors: Literal["return"],
        threads: int | None = None,
        usd_per_ics: _Number | None = None,
        ignore_fidelity: bool = False,
        mask: str | None = None,
        mask_key: bytes | None = None,
    ) -> list[_R_co | SonometerError]:
        """Measures many interactions on all cores; the readings are in the order of the interactions."""
    def frame(
        self,
        column: Any,
        /,
        *,
        columns: str | Iterable[str] | None = None,
        input: Literal["text", "json"] = "text",
        errors: Literal["null", "raise"] = "null",
        offsets: _Offsets = "chars",
        threads: int | None = None,
        usd_per_ics: _Number | None = None,
        ignore_fidelity: bool = False,
        mask: str | None = None,
        mask_key: bytes | None = None,
    ) -> Any:
        """Senses a column of texts or conversations, and gives readings as columns of the same kind: a Polars series gives a Polars
        DataFrame, one of pandas or pyarrow a table of theirs; other columns that speak Arrow give a `Frame`."""
    def mask_column(
        self,
        column: Any,
        /,
        *,
        errors: Literal["null", "raise"] = "null",
        threads: int | None = None,
        mask: str | None = None,
        mask_key: bytes | None = None,
    ) -> Any:
        """A column as it may be shown, of the same kind: what the target masks is hidden. What is null or cannot be read is null."""
    def table(
        self,
        interactions: Iterable[_Interaction],
        /,
        *,
        offsets: _Offsets = "chars",
        errors: Literal["raise", "return"] = "raise",
        threads: int | None = None,
        usd_per_ics: _Number | None = None,
        ignore_fidelity: bool = False,
        mask: str | None = None,
        mask_key: bytes | None = None,
    ) -> Table:
        """Measures many interactions on all cores, into arrays: the scores of all, and their evidence, without an object for any
        of them."""
    @overload
    def map(
        self,
        interactions: Iterable[_Interaction],
        /,
        *,
        errors: Literal["raise"] = "raise",
        threads: int | None = None,
        chunk: int = 256,
        usd_per_ics: _Number | None = None,
        ignore_fidelity: bool = False,
        mask: str | None = None,
        mask_key: bytes | None = None,
    ) -> Readings[_R_co]:
        """As `batch`, one reading after the other, in memory that does not grow."""
    @overload
    def map(
        self,
        interactions: Iterable[_Interaction],
        /,
        *,
        errors: Literal["return"],
        threads: int | None = None,
        chunk: int = 256,
        usd_per_ics: _Number | None = None,
        ignore_fidelity: bool = False,
        mask: str | None = None,
        mask_key: bytes | None = None,
    ) -> Readings[_R_co | SonometerError]:
        """As `batch`, one reading after the other, in memory that does not grow."""
    def session(
        self,
        *,
        offsets: _Offsets = "chars",
        release: bool = False,
        usd_per_ics: _Number | None = None,
        ignore_fidelity: bool = False,
        mask: str | None = None,
        mask_key: bytes | None = None,
    ) -> Session[_R_co]:
        """Begins to sense an interaction that comes in bit by bit."""
    def stream(
        self,
        chunks: Iterable[_Chunk | _Segment | None] | AsyncIterable[_Chunk | _Segment | None],
        /,
        *,
        offsets: _Offsets = "chars",
        release: bool = False,
        usd_per_ics: _Number | None = None,
        ignore_fidelity: bool = False,
        mask: str | None = None,
        mask_key: bytes | None = None,
    ) -> Stream[_R_co]:
        """Senses what comes in, such as the tokens of a language model: a step for each, and one more at the end."""
    def guard(
        self,
        chunks: Iterable[_Chunk | None] | AsyncIterable[_Chunk | None],
        /,
        *,
        offsets: _Offsets = "chars",
        usd_per_ics: _Number | None = None,
        ignore_fidelity: bool = False,
        mask: str | None = None,
        mask_key: bytes | None = None,
    ) -> Guard[_R_co]:
        """Guards a text that comes in: gives out only what no masked pattern can reach any more, with everything masked that
        the target masks."""
    def estimate(
        self, length: int, /, modality: _Modality = "text", *, usd_per_ics: _Number | None = None
    ) -> model.Estimate:
        """What content of `length` code points will cost, before it is sensed."""
    def __class_getitem__(cls, item: Any, /) -> Any: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __copy__(self) -> Target[_R_co]: ...
    def __deepcopy__(self, _memo: object) -> Target[_R_co]: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Sensor(Target[Reading]):
    """A protocol, compiled once: immutable, shared freely between threads."""

    def __new__(cls, target: _Target, /) -> Sensor: ...
    @staticmethod
    def from_source(source: str, /, *, files: Mapping[str, str] | None = None) -> Sensor:
        """Reads the text of a protocol, YAML or JSON; `files`: the texts of its list files, by their paths."""
    @staticmethod
    def from_file(path: str | PathLike[str], /) -> Sensor:
        """Reads a protocol file, whatever its name, and the list files in its folder that it names."""

@final
class Metric(Target[Reading]):
    """A weighted average of protocols."""

    def __new__(
        cls, target: _Target, /, *, shelf: Iterable[_Target] | None = None, catalog: bool = True
    ) -> Metric: ...

@final
class Blueprint(Target[Reading]):
    """Several protocols and metrics, sensed together."""

    def __new__(
        cls, target: _Target, /, *, shelf: Iterable[_Target] | None = None, catalog: bool = True
    ) -> Blueprint: ...

@final
class Places:
    """The evidence of one reading, or of all rows of a table, as arrays: an entry in each for every piece, in the order of the
    text. The arrays are read-only memoryviews, which `numpy.asarray` takes without a copy."""

    @property
    def names(self) -> tuple[str, ...]:
        """The keys of all metamarkers of the target, in the order of its readings; `markers` counts in them."""
    @property
    def rows(self) -> memoryview[int]:
        """The row of a table that each piece is of, from 0 (int64); of one reading 0."""
    @property
    def markers(self) -> memoryview[int]:
        """The metamarker of each piece, by its place in `names` (int32)."""
    @property
    def scores(self) -> memoryview[float]:
        """What each piece adds to its metamarker, above 0, at most 1 (float64)."""
    @property
    def segments(self) -> memoryview[int]:
        """The segment each piece is in, from 0 (int32); of several, the first."""
    @property
    def starts(self) -> memoryview[int]:
        """Where each piece begins in the content of its segment (int32), in the unit that was asked for."""
    @property
    def ends(self) -> memoryview[int]:
        """Where each piece ends there (int32): one past its last character."""
    @property
    def further(self) -> Further:
        """Where pieces that stand in several segments go on, for metamarkers with `join`; mostly empty."""
    @property
    def offsets(self) -> _Offsets:
        """The unit of `starts` and `ends`."""
    def to_dict(self) -> dict[str, memoryview[int] | memoryview[float]]:
        """All columns by name (`row`, `segment`, `start`, `end`, `marker`, `score`), for a data frame."""
    def __len__(self) -> int: ...
    def __reduce_ex__(self, _protocol: object) -> NoReturn: ...

@final
class Frame:
    """Readings as columns, which every library that speaks Arrow takes: `pyarrow.table(frame)`, `polars.DataFrame(frame)`."""

    @property
    def column_names(self) -> tuple[str, ...]:
        """The names of its columns."""
    def __len__(self) -> int: ...
    def __arrow_c_schema__(self) -> object:
        """Its schema, for libraries."""
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Its batches, for libraries."""

@final
class Further:
    """Where pieces that stand in several segments go on: an entry for each further stretch, in the order of the pieces."""

    @property
    def pieces(self) -> memoryview[int]:
        """The piece that goes on, by its place in the arrays of `Places` (int64)."""
    @property
    def segments(self) -> memoryview[int]:
        """The segment of the stretch, from 0 (int32)."""
    @property
    def starts(self) -> memoryview[int]:
        """Where it begins in the content of that segment (int32)."""
    @property
    def ends(self) -> memoryview[int]:
        """Where it ends there (int32)."""
    def __len__(self) -> int: ...
    def __reduce_ex__(self, _protocol: object) -> NoReturn: ...

@final
class Table:
    """What many interactions came to, as arrays with an entry for each: a row. `Target.table` makes it, or `Table.of` of readings.
    The arrays are read-only memoryviews, which `numpy.asarray` takes without a copy."""

    @staticmethod
    def of(readings: Iterable[Reading | SonometerError], /, *, offsets: _Offsets = "chars") -> Table:
        """The table of readings of one target, such as those of `batch`; of an exception among them a row without a score."""
    @property
    def target(self) -> Target[Reading]:
        """What was sensed with."""
    @property
    def scores(self) -> memoryview[float]:
        """The overall score of each row, 0 to 1 (float64); NaN where nothing was measured."""
    @property
    def sufficient(self) -> memoryview[bool]:
        """Whether there was enough to measure (bool)."""
    @property
    def fidelity(self) -> memoryview[float]:
        """How far each row can be trusted, 0 to 1 (float64); NaN where there is an error."""
    @property
    def resonance(self) -> Mapping[str, memoryview[float]]:
        """Every metamarker's resonance in each row, 0 to 1 (float64), by its key; a mapping that cannot be changed."""
    @property
    def places(self) -> Places:
        """All evidence of all rows."""
    @property
    def bounds(self) -> memoryview[int]:
        """Which pieces of `places` each row has (int64): those of row n are `bounds[n]` to `bounds[n + 1]`."""
    @property
    def errors(self) -> Mapping[int, SonometerError]:
        """What was wrong, by row; a mapping that cannot be changed, empty without `errors="return"`."""
    def __len__(self) -> int: ...
    def __reduce_ex__(self, _protocol: object) -> NoReturn: ...

@final
class Reading:
    """What a protocol, a metric or a blueprint found in an interaction."""

    @property
    def target(self) -> Target[Reading]:
        """What was sensed with."""
    @property
    def interaction(self) -> Interaction:
        """What was sensed."""
    @property
    def score(self) -> float | None:
        """The overall score, 0 to 1; None when the content is insufficient."""
    @property
    def sufficient(self) -> bool:
        """Whether there was enough to measure: `fidelity.sufficient`."""
    @property
    def fidelity(self) -> model.Fidelity:
        """How far the reading can be trusted."""
    @property
    def resonance(self) -> Mapping[str, float]:
        """Every metamarker's resonance, 0 to 1, by its key; a mapping that cannot be changed."""
    @property
    def metamarkers(self) -> tuple[model.Metamarker, ...]:
        """Every metamarker with what it came to, in the order of the target."""
    @property
    def triggered(self) -> tuple[str, ...]:
        """The keys of the metamarkers that triggered."""
    @property
    def evidence(self) -> tuple[model.Evidence, ...]:
        """What triggered metamarkers, in the order of the text; its places are code points."""
    @property
    def places(self) -> Places:
        """The evidence as arrays: metamarkers, scores and places in code points, without an object for each piece."""
    def places_in(self, offsets: _Offsets, /) -> Places:
        """As `places`, with places in `bytes` of UTF-8 or in units of `utf16`, as JavaScript counts."""
    @property
    def against(self) -> tuple[model.Evidence, ...]:
        """What counts against metamarkers, by lines of a negative weight, in the order of the text."""
    @property
    def weak_signals(self) -> tuple[model.WeakSignal, ...]:
        """What metamarkers that did not trigger have found or nearly found, the nearest first, and what was missing."""
    @property
    def unheard(self) -> tuple[model.Unheard, ...]:
        """Metamarkers that need a role that no segment has."""
    @property
    def ics(self) -> model.Ics:
        """What it consumed."""
    @property
    def masked(self) -> tuple[str, ...]:
        """The content of each segment with everything hidden that a mask covers: what may be shown or stored."""
    def masked_characters(self, segment: int, /) -> tuple[str, ...]:
        """What is shown for each character of a segment: itself, its replacement, or nothing if that was already shown."""
    def json(
        self,
        *,
        profile: _Profile = "raw",
        offsets: _Offsets | None = None,
        flow: bool | str | None = None,
        temporal: bool | _Number | None = None,
    ) -> str:
        """The canonical JSON: the text that every door of Sonometer gives."""
    def to_dict(
        self,
        *,
        profile: _Profile = "raw",
        offsets: _Offsets | None = None,
        flow: bool | str | None = None,
        temporal: bool | _Number | None = None,
    ) -> dict[str, Any]:
        """The JSON as Python's dicts and lists."""
    def __bytes__(self) -> bytes: ...
    def html(self, *, profile: _Profile = "raw", explain: bool = False) -> str:
        """A page for browsers: the score, the content with its evidence marked, and what each metamarker came to. It needs no network;
        only masked text is shown. `explain` adds the computation.
        """
    def report(self, name: str = "") -> reporting.Page:
        """The report of this reading: everything that was found, nearly found and computed, as a page, as Markdown and in figures.
        `name` is what was read; it is shown unless it holds something that is masked.
        """
    def _repr_html_(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __copy__(self) -> Reading: ...
    def __deepcopy__(self, _memo: object) -> Reading: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    @property
    def signal(self) -> model.Signal | None:
        """How evidence is spread over metamarkers and segments (a protocol on SGM 1.5, else None)."""
    @property
    def actant_flow(self) -> model.ActantFlow | None:
        """Which side of a conversation carries which metamarker (a protocol on SGM 1.5, else None)."""
    def flow_from(self, primary: str, /) -> model.ActantFlow | None:
        """As `actant_flow`, with this role as the primary side."""
    @property
    def temporal(self) -> model.Temporal | None:
        """How the level of the interaction develops (a protocol on SGM 1.5, else None)."""
    def temporal_by(self, seconds: _Number, /) -> model.Temporal | None:
        """As `temporal`, with windows of so many seconds."""
    @property
    def parts(self) -> tuple[model.Part, ...]:
        """The parts with a score of their own; empty for a protocol."""
    @property
    def ledger(self) -> model.Ledger:
        """The whole computation, for the owner of the protocol. A metric or a blueprint has one for each of its protocols, in `ledgers`."""
    @property
    def ledgers(self) -> dict[str, model.Ledger]:
        """The computation of each protocol that was sensed, by `id@version`, in the order of the target: of a protocol one."""
    def ledger_json(self) -> str:
        """The canonical JSON of the ledger; of a metric or a blueprint its `parts` and the `ledgers` of its protocols. Its places are bytes
        of UTF-8.
        """
    def explain(self) -> str:
        """The computation as a text for people."""

@final
class Comparison:
    """Two interactions measured by the same target, and what lies between them."""

    @property
    def target(self) -> Target[Reading]:
        """What both were measured with."""
    @property
    def a(self) -> model.ComparisonSide:
        """Such as what was before."""
    @property
    def b(self) -> model.ComparisonSide:
        """Such as what came after."""
    @property
    def score_change(self) -> float:
        """The score of b minus that of a, -1 to 1."""
    @property
    def direction(self) -> Literal["improvement", "decline", "unchanged"]:
        """Which way the score went, seen from what the target calls better."""
    @property
    def metamarker_change(self) -> int:
        """The triggered metamarkers of b minus those of a."""
    @property
    def shifts(self) -> Mapping[str, model.Shift]:
        """Every metamarker's resonance in a, in b, and the second minus the first."""
    @property
    def ics(self) -> model.Ics:
        """What both consumed together."""
    def json(self) -> str:
        """The canonical JSON: the text that every door of Sonometer gives."""
    def html(self) -> str:
        """A page for browsers; it needs no network."""
    def _repr_html_(self) -> str: ...
    def to_dict(self) -> dict[str, Any]:
        """The JSON as Python's dicts and lists."""
    def __bytes__(self) -> bytes: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __copy__(self) -> Comparison: ...
    def __deepcopy__(self, _memo: object) -> Comparison: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Readings(Generic[_T_co]):
    """The readings that `map` gives, one after the other."""

    def __class_getitem__(cls, item: Any, /) -> Any: ...
    def __iter__(self) -> Readings[_T_co]: ...
    def __next__(self) -> _T_co: ...

@final
class Session(Generic[_R_co]):
    """One interaction that comes in bit by bit, sensed as it comes."""

    @property
    def target(self) -> Target[_R_co]:
        """What is sensed with."""
    def push(self, chunk: _Chunk | None, /) -> model.Step:
        """Takes the next part of the text, or of the segment that was begun last."""
    def begin_segment(self, role: str, /, timestamp: _Number | None = None) -> model.Step:
        """Ends the segment that came in, if there is one, and begins another. `timestamp` is in seconds."""
    def push_segment(self, segment: _Segment, /) -> model.Step:
        """Takes a whole segment: `(role, content)`, `(role, content, seconds)` or a dict."""
    def end(self) -> model.Step:
        """Ends the input: everything settles, and the remaining events are returned."""
    @property
    def settled_to(self) -> model.Place:
        """Everything before this place can change no more."""
    @property
    def released_to(self) -> model.Place:
        """Text before this place may be shown with the masks reported so far; with `release` it runs ahead of `settled_to`."""
    def so_far(self) -> _R_co:
        """The reading as if the interaction ended here. The session goes on."""
    def finish(self) -> _R_co:
        """Ends the session: the reading of all that came in."""
    def __class_getitem__(cls, item: Any, /) -> Any: ...
    def _repr_html_(self) -> str: ...
    def __copy__(self) -> Session[_R_co]: ...
    def __deepcopy__(self, _memo: object) -> Session[_R_co]: ...

@final
class ModelGuard:
    """A policy for what goes to language models and comes from them, compiled once: immutable, shared freely between threads."""

    def __new__(cls, policy: str, /, targets: dict[str, Target[Any]] | None = None) -> ModelGuard: ...
    @property
    def policy(self) -> str:
        """The policy as JSON, with every key."""
    @property
    def digest(self) -> str:
        """Sixteen hexadecimal digits that differ where the policy or one of its protocols differs."""
    def route(self, method: str, path: str, /) -> str | None:
        """The form of a request by its method and path; None for a request that passes unread."""
    def request(self, method: str, path: str, body: bytes, /) -> Exchange | None:
        """Reads and masks a request; None for one that passes unread."""
    def __copy__(self) -> ModelGuard: ...
    def __deepcopy__(self, _memo: object) -> ModelGuard: ...

@final
class Exchange:
    """One request that was read and masked, and what its answer needs. Made by `ModelGuard.request`."""

    @property
    def form(self) -> str:
        """The form of both: `chat`, `responses`, `completions`, `embeddings` or `messages`."""
    @property
    def body(self) -> bytes:
        """The body as it is to be sent; empty if the request was refused."""
    @property
    def is_stream(self) -> bool:
        """Whether the request asks for a stream."""
    @property
    def guards_answers(self) -> bool:
        """Whether the answer has to be read at all."""
    @property
    def blocked(self) -> tuple[str, str] | None:
        """Why the request or the answer was refused: its kind and a message without any text of it; None if it was not."""
    @property
    def refusal(self) -> tuple[int, bytes] | None:
        """Status and body of what was refused, in the form of the provider; None if nothing was."""
    def refuse(self, kind: str, message: str, /, *, is_answer: bool = True) -> tuple[int, bytes]:
        """Refuses the request or the answer for a reason that only the caller sees."""
    def response(self, status: int, body: bytes, /) -> tuple[int, bytes]:
        """A whole answer: its status and body as they may be shown."""
    def feed(self, bytes: bytes, /) -> bytes:
        """The next bytes of an answer that streams, cut anywhere: what may be shown of it so far."""
    def finish(self) -> bytes:
        """Ends an answer that streams: the rest of it."""
    @property
    def is_over(self) -> bool:
        """Whether nothing more will come out of the stream."""
    @property
    def headers(self) -> tuple[tuple[str, str], ...]:
        """What was done so far, as headers: never text."""
    @property
    def counts(self) -> dict[str, int]:
        """What was done so far: counts by name."""

@final
class Stage:
    """A small world that answers what an agent says, and judges it. Immutable, shared freely between threads."""

    def __new__(cls, stage: _Stage, /, *, shelf: Iterable[_Target] | None = None, catalog: bool = True) -> Stage: ...
    @property
    def id(self) -> str:
        """Its id."""
    @property
    def version(self) -> str:
        """Its version."""
    @property
    def name(self) -> str:
        """Its name for people."""
    @property
    def description(self) -> str:
        """What it tries, for people."""
    @property
    def status(self) -> Literal["draft", "published", "archived"]:
        """The state of this version."""
    @property
    def objective(self) -> str:
        """The goal that the agent is given."""
    @property
    def roles(self) -> tuple[str, str]:
        """As whom the two sides are sensed: the agent, the world."""
    @property
    def rules(self) -> diving.Rules:
        """What is to be reached, what must not happen, and when a dive is passed."""
    @property
    def envelope(self) -> diving.Envelope:
        """The bounds of a dive."""
    @property
    def target(self) -> diving.TargetStamp:
        """What senses every action, with each protocol in it."""
    @property
    def walkthroughs(self) -> Mapping[str, diving.Walkthrough]:
        """Runs with a known outcome, by their names; a mapping that cannot be changed."""
    @property
    def digest(self) -> str:
        """The identity of this version: `sha256:` and the SHA-256 of its canonical JSON."""
    @property
    def warnings(self) -> tuple[model.Diagnostic, ...]:
        """What its author should look at."""
    def json(self) -> str:
        """The canonical JSON of the stage file. Reading it back gives an equal stage."""
    def to_dict(self) -> dict[str, Any]:
        """The JSON as Python's dicts and lists."""
    def open(self, *, seed: SupportsIndex | None = None) -> Dive:
        """Opens a dive. What is drawn by chance follows from the seed, 0 to 2^53 − 1; without one it is 0."""
    def resume(self, saved: str, /) -> Dive:
        """Goes on with a dive from the text that `Dive.save` gave."""
    def __bytes__(self) -> bytes: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __copy__(self) -> Stage: ...
    def __deepcopy__(self, _memo: object) -> Stage: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Dive:
    """One run through a stage: it takes actions, answers them, and ends with a card. `Stage.open` makes it."""

    @property
    def stage(self) -> Stage:
        """The stage that is dived."""
    @property
    def seed(self) -> int:
        """Its seed, 0 to 2^53 − 1."""
    @property
    def observation(self) -> diving.Observation:
        """What the world has shown last."""
    @property
    def turn(self) -> int:
        """How many actions there were."""
    @property
    def done(self) -> bool:
        """Whether the world has ended."""
    @property
    def ended_by(self) -> Literal["scene", "flag", "max_turns", "ics_budget"] | None:
        """Why the world has ended; None as long as it goes on."""
    @property
    def chain(self) -> str:
        """The head of the hash chain over actions and readings, as 64 hexadecimal digits."""
    @property
    def actions(self) -> tuple[str, ...]:
        """The actions so far."""
    @property
    def totals(self) -> diving.Totals:
        """The sums so far."""
    @property
    def verdict(self) -> diving.Verdict:
        """How the dive would be judged if it were closed now."""
    def act(self, action: str, /) -> diving.DiveStep:
        """Takes one action: senses it in the conversation so far, moves the world, and gives its answer."""
    def log(self) -> str:
        """The log: every action with what came of it, a line of JSON each."""
    def save(self) -> str:
        """The whole dive as a text, from which `Stage.resume` goes on."""
    def close(
        self,
        *,
        dive_id: str | None = None,
        agent: str | tuple[str] | tuple[str, str | None] | None = None,
        summary: str | None = None,
    ) -> StageCard:
        """Closes the dive: its card, unsigned. The dive is as it was."""
    def _repr_html_(self) -> str: ...
    def __copy__(self) -> Dive: ...
    def __deepcopy__(self, _memo: object) -> Dive: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class StageCard:
    """The card of a closed dive: who dived what, what came of it, and the head of a chain over all that was said."""

    @staticmethod
    def read(card: _Chunk, /) -> StageCard:
        """Reads a card strictly."""
    @property
    def dive_id(self) -> str:
        """What the dive is known by."""
    @property
    def agent(self) -> diving.Agent | None:
        """The tag of the agent; None if no agent was named."""
    @property
    def attempt(self) -> diving.Attempt | None:
        """Which attempt it was, where a service counts them; else None."""
    @property
    def stage(self) -> diving.Stamp:
        """The stage, by name and content."""
    @property
    def target(self) -> diving.TargetStamp:
        """What sensed every action, by name and content; on the card it is called `blueprint`."""
    @property
    def chain(self) -> str:
        """The head of the hash chain over actions and readings: `sha256:` and hexadecimal digits."""
    @property
    def engine(self) -> str:
        """The fingerprint of the engine."""
    @property
    def bounds(self) -> diving.Envelope:
        """The bounds of the dive; on the card they are called `envelope`."""
    @property
    def access_mode(self) -> Literal["free", "entitled", "invite", "session"]:
        """Whom the stage lets in."""
    @property
    def mode(self) -> Literal["practice", "graded"]:
        """Whether the dive counted."""
    @property
    def readings(self) -> tuple[diving.Measured, ...] | None:
        """The reading of every action; None where the stage does not share them."""
    @property
    def seed(self) -> int:
        """The seed."""
    @property
    def seed_source(self) -> Literal["server", "caller"]:
        """Who chose it."""
    @property
    def signature(self) -> str | None:
        """`ed25519:`, the id of the key and the signature; None where the card is not signed."""
    @property
    def summary(self) -> str | None:
        """The closing note; None if there is none."""
    @property
    def totals(self) -> diving.Totals:
        """The sums."""
    @property
    def verdict(self) -> diving.Verdict:
        """Passed or not, and why."""
    @property
    def passed(self) -> bool:
        """Whether the dive passed: `verdict.passed`."""
    @property
    def score(self) -> float:
        """The mean score of the actions: `totals.score`."""
    def json(self) -> str:
        """The canonical JSON: the text that every door of Sonometer gives."""
    def to_dict(self) -> dict[str, Any]:
        """The JSON as Python's dicts and lists."""
    def sign(self, key: SigningKey, /) -> StageCard:
        """The same card with a signature (Ed25519); one that is there is replaced."""
    def verify(self, keys: _Chunk | Iterable[str], /) -> None:
        """Checks the signature against the public keys that may have signed: their text, one a line, a list of
        them, or the JSON of a service (`GET /api/v1/keys`)."""
    def replay(self, log: _Chunk | Iterable[str], /, *, stage: _Stage | None = None) -> None:
        """Computes the card again from the log of its dive, or from its actions, and compares every byte."""
    def statement(self) -> str:
        """An in-toto Statement v1 about the dive, as canonical JSON: the card as its predicate."""
    def envelope(self, key: SigningKey, /) -> str:
        """The statement in a DSSE envelope, signed."""
    def _repr_html_(self) -> str: ...
    def __bytes__(self) -> bytes: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __copy__(self) -> StageCard: ...
    def __deepcopy__(self, _memo: object) -> StageCard: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class SigningKey:
    """A key that signs cards: 32 secret bytes, or the text of a key file. The secret is never shown, and not pickled."""

    def __new__(cls, secret: _Chunk, /) -> SigningKey: ...
    @property
    def public_key(self) -> str:
        """The key that verifies what this one signs: 64 hexadecimal digits."""
    @property
    def id(self) -> str:
        """What the key is called in signatures."""
    def __copy__(self) -> SigningKey: ...
    def __deepcopy__(self, _memo: object) -> SigningKey: ...

def load(
    target: _Target, /, *, shelf: Iterable[_Target] | None = None, catalog: bool = True
) -> Sensor | Metric | Blueprint:
    """A protocol, metric or blueprint, whichever the target is."""

def check(target: _Target | Stage, /) -> tuple[model.Diagnostic, ...]:
    """The findings about a protocol, metric, blueprint or stage; none if all is well."""

def protocols() -> tuple[model.CatalogEntry, ...]:
    """Every protocol of the catalogue, each version."""

def metrics() -> tuple[model.CatalogEntry, ...]:
    """Every metric of the catalogue, each version."""

def blueprints() -> tuple[model.CatalogEntry, ...]:
    """Every blueprint of the catalogue, each version."""

def stages() -> tuple[model.CatalogEntry, ...]:
    """Every stage of the catalogue, each version."""

def extract(
    source: _File,
    /,
    *,
    name: str | None = None,
    kind: _Kind | None = None,
    turns: bool = False,
    column: str | None = None,
    role_column: str | None = None,
    sheet: str | None = None,
    quoted: Literal["cut", "keep"] = "cut",
    roles: Mapping[str, str] | None = None,
    modality: Literal["text", "document", "transcript"] | None = None,
    transcript: _File | None = None,
    transcriber: str | _Transcriber | None = None,
    transcriber_seconds: int | None = None,
    speakers: _File | None = None,
    channels: Literal["mixed"] | list[str] | tuple[str, ...] | None = None,
    language: str | None = None,
    apart: bool = True,
    seconds: int | None = None,
    memory_bytes: int | None = None,
) -> Extract:
    """Reads a file of any kind that is known: a text, a document, a mail, a table, a chat, captions, a recording."""

def fingerprint() -> str:
    """The engine and its tables in one line: engines with the same fingerprint give the same bytes."""

def _report(
    target: Target[Any],
    readings: Sequence[Reading | tuple[str, str]],
    names: Sequence[str | None],
    groups: Sequence[str | None],
    by: str | None,
    data: str,
) -> tuple[str, str, str]: ...
def _report_talk(reading: Reading, name: str) -> tuple[str, str, str]: ...
def _dive_talk(
    dive: Dive,
) -> tuple[tuple[tuple[str | None, tuple[str, ...]], ...], tuple[model.Evidence, ...], dict[str, str], dict[str, float]]: ...
def _shown_roles(reading: Reading) -> list[tuple[str, str]]: ...
def _evaluate(
    target: Target[Reading],
    items: Any,
    selection: Mapping[str, Any],
    asked: Mapping[str, Any],
    background: Any,
    progress: Callable[[int, int], object] | None,
) -> tuple[str, str, str]: ...
def _spelt(note: str) -> str: ...
def _fit(
    items: Any,
    selection: Mapping[str, Any],
    wanted: Mapping[str, Any],
    tune: tuple[str, Any] | None,
    patterns: tuple[str, Any] | None,
    background: Any,
    progress: Callable[[int, int], object] | None,
) -> tuple[tuple[str, str, str, str], bool, list[tuple[str, tuple[str, str, str, str]]]]: ...
def _read_apart() -> None: ...
def _restore_target(
    document: str, shelf: Iterable[str], files: list[tuple[str, str]] = ...
) -> Sensor | Metric | Blueprint: ...
def _restore_extract(kept: str) -> Extract: ...
def _read_messages(messages: object, form: str | None) -> tuple[Interaction, str]: ...
def _restore_interaction(
    modality: str,
    segments: Sequence[tuple[str | None, str, int | None]],
    label: str | None,
    confidence: Sequence[int | None] | None = None,
) -> Interaction: ...
def _restore_reading(
    target: Target[Reading],
    interaction: Interaction,
    usd_per_ics: int,
    ignore_fidelity: bool,
    by: str,
    mask: str | None = None,
) -> Reading: ...
def _restore_stage(document: str, shelf: Sequence[str], files: list[tuple[str, str]] = ...) -> Stage: ...
def _restore_dive(stage: Stage, saved: str) -> Dive: ...
def _restore_comparison(
    target: Target[Reading], a: Interaction, b: Interaction, usd_per_ics: int, ignore_fidelity: bool, by: str | None = None
) -> Comparison: ...
