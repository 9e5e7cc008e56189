"""What ``horovodrun`` prints, told apart: the lines of each rank, and its own.

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
    """One line that a rank printed.

    Attributes:
        rank: which one.
        stream: ``stdout`` or ``stderr``.
        text: the line, without its end.
    """

    rank: int
    stream: str
    text: str


@dataclass(frozen=True)
class Ended:
    """How a rank ended.

    Attributes:
        rank: which one.
        code: its exit code; 128 and more for a signal.
    """

    rank: int
    code: int


@dataclass(frozen=True)
class Failure:
    """Why a rank ended its training.

    Attributes:
        kind: the class of the error.
        message: what was wrong, for people.
        details: all that is known beside it, a stack or what was printed last; of many lines.
    """

    kind: str
    message: str
    details: str = ""

    def tell(self) -> None:
        """Say it to the launcher, from a rank."""
        sys.stderr.write(f"\n{_MARK}{json.dumps(asdict(self))}\n")
        sys.stderr.flush()

    @classmethod
    def told(cls, line: Line) -> Failure | None:
        """What a rank said with :meth:`tell`; None if the line is another one."""
        if line.stream != "stderr" or not line.text.startswith(_MARK):
            return None
        return cls(**json.loads(line.text.removeprefix(_MARK)))


def parsed(line: str) -> Line | Ended | None:
    """What a line of ``horovodrun`` is about; None if it is about no rank."""
    if found := _OF_RANK.match(line):
        return Line(int(found[1]), found[2], found[3])
    if found := _ENDED.match(line):
        return Ended(int(found[1]), int(found[2]))
    return None
