#!/usr/bin/env python3
"""Type-checks what only other systems compile, against stubs: the branches of Apple's systems, and of
Android for those with neither Glibc nor Darwin.

    check-apple.py BUILD-FOLDER

The folder is that of a debug build (.build), whose modules and flags are used. Every file of a library
with a condition on a system is checked twice, with the conditions replaced. What the stubs do not have
fails too: add it with its source. Nothing is run, so this finds no wrong behaviour.
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from build_flags import flags, system_plugins

ROOT = Path(__file__).resolve().parent.parent
STUBS = ROOT / "Scripts" / "AppleStubs"
CONDITION = re.compile(r"canImport\((?:Darwin|Security|SwiftUI|Combine|Glibc|Musl|Android)\)|\bos\(")
# Modules of servers and tools, which run on macOS and Linux alone, are checked as well.
MODULES = ("VarveCore", "VarveSQLite", "VarveSync", "VarveEntities", "VarveSealed", "VarveModels", "VarveClient",
           "VarvePostgres", "Inventory")
# Modules whose sources lie elsewhere than in Sources.
FOLDERS = {"Inventory": "Examples/Inventory"}
# Modules whose branches for Apple's systems have what the modules after them use.
USED = ("VarveModels", "VarveClient")
# The client has no carrier of requests for Android yet: it is for Linux and Apple's systems.
ABSENT = {("VarveClient", "Android")}

# What the conditions are on each system, which are replaced in the sources.
SYSTEMS = {
    "Apple": {
        "canImport(Glibc)": "false", "canImport(Musl)": "false", "canImport(Android)": "false",
        "canImport(Darwin)": "true", "canImport(Security)": "true", "canImport(SwiftUI)": "true", "canImport(Combine)": "true",
        "os(Linux)": "false",
    },
    "Android": {
        "canImport(Glibc)": "false", "canImport(Musl)": "false", "canImport(Android)": "true",
        "canImport(Darwin)": "false", "canImport(Security)": "false", "canImport(SwiftUI)": "false", "canImport(Combine)": "false",
        "os(Linux)": "false",
    },
}
# A stored property stands for what the macro of SwiftUI generates.
ENTRY = (re.compile(r"@Entry public var (\w+): (\w+)\?"), r"public var \1: \2? { get { nil } set {} }")


def prepared(text: str, answers: dict[str, str]) -> str:
    for condition, answer in answers.items():
        text = re.sub(
            r"(?m)^( *#(?:else)?if .*)$",
            lambda found: found[0].replace(condition, answer),
            text,
        )
    text = ENTRY[0].sub(ENTRY[1], text)
    # Foundation has the declarations of the system's C library.
    library = "Darwin" if answers["canImport(Darwin)"] == "true" else "Android"
    text = re.sub(
        r"(?m)^((?:public |package )?import Foundation)$", rf"\1\nimport {library}", text, count=1
    )
    if "URLSession" in text or "performExpiringActivity" in text:
        text = "import AppleFoundation\n" + text
    return text


def compile_stubs(folder: Path) -> None:
    for stub in sorted(STUBS.glob("*.swift")):
        subprocess.run(
            ["swiftc", "-emit-module", "-module-name", stub.stem, "-parse-as-library", "-swift-version", "6",
             "-suppress-warnings", "-o", folder / f"{stub.stem}.swiftmodule", stub],
            check=True,
        )


def emit_module(module: str, files: list[Path], arguments: list[str], scratch: str) -> subprocess.CompletedProcess:
    """Makes a module of the branches for Apple's systems, which takes the place of the one that was built."""
    command = ["swiftc", "-frontend", "-emit-module", "-module-name", module, "-I", scratch, *arguments,
               *system_plugins(), "-parse-as-library", "-suppress-warnings",
               "-experimental-skip-all-function-bodies", "-o", Path(scratch) / f"{module}.swiftmodule"]
    return subprocess.run([*command, *files], capture_output=True, text=True)


def main() -> int:
    if len(sys.argv) != 2 or not (Path(sys.argv[1]) / "debug.yaml").exists():
        print("check-apple: name the folder of a debug build: make build", file=sys.stderr)
        return 64
    build, failures, count = Path(sys.argv[1]), 0, 0
    with tempfile.TemporaryDirectory() as scratch:
        compile_stubs(Path(scratch))
        for module in MODULES:
            folder = ROOT / FOLDERS.get(module, f"Sources/{module}")
            files = sorted(folder.rglob("*.swift"))
            conditional = [file for file in files if CONDITION.search(file.read_text(encoding="utf-8"))]
            arguments = flags(build, module)
            if not arguments:
                print(f"check-apple: {module} was not built", file=sys.stderr)
                return 64
            for system, answers in SYSTEMS.items():
                if (module, system) in ABSENT:
                    continue
                # All of these at once: a branch of one may use a branch of another.
                copies = {}
                for file in conditional:
                    copy = Path(scratch) / f"{module}-{file.name}"
                    copy.write_text(prepared(file.read_text(encoding="utf-8"), answers), encoding="utf-8")
                    copies[file] = copy
                others = [file for file in files if file not in copies]
                command = ["swiftc", "-frontend", "-typecheck", "-module-name", module, "-I", scratch]
                command += [*arguments, *system_plugins(), "-parse-as-library", "-suppress-warnings"]
                for copy in copies.values():
                    command += ["-primary-file", copy]
                result = subprocess.run([*command, *others], capture_output=True, text=True)
                if result.returncode == 0 and system == "Apple" and module in USED:
                    result = emit_module(module, [*copies.values(), *others], arguments, scratch)
                count += len(copies)
                if result.returncode != 0:
                    failures += 1
                    print(f"check-apple: {module} on {system}:\n{result.stderr}", file=sys.stderr)
    print(f"check-apple: {count} files checked, {failures} modules failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
