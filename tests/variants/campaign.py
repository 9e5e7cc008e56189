"""Migrate many variants and count how many are finished: `nox -s variants -- --count 1000`.

Failures are written below `--out`: the variant, what became of it, what the tool said.
"""

from __future__ import annotations

import argparse
import functools
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from variants.comparison import Comparer
from variants.generate import Variant, variants
from variants.import_check import failed_imports
from variants.project import CONTEXT_BASED, config_path, write_project
from variants.rehearsal import difference
from variants.tool import Outcome, Trainer, migrate_by_command, migrate_in_process
from variants.trying import Trial, keep, migrate_variant

BATCHES = 20
#: Directories that one process imports; it loads TensorFlow once.
IMPORTED_TOGETHER = 200


def main() -> int:
    """Run a campaign; return 0 if nothing failed but what is begun or left."""
    options = _options()
    shutil.rmtree(options.out, ignore_errors=True)
    options.out.mkdir(parents=True)
    with tempfile.TemporaryDirectory(prefix="variants-") as scratch:
        home = Path(scratch).resolve()
        if options.check_variants:
            return _check_variants(options, home)
        return _migrate(options, home)


def _migrate(options: argparse.Namespace, home: Path) -> int:
    migrate = migrate_by_command if options.command else migrate_in_process
    work = functools.partial(migrate_variant, home=home, migrate=migrate)
    made = list(variants(options.count, options.seed))
    with ProcessPoolExecutor(options.jobs) as pool:
        wrong = _print_differences(made, pool.map(_difference, made, chunksize=8))
        tried = list(pool.map(work, made, chunksize=8))
    for trial in tried:
        if not trial.is_good:
            keep(trial, options.out)
    _print_counts(tried)
    finished = [trial for trial in tried if trial.outcome is Outcome.FINISHED]
    wrong += sum(bool(trial.faults) or trial.outcome is Outcome.CRASHED for trial in tried)
    wrong += _check_imports(finished, options.out)
    wrong += _verify(finished, options, home)
    return 1 if wrong else 0


def _difference(variant: Variant) -> str:
    return difference(variant.files, variant.example)


def _print_differences(made: list[Variant], found: Iterable[str]) -> int:
    """Print the variants that are none, for an error of ours; return how many."""
    wrong = [(variant, one) for variant, one in zip(made, found, strict=True) if one]
    for variant, problem in wrong:
        print(f"no variant: {variant.name}: {' '.join(variant.applied)}: {problem}")
    print(f"call what their examples call: {len(made) - len(wrong)} of {len(made)}")
    return len(wrong)


def _print_counts(tried: list[Trial]) -> None:
    counts = Counter(trial.outcome for trial in tried)
    for outcome in Outcome:
        print(f"{outcome.value:10} {counts[outcome]:5}  {counts[outcome] / len(tried):6.1%}")
    old = [trial for trial in tried if trial.variant.example not in CONTEXT_BASED]
    finished = sum(trial.outcome is Outcome.FINISHED for trial in old)
    print(f"finished of old trials: {finished} of {len(old)}, {finished / len(old):.1%}")
    print(f"promises broken: {sum(bool(trial.faults) for trial in tried)}")
    _print_shares("example", [(trial.variant.example, trial.is_good) for trial in tried])
    pairs = [(name, trial.is_good) for trial in tried for name in sorted({*trial.variant.applied})]
    _print_shares("transformation", pairs)


def _print_shares(title: str, pairs: list[tuple[str, bool]]) -> None:
    """Print the share of finished variants by a property, the smallest first."""
    total = Counter(name for name, _ in pairs)
    good = Counter(name for name, is_good in pairs if is_good)
    print(f"finished by {title}:")
    for name in sorted(total, key=lambda name: good[name] / total[name]):
        print(f"  {good[name] / total[name]:6.1%} of {total[name]:4}  {name}")


def _check_imports(finished: list[Trial], out: Path) -> int:
    """Import what was migrated; return how many trials fail."""
    errors: dict[Path, str] = {}
    for start in range(0, len(finished), IMPORTED_TOGETHER):
        some = finished[start : start + IMPORTED_TOGETHER]
        errors |= failed_imports([trial.directory for trial in some])
    for trial in finished:
        if trial.directory in errors:
            keep(trial, out, f"does not import: {errors[trial.directory]}")
    print(f"imported: {len(finished) - len(errors)} of {len(finished)}")
    return len(errors)


def _verify(finished: list[Trial], options: argparse.Namespace, home: Path) -> int:
    """Verify a sample of what was finished; return how many are not equal."""
    chance = random.Random(options.seed)
    sample = chance.sample(finished, min(options.verify, len(finished)))
    if not sample:
        return 0
    with Trainer() as trainer:
        wrong = 0
        for trial in sample:
            wrong += not _verifies(trainer, trial, options, home)
    print(f"verified: {len(sample) - wrong} of {len(sample)} equal")
    return wrong


def _verifies(trainer: Trainer, trial: Trial, options: argparse.Namespace, home: Path) -> bool:
    variant = trial.variant
    directory = write_project(variant.files, variant.example, home / "verify" / variant.name)
    code, said = trainer.verify(directory, directory / config_path(variant.files), BATCHES)
    shutil.rmtree(directory)
    if code:
        keep(trial, options.out, f"verify:\n{said}")
        print(f"not equal: {variant.name}: {said.strip().splitlines()[-1]}", flush=True)
    return code == 0


def _check_variants(options: argparse.Namespace, home: Path) -> int:
    """Train variants, not migrated, beside their examples; return 1 if one differs."""
    wrong = total = 0
    with Trainer() as trainer:
        comparer = Comparer(trainer, home, batches=5)
        for variant in variants(options.check_variants, options.seed):
            total += 1
            found = comparer.compare(variant)
            if found.problem:
                wrong += 1
                print(f"{variant.name}: {' '.join(variant.applied)}: {found.problem}", flush=True)
    print(f"trained as their examples: {total - wrong} of {total}")
    return 1 if wrong else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="variants to migrate")
    parser.add_argument("--verify", type=int, default=0, help="finished ones to verify")
    parser.add_argument(
        "--check-variants",
        type=int,
        default=0,
        metavar="N",
        help="migrate nothing: train N variants beside their examples",
    )
    parser.add_argument("--seed", type=int, default=0, help="of the first variant")
    parser.add_argument("--jobs", type=int, default=2, help="processes that migrate")
    parser.add_argument("--command", action="store_true", help="use the command line")
    parser.add_argument("--out", type=Path, default=Path("build/variants"), help="failures")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
