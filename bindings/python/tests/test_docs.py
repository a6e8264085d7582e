"""The examples of the docstrings and of the README run, and say what they say."""

import contextlib
import doctest
import io
import pathlib
import re
import types
from collections.abc import Iterator

import pytest

import sonometer
import sonometer.evals.promptfoo
from sonometer import _explain, _frozen, _html, _optional, _sonometer, _targets, chats, convokit, diving, environment, errors, evals, evaluating, files, guarding, model, opentelemetry, reporting, streaming

HERE = pathlib.Path(__file__).parents[1]
# That of this package, that of the whole project, and the page about labelled data.
READMES = {HERE / "README.md": 13, HERE.parents[1] / "README.md": 2, HERE.parents[1] / "docs/measuring.md": 1}
FLAGS = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL


def documented() -> Iterator[tuple[str, str]]:
    """Everything public with its docstring; doctest itself looks past what is native."""
    for module in (sonometer, diving, environment, errors, evaluating, guarding, model, reporting, streaming, convokit, chats, evals, sonometer.evals.promptfoo, opentelemetry, _sonometer, _html, _explain, _optional, _targets, _frozen):
        yield module.__name__, module.__doc__ or ""
        for name, value in vars(module).items():
            if isinstance(value, types.ModuleType) or not getattr(value, "__doc__", None):
                continue
            if isinstance(value, type) and value.__module__.startswith("sonometer"):
                yield f"{module.__name__}.{name}", value.__doc__ or ""
                for member, inner in vars(value).items():
                    if not member.startswith("__") and isinstance(inner.__doc__, str):
                        yield f"{module.__name__}.{name}.{member}", inner.__doc__
            elif isinstance(value, (types.FunctionType, types.BuiltinFunctionType)) and (value.__module__ or "sonometer").startswith("sonometer"):
                yield f"{module.__name__}.{name}", value.__doc__ or ""


def test_docstrings() -> None:
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=FLAGS)
    told = io.StringIO()
    for name, text in dict(documented()).items():
        runner.run(parser.get_doctest(text, {}, name, None, 0), out=told.write)
    results = runner.summarize(verbose=False)
    assert results.failed == 0, told.getvalue()
    assert results.attempted >= 40


def test_everything_public_has_a_docstring() -> None:
    missing = []
    for name in sonometer.__all__:
        value = getattr(sonometer, name)
        if isinstance(value, (str, types.ModuleType)):
            continue
        members = vars(value).items() if isinstance(value, type) else ()
        names = [name] + [f"{name}.{member}" for member, _ in members if not member.startswith("_")]
        docs = [value.__doc__] + [inner.__doc__ for member, inner in members if not member.startswith("_")]
        missing += [name for name, doc in zip(names, docs, strict=True) if not doc]
    assert [name for name in missing if name not in ("SonometerError.code",)] == []


@pytest.mark.parametrize("readme", READMES, ids=("of the package", "of the project", "of labelled data"))
def test_readme(readme: pathlib.Path) -> None:
    """Each block runs on its own; a comment behind `print` is what it prints."""
    blocks = re.findall(r"```python\n(.*?)```", readme.read_text(encoding="utf-8"), re.DOTALL)
    # What asks the service is run by its own tests, beside a server.
    blocks = [block for block in blocks if 'os.environ["TOKEN"]' not in block]
    assert len(blocks) == READMES[readme]
    promised = 0
    for block in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(block, str(readme), "exec"), {"__name__": "readme"})
        lines = printed.getvalue().splitlines()
        for expected in re.findall(r"print\([^#\n]*\) +# (?!the |places )(.+)", block):
            assert expected in lines, (expected, lines)
            promised += 1
    assert promised >= 2


def test_the_page_about_columns() -> None:
    for package in ("pyarrow", "polars", "pandas", "duckdb"):
        pytest.importorskip(package, reason=f"{package} cannot be installed")
    page = (HERE.parents[1] / "docs/columns.md").read_text(encoding="utf-8")
    promised = 0
    for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(block, "docs/columns.md", "exec"), {"__name__": "page"})
        for expected in re.findall(r"print\(.*\) +# (.+)", block):
            assert expected in printed.getvalue().splitlines(), (expected, printed.getvalue())
            promised += 1
    assert promised == 5
