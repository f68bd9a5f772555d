#!/usr/bin/env python3
"""Type-checks the modules that traits switch, with the traits that the builds and tests here do not have alone.

    check-traits.py BUILD-FOLDER

The folder is that of a debug build with all traits (.build), whose modules and flags are used. A file that
compiles only with every trait is found without building the package anew for each of them.
"""
import subprocess
import sys
from pathlib import Path

from build_flags import flags

ROOT = Path(__file__).resolve().parent.parent
TRAITS = {"CommandLine", "Client", "Server", "YAML", "SQLCipher"}
# The modules of which something stands behind a trait, with the sets of traits that are tried.
TRIED = {
    "VarveCommand": [set(), {"CommandLine"}, {"CommandLine", "YAML"}, {"CommandLine", "Client"},
                     {"CommandLine", "Client", "Server"}],
    "VarveClient": [set()],
    "VarveServer": [set(), {"Client"}],
    "VarveYAML": [set()],
    "VarvePostgres": [set()],
    "VarveSQLite": [set(), {"SQLCipher"}],
}


def with_traits(arguments: list[str], traits: set[str]) -> list[str]:
    """The flags with the conditions of these traits, and without those of others."""
    kept = [flag for flag in arguments if flag.removeprefix("-D") not in TRAITS]
    return kept + [f"-D{trait}" for trait in sorted(traits)]


def main() -> int:
    if len(sys.argv) != 2 or not (Path(sys.argv[1]) / "debug.yaml").exists():
        print("check-traits: name the folder of a debug build: make build", file=sys.stderr)
        return 64
    failures, count = 0, 0
    for module, sets in TRIED.items():
        files = sorted((ROOT / "Sources" / module).rglob("*.swift"))
        arguments = flags(Path(sys.argv[1]), module)
        if not arguments:
            print(f"check-traits: {module} was not built", file=sys.stderr)
            return 64
        for traits in sets:
            command = ["swiftc", "-frontend", "-typecheck", "-module-name", module, "-parse-as-library"]
            command += [*with_traits(arguments, traits), "-warnings-as-errors", *files]
            result = subprocess.run(command, capture_output=True, text=True)
            count += 1
            if result.returncode != 0:
                failures += 1
                names = ", ".join(sorted(traits)) or "no trait"
                print(f"check-traits: {module} with {names}:\n{result.stderr}", file=sys.stderr)
    print(f"check-traits: {count} combinations checked, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
