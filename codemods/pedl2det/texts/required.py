"""Requirements on PEDL, and what is required in their place."""

from __future__ import annotations

import contextlib
import re
from urllib.parse import unquote

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename
from packaging.version import InvalidVersion, Version

#: What serves an old and a migrated trial on one's own machine: the tool, and what it trains with.
LOCAL = "pedl2det[run]"
#: What a team with a cluster imports and submits with.
CLUSTER = "determined"
LOCAL_HARNESSES = ("pedl", "pedl2det")
CLUSTER_HARNESSES = ("determined", "determined-cli")

_MARKER = re.compile(r"[ \t]*;.*|[ \t]+;.*", re.DOTALL)
_URL = re.compile(r"@[ \t]*\S+")
#: A requirement that no standard allows, but that an old pip did; its version is no bound.
_LOOSE = re.compile(r"([A-Za-z0-9][\w.-]*)[ \t]*(?:\[[^\]]*\])?[ \t]*(?:[=<>!~]=?.*)?", re.DOTALL)
_CONDA = re.compile(r"(?<![=<>!~ ])=v?(\d[\w.]*?)(?:\.?\*)?(?:=\S*)?$")
_OLD_WHEEL = re.compile(
    r"(?:^|[/\\ =])pedl-\d[^/\\]*\.(?:whl|tar\.gz|zip)|[#&]egg=pedl(?![\w.-])", re.IGNORECASE
)
_WHEEL = re.compile(r"(?:^|[/\\ @])([^/\\ @;]+\.whl)\b")


def target(cluster: bool) -> str:
    """What is required in place of PEDL."""
    return CLUSTER if cluster else LOCAL


def parse(text: str) -> Requirement | None:
    """Read a requirement, also on a wheel, or as conda writes it; None if the text is none.

    A version that no standard allows is no bound.
    """
    wheel = _WHEEL.search(text)
    if wheel is not None:
        with contextlib.suppress(InvalidWheelFilename):
            name, version, _, _ = parse_wheel_filename(unquote(wheel[1]))
            return Requirement(f"{name}=={version}")
    try:
        requirement = Requirement(_CONDA.sub(r"==\1.*", text))
        for bound in requirement.specifier:
            Version(bound.version.removesuffix(".*"))
    except (InvalidRequirement, InvalidVersion):
        loose = _LOOSE.fullmatch(text.partition(";")[0].strip())
        return Requirement(loose[1]) if loose else None
    return requirement


def name_of(text: str) -> str | None:
    """The normalised name of a requirement, or None if the text is none."""
    requirement = parse(text)
    return canonicalize_name(requirement.name) if requirement else None


def replacing(text: str, new: str) -> str:
    """What replaces a requirement, with its marker."""
    url = _URL.search(text)
    marker = _MARKER.search(text, url.end() if url else 0)
    return new + (marker[0] if marker else "")


def replacement(text: str, new: str) -> str | None:
    """What replaces a requirement on PEDL, with its marker; None if it is not on PEDL."""
    return replacing(text, new) if name_of(text) == "pedl" else None


def is_old_wheel(text: str) -> bool:
    """Whether a path or an address names a distribution of PEDL."""
    return _OLD_WHEEL.search(text) is not None


def is_harness(text: str) -> bool:
    """Whether a requirement is on PEDL, Determined or pedl2det."""
    return is_old_wheel(text) or name_of(text) in (*LOCAL_HARNESSES, *CLUSTER_HARNESSES)
