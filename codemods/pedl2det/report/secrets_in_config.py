"""Where the credentials of a YAML file stand, and which they are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import yaml

from pedl2det.report.secrets_in_text import Part, after_names, in_comments, in_plain, names_in

_SHORTEST = 4  # of a value that is looked for elsewhere, too


def in_config(text: str) -> list[Part]:
    """Where credentials stand; in what is no YAML, all that follows a name that tells one."""
    try:
        nodes = list(_scalars(text))
    except yaml.YAMLError:
        return [*after_names(text, 0), *in_plain(text)]
    from pedl2det_runtime.config.credentials import secret_parts

    parts = [*in_comments(text), *in_plain(text)]
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


def values_of(path: Path) -> Iterator[str]:
    """The credentials of a config, line by line, that are long enough to be looked for elsewhere.

    A file that cannot be read has none.
    """
    from pedl2det_runtime.config.credentials import is_secret, secret_parts

    try:
        text = path.read_text(encoding="utf-8")
        if "://" not in text and not any(map(is_secret, names_in(text))):
            return  # most have none, and need no parser
        for name, node in _scalars(text):
            parts = [] if _is_switch(node) else secret_parts(node.value, name)
            lines = "\n".join(node.value[start:end] for start, end in parts).split("\n")
            yield from (line.strip() for line in lines if len(line.strip()) >= _SHORTEST)
    except (OSError, UnicodeDecodeError, yaml.YAMLError):
        return
