#!/usr/bin/env python3
"""Builds the site: one static archive of the guides and of the reference of every product.

    docs.py BUILD-FOLDER OUTPUT [--base PATH] [--lenient]
    docs.py --check SITE

The folder is that of a debug build (.build), from whose modules the symbols are read. Every warning of DocC is
an error, and so is every link and every picture of a finished page that leads nowhere; --lenient only prints
them. The site works at PATH of any web server, / by default. --check looks for dead links in a site that is
there.
"""
import argparse
import html
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
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
NAME = "Varve"
# Where links from one archive to another lead, until the archives are one site. DocC's own links between archives
# find symbols, and no articles.
SITE = "https://varve.invalid"


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


def article(module: str, page: str) -> str:
    """The address of an article of a module, in the reference that has it."""
    home = next(name for name in MODULES if name == module or module in MODULES[name])
    return f"{SITE}/documentation/{home}/{RENAMED.get(page, page)}".lower()


def guide(mention: re.Match) -> str:
    """A link to a guide that an article names by its file."""
    title = (ROOT / f"Documentation/{mention[1]}.md").read_text(encoding="utf-8").partition("\n")[0].lstrip("# ")
    address = f"{SITE}/documentation/{GUIDES}/{mention[1]}".lower()
    return f"[{title}]({address})"


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
        text = re.sub(r"\]\(\.\./Sources/(\w+)/\1\.docc/(\w+)\.md\)",
                      lambda link: f"]({article(link[1], link[2])})", text)
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
        text = re.sub(r"`Documentation/(\w+)\.md`", guide, text)
        page.unlink()
        (catalogue / f"{RENAMED.get(page.stem, page.stem)}.md").write_text(text, encoding="utf-8")
    for other in MODULES[module]:
        for page in sorted((ROOT / "Sources" / other / f"{other}.docc").glob("*.md")):
            text = page.read_text(encoding="utf-8")
            text = re.sub(r"`Documentation/(\w+)\.md`", guide, text)
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


def parts(value: object) -> Iterator[dict]:
    """Every object in a JSON value."""
    pending = [value]
    while pending:
        part = pending.pop()
        if isinstance(part, dict):
            yield part
        if isinstance(part, (dict, list)):
            pending += part.values() if isinstance(part, dict) else part


def dead_links(site: Path) -> list[str]:
    """The links and pictures of a site's pages that lead nowhere."""
    pages, anchors = {}, {}
    for file in sorted((site / "data").rglob("*.json")):
        address = "/" + file.relative_to(site / "data").with_suffix("").as_posix()
        pages[address] = json.loads(file.read_text(encoding="utf-8"))
        found = [part["anchor"] for part in parts(pages[address]) if isinstance(part.get("anchor"), str)]
        anchors[address] = {anchor.lower() for anchor in found}
    findings = []

    def follow(page: str, url: str) -> None:
        path, _, anchor = url.partition("#")
        path = path.rstrip("/").lower()
        if path not in pages or not (site / path.lstrip("/") / "index.html").exists():
            findings.append(f"{page}: {url} leads nowhere")
        elif anchor and anchor.lower() not in anchors[path]:
            findings.append(f"{page}: {url} names no heading")

    for page, content in pages.items():
        references = content.get("references", {})
        for identifier, reference in references.items():
            kind, url = reference.get("type"), reference.get("url", "")
            if kind in ("image", "video", "download"):
                for variant in reference.get("variants", [reference]):
                    if not (site / variant["url"].lstrip("/")).exists():
                        findings.append(f"{page}: there is no file {variant['url']}")
            elif url.startswith("/"):
                follow(page, url)
            elif kind == "link" and not url.startswith(("https://", "http://", "mailto:")):
                findings.append(f"{page}: {url or identifier} is no address of the web")
        for part in parts({key: value for key, value in content.items() if key != "references"}):
            if part.get("type") in ("reference", "image") and part.get("identifier") not in references:
                findings.append(f"{page}: {part.get('identifier')} is unknown")
            for identifier in part.get("identifiers", []):
                if identifier not in references:
                    findings.append(f"{page}: {identifier} is unknown")
    for part in parts(json.loads((site / "index/index.json").read_text(encoding="utf-8"))):
        if "path" in part and part.get("type") != "groupMarker":
            follow("the list of pages", part["path"])
    if len(pages) < len(MODULES):
        findings.append(f"the site has only {len(pages)} pages")
    return sorted(set(findings))


