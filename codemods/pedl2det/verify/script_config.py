"""The experiment config that a script of early Determined holds in its code."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from pathlib import Path

import yaml

from pedl2det.analysis.discovery import discover
from pedl2det.analysis.membership import is_native
from pedl2det.analysis.project import Reader, read
from pedl2det.errors import Pedl2DetError
from pedl2det.scripts import lower

_WRITE = "write it to const.yaml, with `entrypoint: {{script: {name}}}`"


def config_in_script(path: Path) -> Path | None:
    """Write the config of a script to a temporary file; None if there is no such script.

    Args:
        path: the script, or the directory of a trial that has no config.

    Raises:
        Pedl2DetError: the script computes its config.
    """
    home = path.resolve()
    for project in discover([home]).projects:
        reading = lower(read(project, Reader()))
        for file, script in reading.scripts.items():
            if home not in (file, *file.parents):
                continue
            is_native = file in project.scripts
            if script.config is not None:
                entry = {"script": file.name} if is_native else script.entrypoint
                return _written({**script.config, "entrypoint": entry})
            if is_native and not project.configs:
                write = _WRITE.format(name=file.name)
                raise Pedl2DetError(f"{file}: its experiment config is computed: {write}")
    return None


def refuse_native(path: Path) -> None:
    """Tell a script of the Native API from a directory without a trial or a config.

    Args:
        path: the directory, or the file.

    Raises:
        Pedl2DetError: there is such a script.
    """
    files = [path] if path.is_file() else sorted(path.glob("*.py"))
    for source in filter(None, map(Reader().source_or_none, files)):
        if is_native(source):
            raise Pedl2DetError(
                f"{source.path}: a script of the Native API, not a trial: its experiment config "
                f"needs `entrypoint: {{script: {source.path.name}}}`; write it to const.yaml, or "
                "name the config with -c"
            )


def _written(config: dict[str, object]) -> Path:
    """A file that is removed when the process ends."""
    directory = tempfile.mkdtemp(prefix="pedl2det-config-")
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    file = Path(directory) / "const.yaml"
    file.write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")
    return file
