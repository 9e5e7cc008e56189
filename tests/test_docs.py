"""Commands in the documentation work in a fresh clone, and print what is printed below them."""

from __future__ import annotations

import re
import subprocess
import sys

import page_outputs
import pytest

from support import ROOT

PAGE = """\
```console
$ pedl2det run iris   # trains
resumed at batch 300
...
trained 400 batches in 6.3 s
$ cd iris
```
"""
PRINTED = "resumed at batch 300\nbatch 350\nbatch 400\ntrained 400 batches in 12 s\n"


def marks_of(page: str) -> list[pytest.MarkDecorator]:
    """Whether a command of the page trains on several processes, which compute; that costs much."""
    is_of_ranks = "--slots" in (ROOT / page).read_text()
    return [pytest.mark.ranks, pytest.mark.turns(3, page)] if is_of_ranks else []


@pytest.mark.slow
@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=marks_of(page)) for page in page_outputs.PAGES]
)
def test_every_command_of_a_page_prints_in_a_fresh_clone_what_the_page_shows(page: str) -> None:
    script = ROOT / "scripts" / "page_outputs.py"
    done = subprocess.run([sys.executable, script, "--check", page], capture_output=True, text=True)
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"


def test_the_first_pages_that_a_user_reads_are_run() -> None:
    assert {"README.md", "docs/tutorial.md"} <= set(page_outputs.PAGES)
    for page in page_outputs.PAGES:
        text = (ROOT / page).read_text()
        for block in re.findall(r"```console\n(.*\n)", text):
            assert block.startswith("$ "), f"{page}: {block} is not run: write ```sh or ```text"


def shown(printed: str, page: str = PAGE) -> str:
    """A page as it is written where its first command prints this, and others nothing."""

    def output(command: str, lines: str) -> str:
        own = printed if "run" in command else ""
        return lines if page_outputs.shows(lines, own) else page_outputs.elided(own, lines)

    return page_outputs.replace_outputs(page, output)


def test_omitted_lines_seconds_and_ids_make_no_difference() -> None:
    assert shown(PRINTED) == PAGE


@pytest.mark.parametrize(
    ("printed", "written"),
    [
        (PRINTED + "more\n", "resumed at batch 300\n...\nmore\n"),
        ("warning\n" + PRINTED, "warning\n...\ntrained 400 batches in 12 s\n"),
        (PRINTED.replace("300", "301"), "resumed at batch 301\n...\ntrained 400 batches in 12 s\n"),
        ("resumed at batch 300\ntrained 1 batch\n", "resumed at batch 300\ntrained 1 batch\n"),
        ("", ""),
    ],
)
def test_any_other_difference_is_found_and_written(printed: str, written: str) -> None:
    old = "resumed at batch 300\n...\ntrained 400 batches in 6.3 s\n"

    assert shown(printed) == PAGE.replace(old, written) != PAGE


def test_a_page_without_omitted_lines_shows_all_in_order() -> None:
    page = PAGE.replace("...\n", "batch 350\n")

    assert shown(PRINTED, page) == PAGE.replace("...\ntrained 400 batches in 6.3 s\n", "").replace(
        "resumed at batch 300\n", PRINTED
    )


def test_a_command_that_an_output_names_as_the_next_is_run_on_a_page() -> None:
    """Or one that begins with it."""
    commands: list[str] = []
    outputs: list[str] = []

    def collect(command: str, lines: str) -> str:
        commands.append(command)
        outputs.append(lines)
        return lines

    for page in page_outputs.PAGES:
        page_outputs.replace_outputs((ROOT / page).read_text(), collect)
    named = re.findall(r": ((?:pedl2det|python) .+)$", "".join(outputs), re.MULTILINE)

    assert named
    for command in named:
        assert any(run.startswith(command) for run in commands), f"no page runs: {command}"
