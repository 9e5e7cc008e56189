"""One requirement on the old API, and what is required in its place."""

from __future__ import annotations

import re

#: What a user of the old API needs: the tool that serves it, and what it trains with.
NEW = "pedl2det[run]"

_REQUIREMENT = re.compile(
    r"""
    (?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)
    [ \t]*(?:\[[^\]]*\])?                                  # extras
    (?P<version>[ \t]*(?:
        @[ \t]*\S+                                         # name @ url
        | \(?[ \t]*[<>=!~][^;#]*?\)?                       # versions
    )?)
    (?P<marker>[ \t]*;.*)?
    """,
    re.VERBOSE | re.DOTALL,
)
_WHEEL = re.compile(r"(?:^|[/\\])pedl-\d[^/\\]*\.(?:whl|tar\.gz|zip)|[#&]egg=pedl\b", re.IGNORECASE)

_UPPER = re.compile(r"(===?|~=|<=?|(?<![<>=!~])=)[ \t]*(\d+)(?:\.(\d+))?")


def new_requirement(text: str, new: str = NEW) -> str | None:
    """What replaces a requirement, without blanks around it; None if it is not on the old API."""
    found = _REQUIREMENT.fullmatch(text)
    if found is None or re.sub(r"[-_.]+", "-", found["name"]).lower() != "pedl":
        return None
    return new + (found["marker"] or "")


def is_old_wheel(text: str) -> bool:
    """Whether a path or an address names a distribution of the old API."""
    return _WHEEL.search(text) is not None


def allows_only_before(text: str, limit: tuple[int, int]) -> str | None:
    """The normalised name of a requirement that no version from a limit on satisfies."""
    found = re.match(r"[A-Za-z0-9][\w.-]*", text)
    if found is None:
        return None
    versions = text[found.end() :].partition(";")[0]
    for sign, major, minor in _UPPER.findall(versions):
        version = (int(major), int(minor or 0))
        if version < limit or (sign == "<" and version == limit):
            return re.sub(r"[-_.]+", "-", found[0]).lower()
    return None
