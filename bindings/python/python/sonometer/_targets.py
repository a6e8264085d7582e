"""Targets by their names, and targets on their way to other processes. Each process compiles a target once."""

from __future__ import annotations

import hashlib
import pickle
from functools import lru_cache
from typing import Any, TypeVar

from . import Stage, Target, _sonometer, fingerprint, load
from .errors import SonometerError, WrongTypeError, _kind

__all__ = ["Carried", "named", "restored", "restored_stage", "shared"]

_T = TypeVar("_T")

# Expressions are written for many columns and frames, and a worker is handed the same target with each of its tasks. A compiled target
# takes 1 to 30 MB.
_NAMED: dict[str, Target[Any]] = {}
_BUILT: dict[str, Target[Any]] = {}
_MOST = 64
# What pickles bring is kept for the next ones; fewer of these, since nobody asked for them by name.
_MOST_PICKLED = 8


def _keep(shelf: dict[str, Target[Any]], key: str, target: Target[Any]) -> Target[Any]:
    if len(shelf) >= _MOST:
        shelf.clear()
    return shelf.setdefault(key, target)


def named(target: str | Target[Any]) -> Target[Any]:
    """The target itself, or the one of that name: what `sonometer.load` takes."""
    if isinstance(target, Target):
        return target
    if not isinstance(target, str):
        fix = "give its name, such as \"courtesy@2.0\", or a Sensor, Metric or Blueprint"
        raise WrongTypeError(f"{_kind(target)} is not a target; {fix}", place="target", fix=fix)
    known = _NAMED.get(target)
    return known if known is not None else _keep(_NAMED, target, load(target))


@lru_cache(maxsize=_MOST_PICKLED)
def shared(target: _T) -> _T:
    """The first of all targets or stages equal to this one. Readings are pickled with it, so that a pickle holds equal targets once."""
    return target


@lru_cache(maxsize=_MOST_PICKLED)
def restored(document: str, shelf: tuple[str, ...], files: tuple[tuple[str, str], ...]) -> Target[Any]:
    """Unpickles a target. Readings that come one by one, such as from other processes, have one target and not a copy each."""
    return _sonometer._restore_target(document, shelf, list(files))


@lru_cache(maxsize=_MOST_PICKLED)
def restored_stage(document: str, shelf: tuple[str, ...], files: tuple[tuple[str, str], ...]) -> Stage:
    """Unpickles a stage; as `restored`."""
    return _sonometer._restore_stage(document, shelf, list(files))


class Carried:
    """A target as its source and digest. Another process builds it once, and refuses to measure with another engine: its bytes could
    differ from those of the others.

    >>> import pickle, sonometer
    >>> from sonometer._targets import Carried
    >>> carried = Carried(sonometer.Sensor("courtesy@1.0"))
    >>> other = pickle.loads(pickle.dumps(carried))
    >>> other.target().digest == carried.digest, other.target() is other.target()
    (True, True)
    """

    __slots__ = ("_key", "_source", "digest", "engine", "name")

    def __init__(self, target: str | Target[Any]) -> None:
        built = named(target)
        self.name = repr(built)
        self.digest = built.digest
        self.engine = fingerprint()
        # The sources of the target and of what it names, not what was compiled: some 10 to 100 KB.
        self._source = pickle.dumps(built)
        # What a metric says depends on its shelf, too, which is not in its digest.
        self._key = hashlib.sha256(self._source).hexdigest()

    def target(self) -> Target[Any]:
        """The target, compiled in this process."""
        known = _BUILT.get(self._key)
        if known is not None:
            return known
        if fingerprint() != self.engine:
            raise SonometerError(
                f"{self.name} was sent by the engine `{self.engine}` and this process has `{fingerprint()}`; "
                "install the same version of sonometer on every machine"
            )
        built: Target[Any] = pickle.loads(self._source)
        if built.digest != self.digest:
            raise SonometerError(f"{self.name} arrived with the digest {built.digest}; it was sent with {self.digest}")
        return _keep(_BUILT, self._key, built)

    def __repr__(self) -> str:
        return f"<Carried {self.name} {self.digest[:15]}>"
