"""Run a campaign for some minutes, and print its figures; return 0 if nothing is wrong."""

from __future__ import annotations

import argparse
import os
import random
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import support
from campaign.damages import Damages, Patient
from campaign.inputs import complaint, inputs
from campaign.kills import Kills, Victim
from campaign.trials import write_trials
from zygote import Zygote

#: Of the time, what goes to kills; the rest goes to damaged checkpoints.
KILLS_SHARE = 0.45
#: Of damages, what goes to HDF5 files whose hashes are made right.
HDF5_SHARE = 0.3


def main() -> int:
    """Run hostile inputs, then kills, then damages."""
    options = _options()
    os.environ["TF_USE_LEGACY_KERAS"] = "1"
    support.zygote = Zygote()
    end = time.monotonic() + 60 * options.minutes
    with tempfile.TemporaryDirectory(prefix="campaign-") as scratch:
        home = Path(scratch).resolve()
        directories = [path for path in write_trials(home) if options.trial in path.name]
        wrong = _hand_in_inputs(home)
        now = time.monotonic()
        kills_end = now + options.kills * (end - now)
        with ThreadPoolExecutor(options.jobs) as pool:
            shares = [directories[number :: options.jobs] for number in range(options.jobs)]
            seeds = [f"{options.seed}-{number}" for number in range(options.jobs)]
            ends = [kills_end] * options.jobs
            kills = list(pool.map(_kill, shares, seeds, ends))
            hdf5 = [options.hdf5] * options.jobs
            damages = list(pool.map(_damage, shares, seeds, hdf5, [end] * options.jobs))
    support.zygote.stop()
    wrong += _print_kills(kills) + _print_damages(damages)
    return 1 if wrong else 0


def _hand_in_inputs(home: Path) -> int:
    wrong = count = 0
    for name, arguments in inputs(home / "inputs"):
        count += 1
        problem = complaint(arguments, home / "inputs")
        if problem is not None:
            wrong += 1
            print(f"{name}: {problem}", flush=True)
    print(f"hostile inputs: {count}, {wrong} answered wrongly", flush=True)
    return wrong


def _kill(directories: list[Path], seed: str, end: float) -> Kills:
    chance, tally = random.Random(seed), Kills()
    victims = [Victim(one, one.with_name(f"{one.name}-kills")) for one in directories]
    while victims and time.monotonic() < end:
        for victim in victims:
            if time.monotonic() < end:
                victim.kill_once(chance, tally)
    return tally


def _damage(directories: list[Path], seed: str, hdf5: float, end: float) -> Damages:
    chance, tally = random.Random(seed), Damages()
    patients = [Patient(one, one.with_name(f"{one.name}-damages")) for one in directories]
    while patients and time.monotonic() < end:
        for patient in patients:
            if time.monotonic() < end:
                hurt = patient.attack_once if chance.random() < hdf5 else patient.damage_once
                hurt(chance, tally)
    return tally


def _print_kills(tallies: list[Kills]) -> int:
    lost = [one for tally in tallies for one in tally.lost]
    differing = [one for tally in tallies for one in tally.differing]
    killed, after_report, whole = (
        sum(getattr(one, name) for one in tallies) for name in ("killed", "after_report", "whole")
    )
    print(
        f"kills: {killed} ({after_report} after a report), runs compared: {whole}, "
        f"lost: {len(lost)}, differing: {len(differing)}"
    )
    print(*lost, *differing, sep="\n")
    return len(lost) + len(differing)


def _print_damages(tallies: list[Damages]) -> int:
    wrong = [one for tally in tallies for one in tally.wrong]
    counts = {
        name: sum(getattr(one, name) for one in tallies)
        for name in ("damaged", "refused", "continued", "named")
    }
    peak = max(one.peak_bytes for one in tallies) >> 20
    print(f"damaged checkpoints: {counts}, wrong: {len(wrong)}, at most {peak} MB of memory")
    print(*wrong, sep="\n")
    return len(wrong)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--trial", default="", help="part of a trial's name, to take no others")
    parser.add_argument("--kills", type=float, default=KILLS_SHARE, help="share of the time")
    parser.add_argument("--hdf5", type=float, default=HDF5_SHARE, help="share of the damages")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
