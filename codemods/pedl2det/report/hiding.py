"""Which parts of a text are credentials, so that no report shows one.

What a credential is, :mod:`pedl2det_runtime.credentials` says; here it is found in the text of a
file, by the nodes of YAML and by the look of code. A part too many is hidden rather than one shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

from pedl2det.migrate import Result

Part = tuple[int, int]

_SHORTEST = 4  # of a known value that is hidden elsewhere, too
_CONFIGS = (".yaml", ".yml")
_CODE = (".py", ".ipynb")
_COMMENT = re.compile(r"(?:^|\s)#.*", re.MULTILINE)
_NAME = r"(?<![\w.-])([\w.-]+)"  # no name begins within another: time stays linear
_NAMED = re.compile(_NAME + r"[\"']?\s{0,9}[:=]\s{0,99}(?=\S)")
_ASSIGNED = re.compile(r"(?<!\w)(\w+)=(\S+)")
_LITERAL = re.compile(
    _NAME + r"(?=(?:\\?[\"']\s{0,9}\]?\s{0,9}[,:]"  # of a mapping; the first of two arguments
    r"|\\?[\"']?\s{0,9}\]?\s{0,9}(?::[ \w.|\[\]]{1,60})?={1,2}|\s{0,9}:)"
    r"\s{0,99}\(?\s{0,99}[rbfuRBFU]{0,2}"
    r"(\"\"\"|'''|(?:\\\"){3}|\\?[\"']))"  # in a notebook, a quote is \"
)
_IN_LITERAL = re.compile(r"[\"'](\w+)=([^\"'\n]+)")


@dataclass(frozen=True)
class Hider:
    """Hides credentials in what is shown.

    Attributes:
        known: the credentials of the configs at hand, the longest first.
    """

    known: tuple[str, ...] = ()

    @classmethod
    def of(cls, result: Result) -> Hider:
        """Know the credentials of every config beside a file that a result is about."""
        paths = [*(file.path for file in result.files), *(each.path for each in result.findings)]
        directories = dict.fromkeys(path.parent for path in paths)
        values: set[str] = set()
        for directory in directories:
            for path in sorted(directory.glob("*.y*ml")):
                values.update(_values(path))
        return cls(tuple(sorted(values, key=len, reverse=True)))

    def in_file(self, path: Path, text: str) -> str:
        """The text of a file without credentials, line by line the same."""
        if path.suffix in _CONFIGS:
            parts = _in_config(text)
        else:
            parts = [*_in_comments(text), *(_in_code if path.suffix in _CODE else _in_plain)(text)]
        return _starred(text, [*parts, *self._everywhere(text)])

    def in_prose(self, text: str) -> str:
        """A message without credentials."""
        return _starred(text, [*_in_code(text), *self._everywhere(text)])

    def _everywhere(self, text: str) -> Iterator[Part]:
        from pedl2det_runtime.credentials import passwords_of_urls

        yield from passwords_of_urls(text)
        for value in self.known:
            for found in re.finditer(rf"(?<!\w){re.escape(value)}(?!\w)", text):
                yield found.span()


def _starred(text: str, parts: list[Part]) -> str:
    from pedl2det_runtime.credentials import STARS

    shown, done = "", 0
    for start, end in sorted(parts):
        if end > done:
            hidden = re.sub(r"\S[^\r\n]*", STARS, text[max(start, done) : end])
            shown += text[done:start] + hidden
            done = end
    return shown + text[done:]


def _in_config(text: str) -> list[Part]:
    try:
        nodes = list(_scalars(text))
    except yaml.YAMLError:
        return [*_after_names(text, 0), *_in_plain(text)]
    from pedl2det_runtime.credentials import secret_parts

    parts = [*_in_comments(text), *_in_plain(text)]
    for name, node in nodes:
        start, end = node.start_mark.index, node.end_mark.index
        found = secret_parts(node.value, name)
        if found and found[0] == (0, len(node.value)) and not _is_switch(node):
            parts.append((start, end))
        elif found and "=" in text[start:end]:
            parts.append((text.index("=", start) + 1, end))
    return parts


def _scalars(text: str) -> Iterator[tuple[str, yaml.ScalarNode]]:
    """Every scalar of a YAML file with the key under which it stands."""
    stack = [("", root) for root in yaml.compose_all(text, yaml.SafeLoader)]
    seen: set[int] = set()
    while stack:
        name, node = stack.pop()
        if isinstance(node, yaml.ScalarNode):
            yield name, node
        elif node is not None and id(node) not in seen:  # an alias may lead back
            seen.add(id(node))
            for child in node.value:
                key, value = child if isinstance(child, tuple) else (None, child)
                named = str(key.value) if isinstance(key, yaml.ScalarNode) else name
                stack.append((named, value))


def _is_switch(node: yaml.ScalarNode) -> bool:
    return node.tag in ("tag:yaml.org,2002:null", "tag:yaml.org,2002:bool")


def _values(path: Path) -> Iterator[str]:
    """The credentials of a config that are long enough to be looked for elsewhere."""
    from pedl2det_runtime.credentials import is_secret, secret_parts

    try:
        text = path.read_text(encoding="utf-8")
        names = (found[1] for found in _NAMED.finditer(text))
        if "://" not in text and not any(map(is_secret, names)):
            return  # most have none, and need no parser
        for name, node in _scalars(text):
            for start, end in secret_parts(node.value, name):
                value = node.value[start:end].strip()
                if len(value) >= _SHORTEST and not _is_switch(node):
                    yield value
    except (OSError, UnicodeDecodeError, yaml.YAMLError):
        return


def _in_comments(text: str) -> Iterator[Part]:
    for comment in _COMMENT.finditer(text):
        yield from _after_names(comment[0], comment.start())


def _after_names(text: str, offset: int) -> Iterator[Part]:
    """What stands behind ``name:`` or ``name =``, up to the end of the line."""
    from pedl2det_runtime.credentials import is_secret

    for found in _NAMED.finditer(text):
        if is_secret(found[1]):
            end = text.find("\n", found.end())
            yield offset + found.end(), offset + (len(text) if end < 0 else end)


def _in_plain(text: str) -> Iterator[Part]:
    from pedl2det_runtime.credentials import is_secret

    for found in _ASSIGNED.finditer(text):
        if is_secret(found[1]):
            yield found.span(2)


def _in_code(text: str) -> Iterator[Part]:
    """Texts in quotes that are given to a name, a key or an argument."""
    from pedl2det_runtime.credentials import is_secret

    for found in _LITERAL.finditer(text):
        if is_secret(found[1]):
            yield found.end(2), _closing(text, found.end(2), found[2])
    for found in _IN_LITERAL.finditer(text):
        if is_secret(found[1]):
            yield found.span(2)


def _closing(text: str, start: int, quote: str) -> int:
    """Where a literal ends that begins behind a quote; one that is not closed, with its line."""
    line = "." if len(quote.replace("\\", "")) == 3 else r"[^\n]"
    inner = re.compile(rf"(?:(?!{re.escape(quote)})(?:\\.|{line}))*", re.DOTALL)
    found = inner.match(text, start)
    return found.end() if found else start
