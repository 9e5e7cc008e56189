"""Migrate trials that others wrote; print what becomes of them, and what code none of them reaches.

Usage: foreign.py [DATA] [--save DIR] [--lines] [--whole] [--verify [NAME...]] [--trainings N]

DATA holds the trials, as ``*_trials*/TRIAL/``; they are copied before anything is done.
``--save`` keeps what was written and reported, so that two versions of the tool can be compared
byte for byte by ``diff -r``. ``--lines`` names the lines that no trial reaches. ``--verify`` trains
old and new instead, one line a trial; with ``--whole`` each of them is carried over whole (P034),
and with ``--trainings`` it is trained no oftener, by its other configs and values, than that.
"""

from __future__ import annotations

import argparse
import functools
import os
import shutil
import sys
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import coverage

if TYPE_CHECKING:
    from pedl2det.engine.migration import Options, Result

ROOT = Path(__file__).parent.parent
DATA = Path(os.environ.get("PEDL2DET_FOREIGN", ROOT.parent / "shared" / "data"))
CODE = ROOT / "codemods" / "pedl2det"
#: The rooms between reading a trial and writing it; the rest is what is around them.
CORE = ("analysis", "edits", "engine", "rules", "scripts", "support", "texts", "fixes.py")


def main() -> None:
    """Migrate all of them: for a laptop, for a cluster, and carried over whole."""
    parser = argparse.ArgumentParser(description="Migrate trials that others wrote.")
    parser.add_argument("data", nargs="?", type=Path, default=DATA)
    parser.add_argument("--save", type=Path, help="keep what was written and reported here")
    parser.add_argument("--lines", action="store_true", help="name the lines nobody reaches")
    parser.add_argument("--whole", action="store_true", help="prove each carried over whole")
    parser.add_argument("--verify", nargs="*", metavar="NAME", help="prove these trials, or all")
    parser.add_argument("--trainings", type=int, metavar="N", help="of each, after the first one")
    given = parser.parse_args()
    trials = sorted(path for path in given.data.glob("*_trials*/*/"))
    if not trials:
        sys.exit(f"{given.data}: no trials (*_trials*/TRIAL/)")
    if given.verify is not None:
        named = [path for path in trials if path.name in given.verify]
        sys.exit(verify(named or trials, given.whole, given.trainings))
    measured = coverage.Coverage(data_file=None, include=[f"{CODE}/*"])
    with tempfile.TemporaryDirectory() as directory:
        out = (given.save or Path(directory)).resolve()
        measured.start()
        for form in ("alone", "cluster", "whole"):
            place = out / form
            statuses = Counter[str]()
            for trial in trials:
                copy = place / trial.parent.name / trial.name
                shutil.copytree(trial, copy)
                statuses.update(migrated(copy, form == "cluster", form == "whole"))
            print(f"{place.name}: {len(trials)} directories,", _counted(statuses))
        for trial in trials:  # as a team has them: in one repository
            shutil.copytree(trial, out / "together" / trial.parent.name / trial.name)
        print(
            "together:", _counted(Counter(migrated(out / "together", cluster=False, whole=False)))
        )
        measured.stop()
        print_unreached(measured, given.lines)


def migrated(directory: Path, cluster: bool, whole: bool) -> list[str]:
    """Migrate a trial in place; return how far each trial of it came."""
    from pedl2det.engine import Options, migrate

    os.chdir(directory)
    options = Options(partial=True, cluster=cluster, carries=lambda _: whole, jobs=2)
    result = migrate([Path()], options)
    for file in result.files:
        file.path.write_bytes(file.new)
    found = [
        f"{one.path}:{one.line}: {one.kind.value} {one.rule}: {one.message}\n    {one.help}\n"
        for one in result.findings
    ]
    found += [f"{one.directory}: {one.status.value}\n" for one in result.outcomes]
    text = "".join([*found, *result.tracebacks]).replace(str(directory), ".")
    Path("findings.txt").write_text(text, encoding="utf-8")
    defects = ["with a defect of ours"] * len(result.tracebacks)
    return [*(one.status.value for one in result.outcomes), *defects]


def print_unreached(measured: coverage.Coverage, with_lines: bool) -> None:
    """Print the statements that no trial reaches, file by file, most of them first."""
    files = [path for part in CORE for path in (CODE / part).rglob("*.py")] + [CODE / CORE[-1]]
    files = [path for path in files if path.parent.name != "pieces"]  # texts
    found = []
    total = 0
    for path in sorted(files):
        _, statements, _, missing, text = measured.analysis2(str(path))
        total += len(statements)
        found.append((len(missing), len(statements), path.relative_to(CODE), text))
    for missing, statements, path, text in sorted(found, key=lambda one: -one[0]):
        if missing:
            share = 100 * missing / statements
            print(f"{missing:5} of {statements:4} {share:4.0f} %  {path}")
            if with_lines:
                print(f"      {text}")
    unreached = sum(one[0] for one in found)
    print(f"{unreached} of {total} statements, {100 * unreached / total:.1f} %, reached by none")


def verify(trials: list[Path], whole: bool, trainings: int | None) -> int:
    """Prove each trial as ``migrate`` does, but in one form alone; it wants TensorFlow."""
    from pedl2det.engine import Options, migrate
    from pedl2det.verify.series import Series, prove

    verdicts = Counter[str]()
    for trial in trials:
        with tempfile.TemporaryDirectory() as directory:
            copy = Path(directory, trial.name)
            shutil.copytree(trial, copy)
            options = Options(carries=lambda _: whole)
            again = functools.partial(_migrate_again, copy, options)
            result = migrate([copy], options)
            limits = {} if trainings is None else {"trainings": trainings, "seconds": 0.0}
            series = Series(len(result.outcomes), _print_progress, **limits)
            result = prove(result, series.by_configs, again, only_proved=False)
            for outcome in [one for one in result.outcomes if one.proof is not None]:
                name, proof = outcome.directory.relative_to(directory), outcome.proof
                verdicts[proof.outcome] += 1
                print(f"{name}: {outcome.status.value}: {proof.message}", flush=True)
            if not result.outcomes:
                print(f"{trial.name}: no trial of an old API", flush=True)
    print(_counted(verdicts))
    return int(set(verdicts) != {"equal"})


def _print_progress(line: str) -> None:
    print(line, file=sys.stderr)


def _migrate_again(directory: Path, options: Options, **changes: Any) -> Result:
    """Migrate a trial with other options, in the same form."""
    from pedl2det.engine import migrate

    return migrate([directory], replace(options, **{**changes, "carries": options.carries}))


def _counted(statuses: Counter[str]) -> str:
    return ", ".join(f"{number} {status}" for status, number in statuses.most_common())


if __name__ == "__main__":
    main()
