"""The wheel: five packages, the stubs inside the runtime, and never a top-level determined."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from support import EXAMPLES, ROOT

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(target)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (wheel,) = target.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def names(wheel: Path) -> list[str]:
    return zipfile.ZipFile(wheel).namelist()


def test_the_wheel_migrates_in_an_empty_environment(wheel: Path, tmp_path: Path) -> None:
    trial = tmp_path / "iris"
    shutil.copytree(EXAMPLES / "iris", trial)
    shutil.copytree(EXAMPLES / "iris_migrated", tmp_path / "twin")
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "env"], check=True)
    programs = tmp_path / "env" / "bin"
    subprocess.run([programs / "pip", "install", "--quiet", wheel], check=True)

    command = [programs / "pedl2det", "migrate", trial, "--report", tmp_path / "r.html"]
    done = subprocess.run(command, capture_output=True, text=True)

    assert done.returncode == 0, done.stderr
    assert "1 of 1 trial rewritten" in (tmp_path / "r.html").read_text()
    for name in ("model_def.py", "data.py", "const.yaml"):
        assert (trial / name).read_bytes() == (tmp_path / "twin" / name).read_bytes()


def test_the_wheel_has_the_templates_of_pages(names: list[str]) -> None:
    source = ROOT / "codemods"
    templates = {str(path.relative_to(source)) for path in source.rglob("*.j2")}

    assert templates
    assert templates <= set(names)


def test_the_wheel_names_who_made_it_and_for_whom(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (one for one in archive.namelist() if one.endswith("/METADATA"))
        fields = archive.read(name).decode()

    assert "\nAuthor: The pedl2det developers\n" in fields
    assert "\nClassifier: Topic :: Scientific/Engineering :: Artificial Intelligence\n" in fields
    assert "\nRequires-Python: >=3.11\n" in fields


def test_the_wheel_holds_five_packages_and_no_determined(names: list[str]) -> None:
    tops = {name.partition("/")[0] for name in names if ".dist-info/" not in name}

    assert tops == {"pedl", "pedl2det", "pedl2det_legacy", "pedl2det_names", "pedl2det_runtime"}
    assert "pedl2det_runtime/stubs/determined/keras/__init__.py" in names


def test_every_package_says_that_it_is_typed_and_the_license_is_there(names: list[str]) -> None:
    packages = ("pedl", "pedl2det", "pedl2det_legacy", "pedl2det_names", "pedl2det_runtime")
    assert {f"{package}/py.typed" for package in packages} <= set(names)
    assert any(name.endswith("licenses/LICENSE") for name in names)


def test_the_lists_of_names_are_in_the_wheel(names: list[str]) -> None:
    lists = (
        *("changed_v1", "compat_v1", "keras_public"),
        *("moved_keras", "moved_libraries", "moved_tensorflow"),
    )
    assert {f"pedl2det_names/{name}.txt" for name in lists} <= set(names)


def test_every_module_of_the_tree_is_in_the_wheel(names: list[str]) -> None:
    for root in ("compat", "runtime", "codemods"):
        for path in (ROOT / root).rglob("*.py"):
            assert str(path.relative_to(ROOT / root)) in names


def test_the_code_names_no_path_of_a_machine() -> None:
    for path in [*ROOT.glob("*.*"), *Path(ROOT, "docs").glob("*"), *ROOT.rglob("*.py")]:
        if path.is_file() and ".nox" not in path.parts and ".venv" not in path.parts:
            assert "/work/" + "main" not in path.read_text(errors="replace"), path
