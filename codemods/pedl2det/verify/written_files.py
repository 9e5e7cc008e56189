"""The files that the code of a trial writes in its directory while it trains."""

from __future__ import annotations

import filecmp
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from pedl2det.report.text import plural
from pedl2det.verify.copies import Copy
from pedl2det.verify.copying import is_left_out

_SHOWN = 3
_Stamps = dict[Path, tuple[int, int, int]]


@dataclass(frozen=True)
class Snapshot:
    """The files of a copy at some time.

    Attributes:
        copy: the copy.
        stamps: inode, size and time of change of each file.
    """

    copy: Copy
    stamps: _Stamps

    @classmethod
    def of(cls, copy: Copy) -> Snapshot:
        """Take a snapshot of the regular files, without caches and results of runs."""
        stamps: _Stamps = {}
        for parent, directories, files in os.walk(copy.root):
            directories[:] = [one for one in directories if not is_left_out(Path(parent, one))]
            for path in (Path(parent, name) for name in files):
                status = path.lstat()
                if stat.S_ISREG(status.st_mode):
                    stamps[path] = status.st_ino, status.st_size, status.st_mtime_ns
        return cls(copy, stamps)

    def written_since(self) -> dict[str, Path]:
        """Return the files that were written since then, by their paths from the trial."""
        now = Snapshot.of(self.copy).stamps
        return {
            os.path.relpath(path, self.copy.directory): path
            for path, stamp in sorted(now.items())
            if self.stamps.get(path) != stamp
        }


def describe_written(old: dict[str, Path], new: dict[str, Path]) -> str | None:
    """Say in a line which files two trainings wrote; None if they wrote none.

    Args:
        old: the files that the old trial wrote, by their paths from the trial.
        new: those of the new one.
    """
    if not old and not new:
        return None
    both = [name for name in old if name in new]
    equal = [name for name in both if filecmp.cmp(old[name], new[name], shallow=False)]
    differing = [name for name in both if name not in equal]
    alone = {"old": [*old.keys() - new.keys()], "new": [*new.keys() - old.keys()]}
    parts = [f"equal in both: {_names(equal)}"] if equal else []
    parts += [f"different: {_names(differing)}"] if differing else []
    parts += [f"only by the {which} trial: {_names(one)}" for which, one in alone.items() if one]
    count = plural(len(old.keys() | new.keys()), "file")
    return f"the code of the trials wrote {count} in their directories: {'; '.join(parts)}"


def _names(names: list[str]) -> str:
    more = len(names) - _SHOWN
    shown = ", ".join(sorted(names)[:_SHOWN])
    return f"{shown} and {more} more" if more > 0 else shown
