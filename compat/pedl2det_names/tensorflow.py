"""Names of TensorFlow 1."""

from __future__ import annotations

from collections.abc import Mapping

from pedl2det_names.compat_v1 import COMPAT_V1
from pedl2det_names.name import TENSORFLOW_2, Name, table

_V1 = "compat.v1"
_SESSION = "values need no session: tensor.numpy()"


def _row(
    old: str,
    new: str | None,
    *,
    write: str = "",
    same: bool = True,
    keywords: Mapping[str, str | None] | None = None,
    support: str | None = None,
    changed: bool = False,
) -> Name:
    return Name(
        f"tensorflow.{old}",
        new and f"tensorflow.{new}",
        TENSORFLOW_2,
        same,
        write,
        keywords or {},
        support,
        changed,
    )


def _gone(old: str, since: str, write: str) -> Name:
    """Return the row of a name that TensorFlow 2 has removed."""
    return Name(f"tensorflow.{old}", None, since, False, write)


def _graph(old: str, write: str) -> Name:
    """Return the row of a name that works only in graph mode."""
    return _row(old, f"{_V1}.{old}", write=write, same=False)


#: Functions of ``tf.gfile``: their names in ``tf.io.gfile`` and renamed parameters.
_GFILE: dict[str, tuple[str, Mapping[str, str | None]]] = {
    "Copy": ("copy", {"oldpath": "src", "newpath": "dst"}),
    "DeleteRecursively": ("rmtree", {"dirname": "path"}),
    "Exists": ("exists", {"filename": "path"}),
    "FastGFile": ("GFile", {}),
    "Glob": ("glob", {"filename": "pattern"}),
    "IsDirectory": ("isdir", {"dirname": "path"}),
    "ListDirectory": ("listdir", {"dirname": "path"}),
    "MakeDirs": ("makedirs", {"dirname": "path"}),
    "MkDir": ("mkdir", {"dirname": "path"}),
    "Remove": ("remove", {"filename": "path"}),
    "Rename": ("rename", {"oldname": "src", "newname": "dst"}),
    "Stat": ("stat", {"filename": "path"}),
    "Walk": ("walk", {"in_order": "topdown"}),
}

_METRICS = "use a class of tf.keras.metrics"


def _train_optimizer(
    old: str,
    new: str,
    parameters: tuple[str, ...],
    keywords: Mapping[str, str | None] | None = None,
    defaults: Mapping[str, str] | None = None,
) -> Name:
    return Name(
        f"tensorflow.train.{old}Optimizer",
        f"tensorflow.keras.optimizers.legacy.{new}",
        TENSORFLOW_2,
        write="Keras accepts only optimizers of tf.keras",
        keywords={"use_locking": None, **(keywords or {})},
        support=f"{old}Optimizer",
        parameters=parameters,
        defaults=defaults or {},
    )


def _other_optimizer(old: str, new: str, write: str) -> Name:
    """Return the row of an optimizer whose arithmetic differs from all Keras optimizers."""
    new = f"keras.optimizers.legacy.{new}"
    return _row(f"train.{old}Optimizer", new, same=False, write=write, support=f"{old}Optimizer")


_OPTIMIZERS = (
    _train_optimizer(
        "Adam",
        "Adam",
        ("learning_rate", "beta1", "beta2", "epsilon", "use_locking", "name"),
        {"beta1": "beta_1", "beta2": "beta_2"},
        {"epsilon": "1e-08"},
    ),
    _train_optimizer("GradientDescent", "SGD", ("learning_rate", "use_locking", "name")),
    _train_optimizer(
        "Adadelta",
        "Adadelta",
        ("learning_rate", "rho", "epsilon", "use_locking", "name"),
        defaults={"epsilon": "1e-08"},
    ),
    _train_optimizer(
        "Ftrl",
        "Ftrl",
        (
            *("learning_rate", "learning_rate_power", "initial_accumulator_value"),
            *("l1_regularization_strength", "l2_regularization_strength", "use_locking", "name"),
            *("accum_name", "linear_name", "l2_shrinkage_regularization_strength"),
        ),
        {"accum_name": None, "linear_name": None},
    ),
    _other_optimizer(
        "Adagrad",
        "Adagrad",
        "it added no epsilon: Adagrad(learning_rate, epsilon=0.0) computes the same up to rounding",
    ),
    _other_optimizer(
        "Momentum",
        "SGD",
        "SGD(learning_rate, momentum=) computes the same up to rounding while the learning rate is "
        "constant",
    ),
    _other_optimizer(
        "RMSProp",
        "RMSprop",
        "it started with a mean square of 1 and added epsilon=1e-10 inside of the square root; "
        "RMSprop(rho=) starts with 0 and adds epsilon to the square root",
    ),
)

_REDUCTION = {"keep_dims": "keepdims", "reduction_indices": "axis"}

_LOSS_SCALE = "scale the loss with tf.keras.mixed_precision.LossScaleOptimizer"
_SPEC = "use tf.TensorSpec(shape, dtype) and its like"
_STATISTICS = "profile the input with the TensorFlow profiler"

