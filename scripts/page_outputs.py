"""Run the commands of the pages in a fresh clone, and print below each what it prints.

python scripts/page_outputs.py                     # all pages: writes what has changed
python scripts/page_outputs.py --check README.md   # one page; exit 1 where it shows something else

Every ``console`` block of a page is run, in one clone for the page, with the examples of the work
tree. Below a command is all that it prints where its output is no terminal: a line ``...`` stands
for omitted lines, and times and ids are any (`_VARIES`). Of what has changed, as many lines before
the first ``...`` and after the last one are written as there were.
"""

from __future__ import annotations

import argparse
import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGES = tuple(
    str(page.relative_to(ROOT))
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
    if "```console\n" in page.read_text(encoding="utf-8")
)
OMITTED = "..."
_BLOCK = re.compile(r"(?<=^```console\n)\$ .*?(?=^```$)", re.MULTILINE | re.DOTALL)
_SHOWN = re.compile(r"^\$ (.*\n)((?:(?!\$ ).*\n)*)", re.MULTILINE)
_VARIES = re.compile(
    r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"  # checkpoints
    r"|\b\d+(\.\d+)? ?m?s\b"  # seconds
    r"|\b\d{4}-\d\d-\d\d( \d\d:\d\d(:\d\d)?)?\b"
)


def main() -> int:
    """Write the pages, or compare them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    parser.add_argument("pages", nargs="*", default=PAGES, metavar="PAGE")
    arguments = parser.parse_args()
    differences = []
    for name in arguments.pages:
        page = ROOT / name
        old = page.read_text(encoding="utf-8")
        new = run_page(old)
        differences += difflib.unified_diff(
            old.splitlines(), new.splitlines(), name, "what it prints", lineterm="", n=1
        )
        if not arguments.check:
            page.write_text(new, encoding="utf-8")
    print("\n".join(differences))
    return 1 if differences and arguments.check else 0


def run_page(text: str) -> str:
    """Run the commands of a page in a fresh clone; return the page with what they print."""
    with tempfile.TemporaryDirectory(prefix="clone-") as scratch:
        clone = Path(scratch, "pedl2det")
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        examples = "legacy_examples"
        ignored = shutil.ignore_patterns("__pycache__", "runs")
        shutil.copytree(ROOT / examples, clone / examples, dirs_exist_ok=True, ignore=ignored)
        environment = {"XDG_STATE_HOME": scratch}

        def printed(command: str, shown: str) -> str:
            lines = "".join(run_command(command, clone, environment))
            return shown if shows(shown, lines) else elided(lines, shown)

        return replace_outputs(text, printed)


def replace_outputs(text: str, printed: Callable[[str, str], str]) -> str:
    """Replace what a page shows below its commands, in their order.

    Args:
        text: the page.
        printed: returns the new lines, of a command and what is shown below it.
    """

    def with_output(match: re.Match[str]) -> str:
        return f"$ {match[1]}{printed(match[1], match[2])}"

    return _BLOCK.sub(lambda block: _SHOWN.sub(with_output, block[0]), text)


def run_command(
    command: str, directory: Path, environment: dict[str, str] | None = None
) -> Iterator[str]:
    """Run a command of a page in a shell; yield its lines, and end if it fails."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    process = subprocess.Popen(
        ["bash", "-c", command],
        cwd=directory,
        env={**os.environ, **(environment or {}), "PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    lines = []
    for line in process.stdout:
        lines.append(line)
        yield line
    if process.wait():
        sys.exit(f"$ {command}{''.join(lines)}it ended with exit code {process.returncode}")


def shows(shown: str, printed: str) -> bool:
    """Whether a page shows what a command prints, all of it and in its order."""
    lines = _steady(shown).splitlines(keepends=True)
    pattern = "".join(
        "(?:.*\n)+?" if line.rstrip() == OMITTED else re.escape(line) for line in lines
    )
    return re.fullmatch(pattern, _steady(printed)) is not None


def _steady(text: str) -> str:
    return _VARIES.sub("(varies)", text)


def elided(printed: str, shown: str) -> str:
    """Return what is printed, with as many lines as are shown around what is omitted."""
    lines, old = printed.splitlines(keepends=True), shown.splitlines(keepends=True)
    omitted = [number for number, line in enumerate(old) if line.rstrip() == OMITTED]
    first, last = (omitted[0], len(old) - omitted[-1] - 1) if omitted else (len(lines), 0)
    if first + last >= len(lines):
        return printed
    between = [line for line in old[first : len(old) - last] if line in (*lines, f"{OMITTED}\n")]
    return "".join([*lines[:first], *between, *lines[len(lines) - last :]])


if __name__ == "__main__":
    sys.exit(main())
