"""migrate is safe: what it writes can be taken back, and what it must not write it leaves."""

from __future__ import annotations

import os
import re
import resource
import signal
import stat
import subprocess
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from migrating import DATA, TRIAL, run, trials
from pedl2det.commands.migrate import _can_train
from pedl2det.engine import NewFile
from pedl2det.errors import Pedl2DetError
from pedl2det.files import write
from pedl2det.files.journal import Replacement
from pedl2det.files.write import write_all
from support import heed_signals, read_tree, write_tree


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The journals of this test alone."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


@pytest.fixture
def trial(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "trial", TRIAL)


def journals(state: Path) -> list[Path]:
    return sorted(state.rglob("*-*"))


# Taking a run back.


def test_undo_takes_the_last_run_back(trial: Path, state: Path) -> None:
    (trial / "data.py").chmod(0o755)
    before = read_tree(trial)
    assert run(trial).exit_code == 0
    assert read_tree(trial) != before

    undone = run("--undo", trial)

    assert undone.exit_code == 0, undone.output
    assert "model_def.py: as it was before the run of 20" in undone.output
    assert read_tree(trial) == before
    assert (trial / "data.py").stat().st_mode & 0o777 == 0o755
    assert journals(state) == []


def test_undo_of_nothing_is_wrong_use(trial: Path) -> None:
    run(trial)
    run("--undo", trial)

    again = run("--undo", trial)

    assert again.exit_code == 2
    assert again.output == (
        f"pedl2det: {trial}: nothing to undo: no run that wrote here is remembered\n"
    )


def test_two_runs_are_taken_back_one_after_the_other(tmp_path: Path) -> None:
    root = trials(tmp_path / "all", 2)
    before = read_tree(root)
    run(root / "t0")
    first = read_tree(root)
    run(root / "t1")

    assert run("--undo", root).exit_code == 0
    assert read_tree(root) == first
    assert run("--undo", root).exit_code == 0
    assert read_tree(root) == before


def test_a_run_is_taken_back_whole(tmp_path: Path) -> None:
    root = trials(tmp_path / "all", 2)
    run(root / "t0", root / "t1")
    migrated = read_tree(root)

    partly = run("--undo", root / "t0")

    assert partly.exit_code == 2
    assert f"pedl2det migrate --undo {root / 't0'} {root / 't1'}" in partly.output
    assert read_tree(root) == migrated


def test_a_run_is_found_by_what_was_asked_for(tmp_path: Path) -> None:
    """All that it wrote stands behind a link, elsewhere."""
    config = write_tree(tmp_path / "elsewhere", {"const.yaml": TRIAL["const.yaml"]}) / "const.yaml"
    trial = write_tree(tmp_path / "trial", TRIAL)
    run(trial)
    (trial / "const.yaml").unlink()
    (trial / "const.yaml").symlink_to(config)
    write_all([NewFile(trial / "const.yaml", config.read_bytes(), b"new")], [trial])

    assert run("--undo", trial).exit_code == 0

    assert config.read_text() == TRIAL["const.yaml"]
    assert (trial / "const.yaml").is_symlink()


def test_undo_refuses_files_that_changed_since_unless_forced(trial: Path) -> None:
    before = read_tree(trial)
    run(trial)
    (trial / "data.py").write_text("mine = True\n")
    (trial / "model_def.py").unlink()
    changed = read_tree(trial)

    refused = run("--undo", trial)
    assert refused.exit_code == 2
    assert "changed since the run of" in refused.output
    assert str(trial / "data.py") in refused.output
    assert str(trial / "model_def.py") in refused.output
    assert "const.yaml" not in refused.output
    assert read_tree(trial) == changed

    assert run("--undo", "--force", trial).exit_code == 0
    assert read_tree(trial) == before


def test_undo_does_not_replace_a_link_that_took_the_place_of_a_file(
    trial: Path, tmp_path: Path
) -> None:
    """Not even one to the very bytes that migrate wrote."""
    run(trial)
    outside = (trial / "model_def.py").rename(tmp_path / "outside.py")
    (trial / "model_def.py").symlink_to(outside)
    written = read_tree(tmp_path)

    refused = run("--undo", trial)

    assert refused.exit_code == 2
    assert f"\n  {trial / 'model_def.py'}" in refused.output
    assert (trial / "model_def.py").is_symlink()
    assert read_tree(tmp_path) == written


