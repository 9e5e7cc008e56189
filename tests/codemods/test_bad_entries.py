"""One bad entry of a directory is one line, never blocks, and hides nothing else."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from migrating import CONFIG, TRIAL
from support import write_tree

IMPORTS = "from net import UNITS\n"
NET = "import pedl\n\nUNITS = pedl.get_hyperparameter('units')\n"


def cycle(path: Path) -> None:
    path.symlink_to(path.name)


def dangling(path: Path) -> None:
    path.symlink_to("nowhere")


def bound(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


BAD: list[tuple[Callable[[Path], object], str]] = [
    (dangling, "cannot be read: No such file or directory"),
    (os.mkfifo, "cannot be read: no regular file"),
    (bound, "cannot be read: no regular file"),
    (device, "cannot be read: no regular file"),
    (cycle, "cannot be read: Too many levels of symbolic links"),
]


def migrated(*arguments: object, **more: object) -> subprocess.CompletedProcess[str]:
    """Migrate in a process that ends in time and in a short directory."""
    return subprocess.run(
        [sys.executable, "-m", "pedl2det", "migrate", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        **more,  # type: ignore[call-overload]
    )


@pytest.mark.parametrize(("make", "message"), BAD)
def test_a_bad_entry_is_one_line_and_the_others_go_on(
    make: Callable[[Path], object], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_tree(tmp_path, {f"good/{name}": text for name, text in TRIAL.items()})
    (tmp_path / "bad").mkdir()
    monkeypatch.chdir(tmp_path / "bad")  # a socket's name is short
    for name in ("x.py", "x.ipynb"):
        make(Path(name))

    done = migrated(tmp_path)

    lines = [line for line in done.stderr.splitlines() if message in line]
    assert done.returncode == 1
    assert lines == [
        f"x.ipynb:1: scan: bad input: {message}",
        f"x.py:1: scan: bad input: {message}",
    ]
    assert "1 of 1 trial rewritten" in done.stderr
    assert "pedl" not in (tmp_path / "good" / "model_def.py").read_text()


@pytest.mark.parametrize("name", ["net.py", "net/__init__.py", "const.yaml"])
@pytest.mark.parametrize("make", [dangling, os.mkfifo])
def test_a_trial_that_needs_it_is_not_finished(
    make: Callable[[Path], object], name: str, tmp_path: Path
) -> None:
    trial = write_tree(
        tmp_path / "trial", TRIAL | {"model_def.py": IMPORTS + TRIAL["model_def.py"]}
    )
    write_tree(tmp_path, {f"good/{name}": text for name, text in TRIAL.items()})
    if name != "const.yaml":
        (trial / "net.py").write_text(NET)
    (trial / name.partition("/")[0]).unlink(missing_ok=True)
    if name.startswith("net"):
        (trial / "net.py").unlink(missing_ok=True)
    (trial / name).parent.mkdir(exist_ok=True)
    make(trial / name)

    done = migrated(tmp_path)

    assert done.returncode == 1, done.stderr
    assert done.stderr.count(f"{trial / name}:1: ") == 1
    assert f"{trial}: begun, not written" in done.stderr
    assert "1 of 2 trials rewritten" in done.stderr
    assert "pedl" in (trial / "model_def.py").read_text()


@pytest.mark.skipif(shutil.which("setpriv") is None, reason="no setpriv")
@pytest.mark.parametrize("name", ["net.py", "const.yaml", "net", "other"])
def test_what_may_not_be_read_is_one_line(name: str, tmp_path: Path) -> None:
    """Root reads all, unless it gives that right away."""
    trial = write_tree(
        tmp_path / "trial", TRIAL | {"model_def.py": IMPORTS + TRIAL["model_def.py"]}
    )
    write_tree(tmp_path, {f"good/{name}": text for name, text in TRIAL.items()})
    write_tree(trial, {"net/__init__.py" if name == "net" else "net.py": NET})
    write_tree(trial, {"other/x.py": NET})
    (trial / name).chmod(0)
    rights = "-dac_override,-dac_read_search"
    command = ["setpriv", f"--inh-caps={rights}", f"--bounding-set={rights}"] * (os.geteuid() == 0)

    done = subprocess.run(
        [*command, sys.executable, "-m", "pedl2det", "migrate", tmp_path],
        capture_output=True,
        text=True,
        check=False,
    )

    (trial / name).chmod(0o755)
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
    assert f"{trial / name}:1: " in done.stderr
    finished = "2 of 2" if name == "other" else "1 of 2"
    assert f"{finished} trials rewritten" in done.stderr


def test_names_that_are_no_text_hide_nothing(tmp_path: Path) -> None:
    directory = os.fsencode(tmp_path) + b"/\xff"
    shutil.copytree(write_tree(tmp_path / "trial", TRIAL), os.fsdecode(directory))
    Path(os.fsdecode(directory + b"/\xfe.py")).symlink_to("nowhere")

    done = migrated(tmp_path)

    assert done.returncode == 1
    assert "\\udcff/\\udcfe.py:1: scan: bad input: cannot be read: No such file" in done.stderr
    assert "2 of 2 trials rewritten" in done.stderr


def test_other_texts_are_a_note_and_locks_of_an_editor_are_none(tmp_path: Path) -> None:
    trial = write_tree(tmp_path / "trial", TRIAL)
    dangling(trial / "notes.txt")
    dangling(trial / ".#model_def.py")
    os.mkfifo(trial / "notes.md")

    done = migrated(trial)

    assert done.returncode == 0, done.stderr
    assert "notes.txt:1: scan: note: cannot be read: No such file" in done.stderr
    assert ".#model_def" not in done.stderr


def test_a_pipe_is_not_replaced_by_a_file_that_migrate_adds(tmp_path: Path) -> None:
    data = TRIAL["data.py"].replace(
        "pedl.get_experiment_config()", "map(pedl.get_hyperparameter, ['a'])"
    )
    trial = write_tree(tmp_path / "trial", TRIAL | {"data.py": data})
    os.mkfifo(trial / "legacy_keras.py")

    done = migrated("--partial", trial)

    assert done.returncode == 2, done.stderr
    assert f"{trial / 'legacy_keras.py'}: " in done.stderr
    assert (trial / "legacy_keras.py").is_fifo()


LAUGHS = "a: &a [x, x]\n" + "".join(
    f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]\n"
    for old, new in zip("abcdefghij", "bcdefghijk", strict=True)
)


@pytest.mark.parametrize("text", [LAUGHS, "a: &a [*a]\n", "a: &a {b: *a}\n"])
def test_a_config_that_stands_for_too_much_is_one_line(text: str, tmp_path: Path) -> None:
    trial = write_tree(tmp_path / "trial", TRIAL | {"const.yaml": CONFIG + text})
    write_tree(tmp_path, {f"good/{name}": text for name, text in TRIAL.items()})
    began = time.monotonic()

    done = migrated(tmp_path)

    assert time.monotonic() - began < 20
    assert done.returncode == 1
    assert done.stderr.count(f"{trial / 'const.yaml'}:1: ") == 1
    assert "Traceback" not in done.stderr
    assert "1 of 2 trials rewritten" in done.stderr


def test_a_file_nested_too_deep_is_no_config_of_a_trial(tmp_path: Path) -> None:
    write_tree(tmp_path, {f"good/{name}": text for name, text in TRIAL.items()})
    deep = "[" * 3000 + "]" * 3000
    (tmp_path / "environment.yaml").write_text(f"dependencies: [tensorflow]\na: {deep}\n")

    done = migrated(tmp_path)

    assert "Traceback" not in done.stderr
    assert "1 of 1 trial rewritten" in done.stderr
