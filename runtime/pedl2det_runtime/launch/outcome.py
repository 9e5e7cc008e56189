"""How a training on several ranks ended, gathered from what they print."""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Callable

from pedl2det_runtime.launch.output import Ended, Failure, Line, parsed

_TERMINATED = 128 + signal.SIGTERM  # what horovodrun does to the others when one has failed
_SSH_FAILED = 255
_LAST_LINES = 100
#: What a rank fails with because another one is gone.
LOST = ("RankLostError", "DistributedError")
#: What a rank fails with because the trial's own code raised.
_OF_THE_TRIAL = "TrialCodeError"


class Outcome:
    """Listens to ``horovodrun``, and knows afterwards which rank failed first, and why.

    Args:
        say: prints a line of a rank for people; the second argument says whether it is of stderr.
    """

    def __init__(self, say: Callable[[str, bool], None]) -> None:
        self._say = say
        self._failures: dict[int, Failure] = {}
        self._ended: list[Ended] = []
        self._last: dict[int, deque[str]] = {}
        self._others: deque[str] = deque(maxlen=_LAST_LINES)

    def hear(self, text: str) -> None:
        """Take one line of ``horovodrun``, of either stream."""
        heard = parsed(text)
        if isinstance(heard, Ended):
            self._ended.append(heard)
        elif isinstance(heard, Line):
            self._hear_rank(heard)
        elif text:
            self._others.append(text)

    def _hear_rank(self, line: Line) -> None:
        failure = Failure.told(line)
        if failure is not None:
            self._failures.setdefault(line.rank, failure)
            return
        if line.stream == "stderr":
            self._last.setdefault(line.rank, deque(maxlen=_LAST_LINES)).append(line.text)
        self._say(f"[{line.rank}] {line.text}", line.stream == "stderr")

    def first_failure(self) -> tuple[int | None, Failure]:
        """The rank that failed first, and why; no rank if none of them had started.

        A rank that only lost another one, or was ended by ``horovodrun``, is not the first.
        """
        for rank, failure in self._failures.items():
            if failure.kind not in LOST:
                return rank, failure
        for ended in self._ended:
            if ended.code not in (0, _TERMINATED) and ended.rank not in self._failures:
                return ended.rank, self._unexplained(ended)
        if self._failures:
            return next(iter(self._failures.items()))
        said = "\n".join(self._others) or "it said nothing"
        return None, Failure("LaunchError", "horovodrun could not start the ranks", said)

    def _unexplained(self, ended: Ended) -> Failure:
        """Why a rank ended that could not say it."""
        said = "\n".join(self._last.get(ended.rank, ()))
        if ended.code == _SSH_FAILED:
            return Failure("Killed", "the connection to its machine ended (ssh: 255)", said)
        if ended.code - 128 in set(signal.Signals):
            name = signal.Signals(ended.code - 128).name
            hint = "; was it out of memory?" if name == "SIGKILL" else ""
            return Failure("Killed", f"it was killed by signal {name}{hint}", said)
        return Failure("Crashed", f"it exited with code {ended.code}", said)


def may_pass(failure: Failure, before: Failure | None) -> bool:
    """Whether a failure may not happen again when the training goes on from its checkpoint.

    What a rank was killed by may pass. An error of the trial's own code may (a file that could not
    be read); the same one twice in a row will not. A mistake that pedl2det has found stays one.

    Args:
        failure: what ended the ranks.
        before: what ended them the last time, with no checkpoint since then; or None.
    """
    if failure.kind in ("Killed", *LOST):
        return True
    is_new = before is None or failure.message != before.message
    return failure.kind in ("Crashed", _OF_THE_TRIAL) and is_new
