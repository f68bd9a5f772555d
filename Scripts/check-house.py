#!/usr/bin/env python3
"""Checks what neither the compiler nor the formatter sees; prints every finding and fails if there is one.

- No two tracked paths differ by case alone: they are one path on a Mac's default file system.
- The table of modules in CONTRIBUTING.md lists the targets of Package.swift and what each imports.
- No test target depends on a macro: SwiftPM would build all tests for the compiler's machine too.
- Folders of one module keep to the walls between them (WALLS): a folder names no type declared behind
  a wall and no member that only the other side declares, and imports nothing the wall forbids.
- A file of extensions is called Type+Topic.swift, not TypeTopic.swift, and does not extend another of
  the types that everything hangs on (HUBS).
- Only the owner of a table writes it (OWNERS).
- A file of a folder that belongs to a trait is compiled only with the trait (GUARDED).
- A test has one name, which is that of its function: a sentence in backticks.
- A shift by 31 bits or more names its type: Int has 32 bits on some systems.
- No public top-level name of a library product, or of a module it imports, is one of
  Scripts/framework-names.txt, unless allowed.
"""
import json
import re
import subprocess
import sys
from collections import defaultdict
from itertools import accumulate
from pathlib import Path, PurePosixPath
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent


class Wall(NamedTuple):
    """What stands in some folders of a module, beside what it must not know."""

    module: str
    folders: tuple[str, ...]
    """The folders, relative to the module."""
    behind: tuple[str, ...]
    """The folders whose types must not be named."""
    imports: frozenset[str] | None = None
    """The modules that may be imported; None for any."""


WALLS = (
    # The protocol is a value: only what stands behind the wall opens files and descriptors.
    Wall(
        "Sources/VarveSync",
        ("Session", "Wire"),
        ("Driving", "Folder", "Transports"),
        imports=frozenset({"VarveCore"}),
    ),
)


# The types that everything hangs on. Their members are found by the names of files.
HUBS = frozenset(
    {"Store", "WriteTransaction", "CommitWriter", "SQLiteBackend", "Session", "LogTables"}
)


class Owner(NamedTuple):
    """The type of VarveSQLite that alone writes some tables."""

    type: str
    tables: frozenset[str]


OWNERS = (
    Owner("Connection", frozenset({"varve_meta"})),
    Owner(
        "CatalogueTables",
        frozenset({"varve_type", "varve_key", "varve_column", "varve_paired", "varve_index"}),
    ),
    Owner(
        "LogTables",
        frozenset(
            {
                "varve_commit",
                "varve_block",
                "varve_withheld",
                "varve_lineage",
                "varve_run",
                "varve_seen",
                "varve_postdated",
                "varve_turn",
                "varve_redaction",
                "varve_horizon",
                "varve_awaited",
                "varve_outline",
                "varve_arrival",
                "varve_handover",
                "varve_membership",
                "varve_signature",
                "varve_signable",
                "varve_verdict",
                "varve_letter",
            }
        ),
    ),
    Owner("TouchIndex", frozenset({"varve_touch", "varve_recent_touch"})),
)
# The texts of statements that run so often that they are found by a number. The owner runs them.
STATEMENT_TEXTS = "HotStatement"


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


def tests_of_macros(package: dict) -> list[str]:
    """The test targets that depend on a macro. They make SwiftPM compile everything twice."""
    macros = {target["name"] for target in package["targets"] if target["type"] == "macro"}
    return [
        f"Package.swift: {target['name']} depends on the macro {name}"
        for target in package["targets"]
        if target["type"] == "test"
        for dependency in target["dependencies"]
        if (name := next(iter(dependency.values()))[0]) in macros
    ]


DECLARATION = re.compile(
    r"^( *)(?:@\w+(?:\([^)]*\))? +)*(?:(?:public|package|open|final|indirect|nonisolated|private|fileprivate)"
    r" +)*(?:struct|class|enum|protocol|actor|typealias) (\w+)",
    re.MULTILINE,
)
IMPORT = re.compile(r"^ *(?:\w+ )*import (?:struct |class |enum |func )?(\w+)", re.MULTILINE)


def code_of(text: str) -> str:
    """Swift without what only people read: comments and texts."""
    text = re.sub(r'"""[\s\S]*?"""', '""', text)
    text = re.sub(r'"(?:\\.|[^"\\\n])*"', '""', text)
    return re.sub(r"//.*", "", text)


def swift_files(module: Path, folders: tuple[str, ...]) -> list[Path]:
    return sorted(file for folder in folders for file in (module / folder).rglob("*.swift"))


