"""Find names that a text uses and nothing defines."""

from __future__ import annotations

import builtins
import re
import symtable
import warnings

_ALWAYS = frozenset({"__file__", "__name__", "__path__", "__spec__", "__loader__", "__package__"})


def undefined(text: str) -> set[str]:
    """Return the global names that a text uses and does not define.

    A text with ``import *`` may define any name, so it has none.
    """
    if re.search(r"^\s*from\s+\S+\s+import\s+\(?\s*\*", text, re.MULTILINE):
        return set()
    with warnings.catch_warnings(action="ignore"):
        module = symtable.symtable(text, "text", "exec")
    defined = {
        one.get_name()
        for one in module.get_symbols()
        if one.is_assigned() or one.is_imported() or one.is_namespace()
    }
    used: set[str] = set()
    waiting = [module]
    while waiting:
        scope = waiting.pop()
        for symbol in scope.get_symbols():
            is_global = scope is module or symbol.is_global()
            if is_global and symbol.is_referenced():
                used.add(symbol.get_name())
            if symbol.is_declared_global() and symbol.is_assigned():
                defined.add(symbol.get_name())
        waiting += scope.get_children()
    return {one for one in used - defined - _ALWAYS if not hasattr(builtins, one)}
