"""Requirements on pedl, in every kind of file that holds them."""

from __future__ import annotations

import tomllib
from importlib import metadata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from pedl2det.analysis.text_rules import TextResult
from pedl2det.findings import Kind
from pedl2det.texts import is_requirement_file
from pedl2det.texts.requirements import OF_TENSORFLOW, met_instead, migrate_requirements, needs
from support import ROOT

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
        ("pedl[keras,tf]~=0.11", NEW),
        ("pedl @ https://master/pedl-0.11.whl", NEW),
        ("pedl @ https://m/p.whl ; os_name == 'nt'", f"{NEW} ; os_name == 'nt'"),
        ('pedl==0.11; python_version<"3.7"', f'{NEW}; python_version<"3.7"'),
        ("pedl-tools==1", None),
        ("pedl2det", None),
        ("pedl.tools", None),
        ("mypedl", None),
        ("-r pedl.txt", None),
        ("pedl/", None),
    ],
)
def test_what_replaces_a_requirement(old: str, new: str | None) -> None:
    result = migrate_requirements("requirements.txt", f"{old}\n", cluster=False)

    assert (result.text, result.findings) == (f"{new or old}\n", ())


@pytest.mark.parametrize(
    "line",
    [
        *("pedl==0.11-custom", "pedl=0.11", "./wheels/pedl-0.11.2-py3-none-any.whl"),
        *("-e git+https://x/pedl.git#egg=pedl", "pedl==0.11 --hash=sha256:ab"),
        "pedl2det[run]\npedl==0.11",
    ],
)
def test_a_requirement_that_is_not_plain_or_there_already_is_left(line: str) -> None:
    result = migrate_requirements("requirements.txt", f"{line}  # harness\n", cluster=False)

    (finding,) = result.findings
    assert (result.text, finding.kind) == (f"{line}  # harness\n", Kind.LEFT)
    assert finding.help.startswith(NEW)


TENSORFLOW = "tensorflow>=2.15,<2.22"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tensorflow==1.14.0", TENSORFLOW),
        ("tensorflow==1.*", TENSORFLOW),
        ("tensorflow>=1.13,<2", TENSORFLOW),
        ("tensorflow<2.15", TENSORFLOW),
        ("tensorflow~=1.14", TENSORFLOW),
        ("tensorflow~=2.4.0", TENSORFLOW),
        ("tensorflow>=3", TENSORFLOW),
        ("tensorflow-gpu==1.14 ; os_name=='posix'", f"{TENSORFLOW} ; os_name=='posix'"),
        ("tensorflow-gpu", TENSORFLOW),  # no release of it is for Python 3.11
        ("tensorflow-cpu==2.4", "tensorflow-cpu>=2.15,<2.22"),
        ("Keras[x]==2.2.4", "keras[x]>=2.15"),
        ("numpy<1.19", "numpy>=1.26"),
        ("h5py==2.10.0", "h5py>=3.10"),
        ("protobuf==3.9.0", "protobuf>=3.20.3"),
        ("requests[security]==2.22", "requests[security]>=2.28"),
        ("keras==2.2.4 ; python_version<'3'", None),  # not on the Python that trains
        ("tensorflow~=2.4", None),  # any 2.x from 2.4 on
        ("tensorflow>=1.14", None),
        ("tensorflow!=1.14", None),
        ("tensorflow>2.15", None),
        ("tensorflow<=2.15", None),
        ("tensorflow==2.18.*", None),
        ("tensorflow<2.16,!=2.15.0", None),
        ("keras==2.15.0", None),
        ("numpy<3", None),
        ("pandas==0.25.0", None),
        ("-r base.txt", None),
    ],
)
def test_what_cannot_be_met_beside_pedl2det(text: str, expected: str | None) -> None:
    assert met_instead(text, needs(cluster=False)) == expected


def test_what_the_own_requirements_say_is_what_pyproject_says() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    listed = [*project["dependencies"], *project["optional-dependencies"]["run"]]
    own = {one.name: one.specifier for one in map(Requirement, listed)}

    assert own.keys() <= needs(cluster=False).keys()
    for name, specifier in own.items():
        assert set(specifier) <= set(needs(cluster=False)[name]), name
    assert str(needs(cluster=False)["python"]) == project["requires-python"]


def test_what_tensorflow_needs_is_no_more_than_what_its_packages_say() -> None:
    """Each bound of the table is one that an installed package of its closure has, or a looser."""
    closure = ("tensorflow", "tensorboard", "matplotlib")
    try:
        said = [Requirement(text) for name in closure for text in metadata.requires(name) or ()]
    except metadata.PackageNotFoundError:
        pytest.skip("TensorFlow is not installed")
    for name, specifier in OF_TENSORFLOW.items():
        lower = [Version(one.version) for one in specifier if one.operator == ">="]
        theirs = [
            Version(bound.version)
            for one in said
            if canonicalize_name(one.name) == name
            for bound in one.specifier
            if bound.operator == ">="
        ]
        assert theirs, name
        assert lower <= [max(theirs)], name
        assert specifier.contains(metadata.version(name)), name


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


