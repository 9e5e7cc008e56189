"""Cases of P034; beside its example are loaders that are not in the project."""

from rule_cases.cases import Case
from rule_cases.small_trials import pedl_trial

_CONFIG = """\
entrypoints: {{trial_class: model_def:Net, data_loaders_function: {module}:make_data_loaders}}
hyperparameters: {{batch_size: 8}}
searcher: {{name: single, metric: val_loss, max_steps: 1}}
"""
_TRIAL = pedl_trial("return load()\n", "from company import load")
_TWIN = """\
import tensorflow as tf
from determined.keras import TFKerasTrial


class Twin(TFKerasTrial):
    def __init__(self, context):
        self.context = context
        self.optimizer = tf.keras.optimizers.Adam(0.1)
"""

_RESTORED = """\
import legacy_keras

legacy_keras.restore_attributes()
legacy_keras.restore_dimensions()


legacy_keras.serve_old_arguments()
"""
AROUND = {"__init__.py": "from company_data import make_data_loaders\n"}
CASES = (
    Case(  # each config names its own loaders
        {
            **_TRIAL,
            "other.py": _TRIAL["data.py"],
            "const.yaml": _CONFIG.format(module="data"),
            "products.yaml": _CONFIG.format(module="other"),
        },
        {
            "products.yaml": """\
entrypoint: model_def:Net
hyperparameters: {global_batch_size: 8}
searcher: {name: single, metric: val_loss, max_length: {batches: 100}}
data: {legacy_config: {entrypoints: {trial_class: 'model_def:Net', data_loaders_function: """
            "'other:make_data_loaders'}}}\n"
        },
        "configs name several functions as data_loaders_function",
    ),
    Case(  # a trial on a context beside those of PEDL stays one
        {**_TRIAL, "twin.py": _TWIN},
        {
            "twin.py": _TWIN.replace("\n\n\nclass", f"\n\n{_RESTORED}\n\nclass"),
        },
        "Twin is a Determined trial, but shares files with PEDL trials",
    ),
)
