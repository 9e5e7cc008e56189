"""migrate: whole trials, safely written, told honestly."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from support import LEGACY, pedl2det, read_tree, write_tree

CONFIG = "hyperparameters: {batch_size: 2}\nsearcher: {name: single, metric: l, max_steps: 1}\n"
MODEL = """\
import pedl
from data import anything
from pedl.frameworks.keras import TFKerasTrial


class T(TFKerasTrial):
    def build_model(self, hparams):
        model = anything()
        model.compile("adam", "mse")
        return model
"""
DATA = """\
def anything():
    pass


def make_data_loaders(experiment_config, hparams):
    return anything(), anything()
"""
USES_NET = f"import net\n{MODEL}"
TRIAL = {
    "__init__.py": "from data import make_data_loaders\nfrom model_def import T\n",
    "model_def.py": MODEL,
    "data.py": DATA,
    "const.yaml": CONFIG,
}


@pytest.mark.parametrize("name", LEGACY)
def test_an_example_becomes_its_twin_to_the_byte(name: str, example: Callable[[str], Path]) -> None:
    directory, twin = example(name), example(f"{name}_migrated")

    assert pedl2det("migrate", "--no-verify", directory).returncode == 0

    assert read_tree(directory) == read_tree(twin)


@pytest.mark.parametrize("name", LEGACY)
def test_the_second_run_changes_nothing(name: str, example: Callable[[str], Path]) -> None:
    directory = example(name)
    pedl2det("migrate", directory)
    before = read_tree(directory)

    again = pedl2det("migrate", directory)

    assert again.returncode == 0
    assert "nothing to do" in again.stderr
    assert read_tree(directory) == before
    assert pedl2det("migrate", "--check", directory).returncode == 0


def test_a_file_without_legacy_names_keeps_its_bytes_and_its_time(tmp_path: Path) -> None:
    odd = {"odd.py": "x = (1 ,2)\r\n\t\r\n# pedl is only mentioned\n", "notes.txt": "pedl\n"}
    write_tree(tmp_path, TRIAL | odd)
    times = {name: (tmp_path / name).stat().st_mtime_ns for name in odd}

    assert pedl2det("migrate", tmp_path).returncode == 0

    tree = read_tree(tmp_path)
    assert {name: tree[name] for name in odd} == {n: t.encode() for n, t in odd.items()}
    assert {name: (tmp_path / name).stat().st_mtime_ns for name in odd} == times


def test_diff_is_a_patch_that_git_applies(example: Callable[[str], Path]) -> None:
    directory = example("iris")
    before = read_tree(directory)
    shown = pedl2det("migrate", "--diff", ".", cwd=directory)

    assert shown.returncode == 0
    assert read_tree(directory) == before
    subprocess.run(["git", "apply", "-"], input=shown.stdout, text=True, cwd=directory, check=True)
    patched = read_tree(directory)
    write_tree(directory, {name: data.decode() for name, data in before.items()})
    (directory / "legacy_keras.py").unlink(missing_ok=True)
    pedl2det("migrate", ".", cwd=directory)
    assert read_tree(directory) == patched


def test_check_writes_nothing_and_answers_with_its_exit_code(tmp_path: Path) -> None:
    write_tree(tmp_path, TRIAL)
    before = read_tree(tmp_path)

    assert pedl2det("migrate", "--check", tmp_path).returncode == 1
    assert read_tree(tmp_path) == before


def test_permissions_encoding_and_line_ends_are_kept(tmp_path: Path) -> None:
    write_tree(tmp_path, TRIAL)
    data = tmp_path / "data.py"
    text = "# -*- coding: latin-1 -*-\n# \xe4\n" + DATA
    data.write_bytes(text.replace("\n", "\r\n").encode("latin-1"))
    data.chmod(0o755)
    model = tmp_path / "model_def.py"
    model.write_bytes(b"\xef\xbb\xbf" + MODEL.encode())

    assert pedl2det("migrate", tmp_path).returncode == 0

    migrated = data.read_bytes()
    assert b"def make_data_loaders():\r\n" in migrated
    assert migrated.count(b"\n") == migrated.count(b"\r\n")
    assert migrated.decode("latin-1").splitlines()[1] == "# \xe4"
    assert data.stat().st_mode & 0o777 == 0o755
    assert model.read_bytes().startswith(b"\xef\xbb\xbffrom functools import cached_property")


def test_a_config_keeps_its_byte_order_mark_and_line_ends(tmp_path: Path) -> None:
    searcher = "\n  name: single\n  max_steps: 1"
    config = CONFIG.replace("{name: single, metric: l, max_steps: 1}", searcher)
    write_tree(tmp_path, TRIAL)
    (tmp_path / "const.yaml").write_bytes(b"\xef\xbb\xbf" + config.replace("\n", "\r\n").encode())

    assert pedl2det("migrate", tmp_path).returncode == 0

    migrated = (tmp_path / "const.yaml").read_bytes()
    assert migrated.startswith(b"\xef\xbb\xbfhyperparameters: {global_batch_size: 2}\r\n")
    assert b"max_length:\r\n    batches: 100\r\n" in migrated
    assert migrated.endswith(b"entrypoint: model_def:T\r\n")
    assert migrated.count(b"\n") == migrated.count(b"\r\n")


def test_a_trial_is_migrated_whole_or_not_at_all(tmp_path: Path) -> None:
    write_tree(
        tmp_path,
        {f"good/{name}": text for name, text in TRIAL.items()}
        | {f"bad/{name}": text for name, text in TRIAL.items()}
        | {"bad/net.py": "import pedl\n\npedl.Experiment()\n", "bad/model_def.py": USES_NET},
    )
    bad = read_tree(tmp_path / "bad")

    done = pedl2det("migrate", tmp_path)

    assert done.returncode == 1
    assert read_tree(tmp_path / "bad") == bad
    assert b"determined" in read_tree(tmp_path / "good")["model_def.py"]
    assert "bad/net.py:3:1: P010 names: `pedl.Experiment` does not work" in done.stderr
    assert "bad: begun, not written: " in done.stderr
    assert "1 of 2 trials rewritten" in done.stderr


def test_a_config_that_cannot_run_does_not_hold_up_the_others(tmp_path: Path) -> None:
    template = "searcher: {name: single, metric: val_loss, max_steps: steps}\n"
    write_tree(tmp_path, TRIAL | {"template.yaml": template})

    done = pedl2det("migrate", "--no-verify", tmp_path)

    assert done.returncode == 1
    assert "template.yaml:1: C102 config-lengths: " in done.stderr
    assert "1 of 1 trial rewritten" in done.stderr
    assert b"determined" in read_tree(tmp_path)["model_def.py"]
    assert read_tree(tmp_path)["template.yaml"] == template.encode()


def test_a_repository_holds_trials_tools_and_mere_mentions(tmp_path: Path) -> None:
    """A script at the top, a trial within a package, a trial below a trial's directory."""
    mention = "# pedl is not imported here\n"
    write_tree(
        tmp_path,
        {"submit.py": "import pedl\n\npedl.Experiment()\n", "setup.py": mention}
        | {f"a/{name}": text for name, text in TRIAL.items()}
        | {f"a/old/{name}": text for name, text in TRIAL.items()}
        | {f"b/{name}": text for name, text in TRIAL.items() if name != "model_def.py"}
        | {"b/nets/__init__.py": "", "b/nets/cnn.py": MODEL.replace("class T", "class U")}
        | {"b/__init__.py": "from data import make_data_loaders\nfrom nets.cnn import U\n"}
        | {"mentions/util.py": mention},
    )
    submit = (tmp_path / "submit.py").read_bytes()

    done = pedl2det("migrate", tmp_path)

    assert done.returncode == 1
    assert "3 of 3 trials rewritten" in done.stderr
    assert (
        "submit.py:3:1: P000 legacy-name: no rule rewrites this use of pedl.Experiment"
        in done.stderr
    )
    assert (tmp_path / "submit.py").read_bytes() == submit
    assert "entrypoint: nets.cnn:U\n" in (tmp_path / "b" / "const.yaml").read_text()
    assert "determined" in (tmp_path / "a" / "old" / "model_def.py").read_text()


