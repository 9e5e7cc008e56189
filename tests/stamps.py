"""Leave out the test files that were green with all that they reach as it is now.

With ``--stamps FILE`` the files that were green are written there, each with a hash of what it
reaches. That is read from texts, and rather too much than too little: what a file imports, every
module of ours that is named in a string (code of trials, arguments of ``import_module``), the
commands that it calls, and what these reach in turn.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TESTS = ROOT / "tests"
_HOMES = ("codemods", "compat", "runtime", "runtime/pedl2det_runtime/stubs", "tests")
#: What all tests depend on: files, or directories.
_COMMON = ("noxfile.py", "pyproject.toml", "legacy_examples", "tests/conftest.py")
#: What conftest.py loads for all tests: what it can start says nothing about a test.
_INFRASTRUCTURE = ("costs", "promises", "stamps", "support", "turns", "zygote")
#: Packages that find their modules by looking into their directory, or by names that they make.
_WHOLE = ("pedl", "pedl2det_legacy", "pedl2det_names", "pedl2det.eject", "pedl2det.rules")
_WHOLE += ("pedl2det.support", "determined")
#: A test that reads pages, scripts or packages reaches everything.
_EVERYTHING = re.compile(r"README|Makefile|[\"'](docs|scripts)\b|\bwheel\b|rglob\(\"\*\.py\"\)")
_COMMAND = re.compile(
    r"(?:[\"']|pedl2det )(checkpoint|doctor|eject|migrate|rules|run|search|verify)\b"
)
#: Imports that are not followed: those of `run` for scripts that hold their config, except from
#: tests of scripts; and the titles of rules in reports, whose tests import what migrates anyhow.
_NOT_FOLLOWED = {"pedl2det.commands.run": "engine", "pedl2det.report.text": "rules"}
_DOTTED = re.compile(r"\b(?:pedl2det\w*|pedl|determined)(?:\.\w+)*")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Where the stamps are."""
    parser.addoption("--stamps", metavar="FILE", help="leave out files that are green by this one")


_passed: set[str] = set()
_failed: set[str] = set()


@pytest.hookimpl(tryfirst=True)  # before others choose among what is left
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests of the files that were green."""
    target = config.getoption("--stamps")
    if not target:
        return
    stamps = _read(Path(target))
    files = {item.path for item in items}
    green = {path for path in files if stamps.get(_name(path)) == digest(path)}
    config.hook.pytest_deselected(items=[item for item in items if item.path in green])
    items[:] = [item for item in items if item.path not in green]


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Remember which files have had a test, and which of these one that failed."""
    name = report.nodeid.partition("::")[0]
    (_failed if report.failed else _passed).add(name)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Write the stamps of what was green, unless the run was broken off; nothing to do is green."""
    target = session.config.getoption("--stamps")
    if not target or hasattr(session.config, "workerinput"):
        return
    if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and _read(Path(target)):
        session.exitstatus = pytest.ExitCode.OK
    elif exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        stamps = _read(Path(target))
        for name in _passed | _failed:
            stamps.pop(name, None)
        stamps |= {name: digest(ROOT / name) for name in _passed - _failed}
        Path(target).parent.mkdir(parents=True, exist_ok=True)
        Path(target).write_text(json.dumps(stamps, indent=0), encoding="utf-8")


def digest(test: Path) -> str:
    """Return a hash of what a test file reaches; those of conformance are taken as one.

    Their outcomes make a table together, so that all of them run or none.
    """
    together = TESTS / "conformance"
    tests = sorted(together.glob("test_*.py")) if test.is_relative_to(together) else [test]
    found = hashlib.sha256()
    for path in sorted({one for each in tests for one in reached(each)} | _common()):
        found.update(str(path.relative_to(ROOT)).encode() + b"\0")
        found.update(_content(path))
    return found.hexdigest()


def reached(test: Path) -> set[Path]:
    """Return the files that a test file reaches, itself among them."""
    if _EVERYTHING.search(_text(test)):
        return set(_modules().values()) | _below(ROOT, "docs", "scripts", "*.md") | {test}
    found: set[Path] = set()
    waiting = [test]
    modules = _modules()
    left = {modules[one]: f"codemods/pedl2det/{room}/" for one, room in _NOT_FOLLOWED.items()}
    if "script" in _text(test).lower():
        left.clear()
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            room = str(ROOT / left[path]) if path in left else None
            named = _named(path) if path not in _common() else ()
            waiting += [one for one in named if room is None or not str(one).startswith(room)]
    directories = {one.name for one in TESTS.iterdir() if one.is_dir()}
    used = {test.parent.name, *re.findall(r"\w+", _text(test))} & directories
    return found | _below(TESTS, *used)


@functools.cache
def _named(path: Path) -> frozenset[Path]:
    """The files of ours that a file names."""
    text, modules = _text(path), _modules()
    names = {*_DOTTED.findall(text), *_imported(path)}
    if path.is_relative_to(TESTS):
        names |= {f"pedl2det.commands.{command}" for command in _COMMAND.findall(text)}
    found: set[Path] = set()
    for name in names:
        parts = name.split(".")
        steps = [".".join(parts[: size + 1]) for size in range(len(parts))]
        found |= {modules[step] for step in steps if step in modules}
        for whole in (one for one in _WHOLE if f"{name}.".startswith(f"{one}.")):
            found |= {file for one, file in modules.items() if f"{one}.".startswith(f"{whole}.")}
    return frozenset(found)


def _imported(path: Path) -> Iterator[str]:
    """The modules that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(_text(path))):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{one.name}" for one in node.names)


@functools.cache
def _modules() -> dict[str, Path]:
    """Our modules, by their dotted names."""
    found = {}
    for home in _HOMES:
        for path in (ROOT / home).rglob("*.py"):
            parts = path.relative_to(ROOT / home).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@functools.cache
def _common() -> frozenset[Path]:
    """What every test depends on, with all that is no module beside ours."""
    found = _below(ROOT, *_COMMON) | {TESTS / f"{name}.py" for name in _INFRASTRUCTURE}
    found |= {path for path in TESTS.iterdir() if path.is_file() and path.suffix != ".py"}
    for home in _HOMES[:3]:
        found |= {path for path in _below(ROOT, home) if path.suffix != ".py"}
    return frozenset(found)


def _below(root: Path, *patterns: str) -> set[Path]:
    """The files that some patterns name, and those in directories that they name."""
    found: set[Path] = set()
    for path in (one for pattern in patterns for one in root.glob(pattern)):
        found |= {path} if path.is_file() else {one for one in path.rglob("*") if one.is_file()}
    return {one for one in found if "__pycache__" not in one.parts and one.suffix != ".pyc"}


@functools.cache
def _content(path: Path) -> bytes:
    return path.read_bytes()


@functools.cache
def _text(path: Path) -> str:
    return _content(path).decode("utf-8", errors="replace")


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


def _read(path: Path) -> dict[str, str]:
    try:
        stamps: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return stamps
