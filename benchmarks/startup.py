"""The start of the command line against Python importing click, as ratios in one run.

python benchmarks/startup.py [REPEATS]
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

COMMANDS = {
    "import click": [sys.executable, "-c", "import click"],
    "pedl2det --help": [sys.executable, "-m", "pedl2det", "--help"],
    "pedl2det rules": [sys.executable, "-m", "pedl2det", "rules"],
}


def seconds(command: list[str]) -> float:
    """The seconds that a command takes."""
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def main(repeats: int) -> None:
    """Measure in turns and print each command against the first."""
    times: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(repeats):
        for name, command in COMMANDS.items():
            times[name].append(seconds(command))
    medians = {name: statistics.median(taken) for name, taken in times.items()}
    base = medians["import click"]
    for name, taken in medians.items():
        print(f"{name:<16} {taken * 1000:4.0f} ms  ratio {taken / base:.2f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