def test_mere_mentions_are_nothing_to_do(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a.py": "# pedl\n", "b.py": "x = 'pedl'\n"})

    done = pedl2det("migrate", tmp_path)

    assert (done.returncode, done.stderr) == (0, "nothing to do: no file uses the old API\n")


def test_a_syntax_error_is_reported_with_its_line_and_the_others_go_on(tmp_path: Path) -> None:
    write_tree(
        tmp_path,
        {f"good/{name}": text for name, text in TRIAL.items()}
        | {f"bad/{name}": text for name, text in TRIAL.items()}
        | {"bad/net.py": "import pedl\nprint 'two'\n", "bad/model_def.py": USES_NET},
    )
    bad = read_tree(tmp_path / "bad")

    done = pedl2det("migrate", tmp_path)

    assert done.returncode == 1
    assert "bad/net.py:2: scan: bad input: syntax error" in done.stderr
    assert "    help: convert the file to Python 3" in done.stderr
    assert read_tree(tmp_path / "bad") == bad
    assert b"determined" in read_tree(tmp_path / "good")["model_def.py"]


def test_a_mere_mention_has_nothing_below_it_read(tmp_path: Path) -> None:
    """A word like ``init`` beside ``determined`` once had a whole repository parsed."""
    words = "# it is determined by init\n"
    write_tree(tmp_path, {"setup.py": words, "package/two.py": "print 'two'\n"})

    done = pedl2det("migrate", tmp_path)

    assert (done.returncode, done.stderr) == (0, "nothing to do: no file uses the old API\n")


@pytest.mark.parametrize(
    ("files", "message"),
    [
        pytest.param(
            {"net.py": "x = " + "+".join("1" * 9000), "model_def.py": USES_NET},
            "net.py:1: scan: bad input: an expression is",
            marks=pytest.mark.skipif(sys.version_info >= (3, 12), reason="which reads it"),
        ),
        (
            {"const.yaml": f"x: {'[' * 2000}\n{CONFIG}"},
            "const.yaml:1: scan: bad input: not YAML: exceeded",
        ),
        (
            {"const.yaml": CONFIG.replace("{batch_size: 2}", "&all {batch_size: 2, x: *all}")},
            "aliases of aliases stand for too many values",
        ),
    ],
)
def test_what_nests_without_end_is_said_and_left(
    files: dict[str, str], message: str, tmp_path: Path
) -> None:
    write_tree(tmp_path, TRIAL | files)
    before = read_tree(tmp_path)

    done = pedl2det("migrate", tmp_path)

    assert done.returncode == 1, done.stderr
    assert message in done.stderr
    assert read_tree(tmp_path) == before


def test_a_path_that_does_not_exist(tmp_path: Path) -> None:
    done = pedl2det("migrate", tmp_path / "missing")

    assert done.returncode == 2
    assert done.stderr.endswith("missing: no such file or directory\n")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_nothing_is_written_where_one_file_cannot_be(tmp_path: Path) -> None:
    write_tree(tmp_path, TRIAL)
    before = read_tree(tmp_path)
    tmp_path.chmod(0o555)
    try:
        done = pedl2det("migrate", tmp_path)
    finally:
        tmp_path.chmod(0o755)

    assert done.returncode == 2
    assert read_tree(tmp_path) == before


def test_a_file_that_changed_meanwhile_stops_the_writing(tmp_path: Path) -> None:
    from pedl2det.engine import migrate
    from pedl2det.errors import Pedl2DetError
    from pedl2det.files.write import write_all

    write_tree(tmp_path, TRIAL)
    result = migrate([tmp_path])
    (tmp_path / "data.py").write_text("changed = True\n")
    before = read_tree(tmp_path)

    with pytest.raises(Pedl2DetError, match="changed since it was read"):
        write_all(result.files)

    assert read_tree(tmp_path) == before


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    write_tree(tmp_path, {f"trial/{name}": text for name, text in TRIAL.items()})
    (tmp_path / "shared.py").write_text(DATA)
    link = tmp_path / "trial" / "data.py"
    link.unlink()
    link.symlink_to(tmp_path / "shared.py")

    assert pedl2det("migrate", tmp_path / "trial").returncode == 0

    assert link.is_symlink()
    assert "make_data_loaders()" in (tmp_path / "shared.py").read_text()


def test_a_trial_of_another_framework_is_left_and_no_mistake(tmp_path: Path) -> None:
    code = (
        "from pedl.frameworks.pytorch import PyTorchTrial\n\n\nclass P(PyTorchTrial):\n    pass\n"
    )
    write_tree(tmp_path, {"model_def.py": code, "const.yaml": CONFIG})

    done = pedl2det("migrate", tmp_path)

    assert done.returncode == 1
    assert "no rule rewrites this use of pedl.frameworks.pytorch.PyTorchTrial" in done.stderr
    assert "Traceback" not in done.stderr
