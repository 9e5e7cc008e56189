"""What names of Keras mean in old code, how its calls change, and what its optimizers are."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from enum import Enum

import pedl2det_names as names
from pedl2det import fixes as fx
from pedl2det.analysis.bindings import run_at_once
from pedl2det.analysis.config import tensorflow_in
from pedl2det.analysis.flow.values import Origin, Way
from pedl2det.analysis.source import Source, Spelling, spell
from pedl2det.analysis.trial import Generation, Reference, Trial, today
from pedl2det_names import Age
from pedl2det_names.keras import DATA_FORMATS, STANDALONE_DEFAULTS
from pedl2det_names.libraries import PLACES
from pedl2det_names.name import KERAS_2_11, TENSORFLOW_2

KERAS = "tensorflow.keras"
OPTIMIZERS = f"{KERAS}.optimizers"
LEGACY = f"{OPTIMIZERS}.legacy"
#: Keyword arguments of optimizers that no optimizer of today takes.
OLD_KEYWORDS = frozenset({"lr", "decay"})
#: What optimizers had before Keras 2.11.
_OF_OPTIMIZERS = {
    *("_create_slots", "_decayed_lr", "_get_hyper", "_resource_apply_dense"),
    *("_resource_apply_sparse", "_serialize_hyperparameter", "_set_hyper"),
}
#: The beginnings of the names of layers and models of TensorFlow's Keras.
_LAYERS_OF_TENSORFLOW = tuple(
    f"{root}.{name}"
    for root in (KERAS, "tensorflow.python.keras")
    for name in ("Input", "Model", "Sequential", "applications", "engine", "layers", "models")
)
#: The beginnings of the names of Keras objects that a module may make while it is imported.
_MADE = tuple(
    f"{KERAS}.{name}"
    for name in ("Model", "Sequential", "callbacks.", "layers.", "losses.", "models.")
)
_REPLACED = re.compile(
    rf"{KERAS}\.backend\.(?:batch_dot|function|learning_phase|resize_images|\w*update\w*|\w+_crossentropy)"
)
#: The positions of arguments whose defaults changed.
_POSITIONS = {"recurrent_activation": 2, **PLACES}


def age(trial: Trial) -> Age:
    """Return the TensorFlow that a project was written for, by the old names that it uses.

    Names that exist today and meant something else then (``changed`` in the table of names) have
    their old meaning only in code of that age. Files that no training imports are ignored.
    """
    trial = trial.trained
    named = trial.settings("environment", "image")
    images = {major for _, image in named for major, _ in tensorflow_in(str(image))}
    is_early = trial.generation is Generation.EARLY
    if trial.generation is Generation.PEDL or (is_early and images != {2}) or images == {1}:
        return Age.TENSORFLOW_1
    candidates = [reference for reference in trial.all_references if _is_sign(trial, reference)]
    signs = [reference for reference in candidates if not _is_guarded(reference)]
    if any(reference.row and reference.row.since == TENSORFLOW_2 for reference in signs):
        return Age.TENSORFLOW_1
    if signs or is_early or _has_old_optimizers(trial):
        return Age.TENSORFLOW_2
    return Age.TENSORFLOW_1 if trial.is_early else Age.CURRENT


def _has_old_optimizers(trial: Trial) -> bool:
    """Whether an optimizer gets ``lr=``, or code names a method that those of today do not have."""
    defined = {node.name for node in trial.modules.of(ast.FunctionDef)}
    called = {node.attr for node in trial.modules.of(ast.Attribute)}
    return bool(_OF_OPTIMIZERS & (defined | called)) or any(
        optimizer_kind(trial, call) is OptimizerKind.OBJECT
        for call in trial.modules.of(ast.Call)
        if OLD_KEYWORDS & {keyword.arg for keyword in call.keywords}
        if trial.modules.meaning(call.func) is None
    )


def _is_guarded(reference: Reference) -> bool:
    """Whether a reference is below an ``if`` that tests the version of TensorFlow."""
    return any(
        isinstance(outer, ast.If | ast.IfExp) and "__version__" in ast.unparse(outer.test)
        for outer in reference.source.names.around(reference.node)
    )


def _is_sign(trial: Trial, reference: Reference) -> bool:
    """Whether code with this reference fails or behaves differently with today's TensorFlow."""
    row = reference.row
    if row is None or not row.changed:
        return row is not None
    old = OLD_KEYWORDS if is_optimizer(row) else row.keywords.keys()
    keywords = [keyword for call in _calls(trial, reference) for keyword in call.keywords]
    if row.today:
        return any(keyword.arg is not None and keyword.arg not in row.today for keyword in keywords)
    return any(keyword.arg in old or _holds(trial, keyword, old) for keyword in keywords)


