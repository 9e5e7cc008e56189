"""The commands of the README, in a directory inside the clone that is removed afterwards."""

from __future__ import annotations

import tempfile
from pathlib import Path

from page_outputs import ROOT, replace_outputs, run_command


def main() -> None:
    """Run them, showing each as a user would type it."""
    with tempfile.TemporaryDirectory(prefix="demo-", dir=ROOT) as scratch:
        Path(scratch, "legacy_examples").symlink_to(ROOT / "legacy_examples")

        def printed(command: str, _: str) -> str:
            print(f"\n$ {command}", end="", flush=True)
            for line in run_command(command, Path(scratch)):
                print(line, end="", flush=True)
            return ""

        replace_outputs((ROOT / "README.md").read_text(encoding="utf-8"), printed)


if __name__ == "__main__":
    main()
