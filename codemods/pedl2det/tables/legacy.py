"""The one table of legacy names: what the shim serves, what the rules rewrite.

``compat/pedl`` must serve every name in it and every rule looks its names up here, so that the
two cannot drift apart (tests/test_legacy_names.py).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

ROOT = "pedl"


@dataclass(frozen=True)
class LegacyName:
    """A public name of the old API.

    Attributes:
        name: its dotted name.
        becomes: what migrated code says; ``{context}`` is the expression of the context there.
            None where a rule of its own decides.
    """

    name: str
    becomes: str | None = None


NAMES = {
    legacy.name: legacy
    for legacy in (
        LegacyName("pedl.Experiment"),
        LegacyName("pedl.get_hyperparameter"),
        LegacyName("pedl.get_experiment_config", "{context}.get_experiment_config()"),
        LegacyName("pedl.get_trial_seed", "{context}.get_trial_seed()"),
        LegacyName("pedl.get_experiment_id", "{context}.get_experiment_id()"),
        LegacyName("pedl.get_trial_id", "{context}.get_trial_id()"),
        LegacyName("pedl.get_download_data_dir"),
        LegacyName("pedl.is_valid_url"),
        LegacyName("pedl.trial.get_trial_seed", "{context}.get_trial_seed()"),
        LegacyName("pedl.trial.MetricOp"),
        LegacyName("pedl.trial.ValidOp"),
        LegacyName("pedl.util.get_hyperparameters"),
        LegacyName("pedl.util.get_experiment_config", "{context}.get_experiment_config()"),
        LegacyName("pedl.trial_controller.util.get_rank"),
        LegacyName("pedl.trial_controller.util.get_container_gpus"),
        LegacyName("pedl.data.ArrayBatchLoader"),
        LegacyName("pedl.data.Batch"),
        LegacyName("pedl.data.BatchLoader"),
        LegacyName("pedl.data.SliceBatchLoader"),
        LegacyName("pedl.frameworks.util.elementwise_mean"),
        LegacyName("pedl.frameworks.keras.KerasFunctionalTrial", "determined.keras.TFKerasTrial"),
        LegacyName("pedl.frameworks.keras.KerasTrial", "determined.keras.TFKerasTrial"),
        LegacyName("pedl.frameworks.keras.wrap_dataset"),
        LegacyName("pedl.frameworks.keras.TFKerasTrial", "determined.keras.TFKerasTrial"),
        LegacyName(
            "pedl.frameworks.keras.TFKerasTensorBoard", "determined.keras.callbacks.TensorBoard"
        ),
        LegacyName(
            "pedl.frameworks.keras.tf_keras_trial.TFKerasTrial", "determined.keras.TFKerasTrial"
        ),
        LegacyName("pedl.frameworks.keras.data.InMemorySequence"),
        LegacyName("pedl.frameworks.keras.data.KerasDataAdapter"),
        LegacyName("determined.create"),
        LegacyName("determined.experimental.keras.init"),
        LegacyName("determined.frameworks.keras.data.KerasDataAdapter"),
        LegacyName(
            "determined.frameworks.keras.tf_keras_trial.TFKerasTrial",
            "determined.keras.TFKerasTrial",
        ),
        LegacyName("determined.keras.InMemorySequence"),
        LegacyName("determined.keras.KerasDataAdapter"),
        LegacyName("determined.keras.SequenceAdapter"),
        LegacyName("determined.keras.TFKerasContext", "determined.keras.TFKerasTrialContext"),
        LegacyName("determined.keras.TFKerasNativeContext"),
        LegacyName("determined.keras.init"),
        LegacyName("determined.trial_controller.util.get_rank"),
    )
}


#: Names of TensorFlow 1 that stand in ``tf.compat.v1`` and mean the same there.
IN_COMPAT_V1 = frozenset(
    {
        *("ConfigProto", "GPUOptions", "GraphKeys", "set_random_seed", "get_default_graph"),
        *("global_variables_initializer", "logging", "log", "to_float", "to_int32"),
        *("random_normal", "random_uniform", "truncated_normal", "flags", "app", "gfile"),
        *("VERSION", "GIT_VERSION", "Dimension", "RunOptions", "RunMetadata", "OptimizerOptions"),
        *("enable_eager_execution", "reset_default_graph", "local_variables_initializer"),
        *("tables_initializer", "initialize_all_variables", "py_func", "python_io", "read_file"),
        *("FixedLenFeature", "FixedLenSequenceFeature", "VarLenFeature", "parse_example"),
        *("parse_single_example", "decode_raw", "decode_csv", "decode_base64", "encode_base64"),
        *("string_split", "string_to_number", "substr", "regex_replace", "multinomial"),
        *("random_crop", "random_shuffle", "sparse_to_dense", "sparse_tensor_to_dense"),
        *("to_int64", "to_double", "div", "floordiv", "mod", "ceil", "rint", "log1p", "is_nan"),
        *("is_inf", "is_finite", "check_numerics", "diag", "cross", "matrix_inverse"),
        *("matrix_band_part", "setdiff1d", "invert_permutation", "space_to_depth"),
        *("depth_to_space", "squared_difference", "unsorted_segment_sum"),
    }
)

#: What the shim serves to old trials and no rule rewrites, with what to write instead.
SERVED_ONLY = {
    "tensorflow.Session": "values need no session: tensor.numpy()",
    "tensorflow.keras.backend.get_session": "values need no session: tensor.numpy()",
    "tensorflow.keras.backend.set_session": "nothing: session_config configures the session",
    "tensorflow.keras.backend.set_learning_phase": "training= where a layer is called: fit and "
    "evaluate ask no more for the phase",
    "tensorflow.keras.utils.multi_gpu_model": "the model itself",
    "tensorflow.data.Dataset.make_one_shot_iterator": "for x, y in dataset",
    "tensorflow.data.Dataset.make_initializable_iterator": "for x, y in dataset",
    "tensorflow.nn.dropout": "tf.compat.v1.nn.dropout, whose second argument is the share that is "
    "kept, or tf.keras.layers.Dropout",
    "tensorflow.random.set_random_seed": "tf.random.set_seed",
    **{
        f"tensorflow.{name}": f"tf.compat.v1.{name}"
        for name in (
            *("image.resize_images", "image.resize_image_with_crop_or_pad"),
            *("image.resize_image_with_pad", "nn.softmax_cross_entropy_with_logits_v2"),
            *("nn.xw_plus_b", "losses.huber_loss", "losses.absolute_difference"),
            *("losses.log_loss", "losses.softmax_cross_entropy", "losses.sigmoid_cross_entropy"),
            "losses.sparse_softmax_cross_entropy",
        )
    },
    "numpy.asscalar": "array.item()",
    "numpy.complex_": "np.complex128",
    "numpy.float_": "np.float64",
    "numpy.long": "int",
    "numpy.string_": "np.bytes_",
    "numpy.unicode": "str",
    "numpy.unicode_": "np.str_",
    "numpy.bool": "bool",
    "numpy.complex": "complex",
    "numpy.float": "float",
    "numpy.int": "int",
    "numpy.object": "object",
    "numpy.str": "str",
}

#: Packages of Keras that old trials import and the shim serves; their modules have moved.
OLD_KERAS = ("keras", "keras_applications", "keras_preprocessing", "tensorflow.python.keras")

_OLD_LSTM = {"recurrent_activation": '"hard_sigmoid"'}
_OLD_GRU = {**_OLD_LSTM, "reset_after": "False"}

#: Layers whose defaults TensorFlow 1 and standalone Keras had otherwise, and these defaults.
OLD_DEFAULTS = {
    "tensorflow.keras.layers.GRU": _OLD_GRU,
    "tensorflow.keras.layers.GRUCell": _OLD_GRU,
    "tensorflow.keras.layers.LSTM": _OLD_LSTM,
    "tensorflow.keras.layers.LSTMCell": _OLD_LSTM,
}

#: What the shim wraps and migrated code needs no answer to, with the reason.
NEEDS_NO_RULE = {
    "numpy.array": "a ragged array is an error there, at its line",
    "numpy.asarray": "a ragged array is an error there, at its line",
    "{keras}.src.engine.training.Model.compile": "P036 and P037 answer for standalone Keras",
    "{keras}.src.engine.training_v1.Model.compile": "P036 and P037 answer for standalone Keras",
    "{keras}.src.engine.base_layer.Layer.__call__": "P013 refuses set_learning_phase",
    "{keras}.src.optimizers.legacy.optimizer_v2.OptimizerV2.__init__": "an error at its line",
}

#: Learning rates that standalone Keras alone had otherwise.
STANDALONE_RATES = {"Adadelta": "1.0", "Adagrad": "0.01", "Adamax": "0.002", "Nadam": "0.002"}


#: Names of one metric each, of which TensorFlow 1 reported another one than was asked for.
METRIC_NAMES = (
    ("acc", "accuracy"),
    ("mae", "mean_absolute_error"),
    ("mse", "mean_squared_error"),
    ("mape", "mean_absolute_percentage_error"),
    ("msle", "mean_squared_logarithmic_error"),
    ("kld", "kullback_leibler_divergence", "kl_divergence"),
)

#: Names of other metrics that end alike.
OTHER_METRICS = ("binary_accuracy", "categorical_accuracy", "root_mean_squared_error")

_OLD_PACKAGES = (f"{ROOT}.", "determined.frameworks.", "determined.trial_controller.")

#: What a KerasDataAdapter is called, and what it was called.
ADAPTERS = {
    "determined.frameworks.keras.data.KerasDataAdapter",
    "determined.keras.KerasDataAdapter",
    "determined.keras.SequenceAdapter",
    "pedl.frameworks.keras.data.KerasDataAdapter",
}
IN_MEMORY_SEQUENCES = {
    "determined.keras.InMemorySequence",
    "pedl.frameworks.keras.data.InMemorySequence",
}
LOADERS = ADAPTERS | IN_MEMORY_SEQUENCES

#: What asks for a hyperparameter, from anywhere.
GET_HYPERPARAMETER = "pedl.get_hyperparameter"

#: Getters of the context in Determined 0.12 that are found on ``context.distributed`` since.
RANK_GETTERS = ("get_rank", "get_size", "get_local_rank", "get_num_agents")

#: What a config says that counts in steps.
CONFIG_IN_STEPS = (b"max_steps", b"target_trial_steps", b"batches_per_step")

_EARLY = sorted({name.rpartition(".")[2] for name in NAMES if not name.startswith(f"{ROOT}.")})
_MENTIONS = re.compile("|".join([ROOT, *_EARLY]).encode())


def mentions_legacy(source: bytes) -> bool:
    """Whether a file may use the old API: the cheap question that most files answer with no."""
    if ROOT.encode() in source:
        return True
    return b"determined" in source and _MENTIONS.search(source) is not None


def is_legacy(dotted: str) -> bool:
    """Whether a dotted name belongs to an old API."""
    return dotted == ROOT or dotted.startswith(_OLD_PACKAGES) or dotted in NAMES
