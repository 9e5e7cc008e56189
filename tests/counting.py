"""Old names counted a second time, without the tool's resolution of names.

Where a name could mean two things this counts nothing and says so: a test then skips that one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

_OLD = (
    *("determined.create", "determined.keras.init", "determined.experimental.keras.init"),
    *("determined.keras.KerasDataAdapter", "determined.keras.InMemorySequence"),
    *("determined.keras.SequenceAdapter", "determined.keras.TFKerasContext"),
    *("determined.keras.TFKerasNativeContext", "determined.frameworks"),
    *("determined.trial_controller", "pedl"),
)
_STARS = {
    "pedl": (
        *("Experiment", "get_hyperparameter", "get_experiment_config", "get_trial_seed"),
        *("get_experiment_id", "get_trial_id", "get_download_data_dir", "is_valid_url"),
    ),
    "pedl.frameworks.keras": (
        *("KerasFunctionalTrial", "KerasTrial", "TFKerasTrial", "TFKerasTensorBoard"),
        "wrap_dataset",
    ),
    "pedl.data": ("ArrayBatchLoader", "Batch", "BatchLoader", "SliceBatchLoader"),
    "pedl.trial": ("get_trial_seed", "MetricOp", "ValidOp"),
    "pedl.frameworks.keras.data": ("InMemorySequence", "KerasDataAdapter"),
}
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


class Unsure(Exception):
    """A name may mean two things."""


def legacy_names(trees: dict[str, ast.Module]) -> int | None:
    """How often old names stand in some files; None if that is a matter of opinion.

    Args:
        trees: the files by their path without ``.py``.
    """
    try:
        roots = {name: dict(_imported(tree)) for name, tree in trees.items()}
        _refuse_exports(trees, roots)
        return sum(_count(trees[name], roots[name]) for name in trees)
    except Unsure:
        return None


def is_old(dotted: str) -> bool:
    return any(dotted == old or dotted.startswith(f"{old}.") for old in _OLD)


def _imported(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """The names that imports of ``pedl`` and ``determined`` bind, and what they mean."""
    found: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                first = alias.name.partition(".")[0]
                found.setdefault(alias.asname or first, set()).add(
                    alias.name if alias.asname else first
                )
        elif isinstance(node, ast.ImportFrom) and not node.level:
            for alias in node.names:
                if alias.name == "*":
                    for name in _STARS.get(node.module or "", ()):
                        found.setdefault(name, set()).add(f"{node.module}.{name}")
                else:
                    dotted = f"{node.module}.{alias.name}"
                    found.setdefault(alias.asname or alias.name, set()).add(dotted)
    ours = {name: meant for name, meant in found.items() if any(map(_is_ours, meant))}
    for name, meant in ours.items():
        if len(meant) > 1 or name in _bound_within(tree):
            raise Unsure
        yield name, meant.pop()


def _is_ours(dotted: str) -> bool:
    return dotted.partition(".")[0] in ("pedl", "determined")


def _bound_within(tree: ast.Module) -> set[str]:
    """Names that functions, classes and comprehensions bind, and aliases of the module."""
    bound: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Global | ast.Nonlocal):
            bound.update(node.names)
        if isinstance(node, ast.comprehension):
            bound.update(_stored(node.target))
        if isinstance(node, _SCOPES):
            for child in ast.walk(node):
                if isinstance(child, ast.arg):
                    bound.add(child.arg)
                bound.update(_stored(child))
    for statement in tree.body:
        bound.update(_stored(statement) if isinstance(statement, _SCOPES) else ())
        if isinstance(statement, ast.Assign) and isinstance(
            statement.value, ast.Name | ast.Attribute
        ):
            root = ast.unparse(statement.value).partition(".")[0]
            bound.add(root)  # the alias means what it means
    return bound


def _stored(root: ast.AST) -> Iterator[str]:
    for node in ast.walk(root):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                yield name
            case ast.Import() | ast.ImportFrom():
                yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name
            case ast.ExceptHandler(name=str(name)):
                yield name


def _refuse_exports(trees: dict[str, ast.Module], roots: dict[str, dict[str, str]]) -> None:
    """No file takes an old name from a sibling: that is the tests' of re-exports to check."""
    siblings = {name.split("/")[-1] for name in trees} | {"nets"}
    exported = {local for names in roots.values() for local in names}
    for tree in trees.values():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                stem = (node.module or "").rpartition(".")[2]
                taken = {alias.name for alias in node.names}
                if (node.level or stem in siblings) and taken & (exported | {"*"}):
                    raise Unsure
            match node:
                case ast.Attribute(value=ast.Name(id=module), attr=name):
                    if module in siblings and name in exported:
                        raise Unsure


def _count(tree: ast.Module, roots: dict[str, str]) -> int:
    inner = {node.value for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    count = 0
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            count += sum(is_old(alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            count += sum(is_old(f"{node.module}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Name | ast.Attribute) and node not in inner:
            parts: list[str] = []
            while isinstance(node, ast.Attribute):
                parts.insert(0, node.attr)
                node = node.value
            if isinstance(node, ast.Name) and node.id in roots:
                count += is_old(".".join([roots[node.id], *parts]))
    return count
