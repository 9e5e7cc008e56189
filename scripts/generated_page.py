"""Write a page that is made from code, or with ``--check`` compare it with its file."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def write_or_check(target: Path, page: str) -> int:
    """Write a page; with ``--check``, return 1 if its file has another text.

    Args:
        target: the file of the page.
        page: its text.
    """
    if "--check" not in sys.argv[1:]:
        target.write_text(page, encoding="utf-8")
    elif not target.exists() or target.read_text(encoding="utf-8") != page:
        script = Path(sys.argv[0]).name
        print(f"{target.relative_to(ROOT)} is out of date: python scripts/{script}")
        return 1
    return 0
