"""Migrate requirements on PEDL (R301), and those that cannot be met beside it (R302).

Lists of plain requirements are edited; other lines and files are only reported.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import PurePath

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from pedl2det.analysis.text_rules import Span, TextChange, TextFinding, TextResult, replaced
from pedl2det.findings import Kind
from pedl2det.texts import PlaceOfTrial

REQUIRED, PINNED = "R301", "R302"

_LINE = re.compile(r"(?:\\\r?\n|[^\n])*")
_COMMENT = re.compile(r"(?:^|[ \t])#.*", re.DOTALL)
#: PEDL, or a distribution of it, in anything but a plain requirement.
_PEDL = re.compile(r"(?<![\w.-])pedl(?![\w./-]|-\D)|\bpedl-\d", re.IGNORECASE)

#: What runs old and migrated trials on a single machine: the tool, and what it trains with.
LOCAL = "pedl2det[run]"
#: What a team with a cluster imports and submits with.
CLUSTER = "determined"
LOCAL_HARNESSES = ("pedl", "pedl2det")
CLUSTER_HARNESSES = ("determined", "determined-cli")

Needs = dict[str, SpecifierSet]

#: What TensorFlow from 2.15 on needs, with TensorBoard and Matplotlib: the loosest bounds of all
#: releases, for packages that people have pinned.
_OF_TENSORFLOW = """
    absl-py>=1.0.0 astunparse>=1.6.0 flatbuffers>=23.5.26 gast>=0.2.1 google-pasta>=0.1.1
    grpcio>=1.48.2 h5py>=2.9.0 keras>=2.15 markdown>=2.6.8 numpy>=1.23.5 opt-einsum>=2.3.2
    pillow>=6.2.0 protobuf>=3.20.3 python-dateutil>=2.7 six>=1.12.0 termcolor>=1.1.0
    typing-extensions>=3.6.6 werkzeug>=1.0.1 wrapt>=1.11.0
