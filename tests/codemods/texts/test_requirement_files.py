"""Requirements on pedl, in every kind of file that holds them."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.version import Version

from pedl2det.texts import TextResult, is_requirement_file, migrate_requirements
from pedl2det.texts.required import allows_only_before, replacement

NEW = "pedl2det[run]"


def rewritten(name: str, text: str, cluster: bool = False) -> str:
    return migrate_requirements(name, text, cluster).text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("pedl", NEW),
        ("Pedl==0.11.2", NEW),
        ("pedl >= 0.9, < 0.12", NEW),
        ("pedl (>=0.9)", NEW),
        ("pedl==0.11-custom", NEW),
        ("pedl=0.11", NEW),
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
    assert replacement(old, NEW) == new


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tensorflow==1.14.0", True),
        ("tensorflow==1.*", True),
        ("tensorflow>=1.13,<2", True),
        ("tensorflow<2.15", True),
        ("tensorflow~=1.14", True),
        ("tensorflow~=2.4.0", True),
        ("tensorflow=1.14", True),
        ("keras[x]==2.2.4 ; python_version<'3'", True),
        ("tensorflow~=2.4", False),  # any 2.x from 2.4 on
        ("tensorflow>=1.14", False),
        ("tensorflow!=1.14", False),
        ("tensorflow<=2.15", False),
        ("tensorflow==2.18.*", False),
        ("tensorflow ; python_version<'3'", False),
    ],
)
def test_which_requirements_allow_only_old_versions(text: str, expected: bool) -> None:
    assert allows_only_before(text, Version("2.15")) == expected


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
def test_every_other_character_of_a_list_stays(
    before: list[str], after: list[str], bom: bool
) -> None:
    mark, head, tail = "\ufeff" * bom, "".join(before), "".join(after)
    kept = mark + head + tail

    assert rewritten("requirements.txt", kept) == kept
    old = f"{mark}{head}pedl==0.11  --hash=sha256:ab\\\r\n  --hash=sha256:cd  # ours\r\n{tail}"
    assert rewritten("requirements.txt", old) == f"{mark}{head}{NEW}  # ours\r\n{tail}"


@pytest.mark.parametrize(
    "line",
    ["./wheels/pedl-0.11.2-py3-none-any.whl", "-e git+https://x/pedl.git#egg=pedl", "pedl"],
)
def test_a_distribution_of_the_old_harness_is_a_requirement_too(line: str) -> None:
    assert rewritten("requirements.txt", f"{line}  # harness\n") == f"{NEW}  # harness\n"


def test_a_team_with_a_cluster_requires_determined() -> None:
    assert rewritten("requirements.txt", "pedl==0.11\n", cluster=True) == "determined\n"
    assert rewritten("constraints.txt", "pedl==0.11\n", cluster=True) == "determined\n"
    assert rewritten("constraints.txt", "pedl==0.11\n") == "pedl2det\n"


@pytest.mark.parametrize(("new", "cluster"), [("determined>=0.30", True), (NEW, False)])
def test_what_is_required_already_is_not_required_twice(new: str, cluster: bool) -> None:
    text = f"numpy\npedl==0.11  # old\n{new}\n"

    assert rewritten("requirements.txt", text, cluster) == f"numpy\n{new}\n"


def test_hashes_that_are_gone_are_noted() -> None:
    result = migrate_requirements("requirements.txt", "pedl==0.11 --hash=sha256:ab\n", False)

    assert [(one.kind, one.help) for one in result.findings] == [
        ("note", "compile the requirements again")
    ]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("requirements.txt", "pedl\ntensorflow==1.14.0\nkeras==2.2.4\npandas==0.25\n"),
        (
            "pyproject.toml",
            '[project]\ndependencies = [\n"pedl2det",\n"tensorflow<2",\n"keras<2.3"]',
        ),
    ],
)
def test_old_pins_beside_the_harness_are_notes(name: str, text: str) -> None:
    result = migrate_requirements(name, text, False)

    pins = [one for one in result.findings if one.rule == "R302"]
    first = 2 if name.endswith(".txt") else 4
    assert [(one.kind, one.line) for one in pins] == [("note", first), ("note", first + 1)]
    assert "needs TensorFlow 2.15 or later" in pins[0].message


@pytest.mark.parametrize(
    ("pin", "says"),
    [
        ("determined==0.14.2", "an older TensorFlow"),
        ("determined-cli==0.12.4", "a part of determined"),
        ("numpy<1.19", "NumPy 1.23"),
        ("determined>=0.38", None),
        ("numpy<3", None),
    ],
)
def test_old_pins_of_the_harness(pin: str, says: str | None) -> None:
    result = migrate_requirements("requirements.txt", f"determined\n{pin}\n", False)

    assert [(one.kind, one.line) for one in result.findings] == [("note", 2)] * bool(says)
    assert all(says in one.message for one in result.findings if says)


def test_pins_of_other_projects_are_their_own() -> None:
    text = "pedlar\ntensorflow==1.14\n"

    assert migrate_requirements("requirements.txt", text, False) == TextResult(text)


PYPROJECT = """\
[build-system]
requires = ["hatchling", 'pedl == 0.11']

