"""The functions that engines of SQL are given: columns of pyarrow in, a column out. They travel to other processes as they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from . import Target, fingerprint
from ._optional import need
from ._targets import Carried, named
from .errors import InvalidRequestError, SonometerError

__all__ = ["Functions"]

# What `sense` gives. The type cannot depend on the target, which is an argument: no `resonance`, whose fields are metamarkers.
_SENSED = ("score", "sufficient", "fidelity", "triggered", "evidence")


def _whole(column: Any) -> Any:
    """One array, of one or several chunks."""
    return column.combine_chunks() if hasattr(column, "combine_chunks") else column


class Functions:
    """`sense`, `score`, `fidelity` and `masked` as `f(target, text)`.

    Names are those of `targets`, then those of the catalogue. With `input="json"`, texts are interactions as JSON, and there is no `masked`.
    """

    def __init__(
        self,
        targets: Mapping[str, str | Target[Any]] | None = None,
        *,
        input: str = "text",
        threads: int | None = None,
        signed: bool = False,
        extra: str = "sql",
    ) -> None:
        if input not in ("text", "json"):
            raise InvalidRequestError(f"`input` is `{input}`; give text or json", place="input", fix="give text or json")
        self._targets = {name: Carried(target) for name, target in (targets or {}).items()}
        self._input = input
        self._threads = threads
        self._signed = signed
        self._extra = extra
        # Names of the catalogue mean what they meant where these functions were registered.
        self._engine = fingerprint()

    def functions(self) -> dict[str, tuple[Callable[[Any, Any], Any], Any]]:
        """Each with the type of its column."""
        arrow = need("pyarrow", self._extra)
        named_functions: dict[str, tuple[Callable[[Any, Any], Any], Any]] = {
            "sense": (self.sense, self._sensed()),
            "score": (self.score, arrow.float64()),
            "fidelity": (self.fidelity, arrow.float64()),
        }
        if self._input == "text":
            named_functions["masked"] = (self.masked, arrow.string())
        return named_functions

    def sense(self, names: Any, texts: Any) -> Any:
        """Structs of `score`, `sufficient`, `fidelity`, `triggered`, `evidence` and `error`."""

        def of(target: Target[Any], column: Any) -> Any:
            found = self._frame(target, column, _SENSED)
            return self._arrow().concat_arrays([self._struct(batch) for batch in found.to_batches()])

        return self._each(names, texts, of, self._sensed())

    def score(self, names: Any, texts: Any) -> Any:
        """The scores; null where the text is null, cannot be read, or has too little to measure."""
        return self._number(names, texts, "score")

    def fidelity(self, names: Any, texts: Any) -> Any:
        """How much there is to measure."""
        return self._number(names, texts, "fidelity")

    def masked(self, names: Any, texts: Any) -> Any:
        """The texts as they may be shown."""
        text = self._arrow().string()

        def of(target: Target[Any], column: Any) -> Any:
            return _whole(target.mask_column(column, threads=self._threads)).cast(text)

        return self._each(names, texts, of, text)

    def _number(self, names: Any, texts: Any, what: str) -> Any:
        def of(target: Target[Any], column: Any) -> Any:
            return _whole(self._frame(target, column, (what,))[what])

        return self._each(names, texts, of, self._arrow().float64())

    def _frame(self, target: Target[Any], column: Any, columns: tuple[str, ...]) -> Any:
        return target.frame(column, columns=columns, input=self._input, threads=self._threads)  # type: ignore[arg-type]

    def _struct(self, batch: Any) -> Any:
        found = self._arrow().StructArray.from_arrays(batch.columns, fields=list(batch.schema))
        return found.cast(signed(found.type)) if self._signed else found

    def _sensed(self) -> Any:
        arrow = self._arrow()
        # Any target gives these columns the same types.
        schema = self._frame(named("courtesy"), arrow.array([], arrow.string()), _SENSED).schema
        kind = arrow.struct(list(schema))
        return signed(kind) if self._signed else kind

    def _each(self, names: Any, texts: Any, work: Callable[[Target[Any], Any], Any], kind: Any) -> Any:
        """Rows by the target that they name; mostly one for all of them."""
        arrow, compute = self._arrow(), need("pyarrow.compute", self._extra)
        names, texts = _whole(names), _whole(texts)
        asked = compute.unique(names).to_pylist()
        if len(asked) == 1 and asked[0] is not None:
            return work(self._target(asked[0]), texts)
        found, places = [arrow.array([], kind)], [arrow.array([], arrow.uint64())]
        for name in asked:
            rows = compute.indices_nonzero(compute.is_null(names) if name is None else compute.fill_null(compute.equal(names, name), False))
            found.append(arrow.nulls(len(rows), kind) if name is None else work(self._target(name), texts.take(rows)))
            places.append(rows)
        return arrow.concat_arrays(found).take(compute.sort_indices(arrow.concat_arrays(places)))

    def _target(self, name: str) -> Target[Any]:
        own = self._targets.get(name)
        if own is not None:
            return own.target()
        if fingerprint() != self._engine:
            raise SonometerError(
                f"these functions were registered by the engine `{self._engine}` and this process has `{fingerprint()}`; "
                "install the same version of sonometer on every machine"
            )
        return named(name)

    def _arrow(self) -> Any:
        return need("pyarrow", self._extra)


def signed(kind: Any) -> Any:
    """A type of pyarrow without the unsigned integers, which Spark does not have. Places and counts fit: they are below 2^32."""
    arrow = need("pyarrow", "spark")
    if arrow.types.is_unsigned_integer(kind):
        return arrow.int64()
    if arrow.types.is_list(kind):
        return arrow.list_(kind.value_field.with_type(signed(kind.value_type)))
    if arrow.types.is_struct(kind):
        return arrow.struct([field.with_type(signed(field.type)) for field in kind])
    return kind