def _holds(trial: Trial, keyword: ast.keyword, wanted: Collection[str]) -> bool:
    """Whether ``**options`` is a dict that visibly has one of some keys."""
    present: list[object] = []
    for origin in trial.flow.origins(keyword.value) if keyword.arg is None else ():
        match origin.node:
            case ast.Dict(keys=keys) if not origin.path:
                present += [getattr(key, "value", None) for key in keys]
            case ast.Call(func=ast.Name(id="dict"), keywords=keywords) if not origin.path:
                present += [entry.arg for entry in keywords]
    return any(name in wanted for name in present)


def _calls(trial: Trial, reference: Reference) -> list[ast.Call]:
    """The calls of a reference; of an optimizer's class also those through a name or a dict."""
    if reference.call is not None:
        return [reference.call]
    node, row = reference.node, reference.row
    if not isinstance(node, ast.expr) or row is None or not is_optimizer(row):
        return []
    uses = [use.around for use in trial.flow.uses(node) if use.way is Way.METHOD]
    return [call for call in uses if isinstance(call, ast.Call)]


def is_old(trial: Trial) -> bool:
    """Whether a project was written for TensorFlow 1 or standalone Keras."""
    return age(trial) is Age.TENSORFLOW_1


def row_for(reference: Reference, written_for: Age) -> names.Name | None:
    """The row of a reference, if it applies to code of this age."""
    row = reference.row
    if row is None or written_for is Age.TENSORFLOW_1:
        return row
    # In code for TensorFlow 2, its private and standalone Keras had its defaults.
    if is_standalone(reference.dotted):
        row = names.lookup(f"tensorflow.python.{reference.dotted}") or row
    public = names.lookup(row.new) if row.new else None
    if public is not None and public.changed and public.since == TENSORFLOW_2:
        row = replace(row, defaults={}, write="")
    if not row.changed:
        return row
    if row.since == TENSORFLOW_2:
        return None
    return None if row.since == KERAS_2_11 and written_for is Age.CURRENT else row


def edits_for_today(call: ast.Call | None, row: names.Name) -> list[fx.Edit] | None:
    """The edits of a call of a name that has changed; None if it would not mean the same."""
    if (
        call is None
        or not row.today
        or any(isinstance(argument, ast.Starred) for argument in call.args)
    ):
        return None
    named = [row.keywords.get(keyword.arg or "", keyword.arg or "") for keyword in call.keywords]
    is_known = all(name is None or name in row.today for name in named)
    has_place = len(call.args) <= row.today.index("*")
    return call_edits(call, row) if is_known and has_place else None


def is_optimizer(row: names.Name) -> bool:
    """Whether an old name is an optimizer's class, of any Keras or of ``tf.train``."""
    is_class = (row.new or "").startswith(f"{LEGACY}.") and row.new != f"{LEGACY}.Optimizer"
    return is_class or (row.support or "").endswith("Optimizer")


def is_standalone(dotted: str) -> bool:
    """Whether a name belongs to standalone Keras."""
    return dotted.partition(".")[0] == "keras"


def means_standalone(trial: Trial, dotted: str) -> bool:
    """Whether a name belongs to a standalone Keras from before TensorFlow's replaced it."""
    return is_standalone(dotted) and is_old(trial)


