"""Requirements in ``pyproject.toml``, edited by tomlkit, which keeps the layout."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from packaging.requirements import Requirement

from pedl2det.texts.needs import Needs, met_instead, written
from pedl2det.texts.required import has_unknown_version, is_old_wheel, parse, replacement

#: Tables, and which of their keys hold lists of requirements.
_LISTS = {
    ("project",): re.compile("dependencies"),
    ("project", "optional-dependencies"): re.compile(".*"),
    ("dependency-groups",): re.compile(".*"),
    ("build-system",): re.compile("requires"),
    ("tool", "poetry", "extras"): re.compile(".*"),
    ("tool", "uv"): re.compile("dev-dependencies"),
}
#: Between two bounds of a version of Poetry.
_BETWEEN_BOUNDS = re.compile(r"[ \t]*,[ \t]*|(?<=[\d*])[ \t]+(?=[<>=!~^])")


@dataclass(frozen=True)
class TomlEdit:
    """What becomes of a file.

    Attributes:
        text: the new text.
        required: every requirement of the file, replaced or not, with its line.
        raised: the line of each one that is raised, the old and the new requirement.
        is_refused: whether PEDL is required in a way that cannot be edited.
    """

    text: str
    required: tuple[tuple[int, str], ...] = ()
    raised: tuple[tuple[int, str, str], ...] = ()
    is_refused: bool = False


@dataclass(frozen=True)
class _Item:
    """A requirement of the document.

    Attributes:
        text: the requirement.
        pattern: what finds its place in the text of the file.
        write: puts another requirement in its place; false if it cannot.
    """

    text: str
    pattern: str
    write: Callable[[str], bool]


def replace(text: str, new: str, needed: Needs) -> TomlEdit:
    """Replace the requirements on PEDL in ``pyproject.toml``, and those that cannot be met.

    Args:
        text: the file.
        new: what is required in place of PEDL.
        needed: what is needed beside it.
    """
    import tomlkit  # most runs find no such file
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(text)
    except TOMLKitError:
        return TomlEdit(text, is_refused=re.search(r"(?m)^[^#\n]*\bpedl\b", text) is not None)
    if tomlkit.dumps(document) != text:
        return TomlEdit(text, is_refused=True)
    required, raised = [], []
    for item in [*_listed(document), *_pythons(document), *_of_poetry(document)]:
        place = re.search(item.pattern, text)
        line = text.count("\n", 0, place.start() if place else 0) + 1
        required.append((line, item.text))
        replaces = new if is_old_wheel(item.text) else replacement(item.text, new)
        instead = replaces or _instead(item.text, needed)
        if instead is None:
            continue
        is_written = item.write(instead)
        if replaces and not is_written:
            return TomlEdit(text, is_refused=True)
        if is_written and not replaces:
            raised.append((line, item.text, instead))
    return TomlEdit(tomlkit.dumps(document), tuple(required), tuple(raised))


def _instead(text: str, needed: Needs) -> str | None:
    """What replaces a requirement that cannot be met.

    Tools lock a project for every Python that it allows, so it must not allow an older one.
    """
    requirement = None if has_unknown_version(text) else parse(text)
    if requirement is not None and requirement.name == "python" and "python" in needed:
        allows_older = requirement.specifier.contains("3.10")
        return written("python", needed) if allows_older else met_instead(text, needed)
    return met_instead(text, needed)


def _listed(document: Any) -> Iterator[_Item]:
    """Requirements in lists."""

    def write(items: Any, index: int, new: str) -> bool:
        items[index] = _like(items[index], new)
        return True

    for items in _lists(document):
        for index, item in enumerate(items):
            if isinstance(item, str):  # not {include-group = "..."}
                yield _Item(str(item), re.escape(item), functools.partial(write, items, index))


def _pythons(document: Any) -> Iterator[_Item]:
    """The versions of Python that a project allows."""
    project = _at(document, ("project",)) or {}
    if isinstance(old := project.get("requires-python"), str):

        def write(new: str) -> bool:
            project["requires-python"] = _like(old, new.removeprefix("python"))
            return True

        yield _Item(f"python{old}", r"(?m)^[ \t]*requires-python\b", write)


def _of_poetry(document: Any) -> Iterator[_Item]:
    """The requirements in Poetry's tables."""
    for table in _poetry_tables(document):
        for name in list(table):
            value = table[name]
            version = value.get("version") if isinstance(value, dict) else value
            text = f"{name}{_bounds(version)}" if isinstance(version, str) else name
            key = rf"(?m)^[ \t]*[\"']?{re.escape(name)}[\"']?[ \t]*="
            yield _Item(text, key, functools.partial(_write_poetry, table, name))


