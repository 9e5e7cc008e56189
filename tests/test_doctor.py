"""``pedl2det doctor``: what it finds in environments that lack something."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from pedl2det.commands import doctor
from pedl2det.errors import Pedl2DetError
from support import ROOT, pedl2det, write_tree

HAS = {"tensorflow": "2.18.1", "tf-keras": "2.18.0", "numpy": "2.0.2"}


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The packages that are installed, by name; a test takes some away or changes them."""
    packages = dict(HAS)

    def version(*names: str) -> str | None:
        return next((packages[name] for name in names if name in packages), None)

    monkeypatch.setattr(doctor, "_version", version)
    return packages


def found(name: str) -> doctor.Check:
    """What is said of one thing."""
    return next(check for check in doctor.checks() if check.name == name)


def test_what_is_missing_comes_with_a_command(environment: dict[str, str]) -> None:
    del environment["tf-keras"]

    assert found("tf-keras").said == "not installed: pip install 'tf-keras==2.18.*'"
    assert found("horovod").said == "not installed (for --slots): pedl2det doctor --install"
    assert not found("h5py").is_there
    assert found("numpy") == doctor.Check("numpy", True, "2.0.2")


def test_versions_must_fit(environment: dict[str, str]) -> None:
    environment["tf-keras"] = "2.16.0"
    assert "2.16.0 beside TensorFlow 2.18.1" in found("tf-keras").said
    environment["tensorflow"] = "2.22.0"
    assert found("tensorflow").said == "2.22.0: expected <2.22,>=2.15"


def test_horovod_is_not_built_where_it_cannot_be(environment: dict[str, str]) -> None:
    environment["tensorflow"] = "2.21.0"

    assert "builds against TensorFlow 2.18 and earlier, here is 2.21.0" in found("horovod").said
    with pytest.raises(Pedl2DetError, match="builds against TensorFlow 2.18"):
        doctor.install_horovod(lambda _: None)
    del environment["tensorflow"]
    with pytest.raises(Pedl2DetError, match="install TensorFlow first"):
        doctor.install_horovod(lambda _: None)


def test_horovod_is_built_for_this_tensorflow_and_not_taken_from_a_cache(
    environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, ...]] = []
    monkeypatch.setattr(doctor, "_pip", lambda *arguments: asked.append(arguments))
    said: list[str] = []
    environment["tensorflow"] = "2.17.0"

    doctor.install_horovod(said.append)

    (line,) = said
    assert line.startswith("building horovod==0.28.1 against TensorFlow 2.17.0: ")
    _, built, needed = asked
    assert {"--no-cache-dir", "--force-reinstall", "horovod==0.28.1"} < {*built}
    assert needed == ("install", "horovod==0.28.1")


@pytest.mark.parametrize(
    ("name", "mark", "code"),
    [("horovod", "--", 0), ("h5py", "!!", 1), ("tf-keras", "!!", 1)],
)
def test_only_what_training_needs_fails_the_check(
    name: str, mark: str, code: int, environment: dict[str, str]
) -> None:
    needed = {one.name: "9999" for one in doctor.checks() if one.name not in HAS}
    environment.update(needed)
    environment.pop(name, None)
    done = CliRunner().invoke(doctor.command)

    assert f"{mark}  {name:12} not installed" in done.stdout
    assert done.exit_code == code


@pytest.mark.slow
def test_this_environment_is_complete() -> None:
    done = pedl2det("doctor")

    assert done.returncode == 0, done.stdout
    assert re.search(r"^ok  tensorflow +2\.", done.stdout, re.MULTILINE)
    assert done.stderr == ""


def test_the_docs_name_the_command_and_the_version() -> None:
    text = (ROOT / "docs" / "distributed.md").read_text()
    assert doctor.INSTALL in text
    version = str(doctor._needed("horovod")["horovod"].specifier).removeprefix("==")
    assert f"Horovod {version}" in text


TRIAL = """\
import os
import cv2
import no_such_package.part
import tensorflow as tf
from sklearn.svm import SVC
import shapes
try:
    import wandb_of_old
except ImportError:
    wandb_of_old = None
from pedl.frameworks.keras import TFKerasTrial


class Trial(TFKerasTrial):
    def build_model(self, hparams):
        return None


def make_data_loaders(experiment_config, hparams):
    return None
"""
NEEDS = """\
hyperparameters: {batch_size: 2}
searcher: {name: single, metric: val_loss, max_steps: 1}
"""


def test_what_a_trial_needs_is_said_at_once(tmp_path: Path) -> None:
    tools = "import no_tool_of_this_name\n"
    files = {"model_def.py": TRIAL, "const.yaml": NEEDS, "shapes.py": "", "tools/draw.py": tools}
    write_tree(tmp_path, files)

    done = pedl2det("doctor", tmp_path)

    missing = "cv2, no_such_package missing: pip install no-such-package opencv-python-headless"
    assert done.returncode == 1
    said = [line for line in done.stdout.splitlines() if line.split()[1] == "imports"]
    assert said == [
        f"!!  imports      {missing}",
        "--  imports      wandb_of_old missing: pip install wandb-of-old",
    ]


def test_a_run_without_a_package_names_the_command_that_lists_all(tmp_path: Path) -> None:
    write_tree(tmp_path, {"model_def.py": TRIAL, "const.yaml": NEEDS, "startup-hook.sh": "true\n"})
    (tmp_path / "__init__.py").write_text("from model_def import Trial, make_data_loaders\n")

    done = pedl2det("run", tmp_path, "--out", tmp_path / "out")

    assert done.returncode == 2
    assert f"No module named 'cv2'; all that is missing: pedl2det doctor {tmp_path}" in done.stderr
    assert "startup-hook.sh: a cluster ran it before the trial" in done.stdout + done.stderr


def test_a_trial_that_has_all_is_said_to(tmp_path: Path) -> None:
    trial = TRIAL.replace("cv2", "os").replace("no_such_package.part", "os")
    write_tree(tmp_path, {"model_def.py": trial, "shapes.py": ""})

    done = pedl2det("doctor", tmp_path)

    assert "imports      every package that the trial imports is installed" in done.stdout


def test_a_directory_that_is_none(tmp_path: Path) -> None:
    done = pedl2det("doctor", tmp_path / "none")

    assert (done.returncode, done.stderr) == (
        2,
        f"pedl2det: {tmp_path / 'none'}: no such directory\n",
    )
