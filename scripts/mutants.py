"""Break the code on purpose, one break at a time, and see the tests notice each (mutants.toml).

Usage: python scripts/mutants.py [--source CHECKOUT] [WORD ...]

A break is made in a copy of the checkout, and the tests that should notice it run there: of those
that every run has (noxfile.py), none that take turns. Without a break they must pass, or a failure
shows nothing.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("compat", "runtime", "codemods")
EVERY_RUN = "not oracle and not ranks and not turns"


def main() -> int:
    """Try the breaks; say which of them no test noticed."""
    parser = argparse.ArgumentParser(description="Break the code, and see the tests notice.")
    parser.add_argument("words", nargs="*", help="of the files to break; all if there is none")
    parser.add_argument("--source", type=Path, default=ROOT, help="a checkout, maybe of old code")
    options = parser.parse_args()

    mutants = tomllib.loads((ROOT / "scripts" / "mutants.toml").read_text())["mutant"]
    chosen = [one for one in mutants if _is_asked_for(one, options.words)]
    with tempfile.TemporaryDirectory(prefix="mutants-") as scratch:
        copy = Path(scratch, "copy")
        unwanted = shutil.ignore_patterns(".*", "build", "__pycache__")
        shutil.copytree(options.source, copy, ignore=unwanted)
        missed = [mutant for mutant in chosen if not _is_noticed(mutant, copy)]
    print(f"{len(chosen) - len(missed)} of {len(chosen)} breaks are noticed")
    return 1 if missed else 0


def _is_asked_for(mutant: dict[str, Any], words: list[str]) -> bool:
    return not words or any(word in mutant["file"] for word in words)


def _is_noticed(mutant: dict[str, Any], copy: Path) -> bool:
    """Break a file, and whether the tests then fail that pass without the break."""
    path = copy / mutant["file"]
    text = path.read_text()
    if text.count(mutant["old"]) != 1:
        sys.exit(f"{mutant['file']}: what is to be broken is not there once: {mutant['old']}")
    path.write_text(text.replace(mutant["old"], mutant["new"]))
    broken = _failures(copy, mutant["tests"])
    path.write_text(text)
    whole = _failures(copy, broken) if broken else []
    noticed = [test for test in broken if test not in whole]
    print(f"{'noticed' if noticed else 'MISSED ':8}{mutant['file']}: {mutant['what']}")
    print(*(f"        {test}" for test in noticed[:1]), sep="\n", flush=True)
    return bool(noticed)


def _failures(copy: Path, tests: list[str]) -> list[str]:
    """The first of some tests that fails, if any does."""
    python_path = os.pathsep.join(str(copy / room) for room in ROOMS)
    options = ("-x", "-q", "-rfE", "--tb=no", "-p", "no:cacheprovider", "-m", EVERY_RUN)
    there = [test for test in tests if (copy / test.partition("::")[0]).exists()]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, *there],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": python_path},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode not in (0, 1):
        sys.exit(done.stdout + done.stderr)
    lines = [line.partition(" - ")[0].split(" ", 1) for line in done.stdout.splitlines()]
    # Without its parameters, which pytest shortens and which may hold anything.
    return [line[1].partition("[")[0] for line in lines if line[0] in ("FAILED", "ERROR")]


if __name__ == "__main__":
    sys.exit(main())
