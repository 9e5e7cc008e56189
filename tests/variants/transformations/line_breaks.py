"""Break and join lines within brackets, as nobody's formatter does."""

from __future__ import annotations

import io
import random
import tokenize

from variants.project import Project, module_paths

SPACES = ("    ", "  ", "        ", "            ", "\t")


def transform(project: Project, chance: random.Random) -> Project | None:
    """Change the lines of one module; comments stay at the ends of lines."""
    path = chance.choice(module_paths(project))
    text = broken(project[path], chance)
    return {**project, path: text} if text != project[path] else None


def broken(text: str, chance: random.Random) -> str:
    """Return code with line breaks after some commas and brackets, and without some others."""
    lines = text.splitlines(keepends=True)
    result, depth, position = [], 0, (1, 0)
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    for number, token in enumerate(tokens):
        if token.type in (tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER):
            continue
        result.append(_between(lines, position, token.start))
        position = token.end
        after_comment = tokens[number - 1].type == tokenize.COMMENT
        if token.type == tokenize.NL and depth and not after_comment and chance.random() < 0.4:
            indent = len(lines[token.start[0]]) - len(lines[token.start[0]].lstrip())
            position = (token.start[0] + 1, indent)
            following = tokens[number + 1]
            if following.start[0] > token.start[0] + 1:
                position = token.end
                result.append(token.string)
            continue
        result.append(token.string)
        if token.string in ("(", "[", "{") and token.type == tokenize.OP:
            depth += 1
        elif token.string in (")", "]", "}") and token.type == tokenize.OP:
            depth -= 1
        breakable = token.type == tokenize.OP and token.string in ("(", "[", "{", ",")
        follows = tokens[number + 1]
        is_end = follows.type in (tokenize.NL, tokenize.COMMENT) or follows.string in tuple(")]}")
        if depth and breakable and not is_end and chance.random() < 0.15:
            result.append("\n" + chance.choice(SPACES) * chance.randint(0, 3))
    return "".join(result)


def _between(lines: list[str], start: tuple[int, int], end: tuple[int, int]) -> str:
    if start[0] == end[0]:
        return lines[start[0] - 1][start[1] : end[1]]
    rows = [lines[start[0] - 1][start[1] :], *lines[start[0] : end[0] - 1]]
    tail = lines[end[0] - 1][: end[1]] if end[0] <= len(lines) else ""
    return "".join(rows) + tail
