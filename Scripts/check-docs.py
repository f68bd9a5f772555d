#!/usr/bin/env python3
"""Checks the documents; prints every finding and fails if there is one.

- Every link to a file or a heading leads somewhere.
- Documentation/Rules.md states every rule once, in order of number, under a heading of its own.
- Sources and documents cite only rules that exist.
- Documentation/Structure.md draws the modules of the products, with an arrow only where Package.swift
  declares an import, and a way to every import that it declares.
- Its figures are those of the code: the requirements of ports, the files that extend Session.
- Documentation/Decisions.md gives every decision a date and a reason, oldest first.
"""
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RULES = "Documentation/Rules.md"
DECISIONS = "Documentation/Decisions.md"


def tracked(*patterns: str) -> list[str]:
    command = ["git", "ls-files", "-z", "--", *patterns]
    output = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [path for path in output.split("\0") if path and (ROOT / path).exists()]


def prose(path: str) -> str:
    """A document without its code blocks."""
    text = (ROOT / path).read_text(encoding="utf-8")
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def anchors(path: str) -> set[str]:
    """The anchors that GitHub gives to a document's headings."""
    headings = re.findall(r"^#+ (.+)$", prose(path), flags=re.MULTILINE)
    plain = [re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings]
    return {heading.replace(" ", "-") for heading in plain}


def broken_links(documents: list[str]) -> list[str]:
    findings = []
    for document in documents:
        for target in re.findall(r"\]\(([^)\s]+)\)", prose(document)):
            if "://" in target:
                continue
            name, _, anchor = target.partition("#")
            file = (ROOT / document).parent / name if name else ROOT / document
            if not file.exists():
                findings.append(f"{document}: the link to {target} leads nowhere")
            elif anchor and anchor not in anchors(str(file.resolve().relative_to(ROOT))):
                findings.append(f"{document}: {target} names no heading")
    return findings


def rules() -> list[int]:
    """The numbers of the rules that have a heading, in the order of the document."""
    return [int(number) for number in re.findall(r"^### R(\d+): ", prose(RULES), flags=re.MULTILINE)]


def rule_findings(cited_in: list[str]) -> list[str]:
    numbers = rules()
    findings = []
    if numbers != list(range(1, len(numbers) + 1)):
        findings.append(f"{RULES}: the rules are not R1 to R{max(numbers, default=0)} in order")
    for path in cited_in:
        text = (ROOT / path).read_text(encoding="utf-8")
        cited = {int(number) for number in re.findall(r"\bR(\d{1,2})\b", text)}
        findings += [f"{path}: there is no rule R{number}" for number in sorted(cited - set(numbers))]
    return findings


def decision_findings() -> list[str]:
    findings = []
    dates = []
    for entry in prose(DECISIONS).split("\n## ")[1:]:
        title = entry.partition("\n")[0]
        date = re.search(r"^- \*\*Date:\*\* (\d{4}-\d{2}-\d{2})$", entry, flags=re.MULTILINE)
        for part in ["Decision", "Why"]:
            if f"\n- **{part}:** " not in entry:
                findings.append(f"{DECISIONS}: “{title}” has no {part}")
        if date:
            dates.append(date[1])
        else:
            findings.append(f"{DECISIONS}: “{title}” has no date")
    if dates != sorted(dates):
        findings.append(f"{DECISIONS}: the decisions are not in order of date")
    return findings


STRUCTURE = "Documentation/Structure.md"
PORTS = ROOT / "Sources/VarveCore/Ports"
ENGINE = ROOT / "Sources/VarveSQLite"


def section(document: str, heading: str) -> str:
    return (ROOT / document).read_text(encoding="utf-8").split(f"\n{heading}\n", 1)[1].split("\n## ", 1)[0]


def drawing_findings(package: dict) -> list[str]:
    """What the drawing of the modules says otherwise than Package.swift."""
    kinds = {target["name"]: target["type"] for target in package["targets"]}
    products = {name for product in package["products"] for name in product["targets"]}
    declared = {}
    for target in package["targets"]:
        named = {next(iter(dependency.values()))[0] for dependency in target["dependencies"]}
        declared[target["name"]] = {name for name in named if name in kinds and not name.startswith("C")}
    shown, pending = set(), [name for name in products if kinds[name] in ("regular", "executable")]
    while pending:
        name = pending.pop()
        if name not in shown and name.startswith("Varve"):
            shown.add(name)
            pending += declared[name]
    drawing = section(STRUCTURE, "## Modules")
    names = dict(re.findall(r"(\w+)\[(Varve\w*)", drawing))
    drawn = {name: set() for name in names.values()}
    for source, targets in re.findall(r"^ *(\w+)(?:\[[^\]]*\])? --> (.+)$", drawing, flags=re.MULTILINE):
        drawn[names[source]] |= {names[target.strip()] for target in targets.split("&")}

    def reached(name: str) -> set[str]:
        return {further for target in drawn[name] for further in {target} | reached(target)}

    findings = [f"{STRUCTURE}: {name} is not drawn" for name in sorted(shown - drawn.keys())]
    findings += [f"{STRUCTURE}: {name} is drawn and is no module" for name in sorted(drawn.keys() - shown)]
    for name in sorted(shown & drawn.keys()):
        for other in sorted(drawn[name] - declared[name]):
            findings.append(f"{STRUCTURE}: {name} does not import {other}")
        for other in sorted((declared[name] & drawn.keys()) - reached(name)):
            findings.append(f"{STRUCTURE}: no way is drawn from {name} to {other}")
    return findings


def requirement_counts() -> dict[str, int]:
    """The number of requirements of each port, with those of the ports it refines."""
    own, refined = {}, {}
    for file in PORTS.rglob("*.swift"):
        code = re.sub(r"//.*", "", file.read_text(encoding="utf-8"))
        pattern = r"^package protocol (\w+)(?:: ([^{]*))? *\{(.*?)^\}"
        for name, bases, body in re.findall(pattern, code, flags=re.MULTILINE | re.DOTALL):
            own[name] = len(re.findall(r"^  (?:mutating )?(?:func|var|init|subscript)\b", body, re.MULTILINE))
            refined[name] = re.findall(r"\w+", bases)

    def count(name: str) -> int:
        return own[name] + sum(count(base) for base in refined[name] if base in own)

    return {name: count(name) for name in own}


def figure_findings() -> list[str]:
    findings = []
    text = section(STRUCTURE, "## Ports")
    counts = requirement_counts()
    stated = re.findall(r"^\| `(\w+)` \| (\d+)", text, flags=re.MULTILINE) + re.findall(r"`(\w+)` (\d+)", text)
    for port, number in stated:
        if counts.get(port) != int(number):
            findings.append(f"{STRUCTURE}: {port} has {counts.get(port, 'no')} requirements, not {number}")
    files = [file.read_text(encoding="utf-8") for file in ENGINE.rglob("*.swift")]
    extending = [text for text in files if re.search(r"^(?:\w+ )*extension Session\b", text, re.MULTILINE)]
    today = f"{len(extending)} of {len(files)}"
    if f"| {today} |" not in text:
        findings.append(f"{STRUCTURE}: {today} files of the engine extend Session")
    return findings


def main() -> int:
    documents = tracked("*.md")
    findings = broken_links(documents)
    findings += rule_findings(tracked("Sources/**/*.swift", "Documentation/*.md", "Sources/**/*.md"))
    findings += decision_findings()
    command = ["swift", "package", "--ignore-lock", "dump-package"]
    dumped = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    findings += drawing_findings(json.loads(dumped)) + figure_findings()
    for finding in findings:
        print(f"check-docs: {finding}", file=sys.stderr)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
