"""The names of ``pedl2det_names`` as the rules take them."""

from __future__ import annotations

from dataclasses import dataclass

from pedl2det_names import (
    ADAPTERS,
    CONFIG_IN_STEPS,
    GET_HYPERPARAMETER,
    IN_MEMORY_SEQUENCES,
    LOADERS,
    METRIC_NAMES,
    OLD_DEFAULTS,
    OTHER_METRICS,
    RANK_GETTERS,
    ROOT,
    STANDALONE_RATES,
    is_legacy,
    mentions_legacy,
)
from pedl2det_names.harness import ROWS

__all__ = [
    "ADAPTERS",
    "CONFIG_IN_STEPS",
    "GET_HYPERPARAMETER",
    "IN_COMPAT_V1",
    "IN_MEMORY_SEQUENCES",
    "LOADERS",
    "METRIC_NAMES",
    "NAMES",
    "OLD_DEFAULTS",
    "OLD_KERAS",
    "OTHER_METRICS",
    "RANK_GETTERS",
    "ROOT",
    "SERVED_ONLY",
    "STANDALONE_RATES",
    "LegacyName",
    "is_legacy",
    "mentions_legacy",
]


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


NAMES = {row.old: LegacyName(row.old, row.new) for row in ROWS.values()}


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