def imports_standalone(trial: Trial) -> bool:
    """Whether a project uses a standalone Keras from before TensorFlow's replaced it."""
    # A module of the project named keras does not count; Keras 2.4 to 2.10 are TensorFlow's.
    references = trial.trained.all_references
    return is_old(trial) and any(is_standalone(reference.dotted) for reference in references)


def has_standalone_layers(trial: Trial) -> bool:
    """Whether a project uses a standalone Keras of its own, and no layers of TensorFlow's."""
    trial = trial.trained
    meanings = [(node, trial.modules.meaning(node) or "") for node in trial.modules.reads]
    layers = [node for node, name in meanings if name.startswith(_LAYERS_OF_TENSORFLOW)]
    is_own = any(means_standalone(trial, name) for _, name in meanings)
    return is_own and all(only_asks(trial, node) for node in layers)


def only_asks(trial: Trial, node: ast.expr) -> bool:
    """Whether a class is only named in an annotation or an ``isinstance`` check."""
    source = trial.modules.home(node)
    return source.names.annotation_around(node) is not None or asks_about_class(source, node)


def as_before(trial: Trial) -> Iterator[fx.Fix]:
    """Make Keras compute as it did in TensorFlow 1, or as standalone Keras did."""
    is_standalone = has_standalone_layers(trial)
    piece = "use_standalone_keras" if is_standalone else "use_old_keras"
    yield from before_models(trial, f"legacy_keras.{piece}")


def before_models(trial: Trial, dotted: str) -> Iterator[fx.Fix]:
    """Call a function before the trial makes its model.

    The call is in the constructor, or above a class that is carried over; and above Keras objects
    that a module makes while it is imported, before there is a trial.
    """
    if is_piece := dotted.startswith("legacy_keras."):
        homes = [trial.modules.home(root) for root in trial.roots]
        homes += [trial.loaders_home] if trial.loaders_home is not None else []
        for source in trial.modules.run_by_importing(homes):
            uses = (line for line in source.tree.body if _makes_at_once(trial, line))
            if first := next(uses, None):
                yield from before_use(source, first, f"{dotted}()")
    for root in trial.roots:
        if root in trial.context_based_roots:
            continue
        # A constructor of a subclass may make objects before it calls that of its base.
        others = [node for node in trial.flow.family(root) if node is not root]
        is_above = trial.carried or any(trial.flow.own_method(node, "__init__") for node in others)
        source = trial.modules.home(root)
        name = Spelling(dotted, ("import legacy_keras",)) if is_piece else spell(source, dotted)
        call = f"{name.code}()"
        if call not in source.text:  # it was migrated before, and its config was not
            edits = (fx.InsertBefore(root, call),) if is_above else ()
            yield fx.Fix(root, edits, name.imports, () if is_above else (call,))


def _makes_at_once(trial: Trial, statement: ast.stmt) -> bool:
    """Whether a statement of a module makes objects of Keras, or keeps a function that is replaced.

    Such as ``from keras.backend import binary_crossentropy``.
    """
    if isinstance(statement, ast.ImportFrom):
        names = [today(f"{statement.module}.{alias.name}") for alias in statement.names]
        return any(map(_REPLACED.fullmatch, names))
    if isinstance(statement, ast.If) and "__name__" in ast.unparse(statement.test):
        return False
    nodes = [*run_at_once(statement)]
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    called = dict.fromkeys(function for call in calls for function in trial.flow.called(call))
    nodes += [node for function in called for node in ast.walk(function)]
    makers = _MADE if any(isinstance(node, ast.Call) for node in nodes) else ()
    return any(
        (_REPLACED.fullmatch(name) or name.startswith(makers)) and not only_asks(trial, node)
        for node in nodes
        if isinstance(node, ast.Name | ast.Attribute) and (name := trial.today(node))
    )


