"""Write a dotted name in a file's own style: by the imports that it has, or by a new one."""

from __future__ import annotations

import ast
import builtins
from dataclasses import dataclass

import pedl2det_names as names
from pedl2det.analysis.source import Source

#: The usual local names of packages.
_USUAL = {"tensorflow": "tf", "numpy": "np", "pandas": "pd"}


@dataclass(frozen=True)
class Spelling:
    """How a file says a dotted name.

    Attributes:
        code: the expression.
        imports: the import statements that it needs and that the file may lack.
    """

    code: str
    imports: tuple[str, ...] = ()


def spell(source: Source, dotted: str, like: ast.expr | None = None) -> Spelling:
    """Write a dotted name.

    Args:
        source: the file.
        dotted: the name: ``tensorflow.compat.v1.ConfigProto``, ``builtins.int``.
        like: the old expression, whose style is kept: a bare name stays a bare name, and
            ``keras.layers.Dense`` stays as it is if ``keras`` can be imported from elsewhere.
    """
    module, _, name = dotted.rpartition(".")
    if module == "builtins":
        return Spelling(name)
    if isinstance(like, ast.Name):
        return _bare(source, module, name, like.id)
    known = _by_its_own_root(source, dotted, like)
    known = known or _by_known_import(source, dotted) or _by_sibling(source, dotted)
    if known is not None:
        return known
    top, _, rest = dotted.partition(".")
    if top in _USUAL and _is_free(source, _USUAL[top], top):
        return Spelling(f"{_USUAL[top]}.{rest}", (f"import {top} as {_USUAL[top]}",))
    return _bare(source, module, name, name)


def _by_its_own_root(source: Source, dotted: str, like: ast.expr | None) -> Spelling | None:
    """The name by what the old expression begins with: ``k.optimizers``, where ``k = tf.keras``.

    A root that is an old module, as after ``import keras``, is imported from its new place.
    """
    if not isinstance(like, ast.Attribute):
        return None
    part: ast.expr | None = like.value
    while part is not None:
        meaning = source.names.qualified(part)
        if meaning is not None and dotted.startswith(f"{meaning}."):
            return Spelling(ast.unparse(part) + dotted[len(meaning) :])
        if isinstance(part, ast.Name):
            row = names.lookup(meaning) if meaning else None
            new = row.new if row is not None else None
            if new is None and names.is_legacy(f"{meaning}.x"):  # the whole module has moved
                new = dotted.removesuffix(ast.unparse(like).removeprefix(part.id))
            module, _, name = (new or "").rpartition(".")
            if new is None or not module or not dotted.startswith(f"{new}."):
                return None
            alias = f" as {part.id}" if part.id != name else ""
            import_ = f"from {module} import {name}{alias}"
            return Spelling(part.id + dotted[len(new) :], (import_,))
        part = part.value if isinstance(part, ast.Attribute) else None
    return None


def _by_known_import(source: Source, dotted: str) -> Spelling | None:
    """The name by the longest prefix that the file imports at its top."""
    found: dict[str, Spelling] = {}
    for node in source.tree.body:
        if isinstance(node, ast.Import):
            pairs = [(one.asname or one.name, one.name) for one in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            pairs = [(one.asname or one.name, f"{node.module}.{one.name}") for one in node.names]
        else:
            continue
        for local, meaning in pairs:
            name = local.partition(".")[0]
            is_prefix = f"{dotted}.".startswith(f"{meaning}.") and (
                meaning != dotted or local == name
            )
            if is_prefix and not source.names.is_hidden(name, meaning):
                found.setdefault(meaning, Spelling(local + dotted[len(meaning) :]))
    return found[max(found, key=len)] if found else None


def _by_sibling(source: Source, dotted: str) -> Spelling | None:
    """The name by its package, where the file imports other modules of that package.

    ``tensorflow.keras.optimizers.SGD`` beside ``from tensorflow.keras import layers``.
    """
    for node in source.tree.body:
        if not isinstance(node, ast.ImportFrom) or node.level or not node.module:
            continue
        rest = dotted.removeprefix(f"{node.module}.")
        first, _, name = rest.partition(".")
        if rest != dotted and name and _is_free(source, first, f"{node.module}.{first}"):
            return Spelling(rest, (f"from {node.module} import {first}",))
    return None


def _bare(source: Source, module: str, name: str, local: str) -> Spelling:
    """The bare name, imported from its module; under the old local name if that was another."""
    if not module:
        return Spelling(local, (f"import {name}" + (f" as {local}" if local != name else ""),))
    if local != name and _is_free(source, name, f"{module}.{name}") and not hasattr(builtins, name):
        local = name
    alias = f" as {local}" if local != name else ""
    return Spelling(local, (f"from {module} import {name}{alias}",))


def _is_free(source: Source, local: str, package: str) -> bool:
    if source.names.is_hidden(local, package):
        return False
    bound = source.names.module_bindings(local)
    return not bound or bound == [package]
