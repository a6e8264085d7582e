"""Sonometer in Polars: `import sonometer.polars`, then `pl.col("text").sonometer.sense("courtesy")`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import polars

from . import Target, load

__all__ = ["Sonometer"]


# An expression is often written for many columns or frames; a target is compiled once for each name.
_LOADED: dict[str, Target[Any]] = {}
_MOST_LOADED = 64


def _target(target: str | Target[Any]) -> Target[Any]:
    if not isinstance(target, str):
        return target
    if target not in _LOADED:
        if len(_LOADED) == _MOST_LOADED:
            _LOADED.clear()
        _LOADED[target] = load(target)
    return _LOADED[target]


@polars.api.register_expr_namespace("sonometer")
class Sonometer:
    """What `pl.col(…).sonometer` offers. Rows share nothing, so expressions stream and run on every engine of Polars.

    >>> import polars, sonometer.polars
    >>> texts = polars.DataFrame({"text": ["Thank you so much for your help!", None]})
    >>> texts.select(polars.col("text").sonometer.score("courtesy@1.0")).to_series().to_list()
    [0.494769, None]
    """

    def __init__(self, expression: polars.Expr) -> None:
        self._expression = expression

    def sense(self, target: str | Target[Any], columns: Iterable[str] = ("score", "sufficient"), **options: Any) -> polars.Expr:
        """A struct of the columns that `Target.frame` gives, which takes the options."""
        measure, names = _target(target), tuple(columns)

        def sensed(series: polars.Series) -> polars.Series:
            found: polars.DataFrame = measure.frame(series, columns=names, **options)
            return found.to_struct(series.name)

        # What no row says has the type of all.
        kind = sensed(polars.Series("", [], dtype=polars.String)).dtype
        return self._expression.map_batches(sensed, return_dtype=kind, is_elementwise=True)

    def score(self, target: str | Target[Any], **options: Any) -> polars.Expr:
        """The score; null where the row is null, cannot be read, or has too little to measure."""
        return self.sense(target, ("score",), **options).struct.field("score")

    def mask(self, target: str | Target[Any], **options: Any) -> polars.Expr:
        """The texts with what the target masks hidden, as `Target.mask_column` gives them."""
        measure = _target(target)

        def masked(series: polars.Series) -> polars.Series:
            shown: polars.Series = measure.mask_column(series, **options)
            return shown

        return self._expression.map_batches(masked, return_dtype=polars.String, is_elementwise=True)
