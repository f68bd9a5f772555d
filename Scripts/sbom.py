#!/usr/bin/env python3
"""Writes what a build contains as a CycloneDX document (https://cyclonedx.org, version 1.5).

    sbom.py VERSION OUTPUT

Packages and versions are those of Package.resolved; their licences are read from the checkouts in .build. A
licence that is not recognised ends the script.
"""
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# The libraries of the system, by the packages of Debian that have them.
SYSTEM = {"libsqlite3-0": "blessing", "libzstd1": "BSD-3-Clause", "libsimdjson": "Apache-2.0",
          "libpq5": "PostgreSQL", "zlib1g": "Zlib"}


def licence(checkout: Path) -> str:
    for file in sorted(checkout.glob("LICENSE*")):
        text = file.read_text(encoding="utf-8")
        if "Apache License" in text:
            exception = "Runtime Library Exception" in text
            return "Apache-2.0 WITH Swift-exception" if exception else "Apache-2.0"
        # Not every project names the licence it copied.
        if "MIT License" in text or "Permission is hereby granted, free of charge" in text:
            return "MIT"
    sys.exit(f"sbom: the licence of {checkout.name} is not recognised")


def component(pin: dict) -> dict:
    address = re.sub(r"\.git$", "", pin["location"].removeprefix("https://"))
    name = address.rsplit("/", 1)[1]
    state = pin["state"]
    version = state.get("version", state["revision"])
    return {
        "type": "library", "name": name, "version": version, "purl": f"pkg:swift/{address}@{version}",
        "licenses": [{"expression": licence(ROOT / ".build" / "checkouts" / name)}],
        "externalReferences": [{"type": "vcs", "url": pin["location"]}],
    }


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    version, output = sys.argv[1], Path(sys.argv[2])
    resolved = ROOT / "Package.resolved"
    if not resolved.exists():
        sys.exit("sbom: there is no Package.resolved: build first")
    pins = json.loads(resolved.read_text(encoding="utf-8"))["pins"]
    libraries = [
        {"type": "library", "name": name, "licenses": [{"expression": expression}],
         "purl": f"pkg:deb/debian/{name}"}
        for name, expression in SYSTEM.items()
    ]
    document = {
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "metadata": {"component": {
            "type": "application", "name": "varve", "version": version,
            "licenses": [{"expression": "Apache-2.0"}],
        }},
        "components": [component(pin) for pin in pins] + libraries,
    }
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    print(f"sbom: {len(document['components'])} components in {output}")


if __name__ == "__main__":
    main()
