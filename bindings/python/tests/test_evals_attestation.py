"""A card's attestation, checked by somebody else's verifier (DSSE by securesystemslib); `bindings/python/evals/run` installs it."""

import json
from importlib import import_module
from typing import Any

import pytest

from sonometer import SigningKey, Stage


@pytest.mark.filterwarnings("ignore")
def test_securesystemslib() -> None:
    reason = "securesystemslib is not installed; bindings/python/evals/run tests it"
    dsse: Any = pytest.importorskip("securesystemslib.dsse", reason=reason)
    signer, errors = import_module("securesystemslib.signer"), import_module("securesystemslib.exceptions")
    stage = Stage("billing-dispute@1.0")
    dive = stage.open(seed=7)
    for said in stage.walkthroughs["reference"].say:
        dive.act(said)
    key = SigningKey(bytes(range(32)))
    signed = json.loads(dive.close().envelope(key))
    by = signer.SSlibKey(signed["signatures"][0]["keyid"], "ed25519", "ed25519", {"public": key.public_key})
    envelope = dsse.Envelope.from_dict(json.loads(json.dumps(signed)))
    envelope.verify([by], 1)
    statement = json.loads(envelope.payload)
    assert statement["_type"] == "https://in-toto.io/Statement/v1" and envelope.payload_type == "application/vnd.in-toto+json"
    envelope.payload = envelope.payload.replace(b"billing-dispute", b"billing-disputf")
    with pytest.raises(errors.VerificationError):
        envelope.verify([by], 1)
