"""What happened around the trial's module when the old harness imported the package.

The old harness imported ``__init__.py`` first. Where that does more than to name the trial and its
data, the new entrypoint is ``__init__:Trial``, so that all of it happens as before; and where it
chooses one of several trials, which gets a name of its own. Random numbers that are drawn while
modules are imported may come in another order, which is an assumption.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pedl2det.analysis.trial import Generation, Trial
from pedl2det.findings import Kind
from pedl2det.fixes import AppendCode, ConfigNeed, Fix, Remark
from pedl2det.rules.cases import Case
from pedl2det.rules.small_trials import migrated_model, pedl_trial

ID = "P014"
NAME = "surroundings"

_RANDOM = ("numpy.random.", "random.", "tensorflow.random.", "tensorflow.compat.v1.random")
_ENTRY = "the entrypoint is in __init__.py, because this has to happen before the trial is used"
_ONE_ORDER = "random numbers that are drawn while modules are imported come in one order"
_NAME = "ChosenTrial"
#: The old harness took the only trial that was there.
_CHOSEN = """\
({name},) = [globals()[name] for name in ({names}) if name in globals()]
"""
_NO_DRAW = ("seed", "RandomState", "default_rng", "Random", "set_seed", "set_random_seed")


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Say that ``__init__.py`` is imported first, and where random numbers are drawn at import."""
    if trial.generation is not Generation.PEDL or not trial.concrete:
        return
    if trial.init_effect is not None:
        init = trial.modules.by_name["__init__"]
        needs, notes = (ConfigNeed("init_first", True),), ((Kind.NOTE, _ENTRY),)
        yield Fix(ID, init, trial.init_effect, config=needs, notes=notes)
    if len(trial.exposed) > 1 and not trial.entry_names and exposed_name(trial):
        init = trial.modules.by_name["__init__"]
        code = _CHOSEN.format(name=_NAME, names=", ".join(f'"{name}"' for name in trial.exposed))
        yield Fix(ID, init, init.tree, (AppendCode(init.tree, code),))
    for source in trial.modules:
        for call in source.names.of(ast.Call):
            dotted = trial.modules.meaning(call.func) or ""
            draws = dotted.startswith(_RANDOM) and not dotted.endswith(_NO_DRAW)
            if draws and source.names.definition_around(call) is None:
                yield Remark(ID, source, call, Kind.ASSUMPTION, _ONE_ORDER)
                break


def exposed_name(trial: Trial) -> str | None:
    """The name of the trial that ``__init__.py`` exposes, in the new text; None if it has two."""
    if len(trial.exposed) < 2:
        return next(iter(trial.exposed), None)
    init = trial.modules.by_name["__init__"].names
    bound = {name: init.bound(init.tree, name) for name in trial.exposed}
    always = [
        name
        for name, bindings in bound.items()
        if any(init.statement_of(one.node) in init.tree.body for one in bindings)
    ]
    return _NAME if len(always) < 2 else None


_IMPORTS = """\
from data import make_data_loaders
from model_def import Net
"""
_FLOAT = f"""\
import tensorflow as tf

{_IMPORTS}
tf.keras.backend.set_floatx("float64")
"""
_PATH = "import os\nimport sys\n\nsys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))\n"
_EXPORTS = f'{_PATH}{_IMPORTS}\nVERSION = 3\n__all__ = ["Net", "make_data_loaders"]\n'
_BODY, _ROWS = "return load(4), load(2)\n", "from rows import load"
_NOISE = "import numpy as np\nfrom rows import load\n\nNOISE = np.random.rand(4)"
_CONFIG = "hyperparameters: {}\nsearcher:\n  name: single\n  metric: val_loss\n"
_STEPS, _BATCHES = "  max_steps: 2\n", "  max_length:\n    batches: 200\n"


def _case(init: str, entry: str, says: str = "") -> Case:
    config = f"{_CONFIG}{_BATCHES}entrypoint: {entry}:Net\n"
    return Case(
        {**pedl_trial(_BODY, _ROWS), "__init__.py": init, "const.yaml": _CONFIG + _STEPS},
        {"__init__.py": init, "const.yaml": config, "model_def.py": migrated_model("")},
        says,
    )


_CHOICE = """\
import os

if os.environ.get("BASELINE"):
    from baseline import Net as Baseline
else:
    from model_def import Net
"""
_CHOICE_AFTER = f"""\
{_CHOICE}

(ChosenTrial,) = [globals()[name] for name in ("Baseline", "Net") if name in globals()]
"""
_TRIALS = {**pedl_trial(_BODY, _ROWS), "const.yaml": _CONFIG + _STEPS}
_TRIALS["baseline.py"] = _TRIALS["model_def.py"]

CASES = (
    Case(
        {**_TRIALS, "__init__.py": _CHOICE + "from data import make_data_loaders\n"},
        {"const.yaml": f"{_CONFIG}{_BATCHES}entrypoint: __init__:ChosenTrial\n"},
        "the entrypoint is in __init__.py",
    ),
    _case(_FLOAT, "__init__", "the entrypoint is in __init__.py"),
    _case(f"import patches\n{_IMPORTS}", "__init__", "the entrypoint is in __init__.py"),
    _case(_EXPORTS, "model_def"),
    Case(
        pedl_trial(_BODY, _NOISE),
        {"model_def.py": migrated_model("")},
        "come in one order",
        "assumptions",
    ),
)
