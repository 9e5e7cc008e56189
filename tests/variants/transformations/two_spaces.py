"""Indent by two spaces."""

from __future__ import annotations

import io
import random
import tokenize

from variants.project import Project, code_paths


def transform(project: Project, chance: random.Random) -> Project | None:
    """Halve the indentation of every logical line; lines within brackets keep theirs."""
    changed = {path: indented(project[path]) for path in code_paths(project)}
    return {**project, **changed} if any(project[one] != changed[one] for one in changed) else None


def indented(text: str) -> str:
    """Return code of which each block is indented by two spaces."""
    lines = text.splitlines(keepends=True)
    first, begins = set(), True
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.INDENT, tokenize.DEDENT):
            continue
        if begins:
            first.add(token.start[0])
        if token.type == tokenize.NEWLINE:
            begins = True
        elif token.type not in (tokenize.COMMENT, tokenize.NL):
            begins = False
    for row in first:
        if row <= len(lines):
            line = lines[row - 1]
            depth = len(line) - len(line.lstrip(" "))
            if depth % 4:
                return text
            lines[row - 1] = " " * (depth // 2) + line[depth:]
    return "".join(lines)
