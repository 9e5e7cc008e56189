"""Small projects for tests of the analysis: texts that become modules, flow or a trial.

In these texts ``ask(x)`` marks an expression whose origins a test asks for, and ``value()`` one
whose uses it asks for.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path

from pedl2det.analysis.flow import Flow
from pedl2det.analysis.flow.values import Origin, Use
from pedl2det.analysis.modules import Modules
from pedl2det.analysis.source import Source
from pedl2det.analysis.trial import Trial

Files = Mapping[str, str]


def source(text: str) -> Source:
    """One file."""
    return Source.of(Path("x.py"), text)


def modules(files: Files | str) -> Modules:
    """Some files by module name; a text alone is the module ``main``."""
    named = {"main": files} if isinstance(files, str) else files
    return Modules(
        {
            name: Source.of(Path(f"{name.replace('.', '/')}.py"), text)
            for name, text in named.items()
        }
    )


def trial(files: Files, entry_names: Mapping[str, frozenset[str]] | None = None) -> Trial:
    """A project with a trial."""
    return Trial(Path(), modules(files), entry_names=entry_names or {})


def node_of(files: Modules, text: str) -> ast.expr:
    """The last expression of a project with some text."""
    found = [
        node
        for one in files
        for node in one.names.nodes
        if isinstance(node, ast.expr) and one.segment(node) == text
    ]
    return found[-1]


def asked(files: Modules) -> list[ast.expr]:
    """What stands in ``ask(...)``, in the order of the text."""
    return [
        call.args[0]
        for one in files
        for call in one.names.of(ast.Call)
        if isinstance(call.func, ast.Name) and call.func.id == "ask"
    ]


def origins(files: Files | str, entries: tuple[str, ...] = ()) -> set[str]:
    """The origins of all that stands in ``ask(...)``, as texts."""
    flow = flow_of(files, entries)
    return {
        described(flow.modules, origin)
        for node in asked(flow.modules)
        for origin in flow.origins(node)
    }


def uses(files: Files | str, entries: tuple[str, ...] = ()) -> set[str]:
    """The uses of ``value()``: the way and the text around each, with the member that it is."""
    flow = flow_of(files, entries)
    found = flow.uses(node_of(flow.modules, "value()"))
    return {described(flow.modules, use) for use in found}


def flow_of(files: Files | str, entries: tuple[str, ...] = ()) -> Flow:
    """The value flow of a project; ``entries`` are dotted names of functions."""
    made = modules(files)
    found = frozenset(one for name in entries if (one := made.definition(name)))
    return Flow(made, found, found)


def described(files: Modules, found: Origin | Use) -> str:
    """An origin or a use as a text: ``load()[0]``, ``parameter x``, ``argument f(a)``."""
    path = "".join(f"[{step!r}]" for step in found.path)
    if isinstance(found, Use):
        member = f" as {path}" if path else ""
        return f"{found.way.value} {ast.unparse(found.around).splitlines()[0]}{member}"
    match found.node:
        case ast.arg(arg=name):
            return f"parameter {name}{path}"
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            return f"def {name}{path}"
        case ast.ClassDef(name=name):
            return f"class {name}{path}"
        case ast.alias(name=name):
            return f"import {name}{path}"
        case node:
            return f"{ast.unparse(node)}{path}"
