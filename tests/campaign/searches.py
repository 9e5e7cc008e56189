"""Searches that are killed at random moments and taken up until they end.

``nox -s campaign -- searches --kills 25``.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from support import EXAMPLES, heed_signals
from test_search import batches, trained, write_config

TRIALS = 3


def search(out: Path, config: Path, *more: str) -> subprocess.Popen[str]:
    """Start a search of two trials at a time."""
    command = ["search", str(EXAMPLES / "iris"), "-c", str(config), "--out", str(out)]
    return subprocess.Popen(
        [sys.executable, "-m", "pedl2det", *command, "--jobs", "2", *more],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        preexec_fn=heed_signals,
    )


def killed(out: Path, config: Path, chance: random.Random) -> tuple[int, str]:
    """Kill a search after reports of its trials, again and again; how often, its last words."""
    kills = 0
    while True:
        process = search(out, config, *(["--resume"] if out.is_dir() else []))
        before, most = reported(out), chance.uniform(0, 4) * 1.2**kills
        while process.poll() is None and reported(out) <= before:
            time.sleep(0.005)
        until = time.monotonic() + most
        while process.poll() is None and time.monotonic() < until:
            time.sleep(0.005)
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
        said, _ = process.communicate()
        if process.returncode != -signal.SIGKILL:
            return kills, f"exit {process.returncode}: {said}"
        kills += 1


def reported(out: Path) -> int:
    """The bytes of all reports."""
    return sum(log.stat().st_size for log in out.glob("trials/*/metrics.jsonl"))


def main() -> int:
    """Kill so often; print what was lost or came out otherwise."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=25)
    options = parser.parse_args()
    chance, kills, wrong, searches = random.Random(4), 0, [], 0
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch)
        config = write_config(home / "random.yaml", f"name: random, max_trials: {TRIALS}")
        whole = home / "whole"
        said, _ = search(whole, config).communicate()
        best = re.search(r"best: trial .*", said)
        assert best is not None, said
        while kills < options.kills:
            out, searches = home / str(searches), searches + 1
            more, words = killed(out, config, chance)
            kills += more
            same = (trained(out), batches(out)) == (trained(whole), batches(whole))
            if not (words.startswith("exit 0") and same and best[0] in words):
                wrong.append(f"{words}\n{trained(out)} {batches(out)}\n{best[0]}")
            print(f"{searches} searches, {kills} kills, {len(wrong)} wrong", flush=True)
    print(*wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
