"""Runs on two ranks, of which one is killed at random moments; the launcher starts both again.

``nox -s campaign -- ranks --kills 25``.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from campaign.kills import reported_bytes
from support import heed_signals, write_tree
from test_run import reports, weights
from test_start_ranks import CONFIG, TRIAL, processes_of

BATCHES = ("--set", "searcher.max_length.batches=300", "--set", "max_restarts=100")


def run(directory: Path, out: Path) -> subprocess.Popen[str]:
    """Start a run, which starts its ranks."""
    return subprocess.Popen(
        [sys.executable, "-m", "pedl2det", "run", directory, "--out", out, *BATCHES],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        preexec_fn=heed_signals,
    )


def ranks_of(out: Path) -> list[int]:
    """The processes of both ranks, the chief first."""
    found = {}
    for pid in processes_of(out):
        try:
            words = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        except OSError:
            continue
        for rank in (0, 1):
            if b"HOROVOD_RANK=%d" % rank in words:
                found.setdefault(rank, pid)
    return [found[rank] for rank in sorted(found)]


def killed(directory: Path, out: Path, chance: random.Random) -> tuple[int, str]:
    """Kill one of the ranks after each time that there is a new report, three times in a run."""
    process, kills = run(directory, out), 0
    while process.poll() is None and kills < 3:
        before = reported_bytes(out)
        while process.poll() is None and reported_bytes(out) <= before:
            time.sleep(0.005)
        time.sleep(chance.uniform(0, 0.5))
        ranks = ranks_of(out)
        if process.poll() is None and len(ranks) == 2:
            victim = chance.choice(ranks)
            os.kill(victim, signal.SIGKILL)
            kills += 1
            while Path(f"/proc/{victim}").exists() and process.poll() is None:
                time.sleep(0.01)
            while process.poll() is None and set(ranks_of(out)) & set(ranks):
                time.sleep(0.01)
    said, _ = process.communicate()
    return kills, f"exit {process.returncode}: {said}"


def main() -> int:
    """Kill so often; print what was lost or came out otherwise."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=25)
    options = parser.parse_args()
    chance, kills, wrong, runs = random.Random(6), 0, [], 0
    with tempfile.TemporaryDirectory() as scratch:
        files = {"model_def.py": TRIAL, "const.yaml": CONFIG}
        directory = write_tree(Path(scratch, "trial"), files)
        whole = Path(scratch, "whole")
        run(directory, whole).communicate()
        while kills < options.kills:
            out, runs = Path(scratch, str(runs)), runs + 1
            more, words = killed(directory, out, chance)
            kills += more
            is_same = words.startswith("exit 0") and weights(out) == weights(whole)
            if not (is_same and reports(out) == reports(whole)):
                wrong.append(words)
            print(f"{runs} runs, {kills} kills, {len(wrong)} wrong", flush=True)
    print(*wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
