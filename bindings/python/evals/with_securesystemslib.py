"""Runs the tests that need securesystemslib."""

import pathlib
import sys

import pytest

tests = pathlib.Path(__file__).parents[1] / "tests/test_evals_attestation.py"
sys.exit(pytest.main(["-p", "no:cacheprovider", "-o", "filterwarnings=", "-k", "securesystemslib", str(tests)]))
