"""Statements that change where modules are found."""

from __future__ import annotations

import ast
import re

from pedl2det.analysis.source import Source

_OWN_DIRECTORY = re.compile(
    r"(os\.path\.\w+\()*os\.path\.dirname\((os\.path\.\w+\()*__file__\)+"
    r"|str\((pathlib\.)?Path\(__file__\)(\.\w+\(\))*\.parent\)|'\.'|''"
)


def adds_own_directory(node: ast.AST) -> bool:
    """Whether a statement adds the directory of its file to ``sys.path``, where it is anyway."""
    match node:
        case ast.Expr(
            value=ast.Call(
                func=ast.Attribute(value=path, attr="insert" | "append"), args=[*_, directory]
            )
        ):
            text = ast.unparse(directory)
            is_path = ast.unparse(path) == "sys.path" and text.count("dirname(") < 2
            return is_path and _OWN_DIRECTORY.fullmatch(text) is not None
    return False


def changes_path(source: Source, node: ast.AST) -> bool:
    """Whether code names ``sys.path``, and does not only add the file's own directory."""
    named = any(source.names.qualified(one) == "sys.path" for one in source.names.below(node))
    return named and not adds_own_directory(node)
