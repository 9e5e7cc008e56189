"""What a migrated trial needs installed, and requirements that cannot be met beside it."""

from __future__ import annotations

import functools
import re
from importlib import metadata

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

Needs = dict[str, SpecifierSet]

#: What every TensorFlow from 2.15 on needs, with TensorBoard and Matplotlib: the loosest bounds of
#: all releases, of packages that people had pinned.
OF_TENSORFLOW: Needs = {
    name: SpecifierSet(text)
    for name, text in {
        "absl-py": ">=1.0.0",
        "astunparse": ">=1.6.0",
        "flatbuffers": ">=23.5.26",
        "gast": ">=0.2.1",
        "google-pasta": ">=0.1.1",
        "grpcio": ">=1.48.2",
        "h5py": ">=2.9.0",
        "keras": ">=2.15",
        "markdown": ">=2.6.8",
        "numpy": ">=1.23.5",
        "opt-einsum": ">=2.3.2",
        "pillow": ">=6.2.0",
        "protobuf": ">=3.20.3",
        "python-dateutil": ">=2.7",
        "six": ">=1.12.0",
        "termcolor": ">=1.1.0",
        "typing-extensions": ">=3.6.6",
        "werkzeug": ">=1.0.1",
        "wrapt": ">=1.11.0",
    }.items()
}
#: Packages of which no release is for a Python that trains a migrated trial.
_SUCCESSORS = {"tensorflow-gpu": "tensorflow"}
_PYTHON = {"python_version": "3.11", "python_full_version": "3.11.0", "extra": ""}


@functools.cache
def needs(cluster: bool) -> Needs:
    """Return what a migrated trial needs, by the names of packages; Python is one of them.

    Args:
        cluster: whether an image brings the harness: then, it is TensorFlow and its packages.
            Otherwise, it is also what pedl2det itself requires.
    """
    own = _own()
    tensorflow = {"tensorflow": own["tensorflow"], "tensorflow-cpu": own["tensorflow"]}
    return OF_TENSORFLOW | tensorflow | ({} if cluster else own)


def _own() -> dict[str, SpecifierSet]:
    """What ``pedl2det[run]`` requires, as its installed metadata says."""
    found = {"python": SpecifierSet(metadata.metadata("pedl2det")["Requires-Python"])}
    for text in metadata.requires("pedl2det") or ():
        requirement = Requirement(text)
        if requirement.marker is None or requirement.marker.evaluate({"extra": "run"}):
            found[canonicalize_name(requirement.name)] = requirement.specifier
    return found


def written(name: str, needed: Needs) -> str:
    """Return a requirement on a package as a migrated trial needs it, lower bound first."""
    return name + ",".join(sorted(map(str, needed[name]), reverse=True))


def met_instead(text: str, needed: Needs) -> str | None:
    """Return what replaces a requirement that cannot be met beside what is needed.

    Args:
        text: the requirement; its marker and extras stay.
        needed: what is needed.

    Returns:
        The requirement as it is needed; None if both can be met, or the package is not needed.
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
    """Tell whether some version is in both sets.

    If there is one, so is a bound of either set or a version right after one.
    """
    bounds = {Version(one.version.removesuffix(".*")) for one in (*first, *second)}
    after = {
        Version(".".join(map(str, release)))
        for bound in bounds
        for release in (
            (*bound.release, 0, 1),
            (*bound.release[:-1], bound.release[-1] + 1),
        )
    }
    both = first & second
    return not bounds or any(both.contains(one, prereleases=True) for one in bounds | after)


#: What serves an old and a migrated trial on one's own machine: the tool, and what it trains with.
LOCAL = "pedl2det[run]"
#: What a team with a cluster imports and submits with.
CLUSTER = "determined"
LOCAL_HARNESSES = ("pedl", "pedl2det")
CLUSTER_HARNESSES = ("determined", "determined-cli")


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
    """The normalised name of a requirement, or None if the text is none."""
    requirement = parse(text)
    return canonicalize_name(requirement.name) if requirement else None


def replacing(text: str, new: str) -> str:
    """What replaces a requirement, with its marker."""
    marker = re.search(r"[ \t]*;.*", text, re.DOTALL)
    return new + (marker[0] if marker else "")
