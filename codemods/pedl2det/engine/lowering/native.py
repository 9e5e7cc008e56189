"""Scripts of the Native API, which asked for a context: ``context = keras.init(config)``.

The trial's constructor is given the context, under the name that the script gave it. The config
that stood in the script becomes a file.
"""

from __future__ import annotations

import ast
from dataclasses import replace

from pedl2det.analysis.flow import Flow
from pedl2det.analysis.native import init_calls
from pedl2det.analysis.source import Source
from pedl2det.engine.lowering.command_line import DEFAULTS
from pedl2det.engine.lowering.lowered import Facts
from pedl2det.engine.lowering.script import Script
from pedl2det.engine.lowering.unread import without_unread
from pedl2det.findings import Kind
from pedl2det.fixes import ReplaceStatement

_KINDS = {"Constant": "const", "Integer": "int", "Double": "double", "Categorical": "categorical"}
_KINDS |= {"Log": "log"}
_PARAMETERS = {
    "Constant": ("val",),
    "Integer": ("minval", "maxval", "count"),
    "Double": ("minval", "maxval", "count"),
    "Log": ("minval", "maxval", "base", "count"),
    "Categorical": ("vals",),
}
_COMPUTED = "the experiment config is computed, so migrate cannot write it to a file"
_WRITE_CONFIG = "write it to const.yaml, with an entrypoint"


class _Unknown(Exception):  # noqa: N818 - describes the value, not the failure
    """A value that is computed."""


def without_init(script: Script) -> Script:
    """Have the trial's constructor be given what ``keras.init`` returned.

    Within a function it stays, and only its config is read.
    """
    source = script.source
    call = next(init_calls(source), None)
    if call is None:
        return script
    given = [one.value for one in call.keywords if one.arg == "config"] or call.args[:1]
    config = config_of(script, given[0]) if given else None
    if given and config is None:
        script = script.saying(call, Kind.LEFT, _COMPUTED, _WRITE_CONFIG)
    facts = script.facts if config is None else _facts(script, config)
    script = replace(script, config=config, facts=facts)
    match source.names.parents[call]:
        case ast.Assign(targets=[ast.Name(id=name)]) as node if node in source.tree.body:
            new = without_unread(script.edited([ReplaceStatement(node)]), script)
            script = replace(new, parameter=name)
    if "parse_args" in script.source.text:
        return script
    findings = tuple(one for one in script.findings if one.message != DEFAULTS)
    return replace(script, findings=findings)


def config_of(script: Script, node: ast.expr) -> dict[str, object] | None:
    """The experiment config that an expression is; None if it is computed."""
    try:
        value = _value(Flow(script.modules()), script.source, node)
    except _Unknown:
        return None
    return value if isinstance(value, dict) else None


def _facts(script: Script, config: dict[str, object]) -> Facts:
    """What the config says, as if it were a file."""
    section = config.get("hyperparameters")
    sizes = section if isinstance(section, dict) else {}
    size = sizes.get("global_batch_size", sizes.get("batch_size"))
    steps = config.get("batches_per_step")
    return replace(
        script.facts,
        has_batch_size=size is not None,
        batch_size=size if isinstance(size, int) else None,
        batches_per_step=steps if isinstance(steps, int) else 100,
    )


# The config.


def _value(flow: Flow, source: Source, node: ast.expr) -> object:
    """The value of a literal, of names for literals, and of hyperparameters."""
    found = flow.origins(node)
    if len(found) != 1 or found[0].path or not isinstance(found[0].node, ast.expr):
        raise _Unknown
    if isinstance(node, ast.Name) and _is_changed(source, node.id):
        raise _Unknown
    made = found[0].node
    match made:
        case ast.Constant(value=value):
            return value
        case ast.Dict(keys=keys, values=values):
            return {
                str(_value(flow, source, _known(key))): _value(flow, source, value)
                for key, value in zip(keys, values, strict=True)
            }
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return [_value(flow, source, one) for one in parts]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            number = _value(flow, source, operand)
            if isinstance(number, int | float):
                return -number
        case ast.Call():
            return _hyperparameter(flow, source, made)
    raise _Unknown


def _known(key: ast.expr | None) -> ast.expr:
    if key is None:  # **other
        raise _Unknown
    return key


def _hyperparameter(flow: Flow, source: Source, call: ast.Call) -> object:
    meaning = source.names.qualified(call.func) or ""
    kind = meaning.rpartition(".")[2]
    if not meaning.startswith("determined.") or kind not in _KINDS:
        raise _Unknown
    found: dict[str, object] = {}
    for name, value in zip(_PARAMETERS[kind], call.args, strict=False):
        found[name] = _value(flow, source, value)
    for keyword in call.keywords:
        name = "val" if keyword.arg == "value" else str(keyword.arg)
        found[name] = _value(flow, source, keyword.value)
    return found["val"] if kind == "Constant" else {"type": _KINDS[kind], **found}


def _is_changed(source: Source, name: str) -> bool:
    """Whether members of a dict are set, or it is updated, anywhere in the file."""
    for node in source.names.of(ast.Subscript):
        if isinstance(node.ctx, ast.Store | ast.Del):
            root: ast.expr = node
            while isinstance(root, ast.Subscript):
                root = root.value
            if isinstance(root, ast.Name) and root.id == name:
                return True
    return any(
        ast.unparse(call.func) in (f"{name}.update", f"{name}.pop", f"{name}.setdefault")
        for call in source.names.of(ast.Call)
    )
