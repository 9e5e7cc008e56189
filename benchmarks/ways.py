"""The ways to train a case of trial/: Determined, pedl2det, and plain TensorFlow."""

from __future__ import annotations

import json
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

from comparison import Used, used

TRIAL = Path(__file__).with_name("trial")
DETERMINED = Path(__file__).parent.parent / "tests" / "drive_determined.py"
sys.path.insert(0, str(TRIAL))


def trained(case: str, way: str, marks: int) -> Used:
    """Train a case in a process of its own.

    Args:
        case: its name in trial/cases.py.
        way: determined, pedl2det, fit, fit-100 or raw.
        marks: marks of the clock, at the ends of periods.
    """
    with tempfile.TemporaryDirectory() as scratch:
        config, out = Path(scratch, "const.yaml"), Path(scratch, "out")
        config.write_text(config_of(case, marks))
        job = json.dumps([[str(TRIAL), str(config), str(out)]])
        run = ("-m", "pedl2det", "run", TRIAL, "-c", config, "--out", out)
        commands: dict[str, Any] = {"determined": (DETERMINED, job), "pedl2det": run}
        plain = (TRIAL / "plain.py", case, marks, way, scratch)
        return used([sys.executable, *commands.get(way, plain)])


def rate(case: str, way: str, marks: int) -> float:
    """Return the batches a second between the first mark and the last."""
    return float(re.findall(r"RATE (\S+)", trained(case, way, marks).output)[-1])


def config_of(name: str, marks: int) -> str:
    """Return the config of a case, for Determined and pedl2det."""
    from cases import BATCH, CASES

    case = CASES[name]
    config = {
        "entrypoint": "model_def:Trial",
        "hyperparameters": {"global_batch_size": BATCH, "case": name, "marks": marks},
        "searcher": {
            "name": "single",
            "metric": "val_loss",
            "smaller_is_better": True,
            "max_length": {"batches": case.period * marks},
        },
        "scheduling_unit": case.period,
        "checkpoint_policy": "all" if case.is_saved else "none",
        "min_validation_period": {"batches": case.period if case.is_saved else 10**9},
        "reproducibility": {"experiment_seed": 1},
    }
    return json.dumps(config)
