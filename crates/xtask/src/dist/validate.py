"""Holds CycloneDX files against the official schema, as the library of CycloneDX carries it."""

import sys
from pathlib import Path

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

validator = JsonStrictValidator(SchemaVersion.V1_5)
for name in sys.argv[1:]:
    error = validator.validate_str(Path(name).read_text("utf-8"))
    if error is not None:
        sys.exit(f"{name}: {error}")
    print(f"valid CycloneDX 1.5: {Path(name).name}")
