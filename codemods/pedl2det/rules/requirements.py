"""R301: what requires pedl requires pedl2det."""

from __future__ import annotations

import ast
import codecs
import re
from collections.abc import Iterator
from pathlib import Path

from pedl2det.findings import Finding, Kind
from pedl2det.plan import Change
from pedl2det.rules.file_rule import FileRule, Outcome
from pedl2det.rules.rule import Case, Safety
from pedl2det.texts.requirement import NEW, is_old_wheel, new_requirement
from pedl2det.texts.requirement_places import Place, places
from pedl2det.texts.requirement_toml import POETRY, in_poetry, same_but_for

_LISTS = re.compile(
    r"(?:.*[-_.])?(?:requirements|constraints)(?:[-_.].*)?\.(?:txt|in)", re.IGNORECASE
)
_OTHERS = {"pyproject.toml", "setup.cfg", "setup.py", "environment.yaml", "environment.yml"}


def is_requirement_file(path: Path) -> bool:
    """Whether a file is one that tools read requirements from."""
    in_folder = path.parent.name == "requirements" and path.suffix in (".txt", ".in")
    return in_folder or path.name in _OTHERS or _LISTS.fullmatch(path.name) is not None


def rewrite(path: Path, data: bytes) -> Outcome:
    """Replace every requirement on the old API."""
    outcome = Outcome(data)
    bom = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
    text = data.removeprefix(bom).decode("utf-8", errors="surrogateescape")
    if path.suffix == ".py":
        _report_setup(path, text, outcome)
        return outcome
    # A constraint has no extras: what it constrains is asked for elsewhere.
    new = NEW.partition("[")[0] if "constraints" in path.name.lower() else NEW
    edits = list(_edits(path, text, new, outcome))
    if path.suffix == ".toml":
        edits += _poetry(path, text, outcome)
    written = text
    for place, replacement in sorted(edits, key=lambda edit: edit[0].start, reverse=True):
        written = written[: place.start] + replacement + written[place.end :]
    if path.suffix == ".toml" and edits and not same_but_for(text, written, len(edits)):
        outcome.changes.clear()
        outcome.refuse(RULE.id, path, 1, "pedl stands here in a way that is left alone", None)
        return outcome
    outcome.data = bom + written.encode("utf-8", errors="surrogateescape")
    return outcome


def _edits(path: Path, text: str, new: str, outcome: Outcome) -> Iterator[tuple[Place, str]]:
    for place in places(path, text):
        line = text.count("\n", 0, place.start) + 1
        replacement = new_requirement(place.text, new)
        if is_old_wheel(place.text) and replacement is None:
            message = f"a file with the old API is installed: require {new} in its place"
            outcome.refuse(RULE.id, path, line, message, None)
        elif replacement is not None and '"' in replacement and path.suffix == ".toml":
            yield place, new + _marker(text, place)
        elif replacement is not None:
            yield place, replacement
        else:
            continue
        if replacement is None:
            continue
        outcome.changes.append(Change(RULE.id, path, line))
        if "--hash" in text[place.start : place.end]:
            message = f"{new} has no hashes here yet: compile the requirements again"
            outcome.findings.append(Finding(Kind.NOTE, RULE.id, path, line, message))


def _marker(text: str, place: Place) -> str:
    """The marker as the file quotes it."""
    _, sign, marker = text[place.start : place.end].partition(";")
    return sign + marker


def _poetry(path: Path, text: str, outcome: Outcome) -> Iterator[tuple[Place, str]]:
    for place in in_poetry(text):
        line = text.count("\n", 0, place.start) + 1
        if place.text:
            outcome.changes.append(Change(RULE.id, path, line))
            yield place, POETRY
        else:
            message = f"pedl with a source of its own: require {NEW} in its place"
            outcome.refuse(RULE.id, path, line, message, None)


def _report_setup(path: Path, text: str, outcome: Outcome) -> None:
    """``setup.py`` is a program: its requirements are named, not edited."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):  # the scan says so, if it matters
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.List | ast.Tuple):
            for item in node.elts:
                value = item.value if isinstance(item, ast.Constant) else None
                if isinstance(value, str) and new_requirement(value.strip()) is not None:
                    message = f"{value}: require {NEW} in its place"
                    outcome.refuse(RULE.id, path, item.lineno, message, None)


_CONDA = "dependencies:\n  - python=3.6\n  - pip:\n    - pedl==0.11  # old\n    - numpy\n"
_HASHED = "pedl==0.11.2 \\\n    --hash=sha256:ab \\\n    --hash=sha256:cd\nnumpy\n"
_PROJECT = '[project]\nname = "pedl"\ndependencies = ["numpy", "pedl~=0.11"]  # pedl\n'

RULE = FileRule(
    id="R301",
    name="requirements",
    doc="A requirement on pedl, which no index serves, becomes pedl2det[run] in requirements and "
    "constraints, pyproject.toml, setup.cfg and conda environments; its marker and comment stay. "
    "pedl2det serves import pedl too: this is right for old trials as for new ones.",
    safety=Safety.SAFE,
    applies=is_requirement_file,
    rewrite=rewrite,
    cases=(
        Case(
            {"requirements.txt": "numpy\nPEDL[x]>=0.9,<1 ; python_version < '3.9'  # harness\n"},
            {"requirements.txt": f"numpy\n{NEW} ; python_version < '3.9'  # harness\n"},
        ),
        Case(
            {"requirements.txt": _HASHED},
            {"requirements.txt": f"{NEW}\nnumpy\n"},
            says="has no hashes here yet",
        ),
        Case(
            {"pyproject.toml": _PROJECT},
            {"pyproject.toml": _PROJECT.replace("pedl~=0.11", NEW)},
        ),
        Case({"environment.yml": _CONDA}, {"environment.yml": _CONDA.replace("pedl==0.11", NEW)}),
        Case({"requirements.txt": "pedl-tools==1\npedl2det\n# pedl\n-r pedl.txt\n"}, {}),
        Case(
            {"requirements.txt": "./wheels/pedl-0.11.2-py3-none-any.whl\n"},
            {},
            says="a file with the old API is installed",
        ),
        Case(
            {"setup.py": "from setuptools import setup\n\nsetup(install_requires=['pedl>=0.9'])\n"},
            {},
            says="pedl>=0.9: require pedl2det[run] in its place",
        ),
    ),
)
