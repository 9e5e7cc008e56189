"""Commands of the old command line, found and rewritten in texts for a shell."""

from __future__ import annotations

import pytest

from pedl2det.texts.shell import commands


def rewritten(text: str) -> str:
    """The text with every command that can be rewritten, and ``<why>`` before one that stays."""
    for command in sorted(commands(text), key=lambda one: one.start, reverse=True):
        old = text[command.start : command.end]
        new = command.new if command.new is not None else f"<{command.why}>{old}"
        text = text[: command.start] + new + text[command.end :]
    return text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("pedl experiment create const.yaml .", "pedl2det run . -c const.yaml"),
        ("pedl e create c.yaml t --test-mode", "pedl2det run t -c c.yaml --test"),
        ("pedl e c --local --test 'a b.yaml' $DIR -f", "pedl2det run $DIR -c 'a b.yaml' --test"),
        (
            "cd x && A=1 pedl e create c.yaml . | tee l",
            "cd x && A=1 pedl2det run . -c c.yaml | tee l",
        ),
        ("pedl e create \\\n  c.yaml \\\n  .\nls", "pedl2det run . -c c.yaml\nls"),
        (
            "for i in 1 2; do pedl e create {c} .; done",
            "for i in 1 2; do pedl2det run . -c {c}; done",
        ),
        ("pedl e create c.yaml . > log 2>&1  # run", "pedl2det run . -c c.yaml > log 2>&1  # run"),
        ("x=$(pedl e create c.yaml .)", "x=$(pedl2det run . -c c.yaml)"),
        ("pip install pedl==0.11 numpy", "pip install 'pedl2det[run]' numpy"),
        ('python -m pip install -U "pedl[tf]>=0.9"', "python -m pip install -U 'pedl2det[run]'"),
    ],
)
def test_what_becomes_of_a_command(old: str, new: str) -> None:
    assert rewritten(old) == new


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("pedl trial describe 3", "it asks a cluster, and there is none"),
        ("pedl checkpoint download-s3 1 2 d", "it asks a cluster, and there is none"),
        ("pedl -m host e create c.yaml .", "it asks a cluster, and there is none"),
        ("pedl e create --paused c.yaml .", "pedl2det run has nothing like --paused"),
        ("pedl e create c.yaml", "expected a config and a directory"),
        ("pedl e create $(ls c.yaml) .", "a part of it is the output of another command"),
        ("ssh host 'pedl e create c.yaml .'", "a command within another command"),
        ("bash -c 'pip install pedl'", "a command within another command"),
        ("watch pedl task list", "a command within another command"),
        ("pip install ./pedl-0.11.2-py3-none-any.whl", "a file with the old API"),
    ],
)
def test_what_is_left_and_why(text: str, why: str) -> None:
    (command,) = commands(text)

    assert command.new is None
    assert why in command.why


@pytest.mark.parametrize(
    "text",
    [
        "ls pedl",
        "# pedl e create c.yaml .",
        "ls  # pedl e create",
        "# pip install pedl",
        "cd ~/pedl && ls",
        "pip install pedl-tools pedl2det",
        "pedl2det run .",
        "export PEDL_MASTER=pedl",
        "git clone https://x/pedl.git",
    ],
)
def test_mere_mentions_are_no_commands(text: str) -> None:
    assert list(commands(text)) == []