def before_use(source: Source, first: ast.AST, call: str) -> Iterator[fx.Fix]:
    """Insert a call after the last import above the first use of something."""
    if call in source.text:
        return
    line = getattr(first, "lineno", 0)
    above = [node for node in source.tree.body if node.lineno < line]
    imports = [node for node in above if isinstance(node, ast.Import | ast.ImportFrom)]
    if imports:
        yield fx.Fix(first, (fx.InsertAfter(imports[-1], call),))
    else:
        at = next(node for node in source.tree.body if not isinstance(node, ast.Expr))
        yield fx.Fix(first, (fx.InsertBefore(at, call),))


def restored(source: Source, needed: ast.AST, library: str) -> Iterator[fx.Fix]:
    """Give a library what it had, above the first code of a module."""
    others = ast.Import | ast.ImportFrom | ast.Constant
    codes = (
        node for node in source.tree.body if not isinstance(getattr(node, "value", node), others)
    )
    first = next(codes, needed)
    yield from before_use(source, first, f"legacy_keras.restore_{library}()")


def respelled(
    source: Source, node: ast.expr, dotted: str, edits: Iterable[fx.Edit] = ()
) -> Iterator[fx.Fix]:
    """Replace a name by its successor, in the file's own style, with edits of its surroundings."""
    spelling = spell(source, dotted, like=node)
    if spelling.code != ast.unparse(node):
        edits = (fx.Replace(node, spelling.code), *edits)
    if edits or spelling.imports:
        yield fx.Fix(node, tuple(edits), spelling.imports)


def asks_about_class(source: Source, node: ast.expr) -> bool:
    """Whether ``isinstance`` or ``issubclass`` asks about a class, alone or in a tuple."""
    parent = source.names.parents.get(node)
    if isinstance(parent, ast.Tuple):
        parent = source.names.parents.get(parent)
    if not isinstance(parent, ast.Call) or parent.func is node:
        return False
    return ast.unparse(parent.func) in ("isinstance", "issubclass")


def call_edits(call: ast.Call, row: names.Name) -> list[fx.Edit] | None:
    """The edits that give a call today's arguments; None if they are not all visible."""
    edits: list[fx.Edit] = []
    filled: set[str | None] = set()
    hidden = any(isinstance(argument, ast.Starred) for argument in call.args)
    if row.parameters and (hidden or len(call.args) > len(row.parameters)):
        return None
    for place, argument in enumerate(call.args if row.parameters else ()):
        new = row.keywords.get(row.parameters[place], row.parameters[place])
        filled.add(new)
        if place:
            edits.append(fx.Drop(argument))
        if place and new is not None:
            edits.append(fx.AddArgument(call, f"{new}={{value}}", holes={"value": argument}))
    for keyword in call.keywords:
        hidden |= keyword.arg is None
        new = row.keywords.get(keyword.arg or "", keyword.arg)
        filled.add(new)
        if keyword.arg is not None and new is None:
            edits.append(fx.Drop(keyword))
        elif new is not None and new != keyword.arg:
            edits.append(fx.RenameKeyword(keyword, new))
        if keyword.arg == "dim_ordering":
            edits.append(_data_format(keyword.value))
    given = [keyword.arg for keyword in call.keywords if keyword.arg is not None]
    named = [row.keywords.get(name, name) for name in given]
    if len({*named} - {None}) + named.count(None) < len(named):
        return None  # two of them have the same name today
    missing = dict(_missing(call, row, filled))
    if hidden and (missing or "clipnorm" in row.keywords):
        return None
    edits += [fx.AddArgument(call, f"{name}={value}") for name, value in missing.items()]
    return edits


def _data_format(value: ast.expr) -> fx.Replace:
    """The value of ``data_format`` for one of ``dim_ordering``."""
    if isinstance(value, ast.Constant):
        data_format = DATA_FORMATS.get(str(value.value))
        return fx.Replace(value, f'"{data_format}"' if data_format else "None")
    formats = ", ".join(f'{old}="{new}"' for old, new in DATA_FORMATS.items())
    return fx.Replace(value, f"dict({formats}).get({{value}})", {"value": value})


