#!/usr/bin/env python3
"""Checks the documents; prints every finding and fails if there is one.

- Every link to a file or a heading leads somewhere.
- Documentation/Design.md states every rule once, in order of number, under a heading of its own.
- Sources and documents cite only rules that exist.
- Documentation/Decisions.md gives every decision a date and a reason, oldest first.
"""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DESIGN = "Documentation/Design.md"
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
    return [int(number) for number in re.findall(r"^### R(\d+): ", prose(DESIGN), flags=re.MULTILINE)]


def rule_findings(cited_in: list[str]) -> list[str]:
    numbers = rules()
    findings = []
    if numbers != list(range(1, len(numbers) + 1)):
        findings.append(f"{DESIGN}: the rules are not R1 to R{max(numbers, default=0)} in order")
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


def main() -> int:
    documents = tracked("*.md")
    findings = broken_links(documents)
    findings += rule_findings(tracked("Sources/**/*.swift", "Documentation/*.md", "Sources/**/*.md"))
    findings += decision_findings()
    for finding in findings:
        print(f"check-docs: {finding}", file=sys.stderr)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
