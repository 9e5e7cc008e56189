"""Thousands of trials that nobody wrote: migrate keeps its promises about each of them.

The same ones each time; ``PEDL2DET_GENERATED=5000`` makes so many new ones for each property.
"""

from __future__ import annotations

import ast
import io
import os
import random
import tempfile
import tokenize
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

import distortions
from counting import legacy_names
from grammar import projects
from pedl2det.files.write import write_all
from pedl2det.migrate import Result, migrate
from support import EXAMPLES, read_tree, write_tree

#: Trials a property; four properties make more than 2,000.
COUNT = int(os.environ.get("PEDL2DET_GENERATED", "520"))
generated = settings(
    max_examples=COUNT,
    derandomize="PEDL2DET_GENERATED" not in os.environ,
    database=None,
    suppress_health_check=list(HealthCheck),
)
seeds = st.integers(0, 2**32 - 1)
EVERY_EXAMPLE = sorted(path.parent.name for path in EXAMPLES.glob("*/const.yaml"))
DRESSES: tuple[Callable[[str], str], ...] = (
    distortions.as_windows,
    distortions.with_tabs,
    distortions.with_form_feeds,
    distortions.unended,
)


@generated
@given(projects(), seeds, st.sets(st.sampled_from(DRESSES)))
def test_a_generated_trial(files: dict[str, str], seed: int, dresses: set[object]) -> None:
    """However it is formatted and commented, every promise holds."""
    assert_promises({name: dressed(name, text, seed, dresses) for name, text in files.items()})


@generated
@given(projects(), seeds)
def test_comments_change_nothing_of_what_is_migrated(files: dict[str, str], seed: int) -> None:
    plain = migrated_code(files)
    commented = migrated_code({name: dressed(name, text, seed) for name, text in files.items()})

    assert commented in (plain, None)


@generated
@given(st.sampled_from(EVERY_EXAMPLE), seeds)
def test_an_example_with_a_fault(name: str, seed: int) -> None:
    assert_promises(with_fault(example(name), seed))


@generated
@given(projects(), seeds)
def test_a_generated_trial_with_a_fault(files: dict[str, str], seed: int) -> None:
    assert_promises(with_fault(files, seed))


# The promises.


def assert_promises(files: dict[str, str]) -> None:
    """Migrate some files beside others that are no trial's; everything promised must hold."""
    for name, text in files.items():
        note(f"=== {name}\n{text}")
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary).resolve()
        write_tree(root / "trial", files)
        write_tree(root, {"library/tools.py": "x = (1 ,2)  # pedl\r\n\tlambda: pedl\n"})
        before = read_tree(root)
        result = migrate([root])
        for finding in result.findings:
            note(str(finding))

        assert_accounted(files, result)
        assert_places(files, result)
        if not result.migrated:
            assert result.files == []
        write_all(result.files)
        after = read_tree(root)
        assert after.keys() == before.keys()
        for name, data in after.items():
            if data != before[name]:
                note(f"=== now {name}\n{data.decode()}")
                assert name.startswith("trial/")
                assert_good(before[name].decode(), data.decode(), name)
        assert_settled(root, result)


def assert_accounted(files: dict[str, str], result: Result) -> None:
    """Every old name is counted as rewritten, refused or suppressed, by a count of our own."""
    trees = parsed(files)
    expected = legacy_names(trees) if trees is not None else None
    if expected is not None:
        assert result.rewritten + result.refused + result.suppressed == expected


def assert_places(files: dict[str, str], result: Result) -> None:
    """What is said is said of a line that is there."""
    for finding in result.findings:
        lines = finding.path.read_bytes().replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        assert 1 <= finding.line <= lines.count(b"\n") + 1, finding


def assert_good(old: str, new: str, name: str) -> None:
    """A file that is written parses, compiles, and lost no comment and no line end."""
    if name.endswith(".py"):
        compile(new, name, "exec", dont_inherit=True)
        assert comments(old) - comments(new) == Counter()
    if old.count("\n") == old.count("\r\n") > 0:
        assert new.count("\n") == new.count("\r\n")


def assert_settled(root: Path, first: Result) -> None:
    """The second run changes nothing, and what was refused is refused again."""
    second = migrate([root])
    assert second.files == []
    assert second.rewritten == 0
    assert second.refused == first.refused


# What the promises are measured with; none of it is code under test.


def dressed(name: str, text: str, seed: int, dresses: set[object] | None = None) -> str:
    """A file with comments; with some dresses, in any layout."""
    if not name.endswith(".py"):
        return text
    chance = random.Random(seed)
    share = chance.choice((0.0, 0.3, 0.9))
    text = distortions.with_comments(text, chance, share, oddly=dresses is not None)
    for dress in DRESSES:
        if dresses and dress in dresses:
            text = dress(text)
    return text


def with_fault(files: dict[str, str], seed: int) -> dict[str, str]:
    """Some files with a fault in one, which still parses if that can be had."""
    chance = random.Random(seed)
    name = chance.choice(sorted(name for name in files if name.endswith(".py") and files[name]))
    for _ in range(8):
        text = distortions.faulty(files[name], chance)
        if parsed({name: text}) is not None:
            break
    return files | {name: text}


def example(name: str) -> dict[str, str]:
    directory = EXAMPLES / name
    files = [*directory.glob("*.py"), *directory.glob("*.yaml")]
    return {path.name: path.read_text() for path in sorted(files)}


def migrated_code(files: dict[str, str]) -> dict[str, str] | None:
    """What the files of a trial would become, without its formatting, and what is refused.

    None if a comment stands where code goes: then a person decides.
    """
    with tempfile.TemporaryDirectory() as temporary:
        root = write_tree(Path(temporary).resolve(), files)
        result = migrate([root])
        said = sorted(f"{finding.rule} {finding.path.name}" for finding in result.findings)
        if "would lose a comment" in str(result.findings):
            return None
        codes = {
            file.path.name: ast.dump(ast.parse(file.new))
            for file in result.files
            if file.path.suffix == ".py"
        }
        return codes | {"findings": "\n".join(said)}


def parsed(files: dict[str, str]) -> dict[str, ast.Module] | None:
    try:
        return {
            name.removesuffix(".py"): ast.parse(text)
            for name, text in files.items()
            if name.endswith(".py")
        }
    except (SyntaxError, ValueError):
        return None


def comments(text: str) -> Counter[str]:
    tools = ("# noqa", "# type:", "# pylint", "# isort", "# flake8", "# pragma")
    return Counter(
        token.string
        for token in tokenize.generate_tokens(io.StringIO(text, newline="").readline)
        if token.type == tokenize.COMMENT and not token.string.startswith(tools)
    )