def broken_walls(wall: Wall) -> list[str]:
    """What some folders name of what stands behind their wall."""
    module = ROOT / wall.module
    hidden = {
        name
        for file in swift_files(module, wall.behind)
        for indentation, name in DECLARATION.findall(code_of(file.read_text(encoding="utf-8")))
        if not indentation
    }
    files = {file: code_of(file.read_text(encoding="utf-8")) for file in swift_files(module, wall.folders)}
    own = {name for code in files.values() for _, name in DECLARATION.findall(code)}
    findings = []
    if not files or not hidden:
        findings.append(f"{wall.module}: a wall stands between folders that are not there")
    for file, code in files.items():
        path = file.relative_to(module).as_posix()
        names = set(re.findall(r"(?<![.\w])[A-Z]\w*", code))
        for name in sorted(names & hidden - own):
            findings.append(f"{wall.module}/{path} names {name}, which stands behind a wall")
        if wall.imports is not None:
            for name in sorted(set(IMPORT.findall(code)) - wall.imports):
                findings.append(f"{wall.module}/{path} imports {name}")
    return findings


# Names that the standard library has too.
STANDARD_MEMBERS = frozenset({"lazy", "map", "merging"})
MODIFIERS = r"(?:@\S+ )*(?:(?:public|package|static|final|mutating|nonisolated|override|convenience) )*"
MEMBER_NAME = re.compile(rf"^  {MODIFIERS}(?:func|var) (\w+)", re.MULTILINE)
INITIALIZER = re.compile(rf"^  {MODIFIERS}init\??(?:<[^(]*>)?\((\w+)", re.MULTILINE)
ANY_NAME = re.compile(r"\b(?:func|var|let|case) (\w+)|\binit\??(?:<[^(]*>)?\((\w+)")


