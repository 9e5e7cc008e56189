"""Find in the Keras config of a checkpoint what may not be loaded without trust.

Text is allowed under known keys only: of any other, Keras may open the file of that name.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from typing import Any

#: Layers whose config holds code, or names any function of TensorFlow.
_CODE = {"Lambda", "__lambda__", "TFOpLambda", "SlicingOpLambda", "ClassMethod"}
_CODE |= {"InstanceMethod", "InstanceProperty", "TensorFlowOpLayer"}
_KERAS = ("keras", "tf_keras")
#: Modules of Keras, without ``keras.`` and ``keras.src.``, with classes of models, and functions.
_FUNCTIONS = {"activations", "constraints", "initializers", "losses", "metrics", "regularizers"}
_MODULES = {"", "engine", "layers", "mixed_precision", "models", "optimizers"} | _FUNCTIONS
#: Keys of text: names, or one of a few words.
_TEXT = {
    *("backend", "class_aggregation", "class_name", "curve", "data_format", "distribution"),
    *("dtype", "encoding", "equation", "fill_mode", "fn", "interpolation", "keras_version"),
    *("mask_token", "merge_mode", "mode", "module", "name", "oov_token", "output_mode", "padding"),
    *("reduction", "registered_name", "rng_type", "sample_weight_mode", "score_mode"),
    *("serialized", "split", "standardize", "summation_method", "type_spec", "vocabulary_dtype"),
}
_TEXT_ENDINGS = ("activation", "_constraint", "_initializer", "_regularizer")
#: Keys of text in lists, never of text alone, which is the path of a file.
_LISTS = {"vocabulary"}
#: Keys of text by the name of an output, or of an argument.
_BY_NAME = {
    *("input_layers", "inbound_nodes", "output_layers"),
    *("loss", "metrics", "weighted_metrics"),
}
#: Metrics take memory for each of them, or for each pair.
_COUNTS = {"num_classes", "num_thresholds"}
_MAX_COUNT = 10_000
_MAX_SHOWN = 60  # characters of a text


def needs_trust(config: Any, key: str = "") -> Iterator[str]:
    """Yield what of a Keras config runs code, may open a file or takes much memory."""
    if isinstance(config, dict):
        name = config.get("class_name")
        if name is not None and (code := _code(config, str(name))):
            yield code
            return
        for part, value in config.items():
            is_name = part == "config" and name == "function" and isinstance(value, str)
            if not is_name:
                yield from needs_trust(value, key if name is None and key in _BY_NAME else part)
    elif isinstance(config, list):
        for value in config:
            if not (key in _LISTS and isinstance(value, str)):
                yield from needs_trust(value, key)
    elif isinstance(config, str):
        if key not in _TEXT | _BY_NAME and not key.endswith(_TEXT_ENDINGS):
            yield f"{key}: {config[:_MAX_SHOWN]!r}"
    elif key in _COUNTS and (config or 0) > _MAX_COUNT:
        yield f"{key}: {config}"


def _code(config: dict[str, Any], name: str) -> str | None:
    """Return the name of a class or a function that is code, or is not of Keras."""
    module = str(config.get("module") or "keras")
    is_function = name == "function"
    if is_function:
        name = str(config.get("config"))
    root, _, inside = module.partition(".")
    part = inside.removeprefix("src.").partition(".")[0]
    if name in _CODE:
        return name
    if module == "builtins":
        return name if hasattr(builtins, name) else None
    modules = _FUNCTIONS if is_function and inside else _MODULES
    is_of_keras = root in _KERAS and part in modules and "." not in name
    return None if is_of_keras else f"{module}.{name}"
