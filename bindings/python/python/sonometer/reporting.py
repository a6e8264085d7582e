"""Reports to hand on: of one reading all that was found, of many what they came to. The native half computes."""

from __future__ import annotations

import json as _json
import os
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import _html, _sonometer
from .errors import InvalidRequestError, SonometerError, WrongTypeError, _kind

__all__ = ["Page", "report"]


@dataclass(frozen=True, repr=False)
class Page:
    """A report: a page for browsers that needs no network and prints well, the same in Markdown, and its figures.

    What the protocol masks is in none of them, names of files, roles and groups included.

    >>> from sonometer import Sensor
    >>> page = Sensor("courtesy@1.0").sense("Good morning, thank you so much for your help!").report()
    >>> page.to_dict()["score"], str(page).splitlines()[0]
    (0.544769, '# Courtesy (courtesy@1.0)')
    """

    _page: str
    _text: str = field(compare=False)
    _figures: str

    def html(self) -> str:
        """The page."""
        return self._page

    def markdown(self) -> str:
        """The report in Markdown, with the tables of GitHub."""
        return self._text

    def json(self) -> str:
        """The figures as one line of JSON, as the page holds them."""
        return self._figures

    def to_dict(self) -> dict[str, Any]:
        """The figures as Python's dicts and lists."""
        figures: dict[str, Any] = _json.loads(self._figures)
        return figures

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the report, all of it or nothing: as Markdown where the name ends in .md, as its figures where it ends in .json, else
        as a page.
        """
        if not isinstance(path, (str, os.PathLike)):
            fix = "give a path, such as \"report.html\""
            raise WrongTypeError(f"`path` is {_kind(path)}; {fix}", place="path", fix=fix)
        path = Path(path)
        text = {".md": self._text, ".json": self._figures + "\n"}.get(path.suffix.lower(), self._page)
        beside = path.parent / f".{path.name}.{secrets.token_hex(8)}"
        try:
            # With the rights of any new file; never one that is there.
            with open(beside, "x", encoding="utf-8", newline="\n") as file:
                try:
                    file.write(text)
                    file.close()
                    os.replace(beside, path)
                except BaseException:
                    os.unlink(beside)
                    raise
        except OSError as error:
            # The file that was asked for, not the one beside it.
            raise OSError(error.errno, error.strerror, str(path)) from None

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        figures = self.to_dict()
        count = f" of {figures['talks']} talks" if figures["kind"] == "corpus" else ""
        return f"<Page {figures['target']['id']}@{figures['target']['version']}{count}>"

    def _repr_html_(self) -> str:
        return _html.frame(self._page)


def report(
    readings: Iterable[_sonometer.Reading | SonometerError],
    *,
    target: _sonometer.Target[Any] | None = None,
    names: Iterable[Any] | None = None,
    by: Iterable[Any] | None = None,
    by_name: str = "group",
    data: str = "",
) -> Page:
    """What many readings of one target came to: scores, markers, roles, courses, and the best, worst and median talks with evidence.

    `readings`: as `batch` and `map` give them, errors included. `names`: what each talk is called. `by`: a value for each by which the
    talks are compared, such as a column of a data frame, and `by_name` what it is. `data`: what was read, for the heading. `target`:
    needed only where there is no reading.

    >>> import sonometer
    >>> courtesy = sonometer.Sensor("courtesy@1.0")
    >>> texts = ["Good morning, thank you so much for your help!", "Tell me the version of the app you use now.", "Hm."]
    >>> page = sonometer.report(courtesy.batch(texts), by=["kind", "curt", "curt"])
    >>> figures = page.to_dict()
    >>> figures["talks"], figures["measured"], [group["group"] for group in figures["groups"]["groups"]]
    (3, 2, ['curt', 'kind'])
    """
    for place, text in (("by_name", by_name), ("data", data)):
        _want_text(text, place)
    if isinstance(readings, _sonometer.Reading):
        fix = "give a list of readings, or call its `report`"
        raise WrongTypeError(f"one reading is no list; {fix}", place="readings", fix=fix)
    if not isinstance(readings, Iterable):
        fix = "give a list of readings, such as that of `batch`"
        raise WrongTypeError(f"{_kind(readings)} is not a list of readings; {fix}", place="readings", fix=fix)
    if not (target is None or isinstance(target, _sonometer.Target)):
        fix = "give a Sensor, Metric or Blueprint"
        raise WrongTypeError(f"`target` is {_kind(target)}; {fix}", place="target", fix=fix)
    rows: list[Any] = []
    for at, reading in enumerate(readings):
        if isinstance(reading, SonometerError):
            rows.append((reading.code, str(reading)))
        elif isinstance(reading, _sonometer.Reading):
            rows.append(reading)
            target = target or reading.target
        else:
            fix = "give readings, such as those of `batch`"
            raise WrongTypeError(f"{_kind(reading)} is not a reading; {fix}", place=f"readings[{at}]", fix=fix)
    if target is None:
        fix = "give `target=`, so that the report can say what would have measured"
        raise InvalidRequestError(f"there is no reading to report; {fix}", place="readings", fix=fix)
    told = _values(names, "names", len(rows))
    groups = _values(by, "by", len(rows))
    return Page(*_sonometer._report(target, rows, told, groups, _shown(by_name) if by is not None else None, _shown(data)))


def _values(values: Iterable[Any] | None, place: str, count: int) -> list[str | None]:
    """A text for each reading; None where there is no value."""
    if values is None:
        return []
    if isinstance(values, str) or not isinstance(values, Iterable):
        fix = "give a list with a value for each reading"
        raise WrongTypeError(f"`{place}` is {_kind(values)}; {fix}", place=place, fix=fix)
    told = [None if _is_missing(value) else _shown(str(value)) for value in values]
    if len(told) != count:
        fix = "give one value for each reading"
        raise InvalidRequestError(f"{len(told)} values for {count} readings; {fix}", place=place, fix=fix)
    return told


def _shown(text: str) -> str:
    """A text that can be written: names of files may have bytes in them that are no text."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _is_missing(value: Any) -> bool:
    """Whether it is what tables have where there is no value: None, not a number, or the NA of pandas, which is neither true nor false."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except TypeError:
        return True
    except ValueError:
        return False


def _want_text(value: Any, place: str) -> None:
    if not isinstance(value, str):
        raise WrongTypeError(f"{_kind(value)} is not a text; give a str", place=place, fix="give a str")


def _talk(reading: _sonometer.Reading, name: str) -> Page:
    return Page(*_sonometer._report_talk(reading, name))
