"""A repository of 2,000 files, 50 of them legacy: migrate against the least that it could do.

The least: read every file, and ``libcst.parse_module`` for the legacy ones. CPU seconds of whole
processes, with modules compiled, as pip leaves them.
"""

from __future__ import annotations

import os
import random
import shutil
import sys
import tempfile
from pathlib import Path

from comparison import Comparison, in_turns, used

FILES, LEGACY = 2000, 50
EXAMPLES = Path(__file__).parent.parent / "legacy_examples"
MIGRATED = ("iris", "digits", "digits_keras_trial", "wine_two_outputs", "iris_download")

LEAST = """\
import sys
from pathlib import Path
import libcst
for path in Path(sys.argv[1]).rglob("*.py"):
    data = path.read_bytes()
    if b"pedl" in data:
        libcst.parse_module(data)
"""
MIGRATE = ("pedl2det", "migrate", "--force", "--no-verify", "--jobs", "1")
MIGRATED_FIRST = 80  # files, so that all modules are compiled

FUNCTION = '''\
def {name}(values, size={size}, *, scale=1.0):
    """Return {name} of some values, as the {noun} needs it."""
    if not values:
        raise ValueError(f"{name}: expected values, got {{values!r}}")
    # The {noun} wants them in order.
    total = sum(value * scale for value in values[:size])
    return {{"{noun}": total / max(len(values), 1), "size": size, "name": "{name}"}}


'''
NOUNS = ("loader", "model", "metric", "schedule", "image", "record", "session", "weight", "batch")


def make_tree(root: Path, files: int = FILES) -> None:
    """Write the same repository each time: packages of plain files, and trials among them."""
    chance = random.Random(0)
    legacy = 0
    while legacy < LEGACY * files // FILES:
        for name in MIGRATED:
            to = root / "trials" / f"{name}_{legacy}"
            ignored = shutil.ignore_patterns("data", "__pycache__")
            shutil.copytree(EXAMPLES / name, to, ignore=ignored)
            legacy += sum(b"pedl" in path.read_bytes() for path in to.glob("*.py"))
    present = sum(1 for _ in root.rglob("*.py"))
    for number in range(files - present):
        path = root / f"package_{number // 40}" / f"module_{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_plain(chance))


def _plain(chance: random.Random) -> str:
    """A module of a library, of some 20 to 700 lines."""
    code = "import os\nimport sys\n\nimport numpy as np\n\n\n"
    for number in range(chance.randint(2, 80)):
        noun = chance.choice(NOUNS)
        code += FUNCTION.format(name=f"{noun}_{number}", noun=noun, size=chance.randint(1, 99))
    return code


def measure(rounds: int) -> list[Comparison]:
    """Measure CPU seconds."""
    ours, least = ("-m", *MIGRATE), ("-c", LEAST)
    found = in_turns(
        {"ours": lambda: seconds_in(FILES, *ours), "least": lambda: seconds_in(FILES, *least)},
        rounds,
    )
    what = f"migrate, {FILES} files, {LEGACY} of them legacy"
    return [Comparison(what, found["ours"], "reading and parsing", found["least"], "s")]


def migrated_in(files: int) -> float:
    """Return the CPU seconds of the migration of a repository with so many files."""
    return seconds_in(files, "-m", *MIGRATE)


def seconds_in(files: int, *arguments: object) -> float:
    """Return the CPU seconds of a process of Python on a repository; its second start counts."""
    with tempfile.TemporaryDirectory() as temporary:
        state = {"XDG_STATE_HOME": temporary, "PYTHONPYCACHEPREFIX": f"{temporary}/compiled"}
        for name in ("first", "second"):
            copy = Path(temporary, name)
            make_tree(copy, files if name == "second" else MIGRATED_FIRST)
            os.sync()  # or the process pays for the writing of the files
            spent = used([sys.executable, *arguments, copy], state).seconds
        return spent
