"""Runs the tests that need opentelemetry."""

import pathlib
import sys

import pytest

tests = pathlib.Path(__file__).parents[1] / "tests/test_evals_traces.py"
sys.exit(pytest.main(["-p", "no:cacheprovider", "-o", "filterwarnings=", "-k", "opentelemetry", str(tests)]))