def members_behind(wall: Wall) -> list[str]:
    """What some folders call of the members that only files behind their wall declare."""
    module = ROOT / wall.module
    hidden = set(swift_files(module, wall.behind))
    codes = {file: code_of(file.read_text(encoding="utf-8")) for file in (ROOT / "Sources").rglob("*.swift")}
    elsewhere = {
        name
        for file, code in codes.items()
        if file not in hidden
        for names in ANY_NAME.findall(code)
        for name in names
    } | STANDARD_MEMBERS
    names, labels = set(), set()
    for file in hidden:
        names |= set(MEMBER_NAME.findall(codes[file]))
        labels |= set(INITIALIZER.findall(codes[file]))
    names -= elsewhere
    labels -= elsewhere | {"_"}
    findings = []
    for file in swift_files(module, wall.folders):
        code = codes[file]
        called = set(re.findall(r"\.(\w+)", code)) | set(re.findall(r"(?<![.\w])(\w+)\(", code))
        called = (called & names) | (set(re.findall(r"\((\w+):", code)) & labels)
        path = file.relative_to(ROOT).as_posix()
        findings += [f"{path} uses {name}, which stands behind a wall" for name in sorted(called)]
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

    The formatter indents a declaration by its depth.
    """
    declaration = re.compile(
        r"(?:@\S+ )*public (?:\w+ )*?(struct|class|enum|actor|protocol|typealias|macro) (\w+)"
    )
    names = []
    for number, line in enumerate(source.splitlines(), 1):
        if found := declaration.match(line):
            names.append((("@" if found[1] == "macro" else "") + found[2], number))
    return names


def name_clashes(package: dict, text: str) -> list[str]:
    """The public names that a framework has too, of library products and of the modules they import."""
    frameworks, allowed = framework_names(text)
    products = [product for product in package["products"] if "library" in product["type"]]
    imports = declared_imports(package)
    shown, pending = set(), [target for product in products for target in product["targets"]]
    while pending:
        target = pending.pop()
        if target not in shown and not target.startswith("VarveMacro"):
            shown.add(target)
            pending += imports[target]
    findings, used = [], set()
    for target in sorted(shown):
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
        if not (path.startswith(("Sources/", "Tests/Support/")) and path.endswith(".swift")):
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


TOP_LEVEL = re.compile(
    r"(?:@\S+ )*(?:(?:public|package|open|final|indirect|nonisolated|private|fileprivate) )*"
    r"(extension|struct|class|enum|actor|protocol) (\w+)"
)
MEMBER = re.compile(
    r"  (?:@\S+ )*(?:(?:public|package|static|final|mutating|nonisolated|convenience|override) )*"
    r"(?:func|var|let|init|subscript|struct|enum|class|typealias|case)\b"
)


def misplaced_members(tracked: list[str]) -> list[str]:
    """The files X+Topic.swift that extend another hub with what is not private to them."""
    findings = []
    for path in tracked:
        stem = PurePosixPath(path).stem
        if not (path.startswith(("Sources/", "Tests/Support/")) and path.endswith(".swift") and "+" in stem):
            continue
        extended = None
        for line in (ROOT / path).read_text(encoding="utf-8").splitlines():
            if found := TOP_LEVEL.match(line):
                is_other = found[2] in HUBS and found[2] != stem.split("+")[0]
                extended = found[2] if is_other and found[1] == "extension" else None
                if "private extension" in line:
                    extended = None
            elif extended and MEMBER.match(line):
                findings.append(f"{path} extends {extended}: move that to {extended}+….swift")
                extended = None
    return findings


def written_by_others(files: list[Path]) -> list[str]:
    """The statements that write a table and stand outside of its owner."""
    owners = {table: owner.type for owner in OWNERS for table in owner.tables}
    statement = re.compile(r"(?:INSERT (?:OR \w+ )?INTO|UPDATE|DELETE FROM) (varve_\w+)")
    findings = []
    for file in files:
        within = None
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            if found := TOP_LEVEL.match(line):
                within = found[2]
            for table in statement.findall(line):
                if owners.get(table, within) != within and within != STATEMENT_TEXTS:
                    place = f"{file.relative_to(ROOT)}:{number}"
                    findings.append(f"{place}: {within} writes {table}, which {owners[table]} owns")
    return findings


# The folders whose sources are compiled only with a trait of the package. A file without the guard would
# fail to build in packages that do not ask for the trait.
GUARDED = {
    "Sources/VarveServer": "Server",
    "Sources/VarveClient": "Client",
    "Sources/VarveYAML": "YAML",
    "Sources/VarveCommand": "CommandLine",
    "Tests/VarveServerTests": "Server",
    "Tests/VarvePostgresTests": "Server",
    "Tests/VarveCommandTests": "CommandLine",
    "Tests/VarveYAMLTests": "YAML",
    "Examples/InventoryWeb": "Server",
    "Examples/MountedRoutes": "Server",
    "Examples/Galaxies": "Server",
    "Examples/FieldNotebook": "Client",
}


def unguarded_files() -> list[str]:
    """The files of guarded folders that do not stand between `#if` with their trait and `#endif`."""
    findings = []
    for folder, trait in GUARDED.items():
        for path in sorted((ROOT / folder).rglob("*.swift")):
            lines = path.read_text(encoding="utf-8").splitlines() or [""]
            words = re.findall(r"\w+", lines[0]) if lines[0].startswith("#if ") else []
            if trait not in words or lines[-1] != "#endif":
                findings.append(f"{path.relative_to(ROOT)} does not begin with #if {trait}")
    return findings


# A shift that is 0 where Int has 32 bits, on a line that names no type of 64 bits or of a fixed size.
WIDE_SHIFT = re.compile(r"<< (?:3[1-9]|[4-9]\d)\b")
FIXED_SIZE = re.compile(r"\bU?Int(?:32|64)\b")


def wide_shifts(tracked: list[str]) -> list[str]:
    """The shifts by 31 bits or more whose type is not visible: on some watches, Int has 32 bits."""
    findings = []
    for path in tracked:
        if not (path.startswith("Sources/") and path.endswith(".swift") and (ROOT / path).exists()):
            continue
        for number, line in enumerate((ROOT / path).read_text(encoding="utf-8").splitlines(), 1):
            if WIDE_SHIFT.search(line) and not FIXED_SIZE.search(line):
                findings.append(f"{path}:{number} shifts by 31 bits or more: name a type of 64 bits")
    return findings


def titled_tests(tracked: list[str]) -> list[str]:
    """Returns the tests that have a title beside the name of their function, or a name of one word."""
    findings = []
    for path in (path for path in tracked if path.startswith("Tests/") and path.endswith(".swift")):
        text = (ROOT / path).read_text(encoding="utf-8")
        for mark in re.finditer(r"^ *@Test\b", text, re.MULTILINE):
            number = text.count("\n", 0, mark.start()) + 1
            name = re.compile(r"\bfunc (`[^`]+`|\w+)").search(text, mark.end())
            if re.match(r"\(\s*\"", text[mark.end():]):
                findings.append(f"{path}:{number}: the test's title is the name of its function")
            elif name and " " not in name[1]:
                findings.append(f"{path}:{number}: the name of the test is a sentence in backticks")
    return findings


def main() -> int:
    tracked = output("git", "ls-files", "-z").rstrip("\0").split("\0")
    findings = case_clashes(tracked) + extension_files(tracked) + misplaced_members(tracked)
    findings += written_by_others(sorted((ROOT / "Sources/VarveSQLite").rglob("*.swift")))
    package = json.loads(output("swift", "package", "--ignore-lock", "dump-package"))
    contributing = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    findings += table_differences(declared_imports(package), listed_imports(contributing))
    findings += tests_of_macros(package)
    findings += unguarded_files() + wide_shifts(tracked) + titled_tests(tracked)
    for wall in WALLS:
        findings += broken_walls(wall) + members_behind(wall)
    names = (ROOT / "Scripts" / "framework-names.txt").read_text(encoding="utf-8")
    findings += name_clashes(package, names)
    for finding in findings:
        print(f"check-house: {finding}", file=sys.stderr)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
