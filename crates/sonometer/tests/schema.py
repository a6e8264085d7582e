"""The JSON Schemas of protocols, metrics, blueprints and stages, as `jsonschema` reads them; run by `schema.sh`."""

import json
import sys
from pathlib import Path

from jsonschema.validators import validator_for
from ruamel.yaml import YAML

ROOT = Path(__file__).resolve().parents[3]
# The first key of each kind of file.
KINDS = {
    "sonometer": "protocol",
    "sonometer_metric": "metric",
    "sonometer_blueprint": "blueprint",
    "sonometer_stage": "stage",
}
BASE = {
    "sonometer": 1,
    "id": "base",
    "version": "1",
    "taxonomy": "Signal",
    "markers": [{"label": "thanks", "strong": "thank you"}],
}

passed = failed = 0


def validator(kind):
    schema = json.loads((ROOT / f"crates/sonometer/schema/{kind}.schema.json").read_text("utf-8"))
    of_its_draft = validator_for(schema)
    of_its_draft.check_schema(schema)
    return of_its_draft(schema)


def expect(name, errors, *, valid=True):
    """Counts one check; `errors` are those that the validator found."""
    global passed, failed
    errors = list(errors)
    if bool(errors) != valid:
        passed += 1
        return
    failed += 1
    print(f"FAILED  {name}: {errors[0].message[:200] if errors else 'is valid'}")


def examples(schema, place=""):
    """Every part of a schema that has examples."""
    if isinstance(schema, dict):
        if isinstance(schema.get("examples"), list):
            yield place, schema
        for key, part in schema.items():
            yield from examples(part, f"{place}/{key}")


validators = {kind: validator(kind) for kind in KINDS.values()}
yaml = YAML(typ="safe", pure=True)

files = sorted((ROOT / "crates/sonometer-catalog").glob("*/*.yaml"))
assert len(files) >= 15, f"only {len(files)} shipped files"
for file in files:
    content = yaml.load(file.read_text("utf-8"))
    kind = KINDS[next(iter(content))]
    # What YAML reads as a date or a set is text for us.
    content = json.loads(json.dumps(content, default=str))
    expect(file.name, validators[kind].iter_errors(content))

protocol = validators["protocol"]
vectors = 0
for file in sorted((ROOT / "fixtures/vectors").glob("*.jsonl")):
    # Not `splitlines`, which parts at U+2028, too.
    for number, line in enumerate(file.read_text("utf-8").strip().split("\n"), 1):
        vector = json.loads(line)
        if isinstance(vector.get("protocol"), dict) and "define" in vector:
            vectors += 1
            expect(f"{file.name}:{number}", protocol.iter_errors(vector["protocol"]))
assert vectors >= 50, f"only {vectors} protocols of vectors"

for language in ["de", "en", "es", "zh", "en-GB", "ZH"]:
    expect(language, protocol.iter_errors(BASE | {"language": language}))
for kind, own in validators.items():
    for place, part in examples(own.schema):
        for example in part["examples"]:
            expect(f"{kind}{place}", own.evolve(schema=part | {"definitions": own.schema.get("definitions", {})}).iter_errors(example))

for name, wrong in {
    "an unknown language": {"language": "fr"},
    "a misspelt key": {"makers": []},
    "a marker with a misspelt key": {"markers": [{"label": "thanks", "stong": "thank you"}]},
    "no list of markers": {"markers": 3},
}.items():
    expect(name, protocol.iter_errors(BASE | wrong), valid=False)

print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
