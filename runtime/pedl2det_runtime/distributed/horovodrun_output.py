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


class Outcome:
    """Collects the output of ``horovodrun`` and the failures of ranks in it.

    Args:
        say: prints a line of a rank; the second argument is whether it goes to stderr.
    """

    def __init__(self, say: Callable[[str, bool], None]) -> None:
        self._say = say
        self._failures: dict[int, Failure] = {}
        self._exit_codes: dict[int, int] = {}  # by rank
        self._last: dict[int, deque[str]] = {}
        self._others: deque[str] = deque(maxlen=_LAST_LINES)

    def hear(self, text: str) -> None:
        """Process one line of stdout or stderr of ``horovodrun``."""
        if found := _OF_RANK.match(text):
            self._hear_rank(int(found[1]), found[3], is_error=found[2] == "stderr")
        elif found := _ENDED.match(text):
            self._exit_codes.setdefault(int(found[1]), int(found[2]))
        elif text:
            self._others.append(text)

    def _hear_rank(self, rank: int, text: str, *, is_error: bool) -> None:
        if is_error and text.startswith(_MARK):
            failure = Failure(**json.loads(text.removeprefix(_MARK)))
            self._failures.setdefault(rank, failure)
            return
        if is_error:
            self._last.setdefault(rank, deque(maxlen=_LAST_LINES)).append(text)
        self._say(f"[{rank}] {text}", is_error)

    @property
    def stopped_by(self) -> int | None:
        """The signal for which the ranks ended in order; None if anything failed."""
        failures = [failure for failure in self._failures.values() if failure.kind not in LOST]
        is_stop = {failure.kind for failure in failures} == {INTERRUPTED}
        return int(failures[0].details) if is_stop and not self._unreported() else None

    def _unreported(self) -> dict[int, int]:
        """Return the exit codes of ranks that were killed, or crashed without a message."""
        return {
            rank: code
            for rank, code in self._exit_codes.items()
            if code not in (0, _TERMINATED) and rank not in self._failures
        }

    def first_failure(self) -> tuple[int | None, Failure]:
        """Return the rank that failed first, and why; None for the rank if no rank started.

        A rank that lost another one, or was terminated by ``horovodrun``, was not the first.
        """
        for rank, failure in self._failures.items():
            if failure.kind not in (*LOST, INTERRUPTED):
                return rank, failure
        for rank, code in self._unreported().items():
            return rank, self._unexplained(rank, code)
        if self._failures:
            return next(iter(self._failures.items()))
        output = "\n".join(self._others) or "it printed nothing"
        return None, Failure("LaunchError", "horovodrun could not start the ranks", output)

    def _unexplained(self, rank: int, code: int) -> Failure:
        """Describe the end of a rank that reported no failure, from its exit code."""
        output = "\n".join(self._last.get(rank, ()))
        if code == _SSH_FAILED:
            return Failure("Killed", "the connection to its machine ended (ssh: 255)", output)
        if code - 128 in set(signal.Signals):
            name = signal.Signals(code - 128).name
            hint = "; was it out of memory?" if name == "SIGKILL" else ""
            return Failure("Killed", f"it was killed by signal {name}{hint}", output)
        return Failure("Crashed", f"it exited with code {code}", output)


def restart_allowed(failure: Failure, before: Failure | None) -> bool:
    """Return whether to restart after a failure.

    A killed or lost rank is restarted. So is an error of the trial's code, such as a file that
    could not be read, but not when it repeats. A user's mistake is never restarted.

    Args:
        failure: the present failure.
        before: the failure before it, if no checkpoint has been written since; or None.
    """
    if failure.kind in ("Killed", *LOST):
        return True
    is_new = before is None or failure.message != before.message
    return failure.kind in ("Crashed", "TrialCodeError") and is_new
