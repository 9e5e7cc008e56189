"""What migrate tells a person."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from pedl2det.findings import Kind
from pedl2det.migrate import NewFile, Result


def unified_diff(file: NewFile) -> str:
    """The change of a file as a patch that ``git apply`` takes."""
    name = shown(file.path).lstrip("/")
    old, new = (_lines(data) for data in (file.old, file.new))
    lines = difflib.unified_diff(old, new, f"a/{name}", f"b/{name}")
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )


def summary(result: Result, done: str) -> Iterator[str]:
    """The report in lines: what each file got, what a person must know and decide, the counts.

    Args:
        result: what the migration does.
        done: the word for it: "rewritten", or "would be rewritten".
    """
    for file in result.files:
        rules = Counter(change.rule for change in result.changes if change.path == file.path)
        places = ", ".join(
            rule if count == 1 else f"{rule} x{count}" for rule, count in sorted(rules.items())
        )
        yield f"{shown(file.path)}: {done} by {places}"
    for kind in Kind:
        for finding in result.of_kind(kind):
            place = f"{shown(finding.path)}:{finding.line}"
            yield f"{place}: {kind.value}: {finding.message} [{finding.rule}]"
    names = result.rewritten + result.refused + result.suppressed
    if not names and not result.findings and not result.files:
        yield "nothing to do: no file uses the old API"
        return
    yield (
        f"{result.migrated} of {_plural(result.trials, 'trial')} {done}; "
        f"{_plural(names, 'legacy name')}: {result.rewritten} rewritten, "
        f"{result.refused} left as they were, {result.suppressed} suppressed"
    )


def shown(path: Path) -> str:
    """A path as the user would write it."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def _lines(data: bytes) -> list[str]:
    """Lines as git counts them, holding every byte: ``surrogateescape`` writes it again."""
    text = data.decode("utf-8", errors="surrogateescape")
    return [f"{line}\n" for line in text.split("\n")[:-1]] + [text.rpartition("\n")[2]] * (
        not text.endswith("\n")
    )


def _plural(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
