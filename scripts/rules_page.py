"""Write docs/rules.md from the docstrings and examples of the rules.

python scripts/rules_page.py           # writes it
python scripts/rules_page.py --check   # exit 1 if it is not what would be written
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from generated_page import ROOT, write_or_check

from pedl2det.rules import every_rule

TARGET = ROOT / "docs" / "rules.md"
HEAD = """\
# Rules

What `pedl2det migrate` rewrites, rule by rule (`scripts/rules_page.py` writes this page). An
example shows files of a trial, and what the whole migration takes from them (`-`), adds to them
(`+`) and says (`!`). `--select RULE` and `--ignore RULE` take ids and names.
"""


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
        if one.example:
            yield f"```diff\n{one.example}```\n"


if __name__ == "__main__":
    sys.exit(main())
