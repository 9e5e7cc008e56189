"""Writes docs/conformance.md from what the conformance tests found on each TensorFlow.

    pytest tests/conformance --promises build/promises/2.18     # once for each version
    python scripts/conformance.py                               # writes the table
    python scripts/conformance.py --check                       # exit 1 if it differs

``--check`` compares each test that was run on a version with its cell of the table; every promise
must hold.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
TARGET = ROOT / "docs" / "conformance.md"
OUTCOMES = ROOT / "build" / "promises"
VERSIONS = ("2.15", "2.18", "2.21")
HEAD = """\
# Conformance

Each promise of the documents, the test that holds the runtime to it (in `tests/conformance`), and
whether it passes on each TensorFlow (2.15 with its own Keras, the others with tf-keras).
`scripts/conformance.py` writes this page from the test runs.

*Where* is the source of the promise. `001:40` is line 40 of Determined's *Keras API* guide, and
`002:40` of its *Keras API Reference*, `003:40` of the *determined.keras* page of 0.12, and `004:40`
of PEDL's *tf.keras Model Definition*. The others are sections of [semantics.md](semantics.md):
`4.2` Lifecycle; `4.3` Settings of `configure_fit`; `4.4` Batch size; `4.5` Data loaders, Order of
batches; `4.6` Callbacks; `4.7` Workloads; `4.8` Context; `4.11` to `4.13` Models and optimizers;
`config` Config format, Lengths; `DESIGN 8` Resume.

| where | promise | test | 2.15 | 2.18 | 2.21 |
| --- | --- | --- | --- | --- | --- |
"""


def main() -> int:
    """Write the page, or compare it with the test runs that there are."""
    outcomes = {version: _outcomes(version) for version in VERSIONS}
    if "--check" in sys.argv[1:]:
        return _check(outcomes)
    missing = [version for version in VERSIONS if not outcomes[version]]
    if missing:
        print(f"no outcomes of {', '.join(missing)} in {OUTCOMES.relative_to(ROOT)}")
        return 1
    TARGET.write_text(HEAD + "".join(_rows(outcomes)), encoding="utf-8")
    return 0


def _outcomes(version: str) -> dict[str, dict[str, Any]]:
    """What each test found; one that ran in several processes holds if it held in all."""
    found: dict[str, dict[str, Any]] = {}
    for path in sorted((OUTCOMES / version).glob("*.json")):
        for test, outcome in json.loads(path.read_text(encoding="utf-8")).items():
            known = found.setdefault(test, outcome)
            known["passed"] = known["passed"] and outcome["passed"]
    return found


def _rows(outcomes: dict[str, dict[str, dict[str, Any]]]) -> list[str]:
    tests = {test: outcome for found in outcomes.values() for test, outcome in found.items()}
    rows = []
    for test, outcome in sorted(tests.items(), key=lambda item: (item[1]["where"], item[0])):
        marks = [_mark(outcomes[version].get(test)) for version in VERSIONS]
        cells = [f"`{outcome['where']}`", outcome["promise"].replace("|", "\\|"), f"`{test}`"]
        rows.append(f"| {' | '.join([*cells, *marks])} |\n")
    return rows


def _mark(outcome: dict[str, Any] | None) -> str:
    return "not run" if outcome is None else "yes" if outcome["passed"] else "**no**"


def _check(outcomes: dict[str, dict[str, dict[str, Any]]]) -> int:
    """Compare row by row; a version that was not run is left out."""
    page = TARGET.read_text(encoding="utf-8").splitlines()
    wrong = []
    for row in "".join(_rows(outcomes)).splitlines():
        cells = row.split(" | ")
        test = cells[2].strip("`")
        here = [known.split(" | ") for known in page if known.startswith(" | ".join(cells[:3]))]
        found = here[0] if here else None
        for column, version in enumerate(VERSIONS, start=3):
            was_run = test in outcomes[version]
            if was_run and (found is None or found[column] != cells[column]):
                wrong.append(f"{version}: {cells[2]}: {cells[column].rstrip(' |')}")
    tested = [test for found in outcomes.values() for test in found]
    rows = [line for line in page if line.startswith("| `")]
    gone = [row for row in rows if row.split(" | ")[2].strip("`") not in tested]
    for line in [*wrong, *(f"no such test: {row}" for row in gone)]:
        print(line)
    if wrong or gone:
        print(f"{TARGET.relative_to(ROOT)} is out of date: python scripts/conformance.py")
    return 1 if wrong or gone else 0


if __name__ == "__main__":
    sys.exit(main())
