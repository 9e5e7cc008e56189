"""Cases of P007."""

from __future__ import annotations

from rule_cases.cases import Case
from rule_cases.small_trials import migrated_trial, pedl_trial

_LOAD = "from rows import load"
_IMPORT = f"from pedl.frameworks.keras.data import KerasDataAdapter\n{_LOAD}"
_HEAD = "train, val = load(0), load(1)\n"

CASES = (
    Case(
        pedl_trial(
            _HEAD + "return (\n    KerasDataAdapter(train, False, 2),\n"
            "    KerasDataAdapter(val, workers=4),\n)\n",
            _IMPORT,
        ),
        migrated_trial(
            _HEAD + "context.configure_fit(use_multiprocessing=False, workers=2)\n"
            "return (\n    train,\n    val,\n)\n",
            _LOAD,
        ),
    ),
    Case(  # more is done with it than to return it
        pedl_trial(
            _HEAD + "train = KerasDataAdapter(train, workers=2)\n"
            "print(len(train))\n"
            "return train, val\n",
            _IMPORT,
        ),
        migrated_trial(
            _HEAD + "train = legacy_keras.KerasDataAdapter(train, workers=2)\n"
            "print(len(train))\n"
            "return train, val\n",
            f"{_LOAD}\n\nimport legacy_keras",
            parameters="",
            unwrapped=True,
        ),
    ),
)
