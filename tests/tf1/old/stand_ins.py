"""Stand-ins for PEDL 0.11 and for Determined 0.12 to 0.19, on TensorFlow 1.14.

Written from their documents, as far as trials ask for it. Python 3.7.
"""

import math
import sys
import types

import numpy as np
import tensorflow as tf


class InMemorySequence(tf.keras.utils.Sequence):
    """Arrays cut into batches; sample weights are not used."""

    def __init__(self, data, labels, batch_size, sample_weight=None, drop_leftovers=False):
        self._data, self._labels, self._size = np.asarray(data), np.asarray(labels), batch_size
        count = len(self._data) / batch_size
        self._length = int(count) if drop_leftovers else math.ceil(count)

    def __len__(self):
        return self._length

    def __getitem__(self, index):
        rows = slice(index * self._size, (index + 1) * self._size)
        return self._data[rows], self._labels[rows]


class KerasDataAdapter:
    """A Sequence with settings of its workers, which are not used here."""

    def __init__(self, sequence, use_multiprocessing=False, workers=1, max_queue_size=10):
        self.sequence = sequence

    def __len__(self):
        return len(self.sequence)

    def start(self, batch_offset=0, is_validation=False):
        self._batches = (self.sequence[index] for index in range(len(self.sequence)))

    def get_iterator(self):
        return self._batches

    def stop(self, timeout=None):
        pass


class PEDLTrial:
    """What the trials of PEDL have in common."""

    def __init__(self, *args, **kwargs):
        pass

    def session_config(self, hparams):
        return tf.ConfigProto(allow_soft_placement=True)

    def keras_callbacks(self, hparams):
        return []


class PEDLTFKerasTrial(PEDLTrial):
    """``pedl.frameworks.keras.TFKerasTrial``."""


class KerasTrial(PEDLTrial):
    """``pedl.frameworks.keras.KerasTrial``."""

    def training_metrics(self):
        return {}


class KerasFunctionalTrial(KerasTrial):
    """``pedl.frameworks.keras.KerasFunctionalTrial``."""


class ContextTrial:
    """``determined.keras.TFKerasTrial``."""

    def __init__(self, *args, **kwargs):
        pass

    def session_config(self):
        return tf.ConfigProto(allow_soft_placement=True)

    def keras_callbacks(self):
        return []


class Context:
    """``determined.keras.TFKerasTrialContext`` of one process.

    Args:
        task: what to train, see ``there.py``.
    """

    def __init__(self, task):
        self._task = task
        self.model = None
        self.fit_settings = {"shuffle": not task["is_legacy"], "class_weight": None}
        self.distributed = types.SimpleNamespace(
            get_rank=lambda: 0, get_size=lambda: 1, rank=0, size=1
        )
        self.get_rank, self.get_size = lambda: 0, lambda: 1

    def get_experiment_config(self):
        return self._task["config"]

    def get_data_config(self):
        return self._task["config"].get("data", {})

    def get_hparams(self):
        return self._task["hparams"]

    def get_hparam(self, name):
        return self._task["hparams"][name]

    def get_trial_seed(self):
        return self._task["seed"]

    def get_per_slot_batch_size(self):
        return self._task["batch_size"]

    get_global_batch_size = get_per_slot_batch_size

    def configure_fit(self, **settings):
        self.fit_settings.update(settings)

    def wrap_model(self, model):
        self.model = model
        return model

    def wrap_optimizer(self, optimizer):
        return optimizer

    def wrap_dataset(self, dataset, shard_dataset=True):
        return dataset


class Unused(tf.keras.callbacks.Callback):
    """In place of a callback that writes files, or acts at validations, which come at the end."""

    def __init__(self, *args, **kwargs):
        super().__init__()


#: What the trial's ``download_data`` returned.
downloaded = []


def install(task):
    """Put the modules ``pedl`` and ``determined`` in place for a task, see ``there.py``."""
    _module(
        "pedl",
        get_hyperparameter=task["hparams"].__getitem__,
        get_experiment_config=lambda: task["config"],
        get_download_data_dir=lambda: downloaded[-1],
        get_trial_seed=lambda: task["seed"],
        get_experiment_id=lambda: 1,
        get_trial_id=lambda: 1,
    )
    _module("pedl.data", ArrayBatchLoader=lambda data, labels: (data, labels))
    _module("pedl.trial", MetricOp=None, ValidOp=None)
    _module("pedl.frameworks")
    data = {"InMemorySequence": InMemorySequence, "KerasDataAdapter": KerasDataAdapter}
    _module(
        "pedl.frameworks.keras",
        TFKerasTrial=PEDLTFKerasTrial,
        KerasTrial=KerasTrial,
        KerasFunctionalTrial=KerasFunctionalTrial,
        TFKerasTensorBoard=Unused,
        wrap_dataset=lambda dataset: dataset,
    )
    _module("pedl.frameworks.keras.data", **data)
    _module("pedl.frameworks.keras.tf_keras_trial", TFKerasTrial=PEDLTFKerasTrial)
    _module("determined")
    _module(
        "determined.keras",
        TFKerasTrial=ContextTrial,
        TFKerasTrialContext=Context,
        TFKerasTensorBoard=Unused,
        SequenceAdapter=KerasDataAdapter,
        InputData=object,
        **data,
    )
    names = ("Callback", "EarlyStopping", "ReduceLROnPlateau", "TensorBoard")
    _module("determined.keras.callbacks", **dict.fromkeys(names, Unused))


def _module(name, **held):
    module = types.ModuleType(name)
    module.__path__ = []
    vars(module).update(held)
    sys.modules[name] = module
    above, _, last = name.rpartition(".")
    if above:
        setattr(sys.modules[above], last, module)
