"""Make a directory with a plain script from a trial: migrate a copy, detach it, add the script."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pedl2det import support as library
from pedl2det.analysis.project import SUPPORT, Project
from pedl2det.analysis.source import Source
from pedl2det.eject.surroundings import MODULE, PACKAGE, detach_files, detached
from pedl2det.errors import Pedl2DetError
from pedl2det.report.html import render
from pedl2det.report.text import plural
from pedl2det.verify.copies import Copy, Workshop, copy_paths, extent_of, project_of
from pedl2det.verify.preparing import MARK, Pair, chosen_config, prepare

_SCRIPTS = ("train.py", "train_keras.py", "train_alone.py")
_ENTRY = re.compile(r"(?:^|\s)([\w.]+):(\w+)$")

_HEADER = '''\
"""What this trial uses of Determined, with TensorFlow alone.

Written by `pedl2det eject`. The file is yours: edit it.
"""
'''

#: Pieces of ``keras_trial.py`` that the script itself uses.
USED = (
    *("TFKerasTrialContext", "TrialCallbacks", "apply_session_config", "seed_everything"),
    *("training_dataset", "validation_dataset"),
)


def eject(directory: Path, out: Path, config: Path | None = None) -> tuple[Path, tuple[str, ...]]:
    """Write a directory with the trial's files and a script that trains it.

    An old trial is migrated first, in a copy; the trial itself is not changed. Returns the path of
    the script, and notes: how it differs from the harness, and which files are left out.
    """
    if out.exists():
        raise Pedl2DetError(f"{out}: exists already: choose another --out, or remove it")
    home = directory.resolve()
    used = config or chosen_config(home)
    extent = extent_of(home, tight=True)
    if not out.resolve().parent.is_dir():
        raise Pedl2DetError(f"{out}: no such directory: {out.parent}")
    with tempfile.TemporaryDirectory(prefix="pedl2det-eject-") as scratch:
        workshop = Workshop(Path(scratch).resolve(), used, directory)
        pair = prepare(workshop, extent)
        if pair.left:
            first = pair.left[0]
            raise Pedl2DetError(
                f"{directory}: migrate left {plural(len(pair.left), 'place')}, the first at "
                f"{first.path}:{first.line}: finish the trial first"
            )
        return _write_directory(pair, out, Path(used.name))


def _write_directory(pair: Pair, out: Path, config: Path) -> tuple[Path, tuple[str, ...]]:
    """Write the directory beside its place, and move it there when it is complete."""
    new = pair.new
    project = project_of(new.directory)
    if project is None:
        raise Pedl2DetError(f"{pair.old.extent.home}: no trial is defined here")
    beside = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.resolve().parent))
    try:
        whole = beside / "trial"
        copy_paths(new.root, [new.root], whole)
        place = whole / new.extent.home.relative_to(new.extent.root)
        name = next(script for script in _SCRIPTS if not (place / script).exists())
        pieces = place / f"{MODULE}.py"
        if pieces.exists():
            raise Pedl2DetError(f"{pieces.name}: the trial has a file of this name: rename it")
        for path in project.configs:
            (whole / path.relative_to(new.root)).unlink(missing_ok=True)
        values = _values_of(new, project)
        modules, used = _modules(project)
        own = {whole / path.relative_to(new.root): data for path, data in modules.items()}
        ours = {
            pieces: library.render(used, _HEADER, PACKAGE).encode(),
            place / name: _render_script(values, config, name).encode(),
        }
        for path, data in (own | ours).items():
            path.write_bytes(data)
        left_out = detach_files(whole, own.keys() | ours.keys())
        whole.rename(out)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    differs = (*_differences(values, b"".join(own.values())), *left_out)
    return out / place.relative_to(whole) / name, differs


def _modules(project: Project) -> tuple[dict[Path, bytes], set[str]]:
    """The modules of a trial without Determined, and the pieces that they and the script use."""
    files: dict[Path, bytes] = {}
    used = {*USED}
    support = project.root / SUPPORT
    for path in sorted({*project.needed, *([support] if support.is_file() else [])}):
        source = Source.read(path)
        text, pieces = detached(source, len(path.relative_to(project.root).parts) - 1)
        used |= pieces
        files[path] = source.encoded(text)
    return files, used


def _values_of(new: Copy, project: Project) -> dict[str, Any]:
    """The values of a migrated trial's config, by their names in the script's template."""
    from pedl2det_runtime import errors
    from pedl2det_runtime.api.trial_info import TrialInfo
    from pedl2det_runtime.config.reader import read_config

    try:
        read = read_config(new.config, ())
        info = TrialInfo.of(read, new.out)
        size = info.global_batch_size
        lengths = {
            "batches": read.training_batches(size),
            "validate_every": read.batches(read.min_validation_period, size),
            "checkpoint_every": read.batches(read.min_checkpoint_period, size),
        }
    except (errors.Pedl2DetError, ValueError) as error:
        raise Pedl2DetError(new.with_original_paths(str(error))) from None
    entry = read.entrypoint  # may be a command
    match = _ENTRY.search(" ".join(map(str, entry)) if isinstance(entry, list) else str(entry))
    if match is None:
        raise Pedl2DetError("entrypoint: the config names no module:Class: add it")
    uses_config = any(b"get_experiment_config" in path.read_bytes() for path in project.needed)
    settings = read.raw if uses_config else {"data": read.raw.get("data") or {}}
    named = {"module": match[1], "trial": match[2]}
    return {**lengths, **named, "read": read, "info": info, "settings": settings}


def _differences(values: dict[str, Any], code: bytes) -> Iterator[str]:
    """How the script differs from the harness."""
    read = values["read"]
    yield "checkpoints hold weights only: a run begins at its first batch, and is not resumed"
    if read.resources.slots_per_trial > 1:
        yield f"one process trains, on the batches of all {read.resources.slots_per_trial} slots"
    if read.perform_initial_validation:
        yield "the untrained model is not validated"
    if b"def on_checkpoint_end" in code:
        yield "on_checkpoint_end of callbacks is not called: Keras writes the checkpoints"
    if b"def on_train_workload" in code and values["checkpoint_every"]:
        yield "a workload does not end at a checkpoint"
    if b"class_weight=" in code:
        yield "class weights cannot be combined with sample weights of a Sequence"
    if b"stop_training" in code or b"set_stop_requested" in code:
        yield "if a callback stops the training, the model is validated once more"


def _render_script(values: dict[str, Any], config: Path, name: str) -> str:
    """Render `train.py.j2` as the text of the script; ``name`` is that of its file."""
    import black

    from pedl2det_runtime.config.cluster_environment import assignments

    text = render(
        "eject/train.py.j2",
        **values,
        variables=[
            (repr(name), f"os.path.expandvars({value!r})" if "$" in value else repr(value))
            for name, value in assignments(values["read"].raw).items()
        ],
        mark=MARK,
        config=config.name,
        name=name,
    )
    return black.format_str(text, mode=black.Mode())