#: Names that TensorFlow 2 has removed: the version, and what to write.
_GONE = {
    **dict.fromkeys(
        (
            f"train.experimental.{name}"
            for name in ("DynamicLossScale", "FixedLossScale", "LossScale")
        ),
        ("TensorFlow 2.7", _LOSS_SCALE),
    ),
    **dict.fromkeys(
        (
            f"data.experimental.{name}Structure"
            for name in ("Dataset", "Nested", "Optional", "Ragged", "RaggedTensor", "SparseTensor")
        ),
        ("TensorFlow 2.3", _SPEC),
    ),
    **dict.fromkeys(
        ("data.experimental.TensorStructure", "data.experimental.TensorArrayStructure"),
        ("TensorFlow 2.3", _SPEC),
    ),
    **dict.fromkeys(
        (
            f"data.experimental.{name}"
            for name in ("StatsAggregator", "StatsOptions", "bytes_produced_stats", "latency_stats")
        ),
        ("TensorFlow 2.6", _STATISTICS),
    ),
    "data.experimental.MapVectorizationOptions": ("TensorFlow 2.6", "nothing: it had no effect"),
}

#: Functions with renamed parameters.
_PARAMETERS: dict[str, Mapping[str, str | None]] = {
    **{
        f"{module}reduce_{name}": _REDUCTION
        for module in ("", "math.")
        for name in ("all", "any", "logsumexp", "max", "mean", "min", "prod", "sum")
    },
    **{
        f"{module}{name}": {"dimension": "axis"}
        for module in ("", "math.")
        for name in ("argmax", "argmin")
    },
    "expand_dims": {"dim": "axis"},
    "norm": {"keep_dims": "keepdims"},
    "squeeze": {"squeeze_dims": "axis"},
    "linalg.norm": {"keep_dims": "keepdims"},
    "math.l2_normalize": {"dim": "axis"},
    "nn.l2_normalize": {"dim": "axis"},
    "nn.log_softmax": {"dim": "axis"},
    "nn.moments": {"keep_dims": "keepdims"},
    "nn.softmax": {"dim": "axis"},
    "reverse_sequence": {"batch_dim": "batch_axis", "seq_dim": "seq_axis"},
}

#: Private names that moved, and their public names.
_PRIVATE = {
    "framework.ops.Tensor": ("TensorFlow 2.14", "Tensor"),
    **{
        f"ops.control_flow_ops.{name}": ("TensorFlow 2.13", name)
        for name in ("case", "cond", "while_loop")
    },
    **{
        f"distribute.distribution_strategy_context.{name}": (
            "TensorFlow 2.14",
            f"distribute.{name}",
        )
        for name in ("get_replica_context", "get_strategy", "has_strategy")
    },
}

ROWS = table(
    *(_row(name, name, keywords=keywords, changed=True) for name, keywords in _PARAMETERS.items()),
    *(
        _row(f"gfile.{old}", f"io.gfile.{new}", keywords=keywords)
        for old, (new, keywords) in _GFILE.items()
    ),
    _row("set_random_seed", "random.set_seed"),
    _row("random.set_random_seed", "random.set_seed"),
    _row(
        "nn.softmax_cross_entropy_with_logits_v2",
        "nn.softmax_cross_entropy_with_logits",
        keywords={"dim": "axis"},
    ),
    _row("decode_raw", "io.decode_raw", keywords={"bytes": "input_bytes"}),
    _row(
        "nn.dropout",
        f"{_V1}.nn.dropout",
        write="its second argument was the fraction to keep, and is the fraction to drop; "
        "tf.keras.layers.Dropout drops only in training",
        changed=True,
    ),
    _row("Session", f"{_V1}.Session", same=False, write=_SESSION, support="Session"),
    _graph("InteractiveSession", _SESSION),
    _graph("get_default_session", _SESSION),
    _graph("layers", "use tf.keras.layers"),
    _graph("placeholder", "use tf.keras.Input, or tf.compat.v1.placeholder in graph mode"),
    _graph("get_variable", "use tf.Variable, or a layer of tf.keras"),
    _graph("variable_scope", "use tf.name_scope"),
    _graph("trainable_variables", "use trainable_variables of the model"),
    _graph("global_variables", "use variables of the model"),
    _graph("get_collection", "keep what you need in a list of your own"),
    *(
        _graph(name, _METRICS)
        for name in COMPAT_V1
        if name.startswith("metrics.") and COMPAT_V1[name].startswith(_V1)
    ),
    *(
        _row(
            f"data.Dataset.{name}",
            f"{_V1}.data.{name}",
            same=False,
            write="write `for x, y in dataset`",
        )
        for name in ("make_one_shot_iterator", "make_initializable_iterator")
    ),
    *_OPTIMIZERS,
    *(_gone(name, since, write) for name, (since, write) in _GONE.items()),
    *(
        _row(f"train.experimental.{name}", f"{_V1}.mixed_precision.{name}")
        for name in (
            "enable_mixed_precision_graph_rewrite",
            "disable_mixed_precision_graph_rewrite",
        )
    ),
    *(
        Name(f"tensorflow.python.{old}", f"tensorflow.{new}", since)
        for old, (since, new) in _PRIVATE.items()
    ),
)

#: Modules whose names all use the row of the module.
_WHOLE = ("layers",)


def lookup(dotted: str) -> Name | None:
    """Return the row of a name of TensorFlow 1, except ``tf.contrib`` (see ``contrib``)."""
    if row := ROWS.get(dotted):
        return row
    root, _, path = dotted.partition(".")
    if root != "tensorflow" or path not in COMPAT_V1:
        return None
    if path.partition(".")[0] in _WHOLE:
        return _graph(path, ROWS[f"tensorflow.{path.partition('.')[0]}"].write)
    return _row(path, COMPAT_V1[path])
