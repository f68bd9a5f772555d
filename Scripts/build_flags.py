"""The flags with which a debug build compiled a module, for scripts that type-check its sources again."""
import json
import shutil
from pathlib import Path

KEPT_WITH_VALUE = {"-I", "-Xcc", "-swift-version", "-target", "-module-cache-path", "-package-name"}
KEPT_WITH_VALUE |= {"-enable-upcoming-feature", "-load-plugin-executable"}


def flags(build: Path, module: str) -> list[str]:
    """The flags with which a module is built, without those that name outputs; none if it was not built."""
    manifest = (build / "debug.yaml").read_text(encoding="utf-8")
    start = manifest.find(f'"C.{module}-')
    if start < 0:
        return []
    line = manifest[manifest.index("args: ", start) :].split("\n", 1)[0]
    # `-Xfrontend` stands before each option that the driver hands to the frontend, and before its value.
    arguments = iter(each for each in json.loads(line.removeprefix("args: ")) if each != "-Xfrontend")
    kept = []
    for argument in arguments:
        if argument in KEPT_WITH_VALUE:
            kept += [argument, next(arguments)]
        elif argument.startswith(("-D", "-I")):
            kept.append(argument)
    return kept


def system_plugins() -> list[str]:
    """The flags by which the frontend finds the macros of the standard library, such as @Observable."""
    toolchain = Path(shutil.which("swiftc")).resolve().parent.parent
    return ["-plugin-path", str(toolchain / "lib" / "swift" / "host" / "plugins")]
