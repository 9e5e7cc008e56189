"""Parse the output of ``horovodrun``, and find out which rank failed first.

``[1]<stderr>:text`` is a line of rank 1, ``Process 1 exit with status code 137.`` its end.
"""

from __future__ import annotations

import json
import re
import signal
import sys
from collections import deque
from collections.abc import Callable
from dataclasses import asdict, dataclass

_OF_RANK = re.compile(r"^\[(\d+)\]<(stdout|stderr)>:(.*)$", re.DOTALL)
_ENDED = re.compile(r"^Process (\d+) exit with status code (-?\d+)\.")
_MARK = "@pedl2det-failure "
_TERMINATED = 128 + signal.SIGTERM  # horovodrun terminates the others when one has failed
_SSH_FAILED = 255
_LAST_LINES = 100
#: Errors of a rank that lost another one.
LOST = ("RankLostError", "DistributedError")
#: The error of a rank that a signal ended; the details are its number.
INTERRUPTED = "Interrupted"
#: The error of a rank whose trial code raised.
_OF_THE_TRIAL = "TrialCodeError"


@dataclass(frozen=True)
class Line:
    """One line of a rank's output."""

    rank: int  #: the rank
    stream: str  #: ``stdout`` or ``stderr``
    text: str  #: the line, without its end


@dataclass(frozen=True)
class RankExit:
    """The end of a rank's process."""

    rank: int  #: the rank
    code: int  #: its exit code; 128 and more for a signal


@dataclass(frozen=True)
class Failure:
    """Why a rank failed, as it reports it to the launcher."""

    kind: str  #: the class of the error
    message: str  #: one line for the user
    details: str = ""  #: further lines: a traceback, or the last output

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


def parse_line(line: str) -> Line | RankExit | None:
    """Parse a line of ``horovodrun``; None if it concerns no rank."""
    if found := _OF_RANK.match(line):
        return Line(int(found[1]), found[2], found[3])
    if found := _ENDED.match(line):
        return RankExit(int(found[1]), int(found[2]))
    return None


class Outcome:
    """Collects the output of ``horovodrun`` and the failures of ranks in it.

    Args:
        say: prints a line of a rank; the second argument is whether it goes to stderr.
    """

    def __init__(self, say: Callable[[str, bool], None]) -> None:
        self._say = say
        self._failures: dict[int, Failure] = {}
        self._ended: list[RankExit] = []
        self._last: dict[int, deque[str]] = {}
        self._others: deque[str] = deque(maxlen=_LAST_LINES)

    def hear(self, text: str) -> None:
        """Process one line of stdout or stderr of ``horovodrun``."""
        line = parse_line(text)
        if isinstance(line, RankExit):
            self._ended.append(line)
        elif isinstance(line, Line):
            self._hear_rank(line)
        elif text:
            self._others.append(text)

    def _hear_rank(self, line: Line) -> None:
        failure = Failure.parsed(line)
        if failure is not None:
            self._failures.setdefault(line.rank, failure)
            return
        if line.stream == "stderr":
            self._last.setdefault(line.rank, deque(maxlen=_LAST_LINES)).append(line.text)
        self._say(f"[{line.rank}] {line.text}", line.stream == "stderr")

    @property
    def stopped_by(self) -> int | None:
        """The signal for which the ranks ended in order; None if anything failed."""
        kinds = {failure.kind for failure in self._failures.values()} - {*LOST}
        stops = [one for one in self._failures.values() if one.kind == INTERRUPTED]
        is_stop = kinds == {INTERRUPTED} and not self._unreported()
        return int(stops[0].details) if is_stop else None

    def _unreported(self) -> list[RankExit]:
        """The ends of ranks that were killed, or crashed without a word."""
        return [
            one
            for one in self._ended
            if one.code not in (0, _TERMINATED) and one.rank not in self._failures
        ]

    def first_failure(self) -> tuple[int | None, Failure]:
        """Return the rank that failed first, and why; None for the rank if no rank started.

        A rank that lost another one, or was terminated by ``horovodrun``, was not the first.
        """
        for rank, failure in self._failures.items():
            if failure.kind not in (*LOST, INTERRUPTED):
                return rank, failure
        for ended in self._unreported():
            return ended.rank, self._unexplained(ended)
        if self._failures:
            return next(iter(self._failures.items()))
        output = "\n".join(self._others) or "it printed nothing"
        return None, Failure("LaunchError", "horovodrun could not start the ranks", output)

    def _unexplained(self, ended: RankExit) -> Failure:
        """Describe the end of a rank that reported no failure, from its exit code."""
        output = "\n".join(self._last.get(ended.rank, ()))
        if ended.code == _SSH_FAILED:
            return Failure("Killed", "the connection to its machine ended (ssh: 255)", output)
        if ended.code - 128 in set(signal.Signals):
            name = signal.Signals(ended.code - 128).name
            hint = "; was it out of memory?" if name == "SIGKILL" else ""
            return Failure("Killed", f"it was killed by signal {name}{hint}", output)
        return Failure("Crashed", f"it exited with code {ended.code}", output)


def restart_allowed(failure: Failure, before: Failure | None) -> bool:
    """Whether to restart after a failure: it may not happen again.

    A killed or lost rank is restarted. So is an error of the trial's code, such as a file that
    could not be read, but not when it repeats. A user's mistake is never restarted.

    Args:
        failure: the present failure.
        before: the failure before it, if no checkpoint has been written since; or None.
    """
    if failure.kind in ("Killed", *LOST):
        return True
    is_new = before is None or failure.message != before.message
    return failure.kind in ("Crashed", _OF_THE_TRIAL) and is_new
