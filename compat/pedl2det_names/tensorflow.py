"""Names of TensorFlow 1, of its ``tf.contrib``, and of NumPy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pedl2det_names.name import TENSORFLOW_2, Name, gone, lines_of, moved, pairs, served, table

CONTRIB = "tensorflow.contrib"

#: The names that exist in ``tf.compat.v1`` but not in ``tf``, and the current name of the same
#: object, both below ``tensorflow``; the name below ``compat.v1`` if there is no other.
COMPAT_V1 = {old: new[0] if new else f"compat.v1.{old}" for old, *new in lines_of("compat_v1.txt")}

_V1 = "compat.v1"
_SESSION = "values need no session: tensor.numpy()"

Keywords = Mapping[str, str | None]


def _row(old: str, new: str, since: str = TENSORFLOW_2, **more: Any) -> Name:
    """Return the row of a name below ``tensorflow`` that has a successor there."""
    return Name(f"tensorflow.{old}", f"tensorflow.{new}", since, **more)


def _graph(old: str, write: str) -> Name:
    """Return the row of a name that works only in graph mode."""
    return _row(old, f"{_V1}.{old}", write=write, same=False)


#: Functions of ``tf.gfile`` that trials call: their names in ``tf.io.gfile``, renamed parameters.
_GFILE: dict[str, tuple[str, Keywords]] = {
    "Exists": ("exists", {"filename": "path"}),
    "FastGFile": ("GFile", {}),
    "Glob": ("glob", {"filename": "pattern"}),
    "ListDirectory": ("listdir", {"dirname": "path"}),
    "MakeDirs": ("makedirs", {"dirname": "path"}),
}

_EPSILON = {"epsilon": "1e-08"}
#: Optimizers of ``tf.train`` that Keras has as well: the names, the parameters in order, the
#: renamed ones, and the defaults that differ.
_OPTIMIZERS: tuple[tuple[str, str, str, Keywords, Mapping[str, str]], ...] = (
    (
        *("Adam", "Adam", "learning_rate beta1 beta2 epsilon use_locking name"),
        {"beta1": "beta_1", "beta2": "beta_2"},
        _EPSILON,
    ),
    ("GradientDescent", "SGD", "learning_rate use_locking name", {}, {}),
    ("Adadelta", "Adadelta", "learning_rate rho epsilon use_locking name", {}, _EPSILON),
    (
        *("Ftrl", "Ftrl"),
        "learning_rate learning_rate_power initial_accumulator_value l1_regularization_strength "
        "l2_regularization_strength use_locking name accum_name linear_name "
        "l2_shrinkage_regularization_strength",
        {"accum_name": None, "linear_name": None},
        {},
    ),
    # Those whose arithmetic differs from all optimizers of Keras have no parameters here.
    ("Adagrad", "Adagrad", "", {}, {}),
    ("Momentum", "SGD", "", {}, {}),
    ("RMSProp", "RMSprop", "", {}, {}),
)

#: Names of TensorFlow that were removed later: the module, the names, and what to write.
_GONE = (
    (
        *("train.experimental", "DynamicLossScale FixedLossScale LossScale"),
        "scale the loss with tf.keras.mixed_precision.LossScaleOptimizer",
    ),
    (
        "data.experimental",
        "DatasetStructure NestedStructure OptionalStructure RaggedStructure RaggedTensorStructure "
        "SparseTensorStructure TensorStructure TensorArrayStructure",
        "use tf.TensorSpec(shape, dtype) and its like",
    ),
    (
        *("data.experimental", "StatsAggregator StatsOptions bytes_produced_stats latency_stats"),
        "profile the input with the TensorFlow profiler",
    ),
    ("data.experimental", "MapVectorizationOptions", "nothing: it had no effect"),
)

#: Names that work only in graph mode, and what to write instead.
_GRAPH = {
    "InteractiveSession": _SESSION,
    "get_default_session": _SESSION,
    "layers": "use tf.keras.layers",
    "placeholder": "use tf.keras.Input, or tf.compat.v1.placeholder in graph mode",
    "get_variable": "use tf.Variable, or a layer of tf.keras",
    "variable_scope": "use tf.name_scope",
    "trainable_variables": "use trainable_variables of the model",
    "global_variables": "use variables of the model",
    "get_collection": "keep what you need in a list of your own",
    **{
        name: "use a class of tf.keras.metrics"
        for name in COMPAT_V1
        if name.startswith("metrics.") and COMPAT_V1[name].startswith(_V1)
    },
}

#: Private names that moved, and their public names.
_PRIVATE = {
    "framework.ops.Tensor": "Tensor",
    **{f"ops.control_flow_ops.{name}": f"{_V1}.{name}" for name in ("case", "cond", "while_loop")},
    **{
        f"distribute.distribution_strategy_context.{name}": f"distribute.{name}"
        for name in ("get_replica_context", "get_strategy", "has_strategy")
    },
}

_CONTRIB_GONE = "it was removed in TensorFlow 2; implement it with tf.keras"

#: Names without a successor that support pieces implement.
_PIECES_OF_CONTRIB = (
    *("layers.l1_l2_regularizer", "layers.l1_regularizer", "layers.l2_regularizer"),
    *("layers.variance_scaling_initializer", "layers.xavier_initializer"),
    *("layers.xavier_initializer_conv2d", "training.HParams"),
)

#: Names that exist today and compute something else, whatever their arguments are.
_OTHER_MEANINGS = (
    *("nn.dropout", "cond", "image.extract_glimpse", "image.resize", "nn.ctc_beam_search_decoder"),
    *("nn.embedding_lookup", "nn.embedding_lookup_sparse", "nn.nce_loss"),
    *("nn.safe_embedding_lookup_sparse", "nn.softmax_cross_entropy_with_logits"),
    *("strings.split", "where", "while_loop"),
)


def _changed(name: str, *words: str) -> Name:
    """Return the row of a name that takes other arguments today: a line of ``changed_v1.txt``."""
    today = tuple(word for word in words if ">" not in word)
    renamed = (word.split(">") for word in words if ">" in word)
    keywords = {old: new or None for old, new in renamed}
    return _row(name, f"{_V1}.{name}", changed=True, today=today, keywords=keywords)


#: The names of this table, by their old names.
ROWS = table(*(_changed(*words) for words in lines_of("changed_v1.txt"))) | table(
    *(
        _row(f"gfile.{old}", f"io.gfile.{new}", keywords=keywords)
        for old, (new, keywords) in _GFILE.items()
    ),
    *(_row(name, f"{_V1}.{name}", changed=True) for name in _OTHER_MEANINGS),
    _row("set_random_seed", "random.set_seed"),
    _row("random.set_random_seed", "random.set_seed"),
    _row(
        "nn.softmax_cross_entropy_with_logits_v2",
        "nn.softmax_cross_entropy_with_logits",
        keywords={"dim": "axis"},
    ),
    _row("decode_raw", "io.decode_raw", keywords={"bytes": "input_bytes"}),
    *(
        _row(name, f"{_V1}.{name}", same=False, support=name)
        for name in ("Session", "get_default_graph")
    ),
    *(_graph(name, write) for name, write in _GRAPH.items()),
    _row(
        "data.Dataset.make_initializable_iterator",
        f"{_V1}.data.make_initializable_iterator",
        same=False,
        write="write `for x, y in dataset`",
    ),
    *(
        _row(
            f"train.{old}Optimizer",
            f"keras.optimizers.legacy.{new}",
            same=bool(parameters),
            keywords={"use_locking": None, **keywords} if parameters else {},
            support=f"{old}Optimizer",
            parameters=tuple(parameters.split()),
            defaults=defaults,
        )
        for old, new, parameters, keywords, defaults in _OPTIMIZERS
    ),
    *(
        gone(f"tensorflow.{module}.{name}", write)
        for module, names, write in _GONE
        for name in names.split()
    ),
    *(
        _row(f"train.experimental.{name}", f"{_V1}.mixed_precision.{name}")
        for name in (
            "enable_mixed_precision_graph_rewrite",
            "disable_mixed_precision_graph_rewrite",
        )
    ),
    *(_row(f"python.{old}", new, since="") for old, new in _PRIVATE.items()),
    *moved("moved_tensorflow.txt"),
    Name(f"{CONTRIB}.framework.nest", "tensorflow.nest", TENSORFLOW_2),
    *(served(f"{CONTRIB}.{old}", since=TENSORFLOW_2) for old in _PIECES_OF_CONTRIB),
    gone(f"{CONTRIB}.opt.AdamWOptimizer", "use tf.keras.optimizers.AdamW", since=TENSORFLOW_2),
    gone(CONTRIB, _CONTRIB_GONE, since=TENSORFLOW_2),
    *(
        Name(f"numpy.{old}", f"builtins.{new}", changed=True)
        for old, new in pairs("bool long>int").items()
    ),
    gone("numpy.NINF", "write -np.inf"),
    *(served(f"numpy.{name}") for name in ("asfarray", "asscalar", "find_common_type", "msort")),
    *(
        Name(f"numpy.{name}", f"numpy.{name}", same=False, support=f"ragged_{name}", changed=True)
        for name in ("array", "asarray")
    ),
)


def lookup(dotted: str) -> Name | None:
    """Return the row of a name of TensorFlow 1; every name of ``tf.contrib`` has one."""
    if row := ROWS.get(dotted):
        return row
    if dotted.startswith(f"{CONTRIB}."):
        return gone(dotted, _CONTRIB_GONE, since=TENSORFLOW_2)
    root, _, path = dotted.partition(".")
    if root != "tensorflow" or path not in COMPAT_V1:
        return None
    if path.startswith("layers."):
        return _graph(path, _GRAPH["layers"])
    return _row(path, COMPAT_V1[path])
