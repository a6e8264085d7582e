"""Mappings that cannot be changed, and can still be pickled, copied, hashed and written as JSON."""

from __future__ import annotations

from typing import Any, NoReturn, TypeVar

__all__ = ["Frozen"]

_K = TypeVar("_K")
_V = TypeVar("_V")


class Frozen(dict[_K, _V]):
    """A dict that cannot be changed; `dict(…)` of it can.

    >>> import json, pickle
    >>> from sonometer import Sensor
    >>> resonance = Sensor("courtesy@1.0").sense("Good morning, thank you so much for your help!").resonance
    >>> json.loads(json.dumps(resonance)) == resonance == pickle.loads(pickle.dumps(resonance))
    True
    >>> resonance["gratitude"] = 0
    Traceback (most recent call last):
      ...
    TypeError: this mapping cannot be changed; copy it by dict(…)
    """

    __slots__ = ()

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("this mapping cannot be changed; copy it by dict(…)")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __copy__(self) -> Frozen[_K, _V]:
        return self

    def __deepcopy__(self, _memo: object) -> Frozen[_K, _V]:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Frozen, (dict(self),)
