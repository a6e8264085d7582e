"""Sonometer in Polars: `import sonometer.polars`, then `pl.col("text").sonometer.sense("courtesy")`, or of a series `frame["text"].sonometer`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from . import InvalidRequestError, Target
from ._optional import need
from ._targets import named

need("polars", "polars")
import polars  # noqa: E402

__all__ = ["SeriesSonometer", "Sonometer"]


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

    def sense(self, target: str | Target[Any], columns: str | Iterable[str] = ("score", "sufficient"), **options: Any) -> polars.Expr:
        """A struct of the columns that `Target.frame` gives, which takes the options."""
        measure, names = named(target), (columns,) if isinstance(columns, str) else tuple(columns)

        def sensed(series: polars.Series) -> polars.Series:
            found: polars.DataFrame = measure.frame(series, columns=names, **options)
            return found.to_struct(series.name)

        # What no row says has the type of all.
        kind = sensed(polars.Series("", [], dtype=polars.String)).dtype
        return self._expression.map_batches(sensed, return_dtype=kind, is_elementwise=True)

    def score(self, target: str | Target[Any], **options: Any) -> polars.Expr:
        """The score; null where the row is null, cannot be read, or has too little to measure."""
        return self.sense(target, ("score",), **options).struct.field("score")

    def fidelity(self, target: str | Target[Any], **options: Any) -> polars.Expr:
        """The fidelity: how much there is to measure, 0 to 1."""
        return self.sense(target, ("fidelity",), **options).struct.field("fidelity")

    def mask(self, target: str | Target[Any], **options: Any) -> polars.Expr:
        """The texts with what the target masks hidden. Of conversations use `Target.mask_column`, or `sonometer.mask` of a series: an expression
        has to say its type beforehand.
        """
        measure = named(target)

        def masked(series: polars.Series) -> polars.Series:
            if series.dtype not in (polars.String, polars.Null):
                fix = 'write `target.mask_column(frame["column"])`, or `frame["column"].sonometer.mask(target)`'
                raise InvalidRequestError(f"an expression masks texts, and this is {series.dtype}; {fix}", place="column", fix=fix)
            shown: polars.Series = measure.mask_column(series, **options)
            return shown

        return self._expression.map_batches(masked, return_dtype=polars.String, is_elementwise=True)


@polars.api.register_series_namespace("sonometer")
class SeriesSonometer:
    """The same for a series, done at once.

    >>> import polars, sonometer.polars
    >>> polars.Series(["Thank you so much for your help!", None]).sonometer.score("courtesy@1.0").to_list()
    [0.494769, None]
    """

    def __init__(self, series: polars.Series) -> None:
        self._series = series

    def sense(self, target: str | Target[Any], columns: str | Iterable[str] = ("score", "sufficient"), **options: Any) -> polars.Series:
        """Structs of the columns that `Target.frame` gives, which takes the options; `unnest()` makes a DataFrame of them."""
        return self._done(Sonometer(polars.all()).sense(target, columns, **options))

    def score(self, target: str | Target[Any], **options: Any) -> polars.Series:
        """The scores; null where the row is null, cannot be read, or has too little to measure."""
        return self._done(Sonometer(polars.all()).score(target, **options))

    def fidelity(self, target: str | Target[Any], **options: Any) -> polars.Series:
        """The fidelity: how much there is to measure, 0 to 1."""
        return self._done(Sonometer(polars.all()).fidelity(target, **options))

    def mask(self, target: str | Target[Any], **options: Any) -> polars.Series:
        """The texts or conversations with what the target masks hidden, as `Target.mask_column` gives them."""
        masked: polars.Series = named(target).mask_column(self._series, **options)
        return masked

    def _done(self, expression: polars.Expr) -> polars.Series:
        return self._series.to_frame().select(expression).to_series()
