"""C104: floats that every YAML reader takes for floats."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pedl2det.analysis.config import Config
from pedl2det.analysis.experiment.changes import Replace
from pedl2det.analysis.experiment.result import ConfigFacts, Converted, Result

RULE = "C104"
_FLOAT = re.compile(r"([-+]?)([0-9]+)(\.[0-9]*)?[eE]([-+]?)([0-9]+)")
_STRING = "tag:yaml.org,2002:str"


def floats(config: Config, _: ConfigFacts) -> Iterator[Result]:
    """Write ``1e-4`` as ``1.0e-4``: YAML 1.1 reads the first as text, YAML 1.2 as a float."""
    if not re.search(r"[0-9.][eE][-+0-9]", config.text):
        return
    for entry in config.scalars():
        match = _FLOAT.fullmatch(entry.scalar or "")
        if match is None or not entry.is_plain or entry.value.tag != _STRING:
            continue
        start = entry.value.start_mark.index
        if config.text[start] == "!":
            continue  # the tag says that it is text
        sign, whole, fraction, exponent_sign, exponent = match.groups()
        fraction = fraction if fraction and fraction != "." else ".0"
        text = f"{sign}{whole}{fraction}e{exponent_sign or '+'}{exponent}"
        message = f"{entry.name}: {entry.scalar} is {text}"
        yield Converted(RULE, entry.line, message, (Replace(entry.path, text),))