def test_a_journal_is_for_its_user_alone_and_outside_of_the_tree(trial: Path, state: Path) -> None:
    names = set(read_tree(trial))
    run(trial)

    (journal,) = journals(state)
    assert stat.S_IMODE(journal.stat().st_mode) == 0o600
    assert stat.S_IMODE(journal.parent.stat().st_mode) == 0o700
    assert set(read_tree(trial)) == names


@pytest.mark.parametrize("option", ["--check", "--diff"])
def test_what_only_shows_writes_nothing_at_all(option: str, trial: Path, state: Path) -> None:
    before = read_tree(trial)

    run(option, trial)

    assert read_tree(trial) == before
    assert not state.exists()


def test_nothing_is_written_without_a_journal(trial: Path, state: Path) -> None:
    state.write_text("a file where a directory should be")
    before = read_tree(trial)

    done = run(trial)

    assert done.exit_code == 2
    assert "the journal for --undo cannot be written" in done.output
    assert "XDG_STATE_HOME" in done.output
    assert read_tree(trial) == before


def test_journals_that_cannot_be_looked_for_are_no_defect(
    trial: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", f"/{'x' * 300}")

    done = run(trial)

    assert done.exit_code == 2
    # Path.glob of Python 3.13 finds nothing there.
    assert re.search("journals? for --undo cannot be .+: File name too long", done.output)


def test_a_journal_that_cannot_be_read_is_named(trial: Path, state: Path) -> None:
    run(trial)
    (journal,) = journals(state)
    journal.write_text("{")

    done = run("--undo", trial)

    assert done.exit_code == 2
    assert f"{journal}: this journal of a run cannot be read" in done.output


def test_a_file_that_has_the_name_of_a_journal_stays(
    trial: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(trial)
    (journal,) = journals(state)
    run("--undo", trial)
    monkeypatch.setattr("time.time_ns", lambda: 7)
    stranger = journal.parent / f"7-{os.getpid()}.part"
    write_tree(stranger.parent, {stranger.name: "mine"})
    before = read_tree(trial)

    done = run(trial)

    assert done.exit_code == 2
    assert "the journal for --undo cannot be written: File exists" in done.output
    assert stranger.read_text() == "mine"
    assert read_tree(trial) == before


def test_nothing_of_others_stands_in_the_way(trial: Path, state: Path) -> None:
    """Not even what a run that was killed while it wrote its journal left there."""
    run(trial)
    (journal,) = journals(state)
    for name in ("9999999999999999999-1.part", "a-b.json", "notes.json"):
        (journal.parent / name).write_text("{")

    assert run("--undo", trial).exit_code == 0


def migrate_again(trial: Path) -> None:
    write_tree(trial, TRIAL)
    assert run("--force", trial).exit_code == 0


def test_the_last_runs_of_each_repository_are_remembered(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pedl2det.files.journal._KEPT", 2)
    mine, theirs = tmp_path / "mine", tmp_path / "theirs"
    for repository in (mine, theirs):
        (repository / ".git").mkdir(parents=True)
    migrate_again(mine / "a")
    for number in range(4):
        migrate_again(theirs / f"trial{number % 2}")
        assert len(journals(state)) == 1 + min(number + 1, 2)

    undone = run("--undo", mine / "a")

    assert undone.exit_code == 0, undone.output
    assert read_tree(mine / "a") == {name: text.encode() for name, text in TRIAL.items()}


def test_outside_of_a_repository_the_last_runs_of_each_directory_are_remembered(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pedl2det.files.journal._KEPT", 1)
    for trial in (tmp_path / "a", tmp_path / "a", tmp_path / "b"):
        migrate_again(trial)

    assert len(journals(state)) == 2


def test_undo_of_nothing_says_the_way_of_git(trial: Path) -> None:
    (trial / ".git").mkdir()

    assert run("--undo", trial).output == (
        f"pedl2det: {trial}: nothing to undo: no run that wrote here is remembered; "
        f"what git tracks comes back with: git restore {trial}\n"
    )


KILLED = """\
import os, pathlib, signal, sys
from pedl2det.commands.migrate import command
replace, made = pathlib.Path.replace, []
def replaced(self, target):
    if target.suffix == ".begun" and int(sys.argv[2]) < 0:
        os.kill(os.getpid(), int(sys.argv[3]))
    if target.name in {"model_def.py", "data.py", "const.yaml"}:
        if len(made) == int(sys.argv[2]):
            os.kill(os.getpid(), int(sys.argv[3]))
        made.append(target)
    return replace(self, target)
pathlib.Path.replace = replaced
command.main(sys.argv[1:2])
"""


def killed(trial: Path, after: int, by: signal.Signals) -> subprocess.CompletedProcess[str]:
    """A migration that gets a signal after it has replaced some files."""
    arguments = [sys.executable, "-c", KILLED, trial, after, int(by)]
    return subprocess.run(
        list(map(str, arguments)),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        preexec_fn=heed_signals,
    )


@pytest.mark.kills
def test_a_run_that_was_killed_while_it_wrote_is_taken_back(trial: Path, state: Path) -> None:
    before = read_tree(trial)
    assert killed(trial, 2, signal.SIGKILL).returncode == -signal.SIGKILL
    half = read_tree(trial)
    kept = [name for name in before if half[name] == before[name]]
    assert 0 < len(kept) < len(before)
    assert set(half) > set(before), "a temporary is left"

    blocked = run("--check", trial)
    assert blocked.exit_code == 2
    assert f"was killed while it wrote: take it back first: pedl2det migrate --undo {trial}" in (
        blocked.output
    )
    assert run("--undo", trial).exit_code == 0

    assert read_tree(trial) == before
    assert journals(state) == []
    assert run(trial).exit_code == 0


@pytest.mark.kills
def test_a_half_done_run_is_remembered_however_many_runs_follow(
    trial: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pedl2det.files.journal._KEPT", 1)
    (trial.parent / ".git").mkdir()  # one group of journals for all
    before = read_tree(trial)
    killed(trial, 2, signal.SIGKILL)
    for number in range(3):
        migrate_again(trial.parent / f"other{number}")

    assert run("--undo", trial).exit_code == 0

    assert read_tree(trial) == before


@pytest.mark.kills
def test_a_half_done_run_is_remembered_though_its_file_was_edited(trial: Path, state: Path) -> None:
    before = read_tree(trial)
    killed(trial, 1, signal.SIGKILL)
    (written,) = (trial / name for name in before if read_tree(trial)[name] != before[name])
    written.write_text("my edit\n")
    run("--check", trial)

    refused = run("--undo", trial)
    assert "changed since the run of" in refused.output and str(written) in refused.output
    assert run("--undo", "--force", trial).exit_code == 0

    assert read_tree(trial) == before


@pytest.mark.kills
def test_a_run_that_was_killed_before_it_wrote_is_no_run(trial: Path, state: Path) -> None:
    before = read_tree(trial)
    killed(trial, 0, signal.SIGKILL)

    assert run("--undo", trial).exit_code == 2
    assert read_tree(trial) == before
    assert journals(state) == []


@pytest.mark.kills
@pytest.mark.parametrize("after", [-1, 0])
def test_the_next_run_cleans_up_after_one_that_was_killed_before_it_wrote(
    after: int, trial: Path, state: Path
) -> None:
    """The journal of the killed run is half-written, or its temporary files are left."""
    names = {*TRIAL}
    killed(trial, after, signal.SIGKILL)
    left = {*read_tree(trial), *journals(state)} - names
    stranger = trial / ".pedl2det-1-2-3"
    stranger.write_text("mine")

    assert run("--check", trial).exit_code == 1
    assert left == {*read_tree(trial), *journals(state)} - names - {stranger.name}
    assert left
    assert run(trial).exit_code == 0

    assert {*read_tree(trial)} == names | {stranger.name}
    assert [one.suffix for one in journals(state)] == [".json"]


@pytest.mark.kills
@pytest.mark.parametrize(
    ("by", "code"), [(signal.SIGINT, 1), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
@pytest.mark.parametrize("after", [0, 2])
def test_an_interrupted_run_leaves_everything_as_it_was(
    after: int, by: signal.Signals, code: int, trial: Path, state: Path
) -> None:
    before = read_tree(trial)

    done = killed(trial, after, by)

    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    assert read_tree(trial) == before
    assert journals(state) == []


# Writing.


def files(directory: Path, count: int = 3) -> list[NewFile]:
    paths = [directory / f"f{number}" for number in range(count)]
    for path in paths:
        path.write_bytes(b"old")
    return [NewFile(path, b"old", b"new" * 1000) for path in paths]


def test_a_full_disk_changes_nothing(tmp_path: Path) -> None:
    """The journal fits into the limit, the last of the files does not."""
    directory = write_tree(tmp_path / "trial", TRIAL)
    (directory / "data.py").write_text(DATA + "# long\n" * 9000)
    before = read_tree(directory)

    done = subprocess.run(
        [sys.executable, "-m", "pedl2det", "migrate", directory],
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000)),
        check=False,
    )

    assert done.returncode == 2
    assert "File too large" in done.stderr
    assert "nothing was written" in done.stderr
    assert read_tree(directory) == before


@pytest.mark.parametrize("at", [0, 2])
def test_a_directory_that_takes_no_file_changes_nothing(
    at: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = files(tmp_path)
    before = read_tree(tmp_path)
    real = os.open

    def refusing(path: Path, *arguments: int, **options: Any) -> int:
        if str(path).endswith(f"-{at}"):
            raise PermissionError(13, "Permission denied", str(path))
        return real(path, *arguments, **options)

    monkeypatch.setattr(os, "open", refusing)
    with pytest.raises(Pedl2DetError) as error:
        write_all(new)

    assert error.value.message == (
        f"{tmp_path / f'f{at}'}: cannot be written: Permission denied; nothing was written"
    )
    assert read_tree(tmp_path) == before


def test_a_file_that_has_the_name_of_a_temporary_one_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.time_ns", lambda: 7)
    new = files(tmp_path)
    write_tree(tmp_path, {f".pedl2det-7-{os.getpid()}-1": "mine"})
    before = read_tree(tmp_path)

    with pytest.raises(Pedl2DetError, match="cannot be written: File exists; nothing was written"):
        write_all(new)

    assert read_tree(tmp_path) == before


def test_a_move_that_fails_puts_the_others_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = files(tmp_path)
    before = read_tree(tmp_path)
    real = Path.replace

    def failing(self: Path, target: Path) -> Path:
        if target.name == "f2":
            raise OSError(30, "Read-only file system")
        return real(self, target)

    monkeypatch.setattr(Path, "replace", failing)
    with pytest.raises(Pedl2DetError, match=r"f2: cannot be written: Read-only.*nothing was"):
        write_all(new)

    assert read_tree(tmp_path) == before


def test_what_cannot_be_put_back_stays_in_the_journal(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = write_tree(tmp_path / "tree", {})
    directory.mkdir()
    new = files(directory)
    before = read_tree(directory)
    real, moved = Path.replace, []

    def failing(self: Path, target: Path) -> Path:
        if target.parent == directory:
            if moved:
                raise OSError(5, "Input/output error")
            moved.append(target)
        return real(self, target)

    monkeypatch.setattr(Path, "replace", failing)
    with pytest.raises(Pedl2DetError, match="this file cannot be restored: Input/output error"):
        write_all(new, [directory])
    monkeypatch.undo()
    monkeypatch.setenv("XDG_STATE_HOME", str(state))

    assert read_tree(directory) != before
    assert run("--undo", directory).exit_code == 0
    assert read_tree(directory) == before


@pytest.mark.parametrize("gone", [True, False])
def test_a_file_that_changes_during_the_writing_stops_it(
    gone: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = files(tmp_path)
    prepare = write._prepare

    def meanwhile(file: Replacement) -> None:
        prepare(file)
        if file.path.name == "f2":
            (tmp_path / "f0").unlink() if gone else (tmp_path / "f0").write_text("mine")

    monkeypatch.setattr(write, "_prepare", meanwhile)
    with pytest.raises(Pedl2DetError, match="f0: it has changed since it was read; nothing was"):
        write_all(new)

    rest = {"f1": b"old", "f2": b"old"}
    assert read_tree(tmp_path) == (rest if gone else rest | {"f0": b"mine"})


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_owner_and_group_are_kept(tmp_path: Path) -> None:
    (new, *_) = files(tmp_path)
    os.chown(new.path, 1234, 4321)
    new.path.chmod(0o2750)

    write_all([new])

    status = new.path.stat()
    assert (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == (1234, 4321, 0o2750)
    assert new.path.read_bytes() == new.new


def test_attributes_are_kept(tmp_path: Path) -> None:
    (new, *_) = files(tmp_path)
    try:
        os.setxattr(new.path, "user.origin", b"2019")
    except OSError:
        pytest.skip("this file system keeps no attributes")

    write_all([new])

    assert os.getxattr(new.path, "user.origin") == b"2019"


# What is changed in git.

IN_GIT = {
    **TRIAL,
    # Bytes that Git would convert, or no text at all.
    "data.py": TRIAL["data.py"].replace("\n", "\r\n") + "# Zo\u00eb, without an end of line",
    "model_def.py": TRIAL["model_def.py"].replace('"adam", "mse"', "**anything()"),
    "legacy_keras.py": "",  # is written, for this call
}


def git(directory: Path, *arguments: str) -> None:
    settings = ("user.name=t", "user.email=t@example.org", "protocol.file.allow=always")
    given = [part for setting in settings for part in ("-c", setting)]
    subprocess.run(["git", *given, *arguments], cwd=directory, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A trial in a repository, committed."""
    trial = write_tree(tmp_path / "trial", IN_GIT)
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "trial")
    git(tmp_path, "commit", "-qm", "trial")
    return trial


def test_committed_files_are_rewritten(repository: Path) -> None:
    (repository / "notes.txt").write_text("untracked, and not to be written\n")

    assert run(repository).exit_code == 0


@pytest.mark.parametrize("how", ["changed", "staged", "added and changed", "renamed and changed"])
def test_changed_files_that_git_tracks_are_not_overwritten(how: str, repository: Path) -> None:
    data = repository / "data.py"
    if how == "added and changed":
        git(repository, "rm", "-q", "--cached", "data.py")
        git(repository, "commit", "-qm", "not this one")
        git(repository, "add", "data.py")
    elif how == "renamed and changed":
        git(repository, "mv", "data.py", "temporary.py")
        git(repository, "commit", "-qm", "renamed")
        git(repository, "mv", "temporary.py", "data.py")
    data.write_text(f"{DATA}# mine: \xe4\n")
    if how == "staged":
        git(repository, "add", "data.py")
    (repository / "net.py").write_text("from pedl import get_hyperparameter\n")  # not tracked
    before = read_tree(repository)

    refused = run(repository)

    assert refused.exit_code == 2
    assert refused.output == (
        "pedl2det: changes here are not committed; nothing was written "
        f"(--force writes anyway):\n  {data}\n"
    )
    assert read_tree(repository) == before
    assert run("--check", repository).exit_code == 1
    assert run("--force", repository).exit_code == 0
    assert read_tree(repository) != before


def proving(prove: Callable[..., object]) -> types.ModuleType:
    """What proves, without the packages that training needs."""
    module = types.ModuleType("series")
    module.__dict__.update(prove=prove, Series=lambda *_: types.SimpleNamespace(by_configs=None))
    return module


def test_changed_files_are_refused_before_anything_is_trained(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repository / "data.py").write_text(f"{DATA}# mine\n")
    trained = []

    def prove(*_: object, **__: object) -> object:
        trained.append(True)
        raise Pedl2DetError("trained")

    monkeypatch.setattr("pedl2det.commands.runtime.runtime", lambda: None)
    monkeypatch.setitem(sys.modules, "pedl2det.verify.series", proving(prove))

    assert "changes here are not committed" in run("--verify", repository).output
    assert not trained
    assert "trained" in run("--verify", "--diff", repository).output


def test_what_would_be_written_is_proved_where_it_can_be_trained(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def prove(*_: object, **__: object) -> object:
        raise Pedl2DetError("a proof began")

    monkeypatch.setattr("pedl2det.commands.migrate._can_train", lambda: True)
    monkeypatch.setitem(sys.modules, "pedl2det.verify.series", proving(prove))
    before = read_tree(repository)

    assert "a proof began" not in run("--check", repository).output
    assert "a proof began" not in run("--diff", repository).output
    assert "a proof began" in run(repository).output
    assert read_tree(repository) == before
    assert "a proof began" not in run("--no-verify", repository).output
    assert read_tree(repository) != before


def test_beside_tensorflow_alone_nothing_is_proved_and_said(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing() -> None:
        raise Pedl2DetError("training needs pydantic, which is not installed")

    monkeypatch.setattr("pedl2det.commands.migrate._can_train", _can_train)
    monkeypatch.setattr("pedl2det.commands.runtime.runtime", missing)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: name)

    done = run(repository)

    assert done.exit_code == 0, done.output
    assert "nothing is proved: training needs pydantic" in done.output
    assert "rewritten, not proved" in done.output


@pytest.mark.parametrize(
    "how",
    [
        "untracked folder",
        "untracked file",
        "ignored folder",
        "ignored file",
        "added",
        "added without its text",
        "renamed",
        "nested repository",
        "submodule",
    ],
)
def test_files_that_git_does_not_track_are_rewritten_and_come_back(
    how: str, repository: Path, tmp_path: Path
) -> None:
    """The journal has their bytes; what is only added to the index is there, unchanged."""
    trial = repository
    if how in ("untracked folder", "ignored folder"):
        trial = write_tree(tmp_path / "old" / "trials" / "a [b]", IN_GIT)
        (tmp_path / ".gitignore").write_text("old/\n" if how.startswith("ignored") else "")
    elif how == "renamed":
        trial = tmp_path / "renamed"
        git(tmp_path, "mv", "trial", "renamed")
    elif how in ("nested repository", "submodule"):
        other = write_tree(tmp_path / "other", IN_GIT)
        git(other, "init", "-q")
        git(other, "commit", "-qm", "empty", "--allow-empty")
        if how == "submodule":
            git(tmp_path, "submodule", "add", "-q", str(other), "trial/sub")
        trial = write_tree(repository / "sub", IN_GIT) if how == "submodule" else other
    else:
        git(repository, "rm", "-q", "--cached", "data.py", "legacy_keras.py")
        git(repository, "commit", "-qm", "not these")
        if how == "ignored file":
            (repository / ".gitignore").write_text("*.py\n")
        elif how != "untracked file":
            intent = ("--intent-to-add",) if how == "added without its text" else ()
            git(repository, "add", *intent, "data.py", "legacy_keras.py")
    before = read_tree(tmp_path)

    assert run(trial).exit_code == 0
    assert {"data.py", "legacy_keras.py", "model_def.py", "const.yaml"} == {
        name.rpartition("/")[2]
        for name, data in read_tree(tmp_path).items()
        if name.endswith((".py", ".yaml")) and before.get(name) != data
    }
    assert run("--undo", trial).exit_code == 0

    assert read_tree(tmp_path) == before


def test_odd_names_and_hooks_do_not_hide_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write_tree(tmp_path / ":(icase) a [b]\n*", TRIAL)
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "-qm", "trial")
    (root / "data.py").write_text(f"{DATA}# mine\n")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))

    refused = run(root)

    assert refused.exit_code == 2
    assert "changes here are not committed" in refused.output


def test_git_that_does_not_answer_is_no_yes(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repository.parent / ".git" / "index").write_text("broken")

    refused = run(repository)

    assert refused.exit_code == 2
    assert "git does not tell whether changes here are committed" in refused.output
    assert "index file" in refused.output


def test_without_git_nothing_is_asked(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (repository / "data.py").write_text(f"{DATA}# mine\n")
    monkeypatch.setenv("PATH", str(repository))

    assert run(repository).exit_code == 0


def test_read_only_files_are_not_overwritten(trial: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = read_tree(trial)
    writable = os.access
    monkeypatch.setattr(
        os, "access", lambda path, how: Path(path).name != "data.py" and writable(path, how)
    )

    refused = run(trial)

    assert refused.exit_code == 2
    assert "read-only; nothing was written" in refused.output
    assert str(trial / "data.py") in refused.output
    assert read_tree(trial) == before
    assert run("--force", trial).exit_code == 0


# Files that were not there.


def test_a_file_that_migrate_adds_is_removed_by_undo(tmp_path: Path) -> None:
    data = DATA.replace("pedl.get_experiment_config()", "map(pedl.get_hyperparameter, ['a'])")
    directory = write_tree(tmp_path / "trial", TRIAL | {"data.py": data})
    before = read_tree(directory)
    assert run("--partial", directory).exit_code in (0, 1)
    assert "legacy_keras.py" in read_tree(directory)

    assert run("--undo", directory).exit_code == 0

    assert read_tree(directory) == before


def test_a_file_that_migrate_added_and_someone_changed_is_kept(tmp_path: Path) -> None:
    added = tmp_path / "new.py"
    write_all([NewFile(added, None, b"x = 1\n")], [tmp_path])
    added.write_text("y = 2\n")

    assert run("--undo", tmp_path).exit_code == 2
    assert added.read_text() == "y = 2\n"
    assert run("--undo", "--force", tmp_path).exit_code == 0
    assert not added.exists()


def test_an_added_file_never_replaces_one_that_appeared_meanwhile(tmp_path: Path) -> None:
    appeared = write_tree(tmp_path, {"new.py": "mine\n"}) / "new.py"

    with pytest.raises(Pedl2DetError, match="changed since it was read"):
        write_all([NewFile(appeared, None, b"x = 1\n")])
    assert appeared.read_text() == "mine\n"
