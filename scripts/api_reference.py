"""Writes docs/api.md from the docstrings of what ``import determined`` serves.

    python scripts/api_reference.py           # writes it
    python scripts/api_reference.py --check   # exit 1 if it is not what would be written

The code is read, not imported: TensorFlow need not be installed.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

import griffe
from generated_page import ROOT, write_or_check

TARGET = ROOT / "docs" / "api.md"
MODULES = ("determined", "determined.core", "determined.keras", "determined.keras.callbacks",
           "determined.errors")  # fmt: skip
HEAD = """\
# API reference

What `import determined` serves, from its docstrings (`scripts/api_reference.py` writes this page).
The documents that promise it are Determined's Keras API guide and reference;
[conformance.md](conformance.md) has a test for each promise.
"""


def main() -> int:
    """Write the page, or compare it."""
    return write_or_check(TARGET, "\n".join([HEAD, *_modules()]).rstrip() + "\n")


def _modules() -> Iterator[str]:
    runtime = ROOT / "runtime"
    loader = griffe.GriffeLoader(
        search_paths=[runtime / "pedl2det_runtime" / "stubs", runtime, ROOT / "compat"],
        docstring_parser=griffe.Parser.google,
        docstring_options={"warn_missing_types": False},
    )
    loader.load("pedl2det_legacy")
    loader.load("pedl2det_runtime")
    package = loader.load("determined")
    loader.resolve_aliases(implicit=True)
    seen: set[str] = set()
    for dotted in MODULES:
        module = package[dotted.partition(".")[2]] if "." in dotted else package
        yield f"## `{dotted}`\n"
        for name in module.exports or ():
            found = module[str(name)]
            target = found.final_target if found.is_alias else found
            if target.is_module:
                continue
            if target.path in seen:
                yield f"`{name}` is `{target.name}` of above.\n"
                continue
            seen.add(target.path)
            yield from _described(target, str(name), "###")


def _described(item: griffe.Object, name: str, level: str) -> Iterator[str]:
    if item.is_attribute and item.docstring is None:
        return
    yield f"{level} `{name}{_signature(item)}`\n"
    if item.is_attribute and item.value is not None:
        yield f"`{' '.join(str(item.value).split())}`\n"
    if item.is_class and (bases := [str(base) for base in item.bases]):
        yield f"Extends `{'`, `'.join(bases)}`.\n"
    yield from _docstring(item)
    if item.is_class:
        for member in item.members.values():
            is_method = member.is_function and not member.name.startswith("_")
            if is_method and (member.docstring or not _overrides(member)):
                yield from _described(member, member.name, level + "#")


def _overrides(member: griffe.Object) -> bool:
    """Whether a method only does what its base class documents."""
    return member.docstring is None


def _signature(item: griffe.Object) -> str:
    if item.is_class:
        item = item.members.get("__init__", item)
    if not item.is_function:
        return ""
    parts = []
    for parameter in item.parameters:
        if parameter.name in ("self", "cls"):
            continue
        star = {"variadic positional": "*", "variadic keyword": "**"}.get(
            str(parameter.kind.value), ""
        )
        default = "" if parameter.default is None or star else f"={parameter.default}"
        parts.append(f"{star}{parameter.name}{default}")
    return f"({', '.join(parts).replace('_NOT_PROVIDED', '...')})"


def _docstring(item: griffe.Object) -> Iterator[str]:
    if item.docstring is None:
        return
    for section in item.docstring.parsed:
        match section.kind.value:
            case "text":
                yield f"{_plain(section.value)}\n"
            case "parameters" | "attributes" | "raises" as kind:
                title = {"parameters": "Arguments", "attributes": "Attributes", "raises": "Raises"}
                yield f"**{title[kind]}**\n"
                for entry in section.value:
                    label = entry.annotation if kind == "raises" else entry.name
                    yield f"- `{label}`: {_plain(entry.description)}"
                yield ""
            case "returns":
                said = " ".join(_plain(entry.description) for entry in section.value)
                yield f"**Returns** {said}\n"


def _plain(text: str) -> str:
    """Markdown of what was written for Sphinx."""
    text = re.sub(r":\w+:`~?(?:[\w.]*\.)?([\w.]+)`", r"`\1`", text)
    return re.sub(r"\n[ \t]+", "\n", text.replace("``", "`")).strip()


if __name__ == "__main__":
    sys.exit(main())
