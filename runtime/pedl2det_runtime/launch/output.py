"""Parse the output of ``horovodrun``.

``[1]<stderr>:text`` is a line of rank 1, ``Process 1 exit with status code 137.`` its end.
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import asdict, dataclass

_OF_RANK = re.compile(r"^\[(\d+)\]<(stdout|stderr)>:(.*)$", re.DOTALL)
_ENDED = re.compile(r"^Process (\d+) exit with status code (-?\d+)\.")
_MARK = "@pedl2det-failure "


@dataclass(frozen=True)
class Line:
    """One line of a rank's output.

    Attributes:
        rank: the rank.
        stream: ``stdout`` or ``stderr``.
        text: the line, without its end.
    """

    rank: int
    stream: str
    text: str


@dataclass(frozen=True)
class Ended:
    """The end of a rank's process.

    Attributes:
        rank: the rank.
        code: its exit code; 128 and more for a signal.
    """

    rank: int
    code: int


@dataclass(frozen=True)
class Failure:
    """Why a rank failed, as it reports it to the launcher.

    Attributes:
        kind: the class of the error.
        message: one line for the user.
        details: further lines: a traceback, or the last output.
    """

    kind: str
    message: str
    details: str = ""

    def tell(self) -> None:
        """Report the failure to the launcher, through stderr."""
        sys.stderr.write(f"\n{_MARK}{json.dumps(asdict(self))}\n")
        sys.stderr.flush()

    @classmethod
    def parsed(cls, line: Line) -> Failure | None:
        """Parse a line that :meth:`tell` wrote; None for any other line."""
        if line.stream != "stderr" or not line.text.startswith(_MARK):
            return None
        return cls(**json.loads(line.text.removeprefix(_MARK)))


def parsed(line: str) -> Line | Ended | None:
    """Parse a line of ``horovodrun``; None if it concerns no rank."""
    if found := _OF_RANK.match(line):
        return Line(int(found[1]), found[2], found[3])
    if found := _ENDED.match(line):
        return Ended(int(found[1]), int(found[2]))
    return None
