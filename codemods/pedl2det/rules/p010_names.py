"""Names of PEDL, Keras, TensorFlow 1 and other libraries that have moved get today's names.

The table of ``pedl2det_names`` has today's name for each old one, and the arguments whose names or
defaults have changed. A name without a public successor becomes a function of the same behaviour in
``legacy_keras``; a name without any replacement is marked.

In TensorFlow 1 and standalone Keras, ``LSTM`` and ``GRU`` had
``recurrent_activation="hard_sigmoid"``, and ``GRU`` had ``reset_after=False``. A call that leaves
them out gets them; where a class is used as a value, or called with hidden arguments, P027 does it.

A function of TensorFlow 1 that takes other arguments today keeps its name where a call means the
same, with the new names of its parameters, and becomes that of ``tf.compat.v1`` elsewhere.

Old NumPy gave an array with rows of several lengths ``dtype=object`` by itself. Only the running
code knows the lengths, so ``legacy_keras.ragged_array`` decides there, unless the rows are plainly
numbers.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from copy import copy
from dataclasses import replace

import pedl2det_names as names
from pedl2det.analysis import old_keras
from pedl2det.analysis.flow.values import arguments_of
from pedl2det.analysis.models import watches_validation
from pedl2det.analysis.old_keras import LEGACY
from pedl2det.analysis.source import Source, spell
from pedl2det.analysis.trial import TRIALS, Reference, Trial
from pedl2det.fixes import Edit, Fix, Remark, ReplaceStatement, rewrite
from pedl2det_names import Age
from pedl2det_names.keras import VERSIONS, private_path
from pedl2det_names.libraries import HEADS as LIBRARY_HEADS
from pedl2det_names.libraries import RESTORED, UNLIKELY

#: Names that other rules rewrite.
_OWN_RULE = (
    *("pedl.get_", "pedl.util.", "pedl.trial.get_", "pedl.trial_controller."),
    *("determined.trial_controller.", "pedl.frameworks.keras.wrap_dataset"),
    *("determined.create", "determined.keras.init", "determined.experimental.keras.init"),
    *names.harness.LOADERS,
)
#: Names of the optimizers' module that are no optimizers.
_OPTIMIZERS = [f"{old_keras.OPTIMIZERS}.{name}" for name in ("get", "deserialize", "Optimizer")]
_RAGGED = ("numpy.array", "numpy.asarray")
#: Functions whose results are numbers.
_NUMBERS = ("count", "float", "index", "int", "len", "ord")
_LEVELS = 4  #: of lists in lists that are followed; only the outer one may have any length
_BY_TEXT = re.compile(r"\b(?:globals|locals|vars|eval)\(")
#: Functions that cast to a type.
_CASTS = {
    "tensorflow.to_double": "float64",
    "tensorflow.to_float": "float32",
    "tensorflow.to_int32": "int32",
    "tensorflow.to_int64": "int64",
}
#: Nodes that test whether a name is there.
_TESTS = ast.BoolOp | ast.Compare | ast.If | ast.IfExp | ast.UnaryOp


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Rewrite every old name that the table has."""
    written_for, others = old_keras.age(trial), _OWN_RULE
    if trial.carried:
        others = (*(prefix for prefix in others if prefix not in names.harness.LOADERS), *TRIALS)
    is_of_p011 = not (trial.carried or trial.is_of_today)
    for reference in trial.references:
        row = old_keras.row_for(reference, written_for)
        node, call = reference.node, reference.call
        if not isinstance(node, ast.expr) or reference.dotted.startswith(others):
            continue
        if reference.dotted == names.harness.ROOT:
            if isinstance(reference.source.names.parents[node], _TESTS):
                yield rewrite(node, "True")  # it was always there
        elif row is None or old_keras.is_optimizer(row) or row.new in _OPTIMIZERS:
            continue  # P009
        elif (edits := old_keras.edits_for_today(call, row)) is not None:
            kept = (row.new or row.old).replace("tensorflow.compat.v1.", "tensorflow.")
            yield from old_keras.respelled(reference.source, node, kept, edits)
        elif row.today and _is_given_to_layer(trial, reference):
            continue  # which calls it by place
        elif _is_likely_right(trial, row, reference, written_for):
            continue
        elif not (is_of_p011 and call is not None and watches_validation(trial, call)):
            row = replace(row, keywords={}) if row.today else row  # tf.compat.v1 has them
            yield from _cast(reference) or _rewrite_name(trial, reference, row)
    yield from _names_of_several(trial, written_for)


def _is_given_to_layer(trial: Trial, reference: Reference) -> bool:
    """Whether a name is an argument of a layer of Keras, such as its activation."""
    parents = reference.source.names.parents
    around = parents[reference.node]
    around = parents[around] if isinstance(around, ast.keyword) else around
    if not isinstance(around, ast.Call) or around.func is reference.node:
        return False
    is_layer = trial.today(around.func).startswith(f"{old_keras.KERAS}.layers.")
    return is_layer and not any(keyword.arg == "arguments" for keyword in around.keywords)


