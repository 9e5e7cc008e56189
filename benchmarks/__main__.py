"""Measure everything and write docs/performance.md: ``make bench``.

    python benchmarks [--rounds N] [--no-page] [SUBJECT ...]

Of the page, the sections of the subjects are replaced.

Needs TensorFlow 2.15, determined==0.38.1, Horovod and pedl2det (``nox -s benchmarks``).
"""

from __future__ import annotations

import argparse
import datetime
import importlib
import os
import platform
import re
import sys
from pathlib import Path
from typing import Any

from comparison import Comparison

SUBJECTS = ("throughput", "startup", "memory", "feeding", "scaling", "ranks", "tree")
PAGE = Path(__file__).parent.parent / "docs" / "performance.md"


def main() -> int:
    """Measure the subjects; return 1 if a target is missed."""
    options = _options()
    sections, missed = _sections(PAGE), 0
    for name in options.subjects or SUBJECTS:
        subject = importlib.import_module(name)
        rows = subject.measure(options.rounds)
        sections[name] = _section(name, subject, rows)
        print(sections[name], flush=True)
        missed += sum(not row.is_met for row in rows)
    if not options.no_page:
        parts = [sections[name] for name in SUBJECTS if name in sections]
        PAGE.write_text("\n".join([_head(options.rounds), *parts]))
    print(f"{missed} targets missed")
    return 1 if missed else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--no-page", action="store_true")
    parser.add_argument("subjects", nargs="*", choices=[*SUBJECTS, []])
    return parser.parse_args()


def _sections(page: Path) -> dict[str, str]:
    """Return the sections of the page, by their subjects."""
    text = page.read_text() if page.exists() else ""
    parts = re.split("^(?=## )", text, flags=re.MULTILINE)[1:]
    return {part[3:].partition("\n")[0].lower(): f"{part.rstrip()}\n" for part in parts}


def _head(rounds: int) -> str:
    import tensorflow as tf

    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (
        "# Performance\n\n"
        "Written by `make bench`. The ratios count: both figures of a row were taken in turns in\n"
        "one run, and other machines have other figures.\n\n"
        f"{os.cpu_count()} cores ({platform.machine()}), {memory:.0f} GB, "
        f"Python {platform.python_version()}, TensorFlow {tf.__version__}. "
        f"Medians of {rounds} rounds.\n"
    )


def _section(name: str, subject: Any, rows: list[Comparison]) -> str:
    table = [
        f"## {name.capitalize()}\n",
        f"{(subject.__doc__ or '').strip()} Measured on {datetime.date.today()}.\n",
        "| what | pedl2det | against | | unit | ratio | target | |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
        *map(_line, rows),
    ]
    return "\n".join(table) + "\n"


def _line(row: Comparison) -> str:
    target = ""
    if row.target is not None:
        target = f"{'at least' if row.target > 0 else 'at most'} {abs(row.target):g}"
    mark = "" if row.target is None else "met" if row.is_met else "**missed**"
    figures = (f"{row.ours:.4g}", row.against, f"{row.other:.4g}", row.unit, f"{row.ratio:.2f}")
    return f"| {row.what} | {' | '.join(figures)} | {target} | {mark} |"


if __name__ == "__main__":
    sys.exit(main())
