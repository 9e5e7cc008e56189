"""Start-up: against what it stands on, and ``run`` of one batch against a plain script.

The plain script builds, trains one batch, validates and saves the same model on the same data.
Modules are compiled, as pip leaves them.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from comparison import Comparison, in_turns, used
from ways import TRIAL, config_of

SCRIPT = f"""\
import sys
sys.path.insert(0, {str(TRIAL)!r})
import tensorflow as tf
from cases import BATCH, CASES, VALIDATION, arrays, compiled

case = CASES["digits-saved"]
model = compiled(tf.keras.Sequential(case.layers()))
x, y = arrays(case, case.period)
model.fit(x[:BATCH], y[:BATCH], batch_size=BATCH, shuffle=False, verbose=0)
model.evaluate(*arrays(case, VALIDATION), batch_size=BATCH, verbose=0)
model.save(sys.argv[1])
"""


def measure(rounds: int) -> list[Comparison]:
    """Measure seconds of wall time."""
    with tempfile.TemporaryDirectory() as scratch:
        return _measured(Path(scratch), rounds)


def _measured(scratch: Path, rounds: int) -> list[Comparison]:
    config = scratch / "const.yaml"
    config.write_text(config_of("digits-saved", 2))
    run = ("pedl2det", "run", TRIAL, "-c", config, "--max-batches", "1", "--out")
    pairs = {
        "pedl2det --help": (("-m", "pedl2det", "--help"), "import click", -1.3),
        "import pedl": (("-c", "import pedl"), "import tensorflow", -0.1),
    }
    rows = []
    for what, (command, base, target) in pairs.items():
        found = _in_turns({"ours": command, "base": ("-c", base)}, rounds)
        rows.append(Comparison(what, found["ours"], base, found["base"], "s", target))
    numbers = iter(range(10**6))
    found = in_turns(
        {
            "ours": lambda: _seconds(("-m", *run, scratch / f"out-{next(numbers)}")),
            "plain": lambda: _seconds(("-c", SCRIPT, scratch / "model.h5")),
        },
        rounds + 1,
    )
    what = "pedl2det run --max-batches 1"
    return [*rows, Comparison(what, found["ours"], "plain script", found["plain"], "s", -1.15)]


def _in_turns(commands: dict[str, Sequence[object]], rounds: int) -> dict[str, float]:
    measures = {name: lambda one=one: _seconds(one) for name, one in commands.items()}
    return in_turns(measures, 2 * rounds)


def _seconds(arguments: Sequence[object]) -> float:
    start = time.perf_counter()
    used([sys.executable, *arguments])
    return time.perf_counter() - start
