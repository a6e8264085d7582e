"""For pytest: `assert_reading` as a fixture, and snapshots of readings.

def test_the_answer_is_kind(assert_reading):
    assert_reading(answer(), "courtesy", at_least=0.5, silent=["contempt"])

def test_the_reading_stays(reading_snapshot):
    reading_snapshot(sonometer.Sensor("courtesy@2.0").sense(answer()))

`pytest --sonometer-update` writes snapshots anew. A snapshot that is missing fails.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from .. import Comparison, Reading

# The lines of a difference that are shown.
_MOST_LINES = 60


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds `--sonometer-update`."""
    group = parser.getgroup("sonometer")
    group.addoption("--sonometer-update", action="store_true", default=False, help="write the snapshots of readings anew")


@pytest.fixture
def assert_reading() -> Callable[..., Reading]:
    """`sonometer.evals.assert_reading`, which fails with the evidence."""
    # Sonometer is imported by tests that use it only.
    from . import assert_reading

    return assert_reading


@pytest.fixture
def reading_snapshot(request: pytest.FixtureRequest) -> Iterator[Callable[[Reading | Comparison], None]]:
    """Compares the canonical bytes of a reading with those in `__readings__` beside the test, one file for each call."""
    calls = 0
    names: set[str] = set()
    # Tests of several classes may have the same name.
    own = ".".join([node.name for node in request.node.listchain() if isinstance(node, pytest.Class)] + [request.node.name])

    def compare(reading: Reading | Comparison, name: str | None = None) -> None:
        """Compares one reading. `name` is that of its file, else that of the test with a number."""
        __tracebackhide__ = True
        nonlocal calls
        calls += 1
        _expect(reading, name)
        file = name or (own if calls == 1 else f"{own}-{calls}")
        if file in names:
            # The second would take the place of the first.
            pytest.fail(f"the snapshot `{file}` is compared twice in this test; give each reading a name of its own", pytrace=False)
        names.add(file)
        _compare(request, reading.json(), file)

    yield compare


def _expect(reading: Any, name: Any) -> None:
    """Refuses what is no reading, and a name that is none."""
    from .. import Comparison, Reading
    from ..errors import WrongTypeError, _kind

    __tracebackhide__ = True
    if not isinstance(reading, (Reading, Comparison)):
        fix = 'give what `sense` or `compare` gives, such as sonometer.Sensor("courtesy").sense(text)'
        raise WrongTypeError(f"{_kind(reading)} is not a reading; {fix}", place="reading", fix=fix)
    if name is not None and not isinstance(name, str):
        raise WrongTypeError(f"`name` is {_kind(name)}; give a str, or leave it out", place="name", fix="give a str, or leave it out")


def _compare(request: pytest.FixtureRequest, json_text: str, name: str) -> None:
    __tracebackhide__ = True
    file = request.node.path.parent / "__readings__" / f"{request.node.path.stem}.{_file_name(name)}.json"
    if request.config.getoption("--sonometer-update"):
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(json_text.encode() + b"\n")
        return
    shown = _shown(file, request.config.rootpath)
    if not file.is_file():
        pytest.fail(f"there is no snapshot {shown}; type: pytest --sonometer-update", pytrace=False)
    kept = file.read_bytes().decode().removesuffix("\n")
    if kept == json_text:
        return
    before, now = _lines(kept), _lines(json_text)
    lines = list(difflib.unified_diff(before, now, "snapshot", "now", n=2, lineterm=""))
    if not lines:
        lines = ["the same values in other bytes; the snapshot was edited or written by another tool"]
    if len(lines) > _MOST_LINES:
        lines[_MOST_LINES:] = [f"and {len(lines) - _MOST_LINES} more lines"]
    pytest.fail(f"the reading is not that of {shown}; if it should be, type: pytest --sonometer-update\n" + "\n".join(lines), pytrace=False)


def _file_name(name: str) -> str:
    """A name without marks that file systems refuse. Names that would become the same get a number of their own."""
    safe = re.sub(r"[^\w.-]+", "_", name)[:100]
    if safe == name:
        return safe
    import hashlib

    return f"{safe}-{hashlib.sha256(name.encode(errors='surrogatepass')).hexdigest()[:8]}"


def _shown(file: Path, root: Path) -> str:
    return str(file.relative_to(root)) if file.is_relative_to(root) else str(file)


def _lines(json_text: str) -> list[str]:
    try:
        value: Any = json.loads(json_text)
    except ValueError:
        return json_text.splitlines()
    return json.dumps(value, indent=1, ensure_ascii=False).splitlines()
