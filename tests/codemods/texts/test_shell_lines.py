"""Commands of PEDL in scripts, Makefiles, Dockerfiles, notebooks and Markdown."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pedl2det.analysis.text_rules import TextResult
from pedl2det.findings import Kind
from pedl2det.texts import is_shell_file
from pedl2det.texts.commands import migrate_shell
from support import write_tree


def rewritten(text: str, name: str = "run.sh", cluster: bool = False) -> str:
    return migrate_shell(name, text, cluster).text


@pytest.mark.parametrize(
    ("old", "local", "remote"),
    [
        (
            "pedl experiment create const.yaml .",
            "pedl2det run . -c const.yaml",
            "det experiment create const.yaml .",
        ),
        (
            "pedl -m host:8080 experiment create const.yaml .",
            "pedl2det run . -c const.yaml",
            "det -m host:8080 experiment create const.yaml .",
        ),
        (
            "pedl --master=$M -u ada e create -f c.yaml t",
            "pedl2det run t -c c.yaml",
            "det --master=$M -u ada e create -f c.yaml t",
        ),
        (
            "pedl e create --local 'a b.yaml' $DIR",
            "pedl2det run $DIR -c 'a b.yaml'",
            "det e create --local 'a b.yaml' $DIR",
        ),
        (
            "cd x && A=1 pedl e create c.yaml . | tee l",
            "cd x && A=1 pedl2det run . -c c.yaml | tee l",
            "cd x && A=1 det e create c.yaml . | tee l",
        ),
        (
            "pedl e create \\\n  c.yaml \\\n  .\nls",
            "pedl2det run . -c c.yaml\nls",
            "det e create \\\n  c.yaml \\\n  .\nls",
        ),
        (
            "for i in 1 2; do pedl e create {c} .; done",
            "for i in 1 2; do pedl2det run . -c {c}; done",
            "for i in 1 2; do det e create {c} .; done",
        ),
        (
            "pedl e create c.yaml . > log 2>&1  # run",
            "pedl2det run . -c c.yaml > log 2>&1  # run",
            "det e create c.yaml . > log 2>&1  # run",
        ),
        (
            'x=$(pedl e create c.yaml .); y="$(pedl e create d.yaml .)"',
            'x=$(pedl2det run . -c c.yaml); y="$(pedl2det run . -c d.yaml)"',
            'x=$(det e create c.yaml .); y="$(det e create d.yaml .)"',
        ),
        (
            "pedl e create $(ls *.yaml) .",
            "pedl2det run . -c $(ls *.yaml)",
            "det e create $(ls *.yaml) .",
        ),
        (
            "ssh host 'pedl e create c.yaml .'",
            "ssh host 'pedl2det run . -c c.yaml'",
            "ssh host 'det e create c.yaml .'",
        ),
    ],
)
def test_what_becomes_of_a_command(old: str, local: str, remote: str) -> None:
    assert rewritten(old) == local
    assert rewritten(old, cluster=True) == remote
    for cluster in (False, True):
        once = rewritten(old, cluster=cluster)
        assert rewritten(once, cluster=cluster) == once


@pytest.mark.parametrize(
    ("text", "says"),
    [
        *[
            (f"pedl e create {words}", "expected a config, a directory and no other options")
            for words in (
                *("--paused c.yaml .", "--template t.yaml c.yaml .", "c.yaml", "c.yaml > log ."),
                *("c.yaml 'a'b", "c.yaml a\\ b", "c.yaml . --test", "c.yaml . --config a=1"),
            )
        ],
        ("P=pedl\n$P e create c.yaml .", "this variable holds the name of PEDL's command line"),
        ("P = pedl -m $(H)\n$(P) e create c.yaml .", "the name of PEDL's command line"),
        ('CMD ["pedl", "e", "create", "--paused"]', '["pedl": PEDL'),
        ('ENTRYPOINT ["pedl"]', '["pedl": PEDL'),
        ("pip install -q numpy 'pedl[tf]>=0.9'", "pip install -q numpy 'pedl: PEDL"),
        ("bash -c 'pip3 install ./pedl-0.11.2-py3-none-any.whl'", "pip3 install ./pedl-0: PEDL"),
    ],
)
def test_a_command_that_is_left(text: str, says: str) -> None:
    result = migrate_shell("run.sh", text, cluster=False)

    (finding,) = result.findings
    assert (result.text, result.changes, finding.kind) == (text, (), Kind.LEFT)
    assert says in finding.message
    assert finding.help
    read = migrate_shell("README.md", text, cluster=False)
    assert [one.kind for one in read.findings] == [Kind.NOTE]


@pytest.mark.parametrize("cluster", [False, True])
@pytest.mark.parametrize(
    "command",
    ["pedl trial describe 3", "watch pedl -m h task list", "export PEDL_MASTER=h"],
)
def test_what_asks_a_cluster_is_noted(command: str, cluster: bool) -> None:
    result = migrate_shell("run.sh", command, cluster)

    (note,) = result.findings
    assert (result.text, note.kind) == (command, Kind.NOTE)
    assert note.message.endswith("needs a PEDL cluster")


def test_comments_say_what_is_run_today() -> None:
    text = "# pedl e create c.yaml .\nls\n"

    assert rewritten(text) == "# pedl2det run . -c c.yaml\nls\n"


@pytest.mark.parametrize(
    "text",
    [
        "ls pedl",
        "cd ~/pedl && ls",
        "pip install pedl-tools pedl2det",
        "pedl2det run .",
        "git clone https://x/pedl.git",
        "pedl is a platform",
        "pedl --help",
        "echo 'unfinished pedl",
        "x=$(pedl",
    ],
)
@pytest.mark.parametrize("cluster", [False, True])
def test_mere_mentions_are_no_commands(text: str, cluster: bool) -> None:
    assert migrate_shell("run.sh", text, cluster) == TextResult(text)


def test_det_works_where_there_is_a_cluster() -> None:
    text = "det -m h experiment create -f c.yaml .\n"
    here = migrate_shell("run.sh", text, cluster=False)

    assert migrate_shell("run.sh", text, cluster=True) == TextResult(text)
    assert (here.text, {one.kind for one in here.findings}) == (text, {Kind.NOTE})
    assert here.findings[0].help == "to train on this machine: pedl2det run . -c c.yaml"


SINGLE = "searcher: {name: single, metric: loss, max_steps: 5}\n"
SEARCH = "searcher: {name: adaptive, metric: loss, target_trial_steps: 5, step_budget: 50}\n"
SEARCHES = {"adaptive.yaml": SEARCH, "t/grid.yaml": SEARCH.replace("adaptive", "grid")}
SEARCHES |= {"twice.yaml": SINGLE, "t/twice.yaml": SEARCH}
SEARCHES |= {"bad.yaml": "searcher: {", "const.yaml": SINGLE, "t/const.yaml": SINGLE}


@pytest.fixture
def configs(tmp_path: Path) -> Path:
    write_tree(tmp_path, SEARCHES | {".git/HEAD": ""})
    return tmp_path


def test_that_a_run_is_local_is_said_once(configs: Path) -> None:
    text = "pedl e create const.yaml .\npedl e create t/const.yaml t\n"
    result = migrate_shell(str(configs / "run.sh"), text, False)

    assert [change.line for change in result.changes] == [1, 2]
    assert [finding.line for finding in result.findings] == [1]


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("run.sh", "pedl e create const.yaml .", "run . -c const.yaml"),
        ("run.sh", "pedl e create adaptive.yaml .", "search . -c adaptive.yaml"),
        ("run.sh", "pedl e create 'adaptive.yaml' .", "search . -c 'adaptive.yaml'"),
        ("run.sh", "pedl e create t/grid.yaml t", "search t -c t/grid.yaml"),
        ("run.sh", "cd t\nls\npedl e create grid.yaml .", "search . -c grid.yaml"),
        ("run.sh", "(cd x; ls)\n(cd t && pedl e create grid.yaml .)", "search . -c grid.yaml"),
        ("run.sh", "cd $HOME/t\npedl e create adaptive.yaml .", "search . -c adaptive.yaml"),
        ("t/x/run.sh", 'cd "$(dirname "$0")"\npedl e create grid.yaml .', "search . -c grid.yaml"),
        ("t/run.sh", "pedl e create ../adaptive.yaml ..", "search .. -c ../adaptive.yaml"),
        ("t/run.sh", "pedl e create t/grid.yaml t", "search t -c t/grid.yaml"),  # from above
        ("run.sh", "bash -c 'pedl e create adaptive.yaml .'", "search . -c adaptive.yaml"),
        ("Makefile", "go:\n\tpedl e create adaptive.yaml .", "search . -c adaptive.yaml"),
        ("Makefile", "go:\n\tcd t && \\\n\t\tpedl e create grid.yaml .", "search . -c grid.yaml"),
        ("README.md", "    cd t\n    pedl e create grid.yaml .", "search . -c grid.yaml"),
        ("README.md", "```\ncd t\npedl e create grid.yaml .\n```", "search . -c grid.yaml"),
        ("a.ipynb", "!pedl e create adaptive.yaml .", "search . -c adaptive.yaml"),
        ("Dockerfile", "RUN cd t && pedl e create grid.yaml .", "search . -c grid.yaml"),
        ("Makefile", "go:\n\tpedl e create grid.yaml .", None),
        ("run.sh", "cd t\npedl e create twice.yaml .", None),
        ("Dockerfile", "WORKDIR t\nRUN pedl e create grid.yaml .", "search . -c grid.yaml"),
    ],
)
def test_a_config_that_describes_a_search_is_searched(
    name: str, old: str, new: str | None, configs: Path
) -> None:
    result = migrate_shell(str(configs / name), old, cluster=False)

    assert f"pedl2det {new or 'run . -c '}" in result.text
    if new is not None and new.startswith("search"):
        (note,) = result.findings
        assert note.message.startswith("pedl2det search trains the trials of a search")
        assert note.help == "it needs pip install 'pedl2det[run,search]'"


@pytest.mark.parametrize("config", ["nowhere.yaml", "bad.yaml", "$CONFIG", "*.yaml", "<config>"])
def test_a_config_that_cannot_be_read_is_run(config: str, configs: Path) -> None:
    text = f"`pedl e create {config} .`\n"
    result = migrate_shell(str(configs / "README.md"), text, cluster=False)

    assert result.text == f"`pedl2det run . -c {config}`\n"


def test_what_searches_without_a_cluster_is_named(configs: Path) -> None:
    text = "det experiment create adaptive.yaml .\n"
    result = migrate_shell(str(configs / "go.sh"), text, cluster=False)

    (note,) = result.findings
    assert result.text == text
    assert note.help == "to train on this machine: pedl2det search . -c adaptive.yaml"


def test_a_makefile() -> None:
    text = "PEDL := pedl\nrun: x\n\t@pedl -m $(HOST) e create $(CONFIG) .\n\t-$(PEDL) task list\n"

    assert rewritten(text, "Makefile") == text.replace(
        "pedl -m $(HOST) e create $(CONFIG) .", "pedl2det run . -c $(CONFIG)"
    )
    assert rewritten(text, "Makefile", cluster=True) == text.replace("pedl", "det")


def test_a_dockerfile() -> None:
    text = "FROM python:3.6\nRUN pip install pedl && \\\n    pedl e create c.yaml .\n"

    assert rewritten(text, "Dockerfile") == (
        "FROM python:3.6\nRUN pip install pedl && \\\n    pedl2det run . -c c.yaml\n"
    )


MARKDOWN = """\
PEDL. Use `pedl -m <master host:port> experiment create -f const.yaml .`.

