"""Cases of P005."""

from __future__ import annotations

from rule_cases.cases import Case
from rule_cases.small_trials import (
    loaders,
    migrated_model,
    pedl_trial,
    with_data,
)

_LOAD = "from rows import load"
_OLD = 'return load(0, hparams["batch_size"]), load(1, 4)\n'
_TOOL = "from data import make_data_loaders\n\nprint(make_data_loaders({}, {'batch_size': 8}))\n"
_CUT = """(
            self.context, {role}, self.context.get_per_slot_batch_size()
        )"""

CASES = (
    Case(  # records, which are cut into batches
        pedl_trial(
            "train = ArrayBatchLoader(*load(0))\nreturn train, ArrayBatchLoader(*load(1))\n",
            f"{_LOAD}\n\nfrom pedl.data import ArrayBatchLoader",
        ),
        {
            "data.py": loaders(
                "train = legacy_keras.ArrayBatchLoader(*load(0))\n"
                "return train, legacy_keras.ArrayBatchLoader(*load(1))\n",
                f"{_LOAD}\n\nimport legacy_keras",
                "",
            ),
            "model_def.py": migrated_model("", unwrapped=True)
            .replace("(self.context, training)", _CUT.format(role="training"))
            .replace("(self.context, validation)", _CUT.format(role="validation")),
        },
    ),
    Case(  # a package that has the trial's name runs before the trial
        {
            **{f"net/{name}": text for name, text in pedl_trial(_OLD, _LOAD).items()},
            "net/__init__.py": "from net.model_def import Trial\n",
            "__init__.py": "from net import Trial\nfrom net.data import make_data_loaders\n",
        },
        {"net/model_def.py": migrated_model().replace("from data", "from net.data")},
    ),
    Case(  # a module that imports the trial
        with_data(loaders(_OLD, f"from model_def import Net\n{_LOAD}")),
        {},
        says="carried over unchanged: make_data_loaders or cached_property cannot",
    ),
    Case(  # a tool calls it with arguments of its own, so its parameters stay
        {**pedl_trial(_OLD, _LOAD), "tool.py": _TOOL},
        {
            "model_def.py": migrated_model("both", more="legacy_keras.bind(context)\n").replace(
                "        return make_data_loaders(self.context)",
                "        return make_data_loaders(\n"
                "            legacy_keras.get_experiment_config(), "
                "legacy_keras.shared_hyperparameters()\n"
                "        )",
            )
        },
    ),
    Case(
        {"model_def.py": pedl_trial("pass\n")["model_def.py"]},
        {},
        says="no make_data_loaders in this project",
        status="begun",
    ),
)
