"""``pedl2det doctor``: what it finds in environments that lack something."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from pedl2det.commands import doctor
from pedl2det.errors import Pedl2DetError
from support import ROOT, pedl2det, write_tree

HAS = {"tensorflow": "2.18.1", "tf-keras": "2.18.0", "numpy": "2.0.2", "pyzmq": "27.0"}


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
    assert found("tensorflow").said == "2.22.0: expected 2.15 to 2.21"


def test_horovod_is_not_built_where_it_cannot_be(environment: dict[str, str]) -> None:
    environment["tensorflow"] = "2.21.0"

    assert "builds against TensorFlow 2.18 and earlier, here is 2.21.0" in found("horovod").said
    with pytest.raises(Pedl2DetError, match="builds against TensorFlow 2.18"):
        doctor.install_horovod(lambda _: None)
    del environment["tensorflow"]
    with pytest.raises(Pedl2DetError, match="install TensorFlow first"):
        doctor.install_horovod(lambda _: None)


def test_a_wheel_is_built_once_for_each_tensorflow(
    environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, ...]] = []

    def pip(*arguments: str) -> None:
        asked.append(arguments)
        if arguments[0] == "wheel":
            wheels = Path(arguments[arguments.index("--wheel-dir") + 1])
            write_tree(wheels, {"horovod-0.28.1-cp311-cp311-linux_x86_64.whl": ""})

    monkeypatch.setattr(doctor, "_pip", pip)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    said: list[str] = []
    for tensorflow in ("2.18.1", "2.18.1", "2.17.0"):
        environment["tensorflow"] = tensorflow
        doctor.install_horovod(said.append)

    assert [line.partition(":")[0] for line in said] == [
        "building horovod==0.28.1 against TensorFlow 2.18.1",
        "building horovod==0.28.1 against TensorFlow 2.17.0",
    ]
    built = [words for words in asked if words[0] == "wheel"]
    installed = [words[-1] for words in asked if words[0] == "install" and "whl" in words[-1]]
    assert len(built) == 2
    assert [Path(path).exists() for path in installed] == [True] * 6


@pytest.mark.parametrize(
    ("name", "mark", "code"),
    [("horovod", "--", 0), ("h5py", "!!", 1), ("tf-keras", "!!", 1)],
)
def test_only_what_training_needs_fails_the_check(
    name: str, mark: str, code: int, environment: dict[str, str]
) -> None:
    needed = {one.name: "1.0" for one in doctor.checks() if one.name not in HAS}
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
    assert doctor._needed("horovod")["horovod"].replace("==", " ") in text.replace("H", "h")
