"""Packages that Sonometer works with and does not need: imported when something of theirs is asked for."""

from __future__ import annotations

import importlib
from typing import Any

__all__ = ["need"]


def need(package: str, extra: str) -> Any:
    """The package, or an error that says what to type.

    >>> from sonometer._optional import need
    >>> need("no_such_package", "spark")
    Traceback (most recent call last):
      ...
    ImportError: no_such_package is not installed; type: pip install 'sonometer[spark]'
    """
    try:
        return importlib.import_module(package)
    except ModuleNotFoundError as error:
        # Where the package is there and something that it needs is not, its own words say more.
        if (error.name or "").partition(".")[0] != package.partition(".")[0]:
            raise
        message = f"{package} is not installed; type: pip install 'sonometer[{extra}]'"
        raise ImportError(message, name=package) from None