@given(st.lists(st.sampled_from(LINES)), st.lists(st.sampled_from(LINES)))
def test_every_other_character_of_a_list_stays(before: list[str], after: list[str]) -> None:
    head, tail = "".join(before), "".join(after)
    kept = head + tail

    assert rewritten("requirements.txt", kept) == kept
    old = f"{head}pedl==0.11  # ours\r\n{tail}"
    assert rewritten("requirements.txt", old) == f"{head}{NEW}  # ours\r\n{tail}"


def test_a_team_with_a_cluster_requires_determined() -> None:
    assert rewritten("requirements.txt", "pedl==0.11\n", cluster=True) == "determined\n"
    assert rewritten("constraints.txt", "pedl==0.11\n", cluster=True) == "determined\n"
    assert rewritten("constraints.txt", "pedl==0.11\n") == "pedl2det\n"


OF_2019 = "tensorflow==1.14.0  # old\nKeras==2.2.4\npandas==0.25\n"


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        (
            "requirements.txt",
            f"pedl==0.11\n{OF_2019}",
            f"{NEW}\n{TENSORFLOW}  # old\nkeras>=2.15\npandas==0.25\n",
        ),
        (
            "constraints.txt",
            f"pedl2det\n{OF_2019}",
            f"pedl2det\n{TENSORFLOW}  # old\nkeras>=2.15\npandas==0.25\n",
        ),
    ],
    ids=["list", "constraints"],
)
def test_pins_that_cannot_be_met_beside_pedl2det_are_raised(name: str, old: str, new: str) -> None:
    result = migrate_requirements(name, old, False)

    assert result.text == new
    raised = [one for one in result.findings if one.rule == "R302" and "raised" in one.message]
    assert {one.kind for one in raised} == {Kind.NOTE}
    lines = zip(old.split("\n"), new.split("\n"), strict=True)
    changed = [n for n, (was, now) in enumerate(lines, 1) if was != now and "pedl" not in was]
    assert [one.line for one in raised] == changed
    again = migrate_requirements(name, new, False)
    assert (again.text, again.findings) == (new, ())


@pytest.mark.parametrize("cluster", [False, True])
def test_old_pins_around_a_trial_are_notes_where_the_file_has_no_harness(cluster: bool) -> None:
    result = migrate_requirements("requirements.txt", OF_2019, cluster, trial="below")

    assert result.text == OF_2019
    assert [(one.kind, one.line) for one in result.findings] == [(Kind.NOTE, 1), (Kind.NOTE, 2)]
    assert f"needs {TENSORFLOW}" in result.findings[0].message


def test_old_pins_of_the_trial_itself_are_raised_where_the_image_had_the_harness() -> None:
    result = migrate_requirements("requirements.txt", OF_2019, False, trial="around")

    assert result.text == f"{TENSORFLOW}  # old\nkeras>=2.15\npandas==0.25\n"


def test_old_pins_for_a_cluster_are_notes() -> None:
    text = "determined\ntensorflow==1.14.0\nkeras==2.2.4\ntqdm==4.1\n"

    for cluster in (False, True):
        result = migrate_requirements("requirements.txt", text, cluster, trial="around")
        assert result.text == text
        assert [(one.kind, one.line) for one in result.findings] == [(Kind.NOTE, 2), (Kind.NOTE, 3)]


def test_pins_of_other_projects_are_their_own() -> None:
    text = "pedlar\ntensorflow==1.14\n"

    assert migrate_requirements("requirements.txt", text, False) == TextResult(text)


NAMED = {
    "pyproject.toml": (
        "[build-system]\nrequires = ['hatchling', 'pedl == 0.11']\n[project]\nname = \"pedlar\"\n"
        'dependencies = [\n    "numpy",  # "pedl==1" in a comment\n    "pedl>=0.9; x < \'4\'",\n]\n'
        'old = ["six", "pedl @ https://m/pedl.whl"]\n[tool.poetry.dependencies]\nnumpy = "^3"\n'
        '"pedl" = {git = "https://m/pedl"}\n',
        [2, 7, 9, 12],
    ),
    "setup.cfg": (
        "[options]\ninstall_requires =\n    numpy\n    pedl>=0.9  # x\n[options.extras_require]\n"
        "all = pedl\nold = pedl-tools\n[isort]\nknown_third_party = numpy,pedl\n",
        [4, 6],
    ),
    "environment.yml": (
        'name: pedlar\ndependencies:\n- python\n- pip:\n  - "pedl==0.11"\n  - pedl # x\n',
        [5, 6],
    ),
    "setup.py": ("setup(\n    install_requires=['numpy', 'pedl>=0.9'])\n", [2]),
}


@pytest.mark.parametrize("name", NAMED)
def test_requirements_that_are_in_no_list_are_only_named(name: str) -> None:
    text, lines = NAMED[name]
    result = migrate_requirements(name, text, False)

    assert (result.text, result.changes) == (text, ())
    assert sorted({one.line for one in result.findings}) == lines
    assert {(one.kind, one.help.partition(";")[0]) for one in result.findings} == {(Kind.LEFT, NEW)}


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
