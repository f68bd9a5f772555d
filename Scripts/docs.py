#!/usr/bin/env python3
"""Builds the site: one static archive of the guides and of the reference of every product.

    docs.py BUILD-FOLDER OUTPUT [--base PATH] [--lenient]

The folder is that of a debug build (.build), from whose modules the symbols are read. Every warning of DocC is
an error, so dead links to symbols end the build; --lenient only prints them. The site works at PATH of any web
server, / by default.
"""
import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from build_flags import flags

ROOT = Path(__file__).resolve().parent.parent
# The modules with a reference. That of Varve has the symbols of the modules that it re-exports.
STORE = ["VarveStore", "VarveCore", "VarveEntities", "VarveModels", "VarveObjects"]
MODULES = {
    "Varve": STORE,
    "VarveReferences": [],
    "VarveJSON": [],
    "VarveYAML": [],
    "VarveAdoption": [],
    "VarveSync": [],
    "VarveSealed": [],
    "VarveClient": [],
    "VarveServer": [],
    "VarvePostgres": [],
}
# The title of the landing page of a module that is part of another's reference.
TITLES = {"VarveStore": "The store", "VarveCore": "Values, queries and commits"}
# Articles whose names are those of symbols too.
RENAMED = {"Models": "ModelsOfStructs", "LiveObjects": "ObjectsThatLive"}
GUIDES = "Guides"


def run(*command: object) -> str:
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"docs: {command[0]} failed:\n{result.stdout}{result.stderr}")
    return result.stdout + result.stderr


def symbol_graphs(build: Path, module: str, folder: Path) -> None:
    """Writes the symbols of a module, and of those that it re-exports."""
    kept = [flag for flag in flags(build, module) if not flag.startswith("-D")]
    # Only flags that find modules are known to the extractor.
    arguments, rest = [], iter(kept)
    for flag in rest:
        if flag in ("-I", "-Xcc", "-target", "-module-cache-path"):
            arguments += [flag, next(rest)]
        elif flag.startswith("-I"):
            arguments.append(flag)
        else:
            if not flag.startswith("-") or flag in ("-swift-version", "-package-name", "-enable-upcoming-feature"):
                next(rest, None)
    reexported = ",".join(MODULES[module])
    run("swift", "symbolgraph-extract", "-module-name", module, *arguments, "-output-dir", folder,
        "-minimum-access-level", "public", "-skip-synthesized-members", "-emit-extension-block-symbols",
        *([f"-experimental-allowed-reexported-modules={reexported}"] if reexported else []))


def make_guides(folder: Path) -> Path:
    """Copies the documents of the repository into a catalogue, with links that lead within it."""
    catalogue = folder / f"{GUIDES}.docc"
    catalogue.mkdir()
    documents = sorted((ROOT / "Documentation").glob("*.md"))
    names = {document.stem for document in documents}
    for document in documents:
        text = document.read_text(encoding="utf-8")
        text = re.sub(r"\]\((\w+)\.md(?:#([\w-]+))?\)",
                      lambda link: f"](doc:{link[1]})" if link[1] in names else link[0], text)
        # What lies elsewhere in the repository is no page of the site.
        text = re.sub(r"\[([^\]]+)\]\((?!doc:|#|https?:|Pictures/|Plots/)[^)]+\)", r"\1", text)
        text = re.sub(r"\[([^\]]+)\]\(#[\w-]+\)", r"\1", text)
        text = re.sub(r"\((?:Pictures|Plots)/", "(", text)
        # DocC shows the source of such drawings; the repository's own pages draw them.
        text = re.sub(r"(?ms)^```mermaid\n.*?^```$",
                      f"*`Documentation/{document.name}` in the repository has the drawing.*", text)
        (catalogue / document.name).write_text(text, encoding="utf-8")
    for picture in [*(ROOT / "Documentation/Pictures").iterdir(), *(ROOT / "Documentation/Plots").iterdir()]:
        shutil.copy(picture, catalogue / picture.name)
    shutil.copy(ROOT / "Scripts/Site.md", catalogue / f"{GUIDES}.md")
    return catalogue


def make_catalogue(module: str, folder: Path) -> Path | None:
    """Returns the catalogue of a module, with those of the modules that it re-exports."""
    own = ROOT / "Sources" / module / f"{module}.docc"
    if not own.exists():
        return None
    catalogue = folder / f"{module}.docc"
    shutil.copytree(own, catalogue)
    for page in sorted(catalogue.glob("*.md")):
        text = page.read_text(encoding="utf-8")
        for name, fresh in RENAMED.items():
            text = text.replace(f"<doc:{name}>", f"<doc:{fresh}>")
        page.unlink()
        (catalogue / f"{RENAMED.get(page.stem, page.stem)}.md").write_text(text, encoding="utf-8")
    for other in MODULES[module]:
        for page in sorted((ROOT / "Sources" / other / f"{other}.docc").glob("*.md")):
            text = page.read_text(encoding="utf-8")
            if other in TITLES:
                text = text.replace(f"# ``{other}``", f"# {TITLES[other]}", 1)
            (catalogue / page.name).write_text(text, encoding="utf-8")
    return catalogue


def convert(catalogue: Path | None, graphs: Path | None, name: str, output: Path, base: str) -> list[str]:
    """Converts a catalogue and symbols into an archive. Returns the warnings."""
    command = ["docc", "convert", *([catalogue] if catalogue else []), "--output-path", output,
               "--fallback-display-name", name, "--fallback-bundle-identifier", f"varve.{name}",
               "--hosting-base-path", base, "--diagnostic-level", "warning"]
    if graphs:
        command += ["--additional-symbol-graph-dir", graphs]
    said = run(*command)
    return [line for line in said.splitlines() if line.startswith("warning:") or " warning: " in line]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--base", default="/")
    parser.add_argument("--lenient", action="store_true")
    parser.add_argument("--only", help=argparse.SUPPRESS)
    options = parser.parse_args()
    warnings: dict[str, list[str]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        folder, archives = Path(scratch), []
        for module in MODULES:
            if options.only and module != options.only:
                continue
            graphs = folder / f"{module}.graphs"
            graphs.mkdir()
            symbol_graphs(options.build, module, graphs)
            archive = folder / f"{module}.doccarchive"
            catalogue = make_catalogue(module, folder)
            warnings[module] = convert(catalogue, graphs, module, archive, options.base)
            archives.append(archive)
        if not options.only or options.only == GUIDES:
            archive = folder / f"{GUIDES}.doccarchive"
            warnings[GUIDES] = convert(make_guides(folder), None, GUIDES, archive, options.base)
            archives.insert(0, archive)
        shutil.rmtree(options.output, ignore_errors=True)
        options.output.parent.mkdir(parents=True, exist_ok=True)
        run("docc", "merge", *archives, "--output-path", options.output,
            "--synthesized-landing-page-name", "Varve", "--synthesized-landing-page-kind", "Documentation",
            "--synthesized-landing-page-topics-style", "list")
        first = f"{options.base.rstrip('/')}/documentation/{GUIDES.lower()}/"
        (options.output / "index.html").write_text(
            f'<!doctype html><title>Varve</title><meta http-equiv="refresh" content="0; url={first}">'
            f'<a href="{first}">Varve</a>\n', encoding="utf-8")
    count = 0
    for name, found in warnings.items():
        for warning in found:
            count += 1
            print(f"docs: {name}: {warning}", file=sys.stderr)
    print(f"docs: {len(archives)} archives in {options.output}, {count} warnings")
    return 1 if count and not options.lenient else 0


if __name__ == "__main__":
    sys.exit(main())