"""
OF_TENSORFLOW: Needs = {
    bound.name: bound.specifier for bound in map(Requirement, _OF_TENSORFLOW.split())
}
#: Packages without a release for a Python that trains a migrated trial.
_SUCCESSORS = {"tensorflow-gpu": "tensorflow"}
_PYTHON = {"python_version": "3.11", "python_full_version": "3.11.0", "extra": ""}


def migrate_requirements(
    path_name: str,
    text: str,
    cluster: bool,
    trial: PlaceOfTrial = "",
    left_out: Collection[str] = (),
) -> TextResult:
    """Replace every requirement on PEDL, and those that cannot be met beside what replaces it."""
    path = PurePath(path_name)
    new = CLUSTER if cluster else LOCAL
    if "constraints" in path.name.lower():
        new = new.partition("[")[0]  # a constraint has no extras
    lines = [*lines_of(path, text)]
    names = {name_of(line.text) for line in lines}
    is_local = not cluster and names.isdisjoint(CLUSTER_HARNESSES)
    has_tool = not names.isdisjoint(LOCAL_HARNESSES)
    is_raised = is_local and (has_tool or trial == "around") and PINNED not in left_out
    is_needed = trial or has_tool or not names.isdisjoint(CLUSTER_HARNESSES)
    needed = needs(not is_local) if is_needed else {}
    spans, changes, findings = [], [], []
    for line in (line for line in lines if "third_party" not in line.text):  # for isort
        raised = met_instead(line.text, needed)
        if name_of(line.text) == "pedl" and line.is_plain and name_of(new) not in names:
            spans.append(Span(line.start, line.end, replacing(line.text, new)))
            changes.append(TextChange(REQUIRED, line.number))
        elif name_of(line.text) == "pedl" or (not parse(line.text) and _PEDL.search(line.text)):
            message = f"{line.text}: requires PEDL, which no index serves"
            help_ = f"{new}; once, and with the hashes of today where pip needs hashes"
            findings.append(TextFinding(REQUIRED, line.number, Kind.LEFT, message, help_))
        elif raised and is_raised and line.is_plain:
            spans.append(Span(line.start, line.end, raised))
            changes.append(TextChange(PINNED, line.number))
            message = f"{line.text} cannot be met beside {LOCAL}, which needs {raised}; raised"
            findings.append(TextFinding(PINNED, line.number, Kind.NOTE, message))
        elif raised:
            message = f"{line.text}: a migrated trial needs {raised}"
            help_ = f"remove the line, or write {raised}"
            help_ += "; on a cluster, the image brings TensorFlow" if cluster else ""
            findings.append(TextFinding(PINNED, line.number, Kind.NOTE, message, help_))
    return TextResult(replaced(text, spans), tuple(changes), tuple(findings))


@dataclass(frozen=True)
class Line:
    """One line of a file of requirements."""

    number: int  #: its number, from 1
    start: int  #: its first character that is not blank
    end: int  #: the character after its last one, without the comment
    text: str  #: the requirement, or what may be one
    is_plain: bool  #: whether it may be edited: it has no hashes and other options


def is_list(path: PurePath) -> bool:
    """Whether a file is a list of requirements, one a line."""
    return path.suffix in (".txt", ".in")


def lines_of(path: PurePath, text: str) -> Iterator[Line]:
    """Yield every requirement of a list; for other files, every quoted text, or else line."""
    for line in _LINE.finditer(text):
        body = _COMMENT.sub("", line[0]).rstrip(" \t\r\n\\")
        code = body.lstrip()
        start = line.start() + len(body) - len(code)
        number = text.count("\n", 0, start) + 1
        if not is_list(path):
            for piece in re.findall(r"[\"']([^\"']+)[\"']", code) or [code.removeprefix("- ")]:
                yield Line(number, start, start, piece, is_plain=False)
        elif code:  # a backslash continues a line
            required, *options = re.split(r"[ \t\\\r\n]+(?=--[a-z])", code)
            yield Line(number, start, start + len(code), required, not options)


@functools.cache
def needs(cluster: bool) -> Needs:
    """Return what a migrated trial needs, by the names of packages; Python is one of them.

    That is TensorFlow with its packages and, unless a cluster's image brings the harness, what
    pedl2det itself requires.
    """
    own = {"python": SpecifierSet(metadata.metadata("pedl2det")["Requires-Python"])}
    for requirement in map(Requirement, metadata.requires("pedl2det") or ()):
        if requirement.marker is None or requirement.marker.evaluate({"extra": "run"}):
            own[canonicalize_name(requirement.name)] = requirement.specifier
    tensorflow = {"tensorflow": own["tensorflow"], "tensorflow-cpu": own["tensorflow"]}
    return OF_TENSORFLOW | tensorflow | ({} if cluster else own)


def written(name: str, needed: Needs) -> str:
    """Return a requirement on a package as a migrated trial needs it, lower bound first."""
    return name + ",".join(sorted(map(str, needed[name]), reverse=True))


def met_instead(text: str, needed: Needs) -> str | None:
    """Return a requirement as it is needed, with its marker and extras.

    None if it agrees with what is needed, or the package is not needed.
    """
    requirement = parse(text)
    if requirement is None or (requirement.marker and not requirement.marker.evaluate(_PYTHON)):
        return None
    old = canonicalize_name(requirement.name)
    name = _SUCCESSORS.get(old, old)
    if name not in needed or (name == old and _meet(requirement.specifier, needed[name])):
        return None
    extras = f"[{','.join(sorted(requirement.extras))}]" if requirement.extras else ""
    return replacing(text, written(name, needed).replace(name, name + extras, 1))


def _meet(first: SpecifierSet, second: SpecifierSet) -> bool:
    """Tell whether some version is in both sets."""
    # If there is one, so is a bound of either set or a version right after one.
    bounds = [Version(bound.version.removesuffix(".*")) for bound in (*first, *second)]
    after = [Version(f"{bound.base_version}.0.1") for bound in bounds]
    both = first & second
    candidates = (*bounds, *after)
    return not bounds or any(both.contains(version, prereleases=True) for version in candidates)


def parse(text: str) -> Requirement | None:
    """Read a requirement; None if the text is none, or has a version that no standard allows."""
    try:
        requirement = Requirement(text)
        for bound in requirement.specifier:
            Version(bound.version.removesuffix(".*"))
    except (InvalidRequirement, InvalidVersion):
        return None
    return requirement


def name_of(text: str) -> str | None:
    """Return the normalised name of a requirement, or None if the text is none."""
    requirement = parse(text)
    return canonicalize_name(requirement.name) if requirement else None


def replacing(text: str, new: str) -> str:
    """Return a replacement for a requirement, with its marker."""
    marker = re.search(r"[ \t]*;.*", text, re.DOTALL)
    return new + (marker[0] if marker else "")