def _names_of_several(trial: Trial, written_for: Age) -> Iterator[Fix | Remark]:
    """Rewrite imports of names that have several meanings, or that code may look up by text."""
    hidden: dict[ast.AST, dict[ast.alias, names.Name]] = defaultdict(dict)
    for reference in trial.references:
        alias, row = reference.node, old_keras.row_for(reference, written_for)
        if isinstance(alias, ast.alias) and row and _is_hidden(reference.source, alias, row):
            hidden[reference.source.names.parents[alias]][alias] = row
    for statement, rows in hidden.items():
        assert isinstance(statement, ast.Import | ast.ImportFrom)
        others = copy(statement)
        others.names = [alias for alias in statement.names if alias not in rows]
        lines = [_import_of(alias, row) for alias, row in rows.items()]
        if None in lines:
            message = "what this imports may also be something else"
            yield Remark(statement, message, "import both under names of their own")
            continue
        kept = [ast.unparse(others)] if others.names else []
        yield Fix(statement, (ReplaceStatement(statement, "\n".join(filter(None, kept + lines))),))
        if any(row.defaults and not old_keras.is_optimizer(row) for row in rows.values()):
            yield from old_keras.as_before(trial)


def _is_hidden(source: Source, alias: ast.alias, row: names.Name) -> bool:
    bound_name = alias.asname or alias.name
    texts = [text for text in source.names.of(ast.Constant) if bound_name in str(text.value)]
    if row.support and any(map(source.names.annotation_around, texts)):
        return True
    uses = [node for node in source.names.of(ast.Name) if node.id == bound_name]
    if not uses:
        return old_keras.is_optimizer(row) and bool(_BY_TEXT.search(source.text))
    bound = [[binding.node for binding in source.names.bindings(name)] for name in uses]
    return any(
        alias in nodes and len(nodes) > 1 and source.names.qualified(name) is None
        for name, nodes in zip(uses, bound, strict=True)
    )


def _import_of(alias: ast.alias, row: names.Name) -> str | None:
    """What imports a name that means the same, however it is used; None for what calls alone do."""
    home, _, name = (row.new or "").rpartition(".")
    bound = alias.asname or alias.name
    if not home or (old_keras.is_optimizer(row) and (row.parameters or not row.same)):
        return f"{bound} = legacy_keras.{row.support or name}" if row.support or name else None
    is_kept = home in (LEGACY, f"{old_keras.KERAS}.layers") or not (row.defaults or row.keywords)
    if "." in bound or not (row.same and is_kept):
        return None
    return f"from {home} import {name}" + (f" as {bound}" if name != bound else "")


def _is_likely_right(trial: Trial, row: names.Name, reference: Reference, written_for: Age) -> bool:
    """Whether a call of a function that has changed is left as it is, in this form of a trial."""
    node, call = reference.node, reference.call
    if trial.carried and row.old in (*_RAGGED, *UNLIKELY):
        return True  # P031
    if row.old in _RAGGED:
        return written_for is Age.CURRENT or not _may_be_ragged(trial, call)
    words = UNLIKELY.get(row.old)
    if words is None or trial.is_unseen(node) or trial.mentions(words):
        return False
    if row.old != "numpy.load" or call is None:
        return True
    around = [*reference.source.names.around(call)]
    is_one_file = any(isinstance(part, ast.Constant) for part in call.args[:1])  # which is tried
    is_one_file &= not any(isinstance(outer, _TESTS) for outer in around)
    arrays = [one.call for one in trial.references if one.dotted in _RAGGED and not one.is_import]
    is_seen = is_one_file or isinstance(around[0], ast.withitem)
    return is_seen and not any(_may_be_ragged(trial, one) for one in arrays)


def _may_be_ragged(trial: Trial, call: ast.Call | None) -> bool:
    """Whether an array without ``dtype`` is made of rows that may differ in length."""
    match call:
        case ast.Call(keywords=keywords) if any(keyword.arg == "dtype" for keyword in keywords):
            return False
        case ast.Call(args=[rows, *_]):
            shapes = _shapes(trial, rows)
            return len(shapes) > 1 or None in shapes
    return True


def _shapes(trial: Trial, value: ast.AST, levels: int = _LEVELS) -> set[tuple[int, ...] | None]:
    """The shapes that a value may have: plain numbers in lists; None for all else."""
    if not levels:
        return {None}
    origins = trial.flow.origins(value) if isinstance(value, ast.expr) else ()
    return {None if one.path else _shape(trial, one.node, levels - 1) for one in origins} or {None}


