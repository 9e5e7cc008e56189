"""Requirements on PEDL, and what is required in their place."""

from __future__ import annotations

import re

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import Specifier
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

#: What serves an old and a migrated trial on one's own machine: the tool, and what it trains with.
LOCAL = "pedl2det[run]"
#: What a team with a cluster imports and submits with.
CLUSTER = "determined"

_MARKER = re.compile(r"[ \t]*;.*|[ \t]+;.*", re.DOTALL)
_URL = re.compile(r"@[ \t]*\S+")
#: Requirements that no standard allows, but that conda or an old pip did.
_LOOSE = re.compile(r"([A-Za-z0-9][\w.-]*)[ \t]*(?:\[[^\]]*\])?[ \t]*((?:[=<>!~]=?|\()[^;#]*)?")
_WHEEL = re.compile(
    r"(?:^|[/\\ =])pedl-\d[^/\\]*\.(?:whl|tar\.gz|zip)|[#&]egg=pedl(?![\w.-])", re.IGNORECASE
)


def target(cluster: bool) -> str:
    """What is required in place of PEDL."""
    return CLUSTER if cluster else LOCAL


def name_of(text: str) -> str | None:
    """The normalised name of a requirement, or None if the text is none."""
    try:
        return canonicalize_name(Requirement(text).name)
    except InvalidRequirement:
        found = _LOOSE.fullmatch(text.partition(";")[0].strip())
        return canonicalize_name(found[1]) if found else None


def replacement(text: str, new: str) -> str | None:
    """What replaces a requirement, with its marker; None if it is not on PEDL."""
    if name_of(text) != "pedl":
        return None
    url = _URL.search(text)
    marker = _MARKER.search(text, url.end() if url else 0)
    return new + (marker[0] if marker else "")


def is_old_wheel(text: str) -> bool:
    """Whether a path or an address names a distribution of PEDL."""
    return _WHEEL.search(text) is not None


def allows_only_before(text: str, limit: Version) -> bool:
    """Whether no version from a limit on satisfies a requirement."""
    try:
        specifiers = list(Requirement(text).specifier)
    except InvalidRequirement:
        found = re.search(r"(?<![<>=!~])==?[ \t]*v?(\d[\w.]*)", text.partition(";")[0])
        return found is not None and _is_before(f"=={found[1]}", limit)
    return any(_is_before(str(specifier), limit) for specifier in specifiers)


def _is_before(text: str, limit: Version) -> bool:
    try:
        specifier = Specifier(text)
        version = Version(specifier.version.removesuffix(".*"))
    except (ValueError, InvalidVersion):
        return False
    match specifier.operator:
        case "<":
            return version <= limit
        case "<=" | "==" | "===":
            return version < limit
        case "~=":
            *kept, last = version.release[:-1]
            return Version(".".join(map(str, [*kept, last + 1]))) <= limit
    return False
