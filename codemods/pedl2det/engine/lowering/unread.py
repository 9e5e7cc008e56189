"""Drop constants of a script that nothing reads any more."""

from __future__ import annotations

import ast

from pedl2det.engine.lowering.script import Script
from pedl2det.engine.lowering.statements import read_names
from pedl2det.engine.lowering.staying import is_constant
from pedl2det.fixes import ReplaceStatement


def without_unread(script: Script, old: Script) -> Script:
    """Drop assignments of constants that only what is gone read, such as ``EPOCHS = 3``.

    Args:
        script: the script.
        old: the script before arguments of ``fit`` were left out.
    """
    nodes = [
        n for one in script.facts.others.values() for n in one.names.of(ast.Attribute, ast.alias)
    ]
    others = {n.name if isinstance(n, ast.alias) else n.attr for n in nodes}
    read = read_names([old.source.tree])
    while True:
        now = read_names([script.source.tree])
        gone = [
            node
            for node in script.source.names.of(ast.Assign)
            if isinstance(target := node.targets[0], ast.Name)
            and target.id in read - now - others
            and is_constant(script.source, node.value)
        ]
        if not gone:
            return script
        script = script.edited([ReplaceStatement(one) for one in gone])
