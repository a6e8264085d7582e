"""Sonometer in pandas: `import sonometer.pandas`, then `df["text"].sonometer.sense("courtesy")`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from . import Target
from ._optional import need
from ._targets import named

__all__ = ["Sonometer"]

_pandas = need("pandas", "pandas")
need("pyarrow", "pandas")


class Sonometer:
    """What `series.sonometer` offers, for a series of texts or of conversations (lists of `{"role", "content", "timestamp"}`).

    The index is kept. `None` and `NaN` are null; what is null, cannot be read or has too little to measure has the score `NaN`.

    >>> import pandas, sonometer.pandas
    >>> texts = pandas.Series(["Thank you so much for your help!", None], index=[7, 8])
    >>> texts.sonometer.score("courtesy@1.0")
    7    0.494769
    8         NaN
    Name: score, dtype: float64
    """

    def __init__(self, series: Any) -> None:
        self._series = series

    def sense(self, target: str | Target[Any], columns: str | Iterable[str] = ("score", "sufficient"), **options: Any) -> Any:
        """A DataFrame of the columns that `Target.frame` gives, which takes the options."""
        return named(target).frame(self._series, columns=columns, **options)

    def score(self, target: str | Target[Any], **options: Any) -> Any:
        """The scores."""
        return self.sense(target, ("score",), **options)["score"]

    def fidelity(self, target: str | Target[Any], **options: Any) -> Any:
        """The fidelity: how much there is to measure, 0 to 1."""
        return self.sense(target, ("fidelity",), **options)["fidelity"]

    def mask(self, target: str | Target[Any], **options: Any) -> Any:
        """The texts with what the target masks hidden, as `Target.mask_column` gives them."""
        return named(target).mask_column(self._series, **options)


_pandas.api.extensions.register_series_accessor("sonometer")(Sonometer)
