"""What the example of P015 has beside, and trials that submit themselves."""

from __future__ import annotations

from rule_cases.cases import Case

_CONFIG = """\
entrypoint: {script: train.py}
hyperparameters: {batch_size: 8}
searcher: {name: single, metric: val_loss, max_steps: 1}
"""
_TRIAL = """\
from determined.keras import TFKerasTrial


class Net(TFKerasTrial):
    def __init__(self, context):
        self.context = context
"""
_CREATE = f"""\
from determined.experimental import create
{_TRIAL}

if __name__ == "__main__":
    create(Net, config={{config}})
"""
_SMALL = """{
        "hyperparameters": {"global_batch_size": 4},
        "searcher": {"name": "single", "metric": "val_loss", "max_length": {"batches": 8}},
    }"""
_KEPT = """\
entrypoint: model_def:Net
hyperparameters:
  global_batch_size: 4
searcher:
  name: single
  metric: val_loss
  max_length:
    batches: 8
"""
_PRESENT = "entrypoint: model_def:Net\n" + _CONFIG.partition("\n")[2].replace(
    "max_steps: 1", "max_length: {batches: 100}"
)

AROUND = {"const.yaml": _CONFIG}
CASES = (
    Case(
        {"model_def.py": _CREATE.format(config=_SMALL)},
        {"model_def.py": _TRIAL, "const.yaml": _KEPT},
        "the experiment config of the script is written to const.yaml",
    ),
    Case(  # beside another config, and a file of the name that it would have
        {
            "model_def.py": _CREATE.format(config=_SMALL),
            "const.yaml": _PRESENT,
            "model_def.yaml": "layers: 4\n",
        },
        {"model_def.py": _TRIAL, "model_def_2.yaml": _KEPT, "model_def.yaml": "layers: 4\n"},
        "create is gone: the trial is started with a config file",
    ),
    Case(
        {"model_def.py": _CREATE.format(config="make()"), "const.yaml": _PRESENT},
        {"model_def.py": _TRIAL},
        "the experiment config is computed",
    ),
)
