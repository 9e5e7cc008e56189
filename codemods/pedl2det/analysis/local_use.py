"""Code that runs in a script on its own alone, never while the trial is trained."""

from __future__ import annotations

import ast

from pedl2det.analysis.flow import Function
from pedl2det.analysis.trial import Trial

_GUARDS = ("__name__ == '__main__'", "'__main__' == __name__")


def is_local(trial: Trial, node: ast.AST, seen: frozenset[ast.AST] = frozenset()) -> bool:
    """Tell whether code is reached only from below ``if __name__ == "__main__":``.

    A function that nothing calls is reached by nothing.
    """
    names = trial.modules.home(node).names
    function = names.function_of(node)
    if function is None:
        while node in names.parents:
            node = names.parents[node]
            if isinstance(node, ast.If) and ast.unparse(node.test) in _GUARDS:
                return True
        return False
    if function in seen:
        return True
    is_plain = isinstance(function, Function) and isinstance(names.parents[function], ast.Module)
    if not is_plain or function in (trial.loaders, trial.download) or trial.flow.escapes(function):
        return False
    around = seen | {function}
    return all(is_local(trial, one.node, around) for one in trial.flow.calls(function))
