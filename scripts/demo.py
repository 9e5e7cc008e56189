"""The main job on a copy of the iris example: train the old trial, migrate it, prove it equal."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent


def pedl2det(*arguments: str, where: str) -> None:
    """Run the command line, showing the command as a user would type it."""
    print(f"\n$ pedl2det {' '.join(arguments)}", flush=True)
    subprocess.run([sys.executable, "-m", "pedl2det", *arguments], cwd=where, check=True)


def main() -> None:
    """Do it."""
    with tempfile.TemporaryDirectory() as scratch:
        shutil.copytree(ROOT / "legacy_examples" / "iris", Path(scratch) / "iris")
        pedl2det("run", "iris", "--out", "results/old", where=scratch)
        pedl2det("verify", "iris", where=scratch)
        pedl2det("migrate", "iris", where=scratch)
        pedl2det("run", "iris", "--out", "results/new", "--max-batches", "200", where=scratch)


if __name__ == "__main__":
    main()
