"""The trial class of a script, put together from its statements."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import libcst as cst

from pedl2det.engine.lowering.blocks import code_of, without_blank_lines
from pedl2det.engine.lowering.closures import Closures
from pedl2det.engine.lowering.cutting import Parts, history_targets, rebinds, shared_names
from pedl2det.engine.lowering.fit_call import FitCall
from pedl2det.engine.lowering.fit_writer import FitWriter
from pedl2det.engine.lowering.recording import Recorded
from pedl2det.engine.lowering.script import Script
from pedl2det.engine.lowering.variables import as_variables
from pedl2det.engine.lowering.walk import bound_names, read_names

_DOCSTRING = '"""Trains the model of this script, on the data that it gave to fit."""'
_SKELETON = """\
class {name}(TFKerasTrial):
    {docstring}

    def __init__({trial}, {parameter}) -> None:
        pass

    def build_model(self, hparams):
        return self.model

    def build_training_data_loader(self):
        return self.training_data

    def build_validation_data_loader(self):
        return self.validation_data
"""
_NO_VALIDATION = """\
    def build_validation_data_loader(self):
        # TODO(pedl2det P017): return the validation data, which every trial needs
        raise NotImplementedError
"""
_CALLBACKS = """
    def keras_callbacks(self, hparams):
        return {callbacks}
