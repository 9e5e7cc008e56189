"""Which line of an old text a line of a new text came from, where code moved."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

#: A statement of lowering with the code of an argument that is more than a name.
_KEPT = re.compile(r"self\.\w+ = (.*\W.*\w.*)")


def origins(old: Sequence[str], new: Sequence[str]) -> tuple[int, ...]:
    """For each line of a new text, the line of the old text that it came from.

    A line that is new came from where the line before it did.
    """
    old_bare, new_bare = [line.strip() for line in old], [line.strip() for line in new]
    known = {**_kept(old, new_bare), **_unique(old_bare, new_bare), **_unique(old, new)}
    found, last = [], 0
    for number, line in enumerate(new_bare):
        follows = last < len(old) and old_bare[last] == line
        last = known.get(number, last + 1 if follows else last)
        found.append(max(last, 1))
    return tuple(found)


def _kept(old: Sequence[str], new: Sequence[str]) -> dict[int, int]:
    """The lines that keep an argument on the trial: ``self.callbacks = [...]``."""
    found = {}
    for number, line in enumerate(new):
        value = _KEPT.match(line)
        places = [at for at, text in enumerate(old, 1) if value is not None and value[1] in text]
        if len(places) == 1:
            found[number] = places[0]
    return found


def _unique(old: Sequence[str], new: Sequence[str]) -> dict[int, int]:
    """The lines that both texts have once: the old line by the index of the new one."""
    once = {line for line, count in Counter(old).items() if count == 1 and line.strip()}
    again = {line for line, count in Counter(new).items() if count == 1}
    places = {line: number for number, line in enumerate(old, 1)}
    return {number: places[line] for number, line in enumerate(new) if line in once & again}