def _missing(call: ast.Call, row: names.Name, filled: set[str | None]) -> Iterator[tuple[str, str]]:
    """The arguments with other defaults that a call leaves out."""
    for name, value in row.defaults.items():
        at = _POSITIONS.get(name)
        first = (row.parameters or ("learning_rate",))[0]
        is_first = name == row.keywords.get(first, first) and bool(call.args)
        by_position = is_first or (at is not None and len(call.args) > at)
        if name not in filled and not by_position:
            yield name, value


def sets_epsilon(trial: Trial) -> bool:
    """Whether a trial sets the epsilon of Keras, which was that of optimizers in Keras 2.2.4."""
    return any(trial.today(node) == f"{KERAS}.backend.set_epsilon" for node in trial.modules.reads)


def defaults_by_name(trial: Trial, name: str, is_standalone: bool) -> str:
    """The old defaults, other than today's, of an optimizer that a string names."""
    defaults = {**STANDALONE_DEFAULTS.get(name, {})} if is_old(trial) else {}
    if not is_standalone:  # only the sums of an Adagrad differ
        defaults.pop("learning_rate", None)
    return ", ".join(f"{key}={value}" for key, value in defaults.items())


#: Classes of optimizers by the names that Keras takes.
BY_NAME = {name.lower(): name for name in names.keras.TF_OPTIMIZERS}
#: Functions that give an optimizer.
_FUNCTIONS = {
    f"{OPTIMIZERS}.get",
    f"{OPTIMIZERS}.deserialize",
    "tensorflow.compat.v1.mixed_precision.enable_mixed_precision_graph_rewrite",
    *("legacy_keras.optimizer", "legacy_keras.standalone_optimizer"),
}


class OptimizerKind(Enum):
    """What kind of value an expression for an optimizer is."""

    OBJECT = "object"
    NAME = "name"
    UNKNOWN = "unknown"
    WRAPPED = "wrapped"  #: an object that was given to ``wrap_optimizer``


def optimizer_kind(trial: Trial, node: ast.expr) -> OptimizerKind:
    """What kind of value an expression is, as far as its origins show."""
    origins = trial.flow.origins(node)
    functions = [origin.node.func for origin in origins if isinstance(origin.node, ast.Call)]
    if any(getattr(function, "attr", "") == "wrap_optimizer" for function in functions):
        return OptimizerKind.WRAPPED
    if origins and all(_is_object(trial, origin) for origin in origins):
        return OptimizerKind.OBJECT
    constants = [origin.node.value for origin in origins if isinstance(origin.node, ast.Constant)]
    if len(constants) == len(origins) == 1 and str(constants[0]).lower() in BY_NAME:
        return OptimizerKind.NAME
    return OptimizerKind.UNKNOWN


def _is_object(trial: Trial, origin: Origin) -> bool:
    call = origin.node
    if not isinstance(call, ast.Call) or origin.path:
        return False
    match call.func:
        case ast.Call(func=ast.Name(id="getattr"), args=[module, *_]):  # getattr(optimizers, name)
            return trial.today(module) in (OPTIMIZERS, LEGACY)
    functions = trial.flow.origins(call.func)
    return bool(functions) and all(_makes_one(trial, function) for function in functions)


def _makes_one(trial: Trial, origin: Origin) -> bool:
    """Whether what is called is an optimizer's class, or a function that gives one."""
    node = origin.node
    if isinstance(node, ast.alias):
        source = trial.modules.home(node)
        bound = source.names.module_bindings(node.asname or node.name)
        return any(_is_class(source.names.follow(dotted)) for dotted in bound if dotted)
    return _is_class(trial.modules.meaning(node)) or trial.today(node) in _FUNCTIONS


def _is_class(dotted: str | None) -> bool:
    row = names.lookup(dotted) if dotted else None
    if row is not None and is_optimizer(row):
        return True
    module, _, name = today(dotted).rpartition(".")
    is_module = module.startswith((OPTIMIZERS, f"{KERAS}.mixed_precision", "tensorflow.train"))
    return is_module and name[:1].isupper()
