"""R302: pins that nothing builds any more, beside a requirement on pedl."""

from __future__ import annotations

import re
from pathlib import Path

from pedl2det.findings import Finding, Kind
from pedl2det.rules.file_rule import FileRule, Outcome
from pedl2det.rules.requirements import is_requirement_file
from pedl2det.rules.rule import Case, Safety
from pedl2det.texts.requirement import allows_only_before
from pedl2det.texts.requirement_places import places

#: The first TensorFlow that pedl2det trains with, and the Keras that came with it.
_FIRST = (2, 15)
_PACKAGES = {"keras", "tensorflow", "tensorflow-cpu", "tensorflow-gpu"}


def rewrite(path: Path, data: bytes) -> Outcome:
    """Name the pins that pedl2det cannot live with."""
    outcome = Outcome(data)
    text = data.decode("utf-8", errors="surrogateescape")
    found = [] if path.suffix == ".py" else list(places(path, text))
    if not any(re.match(r"pedl(?:2det)?(?![\w.-])", place.text, re.IGNORECASE) for place in found):
        return outcome
    for place in found:
        name = allows_only_before(place.text, _FIRST)
        if name in _PACKAGES:
            line = text.count("\n", 0, place.start) + 1
            message = (
                f"{place.text}: pedl2det trains on TensorFlow 2.15 and later, with Keras from it: "
                "remove this requirement, or raise it"
            )
            outcome.findings.append(Finding(Kind.PERSON, RULE.id, path, line, message))
    return outcome


_PINNED = "pedl2det[run]\ntensorflow=={}\n"

RULE = FileRule(
    id="R302",
    name="old-pins",
    doc="tensorflow==1.14 and keras==2.2.4 no longer install beside what trains the migrated "
    "trial. Which version to take is yours to say, so that the requirement stays.",
    safety=Safety.PERSON,
    applies=is_requirement_file,
    rewrite=rewrite,
    cases=(
        Case(
            {"requirements.txt": _PINNED.format("1.14.0")},
            {},
            says="tensorflow==1.14.0: pedl2det trains on TensorFlow 2.15 and later",
        ),
        Case({"requirements.txt": _PINNED.format("2.18.*")}, {}),
        Case({"requirements.txt": "tensorflow==1.14\npedlar\n"}, {}),
    ),
)
