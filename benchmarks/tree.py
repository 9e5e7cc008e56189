"""A repository of 2,000 files, 50 of them legacy: migrate against the least that it could do.

The least: read every file, and ``libcst.parse_module`` for the legacy ones. Both sides are
processes of their own, in turns; the times are the CPU seconds of whole processes. Both find their
modules compiled, as pip leaves them.

python benchmarks/tree.py [REPEATS]
"""

from __future__ import annotations

import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

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
MIGRATE = ("-m", "pedl2det", "migrate", "--force", "--jobs", "1")

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


def make_tree(root: Path) -> None:
    """Write the same repository each time: packages of plain files, and trials among them."""
    chance = random.Random(0)
    legacy = 0
    while legacy < LEGACY:
        for name in MIGRATED:
            to = root / "trials" / f"{name}_{legacy}"
            ignored = shutil.ignore_patterns("data", "__pycache__")
            shutil.copytree(EXAMPLES / name, to, ignore=ignored)
            legacy += sum(b"pedl" in path.read_bytes() for path in to.glob("*.py"))
    present = sum(1 for _ in root.rglob("*.py"))
    for number in range(FILES - present):
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


def seconds(*arguments: object) -> float:
    """The CPU seconds of a process of Python, from its start to its end."""
    process = subprocess.Popen(
        [sys.executable, *map(str, arguments)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    assert status == 0, f"{arguments}: {status}"
    return used.ru_utime + used.ru_stime


def main(repeats: int) -> None:
    """Measure in turns and print migrate against the least."""
    with tempfile.TemporaryDirectory() as temporary:
        os.environ["XDG_STATE_HOME"] = temporary  # the journals of these runs
        os.environ["PYTHONPYCACHEPREFIX"] = temporary
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        original, copy = Path(temporary, "original"), Path(temporary, "copy")
        make_tree(original)
        files = [path.read_bytes() for path in original.rglob("*.py")]
        lines = sum(data.count(b"\n") for data in files)
        legacy = sum(b"pedl" in data for data in files)
        print(f"{len(files)} files, {lines} lines, {legacy} of the files legacy")
        least, ours = [], []
        for _ in range(repeats + 1):
            shutil.copytree(original, copy)
            os.sync()  # or who syncs first pays for the writing of the copy
            least.append(seconds("-c", LEAST, copy))
            ours.append(seconds(*MIGRATE, copy))
            shutil.rmtree(copy)
        one, other = statistics.median(ours[1:]), statistics.median(least[1:])  # compiled by now
        print(f"migrate    {one * 1000:5.0f} ms  {one / len(files) * 1e6:.0f} us a file")
        print(f"the least  {other * 1000:5.0f} ms  ratio {one / other:.2f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 7)
