"""Write docs/rules.md from the docstrings and cases of the rules.

python scripts/rules_page.py           # writes it
python scripts/rules_page.py --check   # exit 1 if it is not what would be written
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from generated_page import ROOT, write_or_check

from pedl2det.rules import Rule, every_rule

TARGET = ROOT / "docs" / "rules.md"
HEAD = """\
# Rules

What `pedl2det migrate` rewrites, rule by rule (`scripts/rules_page.py` writes this page). An
example shows the files of a trial that the rule is about, before and after the whole migration.
`--select RULE` and `--ignore RULE` take ids and names.
"""
LANGUAGES = {".py": "python", ".yaml": "yaml", ".ipynb": "json"}


def main() -> int:
    """Write the page, or compare it."""
    return write_or_check(TARGET, "\n".join(_lines()).rstrip() + "\n")


def _lines() -> Iterator[str]:
    yield HEAD
    every = every_rule()
    yield from (f"- [{one.id} {one.name}](#{one.id.lower()}-{one.name})" for one in every)
    yield ""
    for one in every:
        yield f"## {one.id} {one.name}\n"
        yield f"{one.doc.replace('``', '`')}\n"
        if isinstance(one, Rule) and one.forms:
            yield f"Forms: {', '.join(form.value for form in one.forms)}.\n"
        for name, before, after in one.example:
            yield from _file_pair(name, before, after)
        if isinstance(one, Rule) and one.cases and one.cases[0].says:
            yield f"It says: {one.cases[0].says}\n"


def _file_pair(name: str, before: str, after: str) -> Iterator[str]:
    if before == after:
        yield from _file(f"`{name}` does not change:", name, before)
        return
    if before:
        yield from _file(f"Before, `{name}`:", name, before)
    yield from _file(f"After, `{name}`:", name, after)


def _file(title: str, name: str, text: str) -> Iterator[str]:
    language = LANGUAGES.get(Path(name).suffix, "")
    yield f"{title}\n"
    yield f"```{language}\n{text.rstrip()}\n```\n"


if __name__ == "__main__":
    sys.exit(main())
