"""The report in lines, for people at a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from pedl2det.findings import Kind
from pedl2det.migrate import Result
from pedl2det.plan import Change
from pedl2det.report.hiding import Hider
from pedl2det.report.visible import visible


def summary(result: Result, done: str) -> Iterator[str]:
    """The report in lines: what each file got, what a person must know and decide, the counts.

    Args:
        result: what the migration does.
        done: the word for it: "rewritten", or "would be rewritten".
    """
    hider = Hider.of(result)
    changes = result.changes_by_file()
    for file in result.files:
        places = ", ".join(
            rule if count == 1 else f"{rule} x{count}"
            for rule, count in rules_of(changes.get(file.path, [])).items()
        )
        yield visible(f"{shown(file.path)}: {done} by {places}")
    for kind in Kind:
        for finding in result.of_kind(kind):
            place = f"{shown(finding.path)}:{finding.place}"
            message = hider.in_prose(finding.message)
            yield visible(f"{place}: {kind.value}: {message} [{finding.rule}]")
    names = result.rewritten + result.refused + result.suppressed
    if not names and not result.findings and not result.files:
        yield "nothing to do: no file uses the old API"
        return
    yield counts(result, done)


def counts(result: Result, done: str) -> str:
    """How many trials and legacy names there are, and what became of them."""
    names = result.rewritten + result.refused + result.suppressed
    return (
        f"{result.migrated} of {_plural(result.trials, 'trial')} {done}; "
        f"{_plural(names, 'legacy name')}: {result.rewritten} rewritten, "
        f"{result.refused} left as they were, {result.suppressed} suppressed"
    )


def rules_of(changes: list[Change]) -> dict[str, int]:
    """How many places of a file each rule rewrites."""
    return dict(sorted(Counter(change.rule for change in changes).items()))


def shown(path: Path) -> str:
    """A path as the user would write it."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def _plural(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
