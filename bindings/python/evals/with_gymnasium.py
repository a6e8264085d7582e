"""Runs the tests that need gymnasium."""

import pathlib
import sys

import pytest

tests = pathlib.Path(__file__).parents[1] / "tests/test_evals_worlds.py"
sys.exit(pytest.main(["-p", "no:cacheprovider", "-o", "filterwarnings=", "-k", "gymnasium", str(tests)]))