def _shape(trial: Trial, value: ast.AST, levels: int) -> tuple[int, ...] | None:
    rows: list[ast.AST] = []
    match value:
        case ast.Constant():
            return ()
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in _NUMBERS:
            return None if trial.flow.called(value) else ()
        case ast.ListComp(elt=row) if levels == _LEVELS - 1:
            rows = [row]
        case ast.Tuple(elts=parts):
            rows = [*parts]
        case ast.List(elts=parts) if not trial.is_unseen(value):
            more = [*_appended(trial, value)]
            rows = [*parts, *more] if not more or levels == _LEVELS - 1 else []
    shapes = {shape for row in rows for shape in _shapes(trial, row, levels)}
    only = shapes.pop() if len(shapes) == 1 else None
    return None if only is None else (len(rows), *only)


def _appended(trial: Trial, rows: ast.List) -> Iterator[ast.AST]:
    """What is added to a list; where it is added, if that is not visible."""
    for use in trial.flow.uses(rows):
        is_change = use.is_change and not use.path
        match use.around:
            case ast.Call(func=ast.Attribute(attr="append" | "insert"), args=[*_, row]):
                yield from [row] if is_change else ()
            case around if is_change:
                yield around


def _cast(reference: Reference) -> list[Fix]:
    """Write ``tf.cast`` for a cast whose arguments are all visible."""
    source, call, name = reference.source, reference.call, _CASTS.get(reference.dotted)
    arguments = arguments_of(call, ("x", "name")) if call is not None and name is not None else None
    if call is None or not arguments or "x" not in arguments:
        return []
    cast = spell(source, "tensorflow.cast", call.func)
    dtype = spell(source, f"tensorflow.{name}", call.func)
    code = f"{cast.code}({{x}}, {dtype.code}" + (", name={name})" if "name" in arguments else ")")
    return [rewrite(call, code, arguments, imports=(*cast.imports, *dtype.imports))]


def _rewrite_name(trial: Trial, reference: Reference, row: names.Name) -> Iterable[Fix | Remark]:
    node, call, code = reference.node, reference.call, ast.unparse(reference.node)
    assert isinstance(node, ast.expr)
    if row.same and row.new is not None and not row.new.startswith("{"):
        roots = [value.partition(".")[0] for value in row.defaults.values()]
        imports = tuple(f"import {package}" for package in roots if package in LIBRARY_HEADS)
        defaults = ", ".join(f"{name}={value}" for name, value in row.defaults.items())
        is_settled = call is not None or _is_settled(reference.source, node, row)
        plain: list[Edit] | None = [] if is_settled or not row.defaults else None
        arguments = plain if call is None else old_keras.call_edits(call, row)
        is_value = row.old == row.new and (arguments is None or not is_settled)
        root, _, path = reference.dotted.partition(".")
        if is_value and root in RESTORED:
            yield from old_keras.restored(reference.source, node, root)
        elif arguments is None and row.keywords and root == "tensorflow" and path[:5] != "keras":
            yield from old_keras.respelled(reference.source, node, f"tensorflow.compat.v1.{path}")
        elif row.old == row.new and arguments is not None:
            yield from (Fix(node, tuple(arguments), imports),) if arguments else ()
        elif arguments is not None:
            yield from old_keras.respelled(reference.source, node, row.new, arguments)
        elif row.new.startswith(f"{old_keras.KERAS}.layers."):
            yield from old_keras.respelled(reference.source, node, row.new)  # P027
        else:
            message = f"`{code}` has other arguments today, and not all are visible"
            yield Remark(node, message, f"partial({row.new}, {defaults})")
    elif row.support is not None:
        yield rewrite(node, f"legacy_keras.{row.support}")
    elif row.old == "numpy.NINF" and isinstance(node, ast.Attribute):
        yield rewrite(node, "-{module}.inf", {"module": node.value})
    elif row.old.endswith(".__version__"):
        yield rewrite(node, f'"{VERSIONS[old_keras.age(trial)]}"')
    elif row.new is None and (private := private_path(reference.dotted)):
        place = private.replace(".", "/")  # a text with dots would look like a use of its names
        yield rewrite(node, f'legacy_keras.private_keras("{place}")')
    else:
        yield Remark(node, f"`{code}` does not work any more", row.write)


def _is_settled(source: Source, node: ast.expr, row: names.Name) -> bool:
    """Whether ``isinstance`` asks about a class, or an earlier run wrote its defaults."""
    parent = source.names.parents.get(node)
    is_argument = getattr(parent, "func", node) is not node
    given = getattr(parent, "keywords", ()) if is_argument else ()
    is_written = any(keyword.arg in row.defaults for keyword in given)
    return is_written or old_keras.asks_about_class(source, node)


EXAMPLE = """\
--- net.py
  import tensorflow as tf
- from keras.layers import LSTM
+ from tensorflow.keras.layers import LSTM
+ from tensorflow.keras.layers import concatenate
- from keras.layers.merge import concatenate


  def score(parts):
-     return LSTM(4)(tf.log(tf.to_float(concatenate(parts))))
+     return LSTM(4, recurrent_activation="hard_sigmoid")(
+         tf.math.log(tf.cast(concatenate(parts), tf.float32))
+     )
"""
