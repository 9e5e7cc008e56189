"""Make the copies of a trial that are trained."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from pathlib import Path

from pedl2det.errors import Pedl2DetError
from pedl2det.verify.copying import Linked, copy_paths
from pedl2det.verify.extent import Extent


@dataclass(frozen=True)
class Copy:
    """A copy of a trial, with what it needs around it.

    Attributes:
        name: what messages call it: "old" or "new".
        extent: what was copied.
        root: the copy of the extent's root.
        out: where the results of training go.
        config: its experiment config.
        guarded: the directory that holds all copies, if files are linked and not copied.
        script: the plain script that trains it; None for a trial.
        twin_is_script: whether a plain script is compared with it.
    """

    name: str
    extent: Extent
    root: Path
    out: Path
    config: Path
    guarded: Path | None = None
    script: Path | None = None
    twin_is_script: bool = False

    @property
    def directory(self) -> Path:
        """The trial's directory in the copy."""
        return self.root / self.extent.home.relative_to(self.extent.root)

    def original(self, path: Path) -> Path:
        """Return the original of a path in the copy."""
        if not path.is_relative_to(self.root):
            return path
        return self.extent.root / path.relative_to(self.root)

    def with_original_paths(self, text: str) -> str:
        """Return a text with the paths of the originals."""
        text = text.replace(str(self.root), str(self.extent.root))
        return text.replace(f"{self.root.parent}/", f"{self.extent.root.parent}/")


@dataclass
class Workshop:
    """A temporary directory for the copies of trials and the results of their training.

    Attributes:
        scratch: the temporary directory, resolved.
        config: the experiment config that the old trial is trained by.
        linked: the files of the originals that copies only link to.
    """

    scratch: Path
    config: Path
    linked: set[Linked] = field(default_factory=set)

    @property
    def results(self) -> Path:
        """The directory that holds the results of each copy."""
        return self.scratch / "results"

    def copy(self, name: str, extent: Extent, config: Path | None = None) -> Copy:
        """Copy a trial; an earlier copy of this name and its results are removed.

        Args:
            name: what the copy is called.
            extent: what is copied.
            config: its experiment config; None for that of the old trial.

        Raises:
            Pedl2DetError: a file cannot be read, or the disk is full.
        """
        top, out = self.scratch / name, self.results / name
        for directory in (top, out):
            shutil.rmtree(directory, ignore_errors=True)
        self.results.mkdir(parents=True, exist_ok=True)
        root = top / (extent.root.name or "root")
        try:
            linked = copy_paths(extent.root, extent.paths, root)
        except OSError as error:
            place = error.filename or extent.root
            raise Pedl2DetError(f"{place}: cannot be copied: {error.strerror}") from None
        self.linked |= {*linked}
        home = root / extent.home.relative_to(extent.root)
        used = _config_in(home, extent.home, config or self.config)
        return Copy(name, extent, root, out, used, self.scratch if linked else None)

    def changed(self) -> list[Path]:
        """Return the linked files that were changed all the same."""
        return sorted(one.original for one in self.linked if not one.is_unchanged)


def _config_in(copy: Path, home: Path, config: Path) -> Path:
    """The config as a part of the copy, so that it is migrated with the code."""
    real = config.resolve()
    if real.is_relative_to(home):
        return copy / real.relative_to(home)
    if config.parent.resolve() == home:  # a link to a file elsewhere
        return copy / config.name
    own = copy / f"verified-{config.name}"
    own.write_bytes(config.read_bytes())
    return own
