"""The same code written otherwise, and code with a fault, for tests/test_generated.py."""

from __future__ import annotations

import ast
import io
import random
import tokenize

#: Comments for tools go with the import that they stand beside; these are for people.
_WORDS = ("why", "see below", "TODO(ann): é", "pedl", "import pedl", 'x = "', "-*-", "#", "")
_ARGUMENTS = (
    *("()", "(1)", "(1, 2, 3, 4, 5, 6, 7, 8, 9)", "(*a)", "(**k)", "(nonsense=1)"),
    *("(1, *a, **k)", "(x for x in y)", "[0]", ".attribute", "(1)(2)", '("x", "y")'),
    *("(None, name=3)", ""),
)


def with_comments(text: str, chance: random.Random, share: float, oddly: bool) -> str:
    """A comment of its own at the end of some lines, and lines of comments between others.

    Args:
        text: the code.
        chance: decides.
        share: of lines with a comment.
        oddly: whether comments stand on blank lines too, indented in any way.
    """
    lines = text.splitlines(keepends=True)
    ends: list[int] = []  # lines that end between two tokens
    starts: set[int] = set()  # lines before which a line can stand
    previous = tokenize.NEWLINE
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.NEWLINE, tokenize.NL) and previous != tokenize.COMMENT:
            ends.append(token.start[0])
            starts.add(token.start[0] + 1)
        previous = token.type
    for number in reversed(ends):
        if not oddly and not lines[number - 1].strip():
            continue
        if chance.random() < share and lines[number - 1].endswith("\n"):
            line = lines[number - 1].removesuffix("\n")
            comment = f"# {number} {chance.choice(_WORDS)}"
            lines[number - 1] = f"{line}{' ' * chance.randrange(3)}{comment}\n"
        if number + 1 in starts and number < len(lines) and chance.random() < share / 2:
            following = lines[number]
            if not oddly and not following.strip():
                continue
            indent = following[: len(following) - len(following.lstrip())].strip("\n\f")
            lines.insert(number, f"{indent}# above {number} {chance.choice(_WORDS)}\n")
    return "".join(lines)


def as_windows(text: str) -> str:
    """With the line ends of Windows."""
    return text.replace("\n", "\r\n")


def with_tabs(text: str) -> str:
    """Indented with tabs, outside of strings and brackets too."""
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines):
        depth = (len(line) - len(line.lstrip(" "))) // 4
        lines[number] = "\t" * depth + line[4 * depth :]
    return "".join(lines)


def with_form_feeds(text: str) -> str:
    """With form feeds before classes, as Emacs' users wrote them."""
    return text.replace("\n\nclass ", "\n\f\nclass ")


def unended(text: str) -> str:
    """Without the last line end."""
    return text.rstrip("\n")


def faulty(text: str, chance: random.Random) -> str:
    """With one or two faults: an odd call; lines or tokens deleted, doubled, swapped, replaced."""
    for _ in range(chance.randint(1, 2)):
        kind = chance.random()
        if kind < 0.3:
            text = with_odd_call(text, chance)
        elif kind < 0.6:
            text = "".join(_disturbed(text.splitlines(keepends=True), chance))
        else:
            text = "".join(_disturbed(_tokens(text), chance))
    return text


def with_odd_call(text: str, chance: random.Random) -> str:
    """With one call that gives other arguments than it should."""
    try:
        calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    except SyntaxError:
        return text
    if not calls:
        return text
    call = chance.choice(calls)
    whole, function = (ast.get_source_segment(text, node) for node in (call, call.func))
    assert whole is not None
    return text.replace(whole, f"{function}{chance.choice(_ARGUMENTS)}", 1)


def _tokens(text: str) -> list[str]:
    """A text in pieces: a token each, or the space before one."""
    lines = text.splitlines(keepends=True)
    pieces: list[str] = []
    line, column = 1, 0
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type in (tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER):
                continue
            pieces += [_between(lines, (line, column), token.start), token.string]
            line, column = token.end
    except (tokenize.TokenError, SyntaxError):
        return lines
    return pieces


def _between(lines: list[str], start: tuple[int, int], end: tuple[int, int]) -> str:
    if start[0] == end[0]:
        return lines[start[0] - 1][start[1] : end[1]]
    rows = [lines[start[0] - 1][start[1] :], *lines[start[0] : end[0] - 1]]
    return "".join(rows) + lines[end[0] - 1][: end[1]]


def _disturbed(pieces: list[str], chance: random.Random) -> list[str]:
    told = [number for number, piece in enumerate(pieces) if piece.strip()]
    if len(told) < 2:
        return pieces
    one, other = chance.sample(told, 2)
    pieces = list(pieces)
    match chance.choice(("delete", "double", "swap", "replace")):
        case "delete":
            pieces[one] = ""
        case "double":
            pieces[one] = (
                f"{pieces[one]} {pieces[one]}" if chance.random() < 0.5 else (pieces[one] * 2)
            )
        case "swap":
            pieces[one], pieces[other] = pieces[other], pieces[one]
        case "replace":
            pieces[one] = pieces[other]
    return pieces
