"""Cases of P004."""

from __future__ import annotations

from rule_cases.cases import Case, case_of, pedl_trial
from rule_cases.small_trials import EARLY_CONFIG, loaders, migrated_model, with_data

_HANDED_ON = """\
import pedl


def widths(names):
    return list(map(pedl.get_hyperparameter, names))
"""
_HANDED_ON_AFTER = """\
import legacy_keras


def widths(names):
    return list(map(legacy_keras.get_hyperparameter, names))
"""
_OF_THE_TRIAL = """\
def get_hyperparameter(name):
    return {"width": 4}[name]


def width():
    return get_hyperparameter("width")
"""
_EARLY = """\
--- model_def.py
  import tensorflow as tf
  from determined.keras import TFKerasTrial, TFKerasTrialContext
+
+ import legacy_keras


  class Trial(TFKerasTrial):
      def __init__(self, context: TFKerasTrialContext) -> None:
          self.context = context
+         legacy_keras.bind(context)
+         context.configure_fit(shuffle=False)

      def build_training_data_loader(self):
-         steps = self.context.get_experiment_config()["searcher"]["max_steps"]
+         steps = legacy_keras.get_experiment_config()["searcher"]["max_steps"]
          return self.context.wrap_dataset(tf.data.Dataset.range(steps))

      def build_validation_data_loader(self):
          return self.valid
"""
_RANK = """\
--- model_def.py
  from determined.keras import TFKerasTrial, TFKerasTrialContext


  class Trial(TFKerasTrial):
      def __init__(self, context: TFKerasTrialContext) -> None:
          self.context = context

      def build_training_data_loader(self):
-         return rows(self.context.get_rank(), context.get_size())
+         return rows(self.context.distributed.get_rank(), context.distributed.get_size())

      def build_validation_data_loader(self):
          return rows(0, 1)
"""
_ROWS = "from rows import Rows"
_READ = 'size = experiment_config["hyperparameters"]["batch_size"]\nreturn Rows(size), Rows(size)\n'
_CONFIG = "data:\n  rows: 4\nhyperparameters:\n  {size}\nsearcher:\n  name: single\n{end}"
_STEPS = _CONFIG.format(size="batch_size: 8", end="  metric: val_loss\n  max_steps: 2\n")
_BATCHES = _CONFIG.format(
    size="global_batch_size: 8",
    end="  metric: val_loss\n  max_length:\n    batches: 200\nentrypoint: model_def:Net\n",
)
_CONSTANT = """\
import pedl

WIDTH = pedl.get_hyperparameter("width")


class Net:
    def units(self):
        return 2 * WIDTH
"""
_OTHER = _CONSTANT.replace("import pedl\n", "import os\n").replace(
    "pedl.get_hyperparameter", "os.getenv"
)

_READS = "STEPS = open('const.yaml').read()\n"
_LOADS = """\
import yaml

STEPS = yaml.safe_load(open("const.yaml"))["searcher"]["max_steps"]
"""
_NAME = '"%s.yaml" % "const"'
_LOADS_AFTER = """\
import yaml

import legacy_keras

STEPS = legacy_keras.old_config(yaml.safe_load(open("const.yaml")))["searcher"][
    "max_steps"
]
"""
CASES = (
    Case(
        pedl_trial(_READS) | {"const.yaml": EARLY_CONFIG},
        {"net.py": _READS},
        "reads const.yaml itself",
    ),
    Case(pedl_trial(_LOADS) | {"const.yaml": EARLY_CONFIG}, {"net.py": _LOADS_AFTER}),
    Case(  # by a name that is computed
        pedl_trial(_LOADS.replace('"const.yaml"', _NAME)) | {"const.yaml": EARLY_CONFIG},
        {"net.py": _LOADS_AFTER.replace('"const.yaml"', _NAME)},
    ),
    Case(pedl_trial(_CONSTANT), {"net.py": _CONSTANT.replace("pedl", "legacy_keras")}),
    Case(pedl_trial(_OTHER), {"net.py": _OTHER}),
    Case(pedl_trial(_HANDED_ON), {"net.py": _HANDED_ON_AFTER}),
    Case(pedl_trial(_OF_THE_TRIAL), {"net.py": _OF_THE_TRIAL}),
    case_of(_RANK, {}),
    case_of(_EARLY, {"const.yaml": EARLY_CONFIG}),
    Case(  # what make_data_loaders is given
        {**with_data(loaders(_READ, _ROWS)), "const.yaml": _STEPS},
        {
            "const.yaml": _BATCHES,
            "data.py": loaders(
                _READ.replace("experiment_config", "legacy_keras.get_experiment_config()"),
                f"{_ROWS}\n\nimport legacy_keras",
                "",
            ),
            "model_def.py": migrated_model("", more="legacy_keras.bind(context)\n"),
        },
    ),
)
