"""Cases of P025."""

from __future__ import annotations

from rule_cases.cases import Case, pedl_trial

_TRIAL = """\
import tensorflow as tf


class Net:
    def optimizer(self):
        return {value}
"""


def _case(before: str, after: str, start: str = "", base: str = "KerasTrial") -> Case:
    return Case(
        pedl_trial(_TRIAL.format(value=before), base),
        {"net.py": start + _TRIAL.format(value=after)},
    )


AROUND = pedl_trial("class Net: ...\n", "KerasTrial")
CASES = (
    _case("'SGD'", "tf.keras.optimizers.legacy.SGD()"),
    Case(
        pedl_trial(_TRIAL.format(value="choose()"), "KerasTrial"),
        {
            "net.py": _TRIAL.format(value="legacy_keras.standalone_optimizer(choose())").replace(
                "as tf\n", "as tf\n\nimport legacy_keras\n"
            )
        },
    ),
    _case("tf.keras.optimizers.legacy.SGD(0.1)", "tf.keras.optimizers.legacy.SGD(0.1)"),
    _case("'adadelta'", "'adadelta'", base="TFKerasTrial"),
)
