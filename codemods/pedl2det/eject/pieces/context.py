import copy
import random
import types

import numpy as np
import tensorflow as tf

#: The context of the trial, for code that does not get it as an argument.
_contexts = []


def get_cluster_info():
    """Return what a cluster would say of the trial; None before the trial has a context."""
    if not _contexts:
        return None
    context = _contexts[-1]
    trial = types.SimpleNamespace(
        hparams=context.get_hparams(),
        trial_seed=context.get_trial_seed(),
        experiment_id=1,
        trial_id=1,
        _config=context.get_experiment_config(),
    )
    return types.SimpleNamespace(
        trial=trial,
        user_data=context.get_data_config(),
        container_rank=0,
        container_slot_counts=[1],
        container_addrs=["localhost"],
        latest_checkpoint=None,
    )


class TFKerasTrialContext:
    """The hyperparameters, settings and model of the trial that is trained."""

    def __init__(self, hparams, config, seed, out):
        self.out = out
        self.batches = 0  # trained so far
        self.fit = {"workers": 1, "use_multiprocessing": False, "shuffle": True}
        self.fit.update(max_queue_size=10, class_weight=None, validation_steps=None)
        self.model = None
        self.distributed = _OneProcess()
        self._hparams, self._config, self._seed = hparams, config, seed
        self._stop_requested = False
        _contexts.append(self)

    def get_hparam(self, name):
        """Return the value of a hyperparameter."""
        return self._hparams[name]

    def get_hparams(self):
        """Return all hyperparameters, as a new dict."""
        return dict(self._hparams)

    def get_experiment_config(self):
        """Return the experiment config."""
        return copy.deepcopy(self._config)

    def get_data_config(self):
        """Return the ``data`` section of the experiment config."""
        return self._config.get("data") or {}

    def get_global_batch_size(self):
        """Return the number of records in a batch."""
        return self._hparams["global_batch_size"]

    def get_per_slot_batch_size(self):
        """Return the number of records in a batch: there is one process."""
        return self.get_global_batch_size()

    def get_trial_seed(self):
        """Return the seed of the trial."""
        return self._seed

    def get_experiment_id(self):
        """Return 1."""
        return 1

    get_trial_id = get_experiment_id

    def get_initial_batch(self):
        """Return 0: training begins at the first batch."""
        return 0

    def get_tensorboard_path(self):
        """Return the directory of the TensorBoard events."""
        return self.out / "tensorboard"

    def get_stop_requested(self):
        """Return whether the training ends with the current workload."""
        return self._stop_requested

    def set_stop_requested(self, stop_requested):
        """Request that the training ends with the current workload, or cancel that."""
        self._stop_requested = stop_requested

    def configure_fit(self, **settings):
        """Set arguments of ``model.fit``."""
        may_be_none = ("class_weight", "validation_steps")
        self.fit.update(
            (name, value)
            for name, value in settings.items()
            if value is not None or name in may_be_none
        )

    def wrap_model(self, model):
        """Register the model to train, and return it."""
        self.model = model
        return model

    def wrap_optimizer(self, optimizer):
        """Return the optimizer, or a new one for a name."""
        if isinstance(optimizer, str):
            return tf.keras.optimizers.get(optimizer)
        return optimizer

    def wrap_dataset(self, dataset, shard_dataset=True):
        """Return the dataset: one process reads all of it."""
        return dataset


class _OneProcess:
    """What a trial may ask about the training processes: there is only one."""

    rank = local_rank = 0
    size = num_agents = 1

    def get_rank(self):
        return 0

    def get_size(self):
        return 1

    def gather(self, stuff):
        return [stuff]

    def broadcast(self, stuff):
        return stuff

    get_local_rank, get_num_agents = get_rank, get_size
    allgather = gather_local = allgather_local = gather
    broadcast_local = broadcast


class TFKerasTrial:
    """The base class of a trial: how to build its model, its data and its callbacks."""

    def __init__(self, context):
        self.context = context

    def session_config(self):
        """Return the thread counts of TensorFlow, as a ``tf.compat.v1.ConfigProto``."""
        return tf.compat.v1.ConfigProto()

    def keras_callbacks(self):
        """Return the callbacks of the training."""
        return []


class InvalidHP(Exception):
    """Raised by a trial for hyperparameters that do not fit together."""


def seed_everything(seed):
    """Seed Python, NumPy, TensorFlow and the layers that draw random numbers."""
    random.seed(seed)
    np.random.seed(seed % 2**32)
    tf.random.set_seed(seed)
    tf.keras.backend.experimental.enable_tf_random_generator()


def apply_session_config(config, seed):
    """Set TensorFlow's thread counts, then seed its global generator, which fixes them."""
    if config is not None:
        threads = tf.config.threading
        if config.intra_op_parallelism_threads:
            threads.set_intra_op_parallelism_threads(
                config.intra_op_parallelism_threads
            )
        if config.inter_op_parallelism_threads:
            threads.set_inter_op_parallelism_threads(
                config.inter_op_parallelism_threads
            )
    tf.random.set_global_generator(tf.random.Generator.from_seed(seed))
