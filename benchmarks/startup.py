"""What has to be quick at the start, against what it stands on, as ratios in one run.

The command line is compared with Python importing click, ``import pedl`` with TensorFlow.

python benchmarks/startup.py [REPEATS]
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

CLICK, TENSORFLOW = "import click", "import tensorflow"
COMMANDS = {
    CLICK: (CLICK, [sys.executable, "-c", CLICK]),
    "pedl2det --help": (CLICK, [sys.executable, "-m", "pedl2det", "--help"]),
    "pedl2det rules": (CLICK, [sys.executable, "-m", "pedl2det", "rules"]),
    TENSORFLOW: (TENSORFLOW, [sys.executable, "-c", TENSORFLOW]),
    "import pedl": (TENSORFLOW, [sys.executable, "-c", "import pedl"]),
}


def seconds(command: list[str]) -> float:
    """The seconds that a command takes."""
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def main(repeats: int) -> None:
    """Measure in turns and print each command against its base."""
    times: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(repeats):
        for name, (_, command) in COMMANDS.items():
            times[name].append(seconds(command))
    medians = {name: statistics.median(taken) for name, taken in times.items()}
    for name, (base, _) in COMMANDS.items():
        ratio = medians[name] / medians[base]
        print(f"{name:<18} {medians[name] * 1000:5.0f} ms  {ratio:.2f} of {base}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
