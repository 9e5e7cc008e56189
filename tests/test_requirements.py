"""Requirements on pedl, in every kind of file that holds them."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pedl2det.rules.requirements import is_requirement_file, rewrite
from pedl2det.texts.requirement import allows_only_before, new_requirement
from support import pedl2det, read_tree, write_tree

NEW = "pedl2det[run]"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("pedl", NEW),
        ("Pedl==0.11.2", NEW),
        ("pedl >= 0.9, < 0.12", NEW),
        ("pedl (>=0.9)", NEW),
        ("pedl[keras,tf]~=0.11", NEW),
        ("pedl @ https://master/pedl-0.11.whl", NEW),
        ("pedl @ https://m/p.whl ; os_name == 'nt'", f"{NEW} ; os_name == 'nt'"),
        ('pedl==0.11; python_version<"3.7"', f'{NEW}; python_version<"3.7"'),
        ("pedl-tools==1", None),
        ("pedl2det", None),
        ("pedl.tools", None),
        ("mypedl", None),
        ("-r pedl.txt", None),
        ("--find-links pedl", None),
        ("pedl/", None),
    ],
)
def test_what_replaces_a_requirement(old: str, new: str | None) -> None:
    assert new_requirement(old) == new


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("tensorflow==1.14.0", "tensorflow"),
        ("TensorFlow_GPU >=1.13,<2", "tensorflow-gpu"),
        ("tensorflow<2.15", "tensorflow"),
        ("tensorflow~=2.4", "tensorflow"),
        ("tensorflow=1.14", "tensorflow"),
        ("keras[x]==2.2.4 ; python_version<'3'", "keras"),
        ("tensorflow>=1.14", None),
        ("tensorflow!=1.14", None),
        ("tensorflow<=2.15", None),
        ("tensorflow==2.18.*", None),
        ("tensorflow ; python_version<'3'", None),
    ],
)
def test_which_requirements_allow_only_old_versions(text: str, name: str | None) -> None:
    assert allows_only_before(text, (2, 15)) == name


def rewritten(name: str, text: str) -> str:
    return rewrite(Path(name), text.encode()).data.decode()


LINES = [
    "numpy==1.16 ; python_version < '3'\n",
    "# pedl==0.11\n",
    "\n",
    "  \t\n",
    "-r base.txt  # pedl\r\n",
    "scipy \\\n   --hash=sha256:pedl \\\n --hash=sha256:cd\n",
    "git+https://x/pedl-examples.git#egg=examples\n",
    "pedl-tools\n",
    "\xe4\n",
]


@given(st.lists(st.sampled_from(LINES)), st.lists(st.sampled_from(LINES)), st.booleans())
def test_every_other_byte_of_a_list_stays(before: list[str], after: list[str], bom: bool) -> None:
    mark, head, tail = "\ufeff" * bom, "".join(before), "".join(after)
    kept = mark + head + tail

    assert rewritten("requirements.txt", kept) == kept
    old = f"{mark}{head}pedl==0.11  --hash=sha256:ab\\\r\n  --hash=sha256:cd  # ours\r\n{tail}"
    assert rewritten("requirements.txt", old) == f"{mark}{head}{NEW}  # ours\r\n{tail}"


def test_a_constraint_has_no_extras() -> None:
    assert rewritten("constraints.txt", "pedl==0.11\n") == "pedl2det\n"


PYPROJECT = """\
[build-system]
requires = ["hatchling", 'pedl == 0.11']

[project]
name = "pedl"
keywords = ["pedl"]
dependencies = [
    "numpy",  # "pedl==1" in a comment
    "pedl[tf]>=0.9; python_version < '4'",
]

[project.optional-dependencies]
pedl = ["pedl"]
[dependency-groups]
dev = [{include-group = "pedl"}, "pedl @ https://m/pedl.whl"]

[tool.poetry.dependencies]
python = "^3.6"
pedl = "^0.11"  # harness

