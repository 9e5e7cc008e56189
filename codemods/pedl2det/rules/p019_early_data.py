"""Arrays that a trial of early Determined trains are cut to whole batches.

Determined 0.12.1 to 0.13.9 did not train the last batch of arrays if it was smaller than the
others; today it does.
"""

from __future__ import annotations

from collections.abc import Iterable

from pedl2det.analysis.loaders import (
    Role,
    is_dataset,
    is_sequence,
    loader_functions,
    made_of,
)
from pedl2det.analysis.trial import Trial
from pedl2det.fixes import Fix, Remark, rewrite

_CALLED = "{name} is called by the trial, which got all records, and not only whole batches"
_HIDDEN = "it is not visible what this trains, which may be arrays"
_SIZE = "{context}.get_per_slot_batch_size()"


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Cut what the loader methods return for training."""
    if trial.is_of_today:
        return
    for method, role in loader_functions(trial):
        for value in trial.flow.returned(method) if role is Role.TRAINING else ():
            made = made_of(trial, value)
            is_object = all(is_dataset(trial, data) or is_sequence(trial, data) for data in made)
            if made and is_object:
                continue
            if trial.context.at(value) is None:
                yield Remark(method, _HIDDEN)
            elif trial.flow.calls(method):
                yield Remark(method, _CALLED.format(name=method.name))
            else:
                code = f"legacy_keras.whole_batches({{it}}, batch_size={_SIZE})"
                yield rewrite(value, code, {"it": value})


EXAMPLE = """\
--- model_def.py
  from determined.keras import TFKerasTrial, TFKerasTrialContext
+
+ import legacy_keras


  class Trial(TFKerasTrial):
      def __init__(self, context: TFKerasTrialContext) -> None:
          self.context = context
+         context.configure_fit(shuffle=False)

      def build_training_data_loader(self):
          x, y = self.read(0)
-         return x, y
+         return legacy_keras.whole_batches(
+             (x, y), batch_size=self.context.get_per_slot_batch_size()
+         )

      def build_validation_data_loader(self):
          return self.valid
"""
