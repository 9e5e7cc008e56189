"""The one table of legacy names: what the shim serves, what the rules rewrite.

``compat/pedl`` must serve every name in it and every rule looks its names up here, so that the
two cannot drift apart (tests/test_legacy_names.py).
"""

from __future__ import annotations

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
        LegacyName("pedl.frameworks.keras.KerasFunctionalTrial"),
        LegacyName("pedl.frameworks.keras.KerasTrial"),
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

#: Layers whose defaults TensorFlow 1 had otherwise, and the arguments that say which.
OLD_DEFAULTS = {
    "tensorflow.keras.layers.GRU": ("recurrent_activation", "reset_after"),
    "tensorflow.keras.layers.GRUCell": ("recurrent_activation", "reset_after"),
    "tensorflow.keras.layers.LSTM": ("recurrent_activation",),
    "tensorflow.keras.layers.LSTMCell": ("recurrent_activation",),
}


#: What the shim wraps and migrated code needs no answer to, with the reason.
NEEDS_NO_RULE = {
    "numpy.array": "a ragged array is an error there, at its line",
    "numpy.asarray": "a ragged array is an error there, at its line",
    "{keras}.src.engine.training.Model.compile": "P013 refuses imports of standalone Keras",
    "{keras}.src.engine.training_v1.Model.compile": "P013 refuses imports of standalone Keras",
    "{keras}.src.engine.base_layer.Layer.__call__": "P013 refuses set_learning_phase",
    "{keras}.src.optimizers.legacy.optimizer_v2.OptimizerV2.__init__": "an error at its line",
}


def mentions_legacy(source: bytes) -> bool:
    """Whether a file may use the old API: the cheap question that most files answer with no."""
    return ROOT.encode() in source


def is_legacy(dotted: str) -> bool:
    """Whether a dotted name belongs to the old API."""
    return dotted == ROOT or dotted.startswith(f"{ROOT}.")
