#!/usr/bin/env python3
"""Checks what neither the compiler nor the formatter sees; prints every finding and fails if there is one.

- No two tracked paths differ by case alone: they are one path on a Mac's default file system.
- The table of modules in CONTRIBUTING.md lists the targets of Package.swift and what each imports.
- A file of extensions is called Type+Topic.swift, not TypeTopic.swift.
- No public top-level name of a library product is one of Scripts/framework-names.txt, unless allowed.
"""
import json
import re
import subprocess
import sys
from collections import defaultdict
from itertools import accumulate
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parent.parent


def output(*command: str) -> str:
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def case_clashes(tracked: list[str]) -> list[str]:
    """The groups of paths that differ only by case."""
    spellings = defaultdict(set)
    for path in tracked:
        for part in accumulate(PurePosixPath(path).parts, lambda folder, name: f"{folder}/{name}"):
            spellings[part.casefold()].add(part)
    return [
        f"paths differ by case alone: {', '.join(sorted(group))}"
        for group in spellings.values()
        if len(group) > 1
    ]


def declared_imports(package: dict) -> dict[str, set[str]]:
    """The package's own targets that each target except tests imports, without system libraries."""
    targets = {
        target["name"]: target
        for target in package["targets"]
        if target["type"] != "test" and not target["name"].startswith("C")
    }
    imports = {}
    for name, target in targets.items():
        named = {next(iter(dependency.values()))[0] for dependency in target["dependencies"]}
        imports[name] = named & targets.keys()
    return imports


def listed_imports(contributing: str) -> dict[str, set[str]]:
    """The imports of each module by the table of modules."""
    section = contributing.split("## Modules", 1)[1].split("\n## ", 1)[0]
    listed = {}
    for line in section.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 3 and (name := re.fullmatch(r"`([\w-]+)`", cells[0])):
            listed[name[1]] = set(re.findall(r"`([\w-]+)`", cells[2]))
    return listed


def table_differences(declared: dict[str, set[str]], listed: dict[str, set[str]]) -> list[str]:
    findings = []
    for name in sorted(declared.keys() | listed.keys()):
        if name not in listed:
            findings.append(f"CONTRIBUTING.md, Modules: {name} is missing")
        elif name not in declared:
            findings.append(f"CONTRIBUTING.md, Modules: Package.swift has no target {name}")
        elif declared[name] != listed[name]:
            expected = ", ".join(f"`{module}`" for module in sorted(declared[name])) or "none"
            findings.append(f"CONTRIBUTING.md, Modules: {name} imports {expected}")
    return findings


def framework_names(text: str) -> tuple[dict[str, set[str]], set[tuple[str, str]]]:
    """The frameworks of each name, and the pairs of name and framework that are allowed."""
    frameworks = defaultdict(set)
    allowed = set()
    framework = None
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if exception := re.fullmatch(r"allow (\S+) (\w+): \S.*", line):
            allowed.add((exception[1], exception[2]))
            continue
        if heading := re.match(r"(\w+):", line):
            framework, line = heading[1], line[heading.end() :]
        for name in line.split():
            frameworks[name].add(framework)
    return frameworks, allowed


def public_names(source: str) -> list[tuple[str, int]]:
    """The public types and macros at the top level of a file, with their lines; macros with an @.

    The formatter indents a declaration by its depth, and by that of the `#if` around it.
    """
    declaration = re.compile(
        r"(?:@\S+ )*public (?:\w+ )*?(struct|class|enum|actor|protocol|typealias|macro) (\w+)"
    )
    names, depth = [], 0
    for number, line in enumerate(source.splitlines(), 1):
        text = line.lstrip(" ")
        if text.startswith("#endif"):
            depth -= 1
        if len(line) - len(text) == 2 * depth and (found := declaration.match(text)):
            names.append((("@" if found[1] == "macro" else "") + found[2], number))
        if text.startswith("#if "):
            depth += 1
    return names


def name_clashes(package: dict, text: str) -> list[str]:
    """The public names of library products that a framework has too."""
    frameworks, allowed = framework_names(text)
    products = [product for product in package["products"] if "library" in product["type"]]
    findings, used = [], set()
    for target in sorted({target for product in products for target in product["targets"]}):
        for path in sorted((ROOT / "Sources" / target).rglob("*.swift")):
            for name, line in public_names(path.read_text(encoding="utf-8")):
                for framework in sorted(frameworks.get(name, ())):
                    used.add((name, framework))
                    if (name, framework) not in allowed:
                        place = f"{path.relative_to(ROOT)}:{line}"
                        findings.append(f"{place}: {name} is a name of {framework} too")
    for name, framework in sorted(allowed - used):
        findings.append(f"Scripts/framework-names.txt: {name} of {framework} is allowed for nothing")
    return findings


def extension_files(tracked: list[str]) -> list[str]:
    """The files that only extend a type, and have its name before a topic without a plus."""
    declaration = re.compile(
        r"(?:@\S+ )*(public |package |fileprivate |private )?(?:\w+ )*?"
        r"(extension|struct|class|enum|actor|protocol|typealias|macro) (\w+)"
    )
    findings = []
    for path in tracked:
        if not (path.startswith("Sources/") and path.endswith(".swift")):
            continue
        lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
        found = [match for line in lines if (match := declaration.match(line))]
        shown = [match for match in found if "private" not in (match[1] or "")]
        stem = PurePosixPath(path).stem
        if not shown or any(match[2] != "extension" for match in shown) or "+" in stem:
            continue
        name = shown[0][3]
        if re.match(re.escape(name) + "[A-Z]", stem):
            findings.append(f"{path}: name it {name}+{stem.removeprefix(name)}.swift")
    return findings


def main() -> int:
    tracked = output("git", "ls-files", "-z").rstrip("\0").split("\0")
    findings = case_clashes(tracked) + extension_files(tracked)
    package = json.loads(output("swift", "package", "--ignore-lock", "dump-package"))
    contributing = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    findings += table_differences(declared_imports(package), listed_imports(contributing))
    names = (ROOT / "Scripts" / "framework-names.txt").read_text(encoding="utf-8")
    findings += name_clashes(package, names)
    for finding in findings:
        print(f"check-house: {finding}", file=sys.stderr)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
