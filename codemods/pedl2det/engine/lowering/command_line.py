"""The command line of a script, which PEDL gave no arguments: options have their defaults."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from pedl2det.analysis.source import Source
from pedl2det.engine.lowering.script import Script
from pedl2det.engine.lowering.statements import in_place_of, lines_of, paired
from pedl2det.findings import Kind
from pedl2det.fixes import AddArgument, Edit, Replace, ReplaceStatement

_PARSE = ("parse_args", "parse_known_args")
_RUN = ("absl.app.run", "tensorflow.app.run", "tensorflow.compat.v1.app.run")
_FLAGS = ("absl.flags.FLAGS", "tensorflow.app.flags.FLAGS", "tensorflow.compat.v1.app.flags.FLAGS")
DEFAULTS = "the options of the command line have their defaults: a trial gets no arguments"
_GUARDS = ("__name__ == '__main__'", "'__main__' == __name__")


def without_command_line(script: Script) -> Script:
    """Write what the script saw of its command line, and call what its starter called."""
    source = script.source
    found = list(_edits(source))
    if not found:
        return script
    for node, _ in found:
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in _PARSE:
            script = script.saying(node, Kind.NOTE, DEFAULTS)
    return script.edited([edit for _, edit in found])


def _edits(source: Source) -> Iterator[tuple[ast.AST, Edit]]:
    argv = f'["{source.path.name}"]'
    for call in source.names.of(ast.Call):
        meaning = source.names.qualified(call.func) or ""
        attribute = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        if attribute in _PARSE and not call.args and not call.keywords:
            yield call, AddArgument(call, "[]")
        elif meaning in _RUN and isinstance(source.names.parents.get(call), ast.Expr):
            statement = source.names.parents[call]
            assert isinstance(statement, ast.Expr)
            yield call, ReplaceStatement(statement, _started(source, call, argv))
        elif meaning == "fire.Fire" and call.args:
            yield call, Replace(call, "{function}()", {"function": call.args[0]})
    for node in source.names.of(ast.Name, ast.Attribute):
        if source.names.qualified(node) == "sys.argv" and isinstance(node.ctx, ast.Load):
            yield node, Replace(node, argv)
    for compare in source.names.of(ast.Compare):
        if is_main_guard(compare) and not isinstance(source.names.parents[compare], ast.If):
            yield compare, Replace(compare, "True")


def without_main_guard(script: Script) -> Script:
    """Put the code below the guard in the guard's place; a script runs as ``__main__``."""
    module, lines = lines_of(script.source)
    body: list[Any] = []
    footer: list[Any] = []
    for line in lines:
        if isinstance(line.node, ast.If) and is_main_guard(line.node.test):
            inner = paired(line.node.body, line.code.body)
            body += in_place_of(line.code, [one.code for one in inner])
            footer = [one for one in getattr(line.code.body, "footer", ()) if one.comment]
        else:
            body.append(line.code)
            footer = []
    return script.with_body(module, body, footer=[*footer, *module.footer])


def is_main_guard(node: ast.expr) -> bool:
    """Whether an expression asks whether the file runs as a script."""
    return ast.unparse(node) in _GUARDS


def _started(source: Source, call: ast.Call, argv: str) -> str:
    """The code that ``app.run(main)`` runs."""
    named = [one.value for one in call.keywords if one.arg == "main"]
    function = next(iter([*call.args, *named]), None)
    name = source.segment(function) if function is not None else "main"
    code = f"{name}({argv})"
    flags = _flags(source)
    return f"{flags}({argv})\n{code}" if flags else code


def _flags(source: Source) -> str:
    """How the file names the flags of absl; empty if it defines none."""
    defined = any(
        ".DEFINE_" in ast.unparse(node.func) or ast.unparse(node.func).startswith("DEFINE_")
        for node in source.names.of(ast.Call)
    )
    if not defined:
        return ""
    for node in source.names.of(ast.Name, ast.Attribute):
        if source.names.qualified(node) in _FLAGS and isinstance(node.ctx, ast.Load):
            return ast.unparse(node)
    return ""


def option_default(source: Source, node: ast.expr) -> ast.expr | None:
    """The default of the option that ``args.name`` reads, if it is written in the file."""
    if not isinstance(node, ast.Attribute):
        return None
    for call in source.names.of(ast.Call):
        if getattr(call.func, "attr", "") == "add_argument" and _dest(call) == node.attr:
            return next((one.value for one in call.keywords if one.arg == "default"), None)
        if "DEFINE_" in ast.unparse(call.func) and len(call.args) > 1:
            name = call.args[0]
            if isinstance(name, ast.Constant) and name.value == node.attr:
                return call.args[1]
    return None


def _dest(call: ast.Call) -> str:
    """The attribute that an option of argparse fills."""
    for one in call.keywords:
        if one.arg == "dest" and isinstance(one.value, ast.Constant):
            return str(one.value.value)
    words = [str(one.value) for one in call.args if isinstance(one, ast.Constant)]
    long = [one for one in words if one.startswith("--")] or words
    return long[0].lstrip("-").replace("-", "_") if long else ""
