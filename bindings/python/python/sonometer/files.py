"""The parts of what `extract` gives: frozen, comparable and hashable."""

from __future__ import annotations

from dataclasses import dataclass, field, fields

__all__ = ["Piece", "Place", "Sound"]


@dataclass(frozen=True, slots=True, repr=False)
class Place:
    """A place in a file; what a kind of file does not know is None. `str` shows it as people write it.

    >>> import sonometer
    >>> place = sonometer.extract(b"Good morning.\\nThank you!\\n").place(0, 15)
    >>> place, str(place)
    (Place(line=2), 'line 2')
    """

    page: int | None = None
    """The page, from 1."""
    paragraph: int | None = None
    """The paragraph of the page, or of the document where pages are not known, from 1."""
    table: int | None = None
    """The table of a text document, from 1."""
    sheet: str | None = None
    """The sheet of a workbook."""
    cell: str | None = None
    """The cell of a sheet or table, such as `B7`."""
    line: int | None = None
    """The line of the file, from 1."""
    message: int | None = None
    """The message of a chat or mailbox, from 1."""
    time: float | None = None
    """The time in a recording, in seconds."""
    until: float | None = None
    """Where in the recording it ends, in seconds."""
    channel: int | None = None
    """The channel of the recording, from 1."""
    part: str | None = None
    """A part beside the running text, such as `footnote 2`, `header` or `subject`."""
    path: str | None = None
    """The path in a JSON file, such as `messages[3].content`."""
    _shown: str = field(default="", repr=False, compare=False)

    def __str__(self) -> str:
        return self._shown

    def __repr__(self) -> str:
        known = ((part.name, getattr(self, part.name)) for part in fields(self) if part.repr)
        return f"Place({', '.join(f'{name}={value!r}' for name, value in known if value is not None)})"


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the text that comes from one place. Offsets are code points of the segment."""

    segment: int
    """The segment, from 0."""
    start: int
    """Its first character."""
    end: int
    """The character behind its last."""
    place: Place
    """Where it comes from."""
    confidence: float | None
    """How sure the recogniser of a recording is, 0 to 1; None if unknown."""


@dataclass(frozen=True, slots=True)
class Sound:
    """What is known of a recording, beside its words."""

    shown: str
    """What the file holds, such as `mp3, 44100 Hz, 2 channels`."""
    seconds: float
    """Its length."""
    heard_by: str
    """Where the words come from: the name of the recogniser, or `transcript`."""
    confidence: float | None
    """How sure the recogniser is, 0 to 1; None where it did not say so."""
    sha256: str
    """The SHA-256 of `transcript`: what a reading of the recording rests on."""
    transcript: str = field(repr=False)
    """The words with their times, as canonical JSON. `extract(…, transcript=transcript.encode())` gives the same bytes again."""