```bash
$ pedl e create const.yaml .
```
1. Then

   ~~~
   pedl e create <config> .
   ~~~

    pip install pedl

```python
import pedl
!pedl e create c.yaml .
```
```yaml
pedl: e create c.yaml .
```
"""


def test_code_in_markdown() -> None:
    expected = (
        MARKDOWN.replace(
            "`pedl -m <master host:port> experiment create -f const.yaml .`",
            "`pedl2det run . -c const.yaml`",
        )
        .replace("$ pedl e create const.yaml .", "$ pedl2det run . -c const.yaml")
        .replace("pedl e create <config> .", "pedl2det run . -c <config>")
        .replace("!pedl e create c.yaml .", "!pedl2det run . -c c.yaml")
    )

    assert rewritten(MARKDOWN, "README.md") == expected


def test_a_command_that_is_only_named_is_no_command_to_run() -> None:
    text = "The words of `pedl experiment create` are kept.\n"

    assert migrate_shell("README.md", text, cluster=False) == TextResult(text)


def test_cells_of_a_notebook() -> None:
    cell = (
        "import os\n!cd x && pedl -m {master} e create const.yaml .\nx = !pedl e create c.yaml .\n"
        "%pip install pedl\npip install pedl\npedl = 'pedl e create a b'\n"
    )

    assert rewritten(cell, "try.ipynb") == (
        "import os\n!cd x && pedl2det run . -c const.yaml\nx = !pedl2det run . -c c.yaml\n"
        "%pip install pedl\npip install pedl\npedl = 'pedl e create a b'\n"
    )
    assert rewritten("%%bash\npedl e create c.yaml .\n", "try.ipynb") == (
        "%%bash\npedl2det run . -c c.yaml\n"
    )


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        *[(name, True) for name in ("a.sh", "README.md", "GNUmakefile", "Dockerfile.gpu")],
        *[("x.ipynb", True), ("notes.txt", False), ("model.py", False)],
    ],
)
def test_which_files_hold_commands(name: str, expected: bool) -> None:
    assert is_shell_file(name) == expected


pieces = st.sampled_from(
    [
        *["pedl", " e", " create", " c.yaml", " .", "'", '"', "$(", ")", "`", "\\", "\n", "#"],
        *["<", ">", " pip install", "A=", ";", "&&", "${", "}", "```", "%%bash\n", "!"],
    ]
)


@given(st.lists(pieces, max_size=30).map("".join), st.booleans())
def test_any_text_is_read_and_a_second_run_changes_nothing(text: str, cluster: bool) -> None:
    for name in ("a.sh", "a.md", "a.ipynb"):
        once = rewritten(text, name, cluster)
        assert rewritten(once, name, cluster) == once