[project]
name = "pedl"
keywords = ["pedl"]
readme = \"\"\"
dependencies = ["pedl"]
\"\"\"
dependencies = [
    "numpy",  # "pedl==1" in a comment
    "pedl[tf]>=0.9; python_version < '4'",
    'pedl; os_name == "nt"',   # two
]

[project.optional-dependencies]
pedl = ["pedl"]
[dependency-groups]
dev = [{include-group = "pedl"}, "pedl @ https://m/pedl.whl"]

[tool.poetry.dependencies]
python = "^3.6"
pedl = "^0.11"  # harness
other = "*"

[tool.poetry.group.dev.dependencies]
pedl = {git = "https://m/pedl"}

[tool.other]
dependencies = ["pedl"]
"""


def test_requirements_in_pyproject() -> None:
    result = migrate_requirements("pyproject.toml", PYPROJECT, False)

    poetry = 'pedl2det = {version = "*", extras = ["run"]}'
    assert result.text == (
        PYPROJECT.replace("'pedl == 0.11'", f"'{NEW}'")
        .replace("pedl[tf]>=0.9", NEW)
        .replace("'pedl; os", f"'{NEW}; os")
        .replace('pedl = ["pedl"]', f'pedl = ["{NEW}"]')
        .replace("pedl @ https://m/pedl.whl", NEW)
        .replace('pedl = "^0.11"', poetry)
        .replace('pedl = {git = "https://m/pedl"}', poetry)
    )
    parsed = tomllib.loads(result.text)
    assert parsed["tool"]["poetry"]["dependencies"]["pedl2det"]["extras"] == ["run"]
    assert sorted(change.line for change in result.changes) == [2, 12, 13, 17, 19, 23, 27]
    assert rewritten("pyproject.toml", result.text) == result.text


def test_poetry_on_a_cluster() -> None:
    text = '[tool.poetry.dependencies]\npedl = "^0.11"\n'

    assert rewritten("pyproject.toml", text, True) == (
        '[tool.poetry.dependencies]\ndetermined = "*"\n'
    )


@pytest.mark.parametrize(
    "text",
    [
        '[tool.poetry.dependencies.pedl]\nversion = "1"\n',
        '[project]\ndependencies = ["pedl"\n',
    ],
)
def test_what_cannot_be_replaced_is_named(text: str) -> None:
    result = migrate_requirements("pyproject.toml", text, False)

    assert (result.text, result.changes) == (text, ())
    assert [one.kind for one in result.findings] == ["left"]


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


def test_setup_py_is_a_program_and_only_named() -> None:
    text = "from setuptools import setup\n\nsetup(install_requires=['numpy', 'pedl>=0.9'])\n"
    result = migrate_requirements("setup.py", text, False)

    (finding,) = result.findings
    assert (result.text, finding.kind, finding.line) == (text, "left", 3)
    assert (finding.message[:9], finding.help) == ("pedl>=0.9", f'"{NEW}"')


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("repo/requirements.txt", True),
        ("repo/requirements-dev.txt", True),
        ("dev-requirements.in", True),
        ("requirements/base.txt", True),
        ("constraints.txt", True),
        ("notes.txt", False),
        ("const.yaml", False),
        ("Requirements.py", False),
    ],
)
def test_which_files_hold_requirements(name: str, expected: bool) -> None:
    assert is_requirement_file(name) == expected
