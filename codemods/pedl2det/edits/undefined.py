"""Find names that a text uses or defines wrongly, by pyflakes."""

from __future__ import annotations

import ast
from collections import Counter

from pyflakes import messages
from pyflakes.checker import Checker

_SAID = {
    messages.UndefinedName: "use {}, which nothing defines",
    messages.UndefinedLocal: "use {} before it is assigned",
    messages.UndefinedExport: "export {}, which nothing defines",
    messages.RedefinedWhileUnused: "define {} twice",
}


def wrong_names(text: str) -> Counter[str]:
    """Return what a text does with names that it should not, in words: ``use x, which ...``.

    A text with ``import *`` may define any name, so it uses no undefined one.
    """
    found = Checker(ast.parse(text)).messages
    return Counter(
        _SAID[type(one)].format(one.message_args[0]) for one in found if type(one) in _SAID
    )


def undefined(text: str) -> set[str]:
    """Return the names that a text uses and nothing defines."""
    found = Checker(ast.parse(text)).messages
    return {one.message_args[0] for one in found if isinstance(one, messages.UndefinedName)}
