"""Code below ``if __name__ == "__main__":`` becomes code of the module."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

import libcst as cst

from pedl2det.edits.locate import Locator
from pedl2det.engine.lowering.blocks import lines_of, with_comments_of
from pedl2det.engine.lowering.command_line import is_main_guard
from pedl2det.engine.lowering.script import Script


def without_main_guard(script: Script) -> Script:
    """Put the code below the guard in the guard's place; a script runs as ``__main__``."""
    guards = [
        node
        for node in script.source.tree.body
        if isinstance(node, ast.If) and is_main_guard(node.test)
    ]
    if not guards:
        return script
    locator = Locator(script.source)
    unwrapped = {locator.statement(node) for node in guards}
    body: list[Any] = []
    footer: list[Any] = list(locator.module.footer)
    for one in locator.module.body:
        if one not in unwrapped:
            body.append(one)
            continue
        lines, comments = with_comments_of(one, lines_of(one.body))
        body += lines
        if comments and one is locator.module.body[-1]:
            footer = [*comments, *footer]
    module: cst.Module = locator.module.with_changes(body=body, footer=footer)
    return replace(script, text=script.text.rebuilt(locator, module))
