"""Restore what models, shapes and libraries had in the years of the trial.

``legacy_keras.restore_attributes()`` gives models, layers and others what they had in TensorFlow 1
and Keras 2.2.4, such as ``model.predict_classes(x)``, ``layer.name = "net"``,
``trainable_weights = [...]``, ``x._keras_shape`` and ``optimizer.get_config()["lr"]``.

``legacy_keras.restore_pandas()`` and the like give libraries their methods, names and arguments of
2019: ``frame.append``, ``frame.ix``, the frequency ``M``, ``dataset.value``, and for code that
looks them up by text ``np.float`` and ``preprocessing.Imputer``. The frequencies ``H T S L U N``
become lower-case ones that every pandas reads.

``x.shape[-1].value`` becomes ``x.shape[-1]``. Where dimensions are read in other ways,
``legacy_keras.restore_dimensions()`` gives shapes those of TensorFlow 1.

The calls are above the code that needs them; in a trial that is carried over, in each module that
may. What has got nothing back behaves as before.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

import pedl2det_names as names
from pedl2det.analysis import old_keras
from pedl2det.analysis.flow.values import Origin, argument
from pedl2det.analysis.source import Source
from pedl2det.analysis.trial import Trial
from pedl2det.fixes import Fix, rewrite
from pedl2det_names import Age
from pedl2det_names.libraries import FREQUENCIES, RESTORED, SEQUENCES

#: Attributes that today's classes may lack, as they are read, set or called.
_GONE = re.compile(
    r"""
    [.'](?:predict_classes|_keras_shape|_uses_learning_phase|initial_decay
        |make_one_shot_iterator|output_(?:classes|shapes|types)|_make_\w+_function)\b
    |\.(?:non_)?trainable_weights\ \+?=|setattr\(.+,\ '(?:name|(?:non_)?trainable_weights)',
    |\.add_(?:loss|update)\(.+,|\.eval\((?:session=.*)?\)|getattr\([^()]+,\ (?:f'|.*\ [+%]\ )
    """,
    re.VERBOSE,
)
#: Possible uses of others: a pattern, and what the trial then contains; the first of TensorFlow 1.
_MAY_BE = (
    (  # variables had a hash
        r"\.(?:non_)?trainable_(?:variables|weights)\b"
        r"|(?<!self)\.(?:variables|weights|bias|kernel|moving_\w+|recurrent_kernel)\b",
        r"\b(?:\w*[dD]ict|(?:frozen)?set|setdefault)\(|\{.* for |\w\[\w+\]",
    ),
    (r"(?<!super\(\))(?<!, self\))\.get_config\(", r"""["']lr["']"""),  # an optimizer's
    (r"\.predict_proba\b", "Sequential|model_from_|load_model"),
)
_INDEXED = re.compile(r".*\.(?:get_)?shape(?:\(\))?\[[^]]*\]\.value")
_OF_VARIABLE = re.compile(r"\w+\.(?:get_)?shape(?:\(\))?\[(?!0\]).+\]")
_LISTS = ast.List | ast.ListComp | ast.Tuple
_NAME = re.compile(r"\.name \+?= ")  #: which layers of standalone Keras could set
_H5PY, _PANDAS = "h5py", r"\bpandas\b"
_METHODS = ("as_matrix", "get_value", "iteritems", "ix", "set_value")  #: that pandas had
#: Frequencies with a spelling that every pandas reads, and others.
_SMALL = {"H": "h", "T": "min", "S": "s", "L": "ms", "U": "us", "N": "ns"}
_FREQUENCY = re.compile(r"(-?\d*)(?:([HLNSTU])|[AMQY]|[BS]M|C?BH|BQ)(?:-[A-Z]{3})?")


def check(trial: Trial) -> Iterable[Fix]:
    """Restore what the modules of a trial may use."""
    if trial.carried:
        yield from _everything(trial)
        return
    modules = [*trial.modules] if old_keras.is_old(trial) else []
    sizes = [size for source in modules for size in _sizes(trial, source)]
    are_plain = all(_INDEXED.fullmatch(ast.unparse(size)) for size in sizes)
    for size in sizes:
        if are_plain and isinstance(size, ast.Attribute):
            yield rewrite(size, "{size}", {"size": size.value})
        else:
            yield from old_keras.restored(trial.modules.home(size), size, "dimensions")
    may_be = _MAY_BE if old_keras.is_old(trial) else _MAY_BE[1:]
    may_need_libraries = old_keras.age(trial) is not Age.CURRENT
    mentioned = [words for words in (_H5PY, _PANDAS) if trial.mentions(words)]
    for source in trial.modules:
        uses = (line for line in source.tree.body if _is_gone(trial, line, may_be))
        if first := next(uses, None):
            yield from old_keras.restored(source, first, "attributes")
        if may_need_libraries:
            yield from _libraries(trial, source, mentioned)


def _everything(trial: Trial) -> Iterator[Fix]:
    """Restore all that each module imports."""
    of_keras = ["attributes", "dimensions"] if old_keras.is_old(trial) else ["attributes"]
    for source in trial.modules:
        dotted = [alias.name for node in source.names.of(ast.Import) for alias in node.names]
        dotted += [node.module or "" for node in source.names.of(ast.ImportFrom)]
        imported = {name.partition(".")[0] for name in dotted}
        had = of_keras if imported & {"keras", "tensorflow"} else []
        for name in (*had, *sorted(imported & {*RESTORED})):
            yield from old_keras.restored(source, source.tree.body[-1], name)


def _sizes(trial: Trial, source: Source) -> Iterable[ast.expr]:
    """Yield what reads a dimension of a shape otherwise than today, or may do so."""
    has_layers = re.search(r"\blayers\b", source.text) is not None
    for node in source.names.of(ast.Attribute, ast.BinOp, ast.Compare):
        match node:
            case ast.Attribute(attr="value", value=size, ctx=ast.Load()):
                may_be = "shape" in source.text and trial.modules.meaning(node) is None
                is_size = may_be and trial.is_unseen(node)
                is_size |= any(map(_is_item, trial.flow.origins(size)))
            case ast.Compare(left=size, comparators=[ast.Constant(value=None)]):
                is_size = False
            case ast.BinOp(left=size) | ast.Compare(left=size) if has_layers:
                # TensorFlow 1 computed and compared with what is not known.
                if _OF_VARIABLE.fullmatch(ast.unparse(size)):
                    yield node
                continue
            case _:
                continue
        texts = [ast.unparse(origin.node) for origin in trial.flow.origins(size)]
        if is_size or any(re.search(r"shape\b(?!=)", text) for text in texts):
            yield node


def _is_item(origin: Origin) -> bool:
    """Whether a value is an item of a parameter, which may be a shape."""
    is_named = any(isinstance(step, str) for step in origin.path)
    return isinstance(origin.node, ast.arg) and bool(origin.path) and not is_named


def _is_gone(trial: Trial, line: ast.stmt, may_be: Iterable[tuple[str, str]]) -> bool:
    """Whether a statement of a module may use what is gone."""
    code, source = ast.unparse(line), trial.modules.home(line)
    lines, unseen = range(line.lineno, (line.end_lineno or 0) + 1), trial.unseen_lines(source)
    text = "\n".join(source.lines[number - 1] for number in lines if number in unseen)
    return not isinstance(getattr(line, "value", None), ast.Constant) and (
        _GONE.search(code) is not None
        or any(
            re.search(f"{use}|{words}", text) or (re.search(use, code) and trial.mentions(words))
            for use, words in may_be
        )
        or (_NAME.search(code) is not None and old_keras.imports_standalone(trial))
    )


def _libraries(trial: Trial, source: Source, mentioned: list[str]) -> Iterator[Fix]:
    """Restore the libraries of a module, if it may use what they have not or do otherwise."""
    for node in source.names.of(ast.Attribute, ast.Name):
        if library := _library(trial, source, node, mentioned):
            yield from old_keras.restored(source, node, library)
    for call in source.names.of(ast.Call):
        if _PANDAS in mentioned:
            yield from _frequency(trial, source, call)
        dotted = trial.modules.meaning(call.func)
        if dotted in SEQUENCES:
            rows = [origin for part in call.args[:1] for origin in trial.flow.origins(part)]
            if not rows or not all(isinstance(row.node, _LISTS) and not row.path for row in rows):
                yield from old_keras.restored(source, call, dotted.partition(".")[0])


def _library(
    trial: Trial, source: Source, node: ast.Attribute | ast.Name, mentioned: list[str]
) -> str:
    """The library that an expression may need as it was."""
    parent = source.names.parents[node]
    match node:
        case ast.Attribute(attr="value") if _H5PY in mentioned:
            return "h5py"
        case ast.Attribute(value=frame, attr=name) if _PANDAS in mentioned:
            is_called = isinstance(parent, ast.Call) and parent.func is node
            is_list = isinstance(source.names.parents[parent], ast.Expr)  # which returns nothing
            is_list &= not getattr(parent, "keywords", ())
            is_append = name == "append" and is_called and not is_list
            is_of_frame = (trial.modules.meaning(frame) or "pandas.").startswith("pandas.")
            if is_of_frame and (is_append or name in _METHODS):
                return "pandas"
    dotted = trial.modules.meaning(node) or ""  # a module that is a value
    is_value = not isinstance(parent, ast.Attribute | ast.Assign) and dotted.islower()
    library = dotted.partition(".")[0]
    return library if is_value and dotted in names.packages() and library in RESTORED else ""


def _frequency(trial: Trial, source: Source, call: ast.Call) -> Iterator[Fix]:
    """Spell the frequency that a call passes to pandas as it is today."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    given = argument(call, *FREQUENCIES[name]) if name in FREQUENCIES else None
    if given is None:
        return
    text = str(given.value) if isinstance(given, ast.Constant) else "M"  # any
    if (found := _FREQUENCY.fullmatch(text)) is None:
        return
    if found[2] and not any(node.name == name for node in trial.modules.of(ast.FunctionDef)):
        yield rewrite(given, f'"{found[1]}{_SMALL[found[2]]}"')
    else:
        yield from old_keras.restored(source, call, "pandas")


EXAMPLE = """\
--- net.py
  import pandas as pd
  import tensorflow as tf
+
+ import legacy_keras
+
+ legacy_keras.restore_attributes()
+ legacy_keras.restore_pandas()


  def width(frame, model):
      rows = frame.append(frame.iloc[-1:]).resample("M").mean()
      x = tf.keras.layers.Dense(4)(tf.convert_to_tensor(rows))
-     return x.shape[-1].value, model.predict_classes(rows)
+     return x.shape[-1], model.predict_classes(rows)
"""