def finish(site: Path) -> None:
    """Gives the pages their titles, for those who look before any script has run, and the style of the site."""
    for file in sorted((site / "data").rglob("*.json")):
        text = file.read_text(encoding="utf-8")
        for written in (f'"url":"{SITE}', f'"url":"{SITE.replace("/", chr(92) + "/")}'):
            text = text.replace(written, '"url":"')
        file.write_text(text, encoding="utf-8")
        page = site / file.relative_to(site / "data").with_suffix("") / "index.html"
        content = json.loads(text)
        title = content.get("metadata", {}).get("title", NAME)
        title = title if title == NAME else f"{title} | {NAME}"
        said = "".join(part.get("text", part.get("code", "")) for part in content.get("abstract", []))
        head = f"<title>{html.escape(title)}</title>"
        head += f'<meta name="description" content="{html.escape(said)}">' if said else ""
        text = page.read_text(encoding="utf-8")
        page.write_text(text.replace("<title>Documentation</title>", head, 1), encoding="utf-8")
    # Two archives have the name of the whole: the guides, and the product. The list of all tells them apart.
    for name in ("data/documentation.json", "index/index.json"):
        content = json.loads((site / name).read_text(encoding="utf-8"))
        for part in parts(content):
            if f"/documentation/{GUIDES.lower()}" in (part.get("url"), part.get("path")):
                part["title"] = f"{GUIDES} to {NAME}"
        (site / name).write_text(json.dumps(content, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
    style = (ROOT / "Scripts/site.css").read_text(encoding="utf-8")
    for sheet in (site / "css").glob("index.*.css"):
        sheet.write_text(sheet.read_text(encoding="utf-8") + style, encoding="utf-8")
    # The renderer asks for this file, and reads a title from it only after it has made its own.
    (site / "theme-settings.json").write_text("{}\n", encoding="utf-8")
    for script in (site / "js").glob("index.*.js"):
        text = script.read_text(encoding="utf-8")
        for before in ('"documentation":{"title":', '["meta","title"],'):
            text = text.replace(f'{before}"Documentation"', f'{before}"{NAME}"')
        script.write_text(text, encoding="utf-8")


def report(links: list[str]) -> None:
    for link in links:
        print(f"docs: {link}", file=sys.stderr)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=Path, nargs="?")
    parser.add_argument("output", type=Path, nargs="?")
    parser.add_argument("--check", type=Path)
    parser.add_argument("--base", default="/")
    parser.add_argument("--lenient", action="store_true")
    parser.add_argument("--only", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.check:
        links = dead_links(options.check)
        report(links)
        return 1 if links else 0
    if not options.output:
        parser.error("name the folder of the build, and that of the site")
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
            "--synthesized-landing-page-name", NAME, "--synthesized-landing-page-kind", "Documentation",
            "--synthesized-landing-page-topics-style", "list")
        finish(options.output)
        first = f"{options.base.rstrip('/')}/documentation/{GUIDES.lower()}/"
        (options.output / "index.html").write_text(
            f'<!doctype html><title>{NAME}</title><meta http-equiv="refresh" content="0; url={first}">'
            f'<a href="{first}">{NAME}</a>\n', encoding="utf-8")
    count = 0
    for name, found in warnings.items():
        for warning in found:
            count += 1
            print(f"docs: {name}: {warning}", file=sys.stderr)
    links = dead_links(options.output) if not options.only else []
    report(links)
    print(f"docs: {len(archives)} archives in {options.output}, {count} warnings, {len(links)} dead links")
    return 1 if (count or links) and not options.lenient else 0


if __name__ == "__main__":
    sys.exit(main())
