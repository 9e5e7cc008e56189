"""Bring the imports of a rewritten file in line with what its new text uses."""

from __future__ import annotations

import ast
import re
from dataclasses import replace

import libcst as cst

from pedl2det.analysis.source import Source
from pedl2det.edits.import_cleaner import Cleaner
from pedl2det.edits.import_places import with_import
from pedl2det.edits.import_statements import Import, Wanted
from pedl2det.edits.undefined import undefined

__all__ = ["Wanted", "fitted"]

_TYPE_COMMENT = re.compile(r"#[ \t]*type:(?![ \t]*ignore)(.+)")


def fitted(old: Source, new: Source, wanted: Wanted, tree: cst.Module | None = None) -> str:
    """The new text with imports for all that it uses and without those that only the old one used.

    Args:
        old: the file before the edits.
        new: the file after them.
        wanted: what the imports shall be.
        tree: libcst's tree of the new text, if it is known.
    """
    has = _used_names(new)
    added = [one for one in map(Import.of, sorted(wanted.added)) if one.local in has]
    added.sort(key=lambda one: not one.module.startswith("determined"))  # old places first
    cleaner = Cleaner(_used_names(old), has, wanted, {one.local: one for one in added})
    tree = (tree or cst.parse_module(new.text)).visit(cleaner)
    for one in added:
        if one.statement not in cleaner.present:
            tree = with_import(tree, one, wanted, cleaner)
    text = tree.code
    if cleaner.dropped_star and not wanted.keeps_stars and undefined(text):
        return fitted(old, new, replace(wanted, keeps_stars=True))
    if cleaner.dropped_block:
        return fitted(old, Source.of(new.path, text), wanted)  # what only the block needed goes too
    return text if tree.body or text.strip() else ""


def _used_names(source: Source) -> set[str]:
    """The names that a file reads, in string annotations, type comments and ``__all__`` too."""
    comments = _TYPE_COMMENT.findall(source.text)
    found = {name for types in comments for name in re.findall(r"[^\W\d]\w*", types)}
    reads = source.names.of(ast.Name)
    found.update(one.id for one in reads if not isinstance(one.ctx, ast.Store))
    for one in source.names.of(ast.Constant):
        if isinstance(one.value, str):
            found |= _names_in_string(one.value)
    return found


def _names_in_string(text: str) -> set[str]:
    is_code = text.isidentifier() or "." in text or "[" in text
    if not is_code or len(text) > 200:
        return set()
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError):
        return set()
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
