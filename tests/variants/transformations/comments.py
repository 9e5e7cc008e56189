"""Add comments between statements, after code, within calls and within lists of imports."""

from __future__ import annotations

import io
import random
import re
import tokenize

from variants.project import Project, code_paths

WORDS = (
    *("TODO: tune", "why?", "see the paper", "hack", "(ann) do not touch", "was 0.01", "noqa"),
    *("import pedl", "hparams['units']", "model.compile()", "---", "x = 1", "naïve", "pylint: x"),
)


def transform(project: Project, chance: random.Random) -> Project | None:
    """Comment every file of the trial, with one density."""
    share = chance.choice((0.05, 0.15, 0.4))
    changed = {path: commented(project[path], chance, share) for path in code_paths(project)}
    return {**project, **changed}


def commented(text: str, chance: random.Random, share: float) -> str:
    """Return code with comments.

    Args:
        text: the code.
        chance: decides.
        share: the share of the places that get one.
    """
    if chance.random() < 0.5:
        text = _with_import_brackets(text)
    lines = text.splitlines(keepends=True)
    additions: list[tuple[tuple[int, int], str]] = []
    depth, previous = 0, tokenize.NEWLINE
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    for number, token in enumerate(tokens):
        if token.type == tokenize.OP:
            depth += (token.string in "([{") - (token.string in ")]}")
        is_end = token.type in (tokenize.NEWLINE, tokenize.NL) and previous != tokenize.COMMENT
        follows = tokens[min(number + 1, len(tokens) - 1)]
        breaks = token.string in ("(", "[", "{", ",") and follows.type not in (
            tokenize.NL,
            tokenize.COMMENT,
        )
        if is_end and lines[token.start[0] - 1].strip() and chance.random() < share:
            additions.append((token.start, f"  # {chance.choice(WORDS)}"))
        elif depth and breaks and token.type == tokenize.OP and chance.random() < share / 3:
            additions.append((token.end, f"  # {chance.choice(WORDS)}\n{' ' * 8}"))
        if token.type == tokenize.NEWLINE and chance.random() < share / 2:
            row = token.start[0]
            code = next((line for line in lines[row:] if line.strip()), "")
            indent = code[: len(code) - len(code.lstrip())]
            if code and "\f" not in indent:
                additions.append(((row + 1, 0), f"{indent}# {chance.choice(WORDS)}\n"))
        if token.type not in (tokenize.INDENT, tokenize.DEDENT):
            previous = token.type
    for (row, column), addition in sorted(additions, reverse=True):
        if row > len(lines):
            lines.append(addition)
        else:
            lines[row - 1] = lines[row - 1][:column] + addition + lines[row - 1][column:]
    return "".join(lines)


def _with_import_brackets(text: str) -> str:
    """Put the names of imports that stand on one line in brackets, one a line."""

    def several(found: re.Match[str]) -> str:
        names = "".join(f"    {name.strip()},\n" for name in found[3].split(","))
        return f"{found[1]}{found[2]} (\n{names}){found[4]}"

    return re.sub(r"(?m)^()(from [\w.]+ import) ([\w., ]+?)(\s*)$", several, text)
