"""Cases of P019."""

from __future__ import annotations

from rule_cases.cases import Case
from rule_cases.small_trials import EARLY_CONFIG, early_trial, migrated_early

_VALID = "def build_validation_data_loader(self):\n    return self.valid\n"
_TWICE = """\
def build_training_data_loader(self):
    return self.read(0)

def build_validation_data_loader(self):
    return self.build_training_data_loader()
"""

AROUND = {"const.yaml": EARLY_CONFIG}
CASES = (
    Case(  # a dataset is no array
        early_trial(
            "def build_training_data_loader(self):\n"
            "    return self.context.wrap_dataset(tf.data.Dataset.range(8)).batch(2)\n\n" + _VALID
        ),
        migrated_early(
            "def build_training_data_loader(self):\n"
            "    return self.context.wrap_dataset(tf.data.Dataset.range(8)).batch(2)\n\n" + _VALID
        ),
    ),
    Case(
        early_trial(
            f"@staticmethod\ndef build_training_data_loader():\n    return ROWS\n\n{_VALID}"
        ),
        {},
        "carried over unchanged: it is not visible",
    ),
    Case(early_trial(_TWICE), {}, "carried over unchanged: build_training_data_loader is called"),
)
