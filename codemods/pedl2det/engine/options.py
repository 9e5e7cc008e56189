"""What the user asked for: rules that are left out, files that no rule may write, and how far."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path


@dataclass(frozen=True)
class Options:
    """What the user asked for.

    A rule that is left out runs all the same, so that what it would do is named; its fixes are
    dropped. A trial that needs one of them, or a file that is excluded, is not finished.

    Attributes:
        left_out: the ids of the rules that are left out.
        exclude: globs of files and directories, relative to ``base``.
        base: the directory of the pyproject.toml that has them.
        given: the paths on the command line: what is named there is not excluded.
        partial: whether trials that are begun are written too.
        cluster: whether the team has a Determined cluster.
        jobs: the largest number of processes.
        carries: tells of a trial's directory whether the trial is carried over whole.
    """

    left_out: frozenset[str] = frozenset()
    exclude: tuple[str, ...] = ()
    base: Path = Path()
    given: tuple[Path, ...] = ()
    partial: bool = False
    cluster: bool = False
    jobs: int = 1
    carries: Callable[[Path], bool] = lambda _: False

    def excludes(self, file: Path) -> bool:
        """Tell whether a glob means a file, or a directory above it but below a given path."""
        return bool(self.exclude) and any(
            any(_means(glob, path, self.base) for glob in self.exclude)
            for path in (file, *file.parents)
            if self.base in path.parents
            and not any(path == given or path in given.parents for given in self.given)
        )


def _means(glob: str, path: Path, base: Path) -> bool:
    """Whether a glob means a path: its name, or with a slash its place below the base."""
    if "/" not in glob.rstrip("/"):
        return fnmatchcase(path.name, glob.rstrip("/"))
    return fnmatchcase(path.relative_to(base).as_posix(), glob.strip("/"))