[tool.other]
dependencies = ["pedl"]
"""


def test_requirements_in_pyproject() -> None:
    new = rewritten("pyproject.toml", PYPROJECT)

    assert new == (
        PYPROJECT.replace("'pedl == 0.11'", f"'{NEW}'")
        .replace("pedl[tf]>=0.9", NEW)
        .replace('pedl = ["pedl"]', f'pedl = ["{NEW}"]')
        .replace("pedl @ https://m/pedl.whl", NEW)
        .replace('pedl = "^0.11"', 'pedl2det = {version = "*", extras = ["run"]}')
    )
    parsed = tomllib.loads(new)
    assert parsed["tool"]["poetry"]["dependencies"]["pedl2det"]["extras"] == ["run"]


@pytest.mark.parametrize(
    "text",
    [
        '[tool.poetry.dependencies]\npedl = {git = "https://m/pedl"}\n',
        '[project]\ndependencies = ["./pedl-0.11.2-py3-none-any.whl"]\n',
    ],
)
def test_what_cannot_be_replaced_is_named(text: str) -> None:
    outcome = rewrite(Path("pyproject.toml"), text.encode())

    assert outcome.data == text.encode()
    assert (outcome.refused, len(outcome.findings), outcome.findings[0].line) == (1, 1, 2)


def test_a_text_that_looks_like_a_requirement_is_seen() -> None:
    text = '[project]\nreadme = """\ndependencies = ["pedl"]\n"""\ndependencies = ["pedl"]\n'
    outcome = rewrite(Path("pyproject.toml"), text.encode())

    assert (outcome.data, outcome.changes, outcome.refused) == (text.encode(), [], 1)
    assert outcome.findings[0].message == "pedl stands here in a way that is left alone"


def test_requirements_in_setup_cfg() -> None:
    text = (
        "[metadata]\nname = pedl\n[options]\npackages = find:\ninstall_requires =\n    numpy\n"
        "    pedl>=0.9  # x\n[options.extras_require]\nall = pedl\n[other]\nkey =\n    pedl\n"
    )

    assert rewritten("setup.cfg", text) == text.replace("pedl>=0.9", NEW).replace(
        "all = pedl", f"all = {NEW}"
    )


def test_requirements_in_a_conda_environment() -> None:
    text = (
        'name: pedl\ndependencies:\n- python\n- pip:\n  - "pedl==0.11"\n  - pedl # x\n'
        "other: [pedl]\n"
    )

    assert rewritten("environment.yml", text) == text.replace('"pedl==0.11"', f'"{NEW}"').replace(
        "- pedl #", f"- {NEW} #"
    )


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("requirements.txt", True),
        ("requirements-dev.txt", True),
        ("dev-requirements.in", True),
        ("requirements/base.txt", True),
        ("constraints.txt", True),
        ("notes.txt", False),
        ("const.yaml", False),
        ("Requirements.py", False),
    ],
)
def test_which_files_hold_requirements(name: str, expected: bool) -> None:
    assert is_requirement_file(Path("repo") / name) == expected


def test_requirements_are_mended_beside_a_trial_that_stays(tmp_path: Path) -> None:
    write_tree(
        tmp_path,
        {
            "requirements.txt": "pedl==0.11\ntensorflow==1.14.0\nkeras==2.2.4\n",
            "submit.py": "import pedl\n",
            "notes.txt": "pedl\n",
        },
    )

    done = pedl2det("migrate", ".", cwd=tmp_path)

    assert done.returncode == 1
    tree = read_tree(tmp_path)
    assert tree["requirements.txt"] == f"{NEW}\ntensorflow==1.14.0\nkeras==2.2.4\n".encode()
    assert tree["notes.txt"] == b"pedl\n"
    assert "requirements.txt: rewritten by R301" in done.stderr
    assert "requirements.txt:2: left for you: tensorflow==1.14.0: pedl2det trains" in done.stderr
    assert "requirements.txt:3: left for you: keras==2.2.4" in done.stderr
    assert "2 legacy names: 1 rewritten, 1 left as they were" in done.stderr


def test_a_file_of_requirements_can_be_named_alone(tmp_path: Path) -> None:
    write_tree(tmp_path, {"requirements.txt": "pedl\n", "submit.py": "import pedl\n"})

    done = pedl2det("migrate", "requirements.txt", cwd=tmp_path)

    assert done.returncode == 0, done.stderr
    assert read_tree(tmp_path)["requirements.txt"] == f"{NEW}\n".encode()
