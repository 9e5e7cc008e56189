"""migrate: whole trials, safely written, told honestly."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from support import EXAMPLES, LEGACY, pedl2det, read_tree, write_tree

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
TRIAL = {
    "__init__.py": "from data import make_data_loaders\nfrom model_def import T\n",
    "model_def.py": MODEL,
    "data.py": DATA,
    "const.yaml": CONFIG,
}


@pytest.mark.parametrize("name", LEGACY)
def test_an_example_becomes_the_twin_that_is_checked_in(
    name: str, example: Callable[[str], Path]
) -> None:
    directory = example(name)

    done = pedl2det("migrate", directory)

    assert done.returncode == 0, done.stderr
    assert "0 left as they were" in done.stderr
    assert read_tree(directory) == read_tree(EXAMPLES / f"{name}_migrated")


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
    assert read_tree(directory) == read_tree(EXAMPLES / "iris_migrated")


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
    assert b"def make_data_loaders(context):\r\n" in migrated
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
    assert migrated.endswith(b"max_length:\r\n    batches: 100\r\nentrypoint: model_def:T\r\n")
    assert migrated.count(b"\n") == migrated.count(b"\r\n")


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (
            {"model_def.py": MODEL.replace('"mse")\n        return', '"mse"); return')},
            "model_def.py:9: left for you: several statements stand on this line",
        ),
        (
            {
                "model_def.py": MODEL.replace(
                    "        model.compile", "        with x: model.compile"
                )
            },
            "model_def.py:9: left for you: several statements stand on this line",
        ),
        (
            {
                "const.yaml": "base: &b {name: single, metric: l, max_steps: 1}\n"
                "searcher: {<<: *b}\n"
                "hyperparameters: {batch_size: 2}\n"
            },
            "const.yaml:1: left for you: searcher.max_steps: the edited config would not mean",
        ),
        (
            {"model_def.py": MODEL + "  # a\n  # b"},
            "model_def.py:11: left for you: the layout cannot be kept from here on",
        ),
        (
            {"model_def.py": MODEL.replace("hparams)", "hparams, n=pedl.get_hyperparameter('n'))")},
            "expected the signature build_model(self, hparams)",
        ),
    ],
)
def test_what_cannot_be_edited_surely_is_left(
    files: dict[str, str], message: str, tmp_path: Path
) -> None:
    write_tree(tmp_path, TRIAL | files)
    before = read_tree(tmp_path)

    done = pedl2det("migrate", tmp_path)

    assert done.returncode == 1, done.stderr
    assert message in done.stderr
    assert read_tree(tmp_path) == before


def test_a_trial_is_migrated_whole_or_not_at_all(tmp_path: Path) -> None:
    write_tree(
        tmp_path,
        {f"good/{name}": text for name, text in TRIAL.items()}
        | {f"bad/{name}": text for name, text in TRIAL.items()}
        | {"bad/nets.py": "import pedl\n\nUNITS = print(pedl.get_hyperparameter('units'))\n"},
    )
    bad = read_tree(tmp_path / "bad")

    done = pedl2det("migrate", tmp_path)

    assert done.returncode == 1
    assert read_tree(tmp_path / "bad") == bad
    assert b"determined" in read_tree(tmp_path / "good")["model_def.py"]
    assert (
        "bad/nets.py:3: left for you: pedl.get_hyperparameter is called here, where" in done.stderr
    )
    assert "1 of 2 trials rewritten" in done.stderr


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
    assert "submit.py:1: left for you: pedl: no trial in this directory" in done.stderr
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
        | {"bad/train.py": "import pedl\nprint 'two'\n"},
    )
    bad = read_tree(tmp_path / "bad")

    done = pedl2det("migrate", tmp_path)

    assert done.returncode == 2
    assert "bad/train.py:2: bad input: syntax error" in done.stderr
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
        ({"other.py": "x = " + "+".join("1" * 9000)}, "other.py:1: bad input: an expression is"),
        (
            {"other.py": "x = " + "+".join("1" * 1500)},
            "model_def.py:6: left for you: an expression or a config of this trial is nested",
        ),
        (
            {"const.yaml": f"x: {'[' * 2000}\n{CONFIG}"},
            "const.yaml:1: bad input: nested too deeply",
        ),
        (
            {"const.yaml": CONFIG.replace("{batch_size: 2}", "&all {batch_size: 2, x: *all}")},
            "an expression or a config of this trial is nested too deeply",
        ),
    ],
)
def test_what_nests_without_end_is_said_and_left(
    files: dict[str, str], message: str, tmp_path: Path
) -> None:
    write_tree(tmp_path, TRIAL | files)
    before = read_tree(tmp_path)

    done = pedl2det("migrate", tmp_path)

    assert done.returncode in (1, 2), done.stderr
    assert message in done.stderr
    assert read_tree(tmp_path) == before


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"const.yaml": "- a\n"}, "const.yaml:1: bad input: expected an experiment config"),
        (
            {"const.yaml": CONFIG.replace("single", "grdi")},
            "const.yaml:2: bad input: searcher.name: unknown searcher grdi",
        ),
        (
            {"model_def.py": "import pedl\n"},
            "model_def.py:1: bad input: pedl: no trial in this directory",
        ),
        (
            {"more.py": MODEL.replace("class T", "class U")},
            "more than one trial in this directory (T, U)",
        ),
    ],
)
def test_bad_input_is_one_clear_line_and_nothing_is_written(
    files: dict[str, str], message: str, tmp_path: Path
) -> None:
    write_tree(tmp_path, TRIAL | files)
    before = read_tree(tmp_path)

    done = pedl2det("migrate", tmp_path)

    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
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
    from pedl2det.errors import Pedl2DetError
    from pedl2det.files.write import write_all
    from pedl2det.engine import migrate

    write_tree(tmp_path, TRIAL)
    result = migrate([tmp_path])
    (tmp_path / "data.py").write_text("changed = True\n")
    before = read_tree(tmp_path)

    with pytest.raises(Pedl2DetError, match="changed while it was read"):
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
    assert "make_data_loaders(context)" in (tmp_path / "shared.py").read_text()


def test_one_config_of_several_is_left_by_itself(tmp_path: Path) -> None:
    search = CONFIG.replace("single", "adaptive").replace("max_steps", "target_trial_steps")
    write_tree(tmp_path, TRIAL | {"adaptive.yaml": search})

    done = pedl2det("migrate", tmp_path)

    assert done.returncode == 1
    assert "adaptive.yaml:2: left for you: searcher.name: adaptive counted in steps" in done.stderr
    assert "1 of 1 trial rewritten" in done.stderr
    assert (tmp_path / "adaptive.yaml").read_text() == search
    assert "max_length: {batches: 100}" in (tmp_path / "const.yaml").read_text()


def test_a_trial_of_another_framework_is_left_and_no_mistake(tmp_path: Path) -> None:
    code = (
        "from pedl.frameworks.pytorch import PyTorchTrial\n\n\nclass P(PyTorchTrial):\n    pass\n"
    )
    write_tree(tmp_path, {"model_def.py": code, "const.yaml": CONFIG})

    done = pedl2det("migrate", tmp_path)

    assert done.returncode == 1
    assert "model_def.py:1: left for you: pedl.frameworks.pytorch.PyTorchTrial: a" in done.stderr