"""
_AFTER = '''
    def after_training(self, _logs=None):
        """What the script did when its model was trained."""
        pass
'''
_STEPS = '''
    def after_training(self, _logs=None):
        """What the script did when its model was trained."""
        for step in self.after_fit:
            step()
'''
_OWN_ATTRIBUTES = {
    *("after_fit", "after_training", "batches_per_epoch", "build_model", "callbacks", "context"),
    *("build_training_data_loader", "build_validation_data_loader", "data_loaders", "history"),
    *("keras_callbacks", "model", "session_config", "training_data", "validation_data"),
}


@dataclass(frozen=True)
class Made:
    """A trial class and what its file needs.

    Attributes:
        code: the class.
        has_after: whether something is done after the training.
        has_history: whether the metrics are kept for what comes after the training.
    """

    code: Any
    has_after: bool
    has_history: bool


def trial_class(
    script: Script,
    parts: Parts,
    fits: Sequence[tuple[FitCall, Recorded]],
    name: str,
    last_callback: str,
) -> Made:
    """The trial class of a script.

    Args:
        script: the script.
        parts: its parts.
        fits: each call that trains, and what takes its place.
        name: the name of the class.
        last_callback: how the file names ``LambdaCallback``.
    """
    shared = shared_names(parts, script.parameter)
    trial = "self" if not {"self"} & _names(parts.moving) else "trial"
    after = _without_exits(parts.after)
    nested = FitWriter.has_rest(parts)
    closures = Closures(parts, shared, trial)
    has_history = _reads_history(parts, after, nested)
    carried = [] if nested else _carried(parts, after, shared, fits, has_history)
    may_differ = rebinds(parts) or not _all_bound(parts, carried)
    uses_closures = bool(nested or (after and may_differ))
    keeps_name = uses_closures or bool(shared)
    writer = FitWriter(script, parts, fits, trial, closures, has_history, keeps_name)
    body: list[Any] = []
    if script.parameter in shared:  # a parameter cannot be a name of the module
        body.append(cst.parse_statement(f"global {', '.join(shared)}"))
        body.append(cst.parse_statement(f"{script.parameter} = trial_context"))
    elif shared:
        body.append(cst.parse_statement(f"global {', '.join(shared)}"))
    if uses_closures:
        body.append(cst.parse_statement(f"{trial}.after_fit = []"))
    body += [cst.parse_statement(f"{one} = None") for one in closures.unbound(after, uses_closures)]
    body += [one.code for one in parts.before]
    body += writer.written()
    if uses_closures and after:
        body += closures.of([one.code for one in after], [one.node for one in after])
    elif after:
        body += [
            cst.parse_statement(f"{trial}.{attribute} = {one}")
            for one, attribute in carried
            if attribute not in ("model", "history")
        ]
    has_after = bool(uses_closures or after)
    code = _code(script, shared, fits, name, trial, has_after, has_history, last_callback)
    code += _STEPS if uses_closures else _AFTER if after else ""
    made: Any = cst.parse_module(code).body[0]
    body = [as_variables(one, shared) for one in body]
    made = _with_body(made, "__init__", _tidied(body))
    if after and not uses_closures:
        model = [cst.parse_statement(f"{one} = self.{attribute}") for one, attribute in carried]
        declared = [one for one in shared if one in bound_names([one.node for one in after])]
        head = [cst.parse_statement(f"global {', '.join(declared)}")] if declared else []
        lines = [*head, *model, *(as_variables(one.code, shared) for one in after)]
        made = _with_body(made, "after_training", _tidied(lines), keeps_docstring=True)
    return Made(made, has_after, has_history)


def _code(
    script: Script,
    shared: Sequence[str],
    fits: Sequence[tuple[FitCall, Recorded]],
    name: str,
    trial: str,
    has_after: bool,
    has_history: bool,
    last_callback: str,
) -> str:
    parameter = "hparams"
    if script.parameter:
        own = "trial_context" if script.parameter in shared else script.parameter
        parameter = f"{own}: TFKerasTrialContext"
    docstring = script.docstring or _DOCSTRING
    code = _SKELETON.format(name=name, docstring=docstring, trial=trial, parameter=parameter)
    if not all(record.has_validation for _, record in fits):
        code = code[: code.index("    def build_validation_data_loader")] + _NO_VALIDATION
    has_callbacks = any(record.has_callbacks for _, record in fits)
    everywhere = all(record.has_callbacks for _, record in fits)
    may_be_none = any(record.may_be_none for _, record in fits if record.has_callbacks)
    mine = "self.callbacks" if everywhere else 'getattr(self, "callbacks", None)'
    mine = f"({mine} or [])" if may_be_none or not everywhere else mine
    extra = ["self.history"] if has_history else []
    extra += [f"{last_callback}(on_train_end=self.after_training)"] if has_after else []
    if extra:
        others = [f"*{mine}"] if has_callbacks else []
        return code + _CALLBACKS.format(callbacks=f"[{', '.join([*others, *extra])}]")
    if has_callbacks:
        bare = mine[1:-1] if mine.startswith("(") else mine
        return code + _CALLBACKS.format(callbacks=bare)
    return code


def _names(statements: Sequence[ast.stmt]) -> set[str]:
    return set(bound_names(statements)) | read_names(statements)


def _without_exits(after: Sequence[Any]) -> list[Any]:
    """What comes after the training, without a last line that ends the process."""
    found = list(after)
    while found and code_of(found[-1].code).strip().startswith(("sys.exit(", "exit(", "quit(")):
        found.pop()
    return found


def _carried(
    parts: Parts,
    after: Sequence[Any],
    shared: Sequence[str],
    fits: Sequence[tuple[FitCall, Recorded]],
    has_history: bool,
) -> list[tuple[str, str]]:
    """Names that are bound before the training and used after it, each with its attribute."""
    before = bound_names([*(one.node for one in parts.before), parts.fit.node])
    used = read_names([one.node for one in after]) & set(before) - set(shared)
    known: dict[str, str] = {}
    models = {ast.unparse(fit.model) for fit, _ in fits}
    if len(models) == 1:
        known[models.pop()] = "model"
    if has_history:
        known |= dict.fromkeys(history_targets(parts), "history")
    found = [(one, known[one]) for one in sorted(used & known.keys(), key=_model_first(known))]
    return found + [
        (one, f"script_{one}" if one in _OWN_ATTRIBUTES else one)
        for one in sorted(used - known.keys())
    ]


def _model_first(known: dict[str, str]) -> Callable[[str], tuple[bool, str]]:
    return lambda name: (known[name] != "model", name)


def _all_bound(parts: Parts, carried: Sequence[tuple[str, str]]) -> bool:
    """Whether names are bound on every way to the training."""
    plain = [one.node for one in parts.before if not isinstance(one.node, ast.If | ast.Try)]
    plain = [one for one in plain if not isinstance(one, ast.For | ast.While | ast.AsyncFor)]
    for one in parts.before:  # both branches bind it
        if isinstance(one.node, ast.If) and one.node.orelse:
            both = bound_names(one.node.body).keys() & bound_names(one.node.orelse).keys()
            plain += [ast.parse(f"{name} = 0").body[0] for name in both]
    bound = bound_names([*plain, *([parts.fit.node] if _is_simple(parts.fit.node) else [])])
    return all(name in bound for name, _ in carried)


def _is_simple(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr | ast.Assign | ast.AnnAssign)


def _reads_history(parts: Parts, after: Sequence[Any], nested: bool) -> bool:
    """Whether what ``fit`` returned may be used after the training."""
    targets = history_targets(parts)
    if any(not one.isidentifier() for one in targets):
        return True
    nodes = [one.node for one in after] + ([parts.fit.node] if nested else [])
    nodes += [one.node for one in parts.staying]
    return bool(targets & read_names(nodes))


def _tidied(lines: list[Any]) -> list[Any]:
    """Lines of a method: at most one blank line above each, none above the first."""
    found = [without_blank_lines(one, 0 if number == 0 else 1) for number, one in enumerate(lines)]
    return found or [cst.SimpleStatementLine([cst.Pass()])]


def _with_body(made: Any, name: str, lines: list[Any], keeps_docstring: bool = False) -> Any:
    """Put statements into a method."""
    methods = []
    for item in made.body.body:
        if isinstance(item, cst.FunctionDef) and item.name.value == name:
            first = list(item.body.body[:1]) if keeps_docstring else []
            item = item.with_changes(body=item.body.with_changes(body=[*first, *lines]))
        methods.append(item)
    return made.with_changes(body=made.body.with_changes(body=methods))