def _bounds(version: str) -> str:
    """The bounds of a version of Poetry, as a requirement has them; in parentheses if unknown."""
    bounds = []
    for part in filter(None, _BETWEEN_BOUNDS.split(version.strip())):
        found = re.fullmatch(r"([\^~]?)[ \t]*v?(\d+(?:\.\d+)*)", part)
        if found is None:
            if re.fullmatch(r"\d+(\.\d+)*\.\*", part):
                bounds.append(f"=={part}")
            elif re.match(r"[<>!]|~?=", part):
                bounds.append(part)
            elif part != "*":
                return f" ({version})"
            continue
        release = [int(number) for number in found[2].split(".")]
        match found[1]:
            case "^":
                fixed = next((n for n, number in enumerate(release) if number), len(release) - 1)
            case "~":
                fixed = min(1, len(release) - 1)
            case _:
                bounds.append(f"=={found[2]}")
                continue
        above = [*release[:fixed], release[fixed] + 1]
        bounds.append(f">={found[2]},<{'.'.join(map(str, above))}")
    return ",".join(bounds)


def _write_poetry(table: Any, name: str, new: str) -> bool:
    """Put another requirement in the place of a key; its comment stays."""
    import tomlkit

    requirement = Requirement(new)
    bounds = re.sub(r"^[\w.-]+(\[.*?\])?", "", new)
    old = table[name]
    if requirement.name == name and isinstance(old, dict):
        old["version"] = bounds
        return True
    value: Any = tomlkit.string(bounds or "*")
    if requirement.extras:
        extras = sorted(requirement.extras)
        value = tomlkit.inline_table()
        value.update({"version": bounds or "*", "extras": extras})
    return _rename(table, name, requirement.name, value)


def _like(old: Any, text: str) -> Any:
    """A string in the quotes of another, where they can hold it."""
    import tomlkit

    is_literal = old.as_string().startswith("'") or '"' in text
    return tomlkit.string(text, literal=is_literal and "'" not in text)


def _lists(document: Any) -> Iterator[Any]:
    for path, wanted in _LISTS.items():
        table = _at(document, path)
        for key in table or ():
            if wanted.fullmatch(key) and isinstance(table[key], list):
                yield table[key]


def _poetry_tables(document: Any) -> Iterator[Any]:
    poetry = _at(document, ("tool", "poetry")) or {}
    groups = poetry.get("group", {})
    found = [poetry.get("dependencies"), poetry.get("dev-dependencies")]
    found += [group.get("dependencies") for group in groups.values()]
    yield from (table for table in found if isinstance(table, dict))


def _rename(table: Any, old_name: str, name: str, value: Any) -> bool:
    """Put another key and value in the place of a key; its comment stays."""
    import tomlkit
    from tomlkit.items import Table

    body: Any = getattr(getattr(table, "value", None), "body", None)
    if body is None:
        return False
    for index, (key, old) in enumerate(body):
        if key is None or key.key != old_name or isinstance(old, Table):
            continue
        value.trivia.comment_ws, value.trivia.comment = old.trivia.comment_ws, old.trivia.comment
        value.trivia.trail, value.trivia.indent = old.trivia.trail, old.trivia.indent
        body[index] = (tomlkit.key(name), value)
        return True
    return False


def _at(document: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        document = document.get(name) if isinstance(document, dict) else None
    return document if isinstance(document, dict) else None
