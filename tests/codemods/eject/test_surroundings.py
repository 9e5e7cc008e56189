"""What is around an ejected trial needs no harness: requirements and commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from pedl2det.eject.surroundings import _reason, _without_harness


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("requirements.txt", "six\npedl2det[run]  # x\n", "six\ntensorflow>=2.15\ntqdm\n"),
        ("requirements.txt", "tensorflow==1.14\ntqdm\n-r a.txt\npedl==0.1\n", None),
        ("requirements.txt", "tensorflow-gpu==1.15\npedl\n", "tensorflow>=2.15\ntqdm\n"),
        ("requirements.txt", "pedl\ntensorflow-gpu==1.15\n", "tensorflow>=2.15\ntqdm\n"),
        ("requirements.txt", "six\n", "six\ntensorflow>=2.15\ntqdm\n"),
        ("requirements-dev.txt", "six\n", "six\n"),
        ("constraints.txt", "determined\ndetermined-cli\nsix\n", None),
        ("setup.cfg", "[options]\ninstall_requires =\n  six\n", None),
    ],
)
def test_requirements_without_a_harness(name: str, old: str, new: str | None) -> None:
    expected = {
        "requirements.txt": "tqdm\n-r a.txt\ntensorflow>=2.15\n",
        "constraints.txt": "six\ntensorflow>=2.15\ntqdm\n",
        "setup.cfg": old,
    }

    assert _without_harness(Path(name), old, ["tensorflow>=2.15", "tqdm"]) == (
        new or expected[name]
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("requirements.txt", "pedl==0.11 --hash=sha256:ab\n"),
        ("environment.yml", "dependencies:\n- pip:\n  - pedl2det[run]\n"),
        ("pyproject.toml", '[project]\ndependencies = ["determined"]\n'),
        ("setup.py", "setup(install_requires=['pedl2det[run]'])\n"),
    ],
)
def test_requirements_that_cannot_be_without_a_harness(name: str, text: str) -> None:
    assert _without_harness(Path(name), text, ["tensorflow>=2.15"]) is None


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("run.sh", "set -e\npedl2det run . -c const.yaml\n", 2),
        ("run.sh", "cd x && A=1 pedl trial list", 1),
        ("run.sh", "\n\nbash -c 'det e list'", 3),
        ("run.sh", "python -m pedl2det run .", 1),
        ("run.sh", "P=pedl\n$P e create c.yaml .", 1),
        ("run.sh", "pip install -q 'pedl2det[run]'", 1),
        ("Makefile", "run:\n\t@pedl2det search . -c a.yaml\n", 2),
        ("Dockerfile", 'FROM x\nENTRYPOINT ["pedl2det", "run", "."]\n', 2),
        ("README.md", "Run `pedl2det run .`.\n", None),
        ("README.md", "This was made with pedl2det.\n", None),
        ("run.sh", "ls ./pedl\npip install numpy\npython train.py\n", None),
        ("run.sh", "# pedl e create c.yaml .", 1),
    ],
)
def test_the_first_line_that_needs_a_harness(name: str, text: str, line: int | None) -> None:
    reason = _reason(Path(name), text)

    assert reason == ("" if line is None else f"line {line} names the harness")
