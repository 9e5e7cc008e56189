"""Write docs/config.md from the table of config keys.

python scripts/config_page.py           # writes it
python scripts/config_page.py --check   # exit 1 if it is not what would be written
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import groupby

from generated_page import ROOT, write_or_check

from pedl2det_runtime.config.keys import HYPERPARAMETERS, ROWS, STORAGE, Effect, Row

TARGET = ROOT / "docs" / "config.md"
HEAD = """\
# Config keys

What `pedl2det run` does with each key of an experiment config (`scripts/config_page.py` writes this
page from `runtime/pedl2det_runtime/config/keys.py`). Keys without effect are named when a run
starts, except labels.

- A misspelled key of a section, such as `searcher.smaller_is_beter`, is refused with its line and
  the key that was likely meant, if that one has an effect. So is a misspelled `--set` option.
- Other unknown keys are named when a run starts. Those of the top level may belong to the trial's
  code, which reads them with `get_experiment_config()`. The keys of `data` and the names in
  `hyperparameters` are the trial's own.
- A `searcher.metric` that no validation will report is refused before the training if the metrics
  are certain: the model is functional or sequential, has only layers of Keras, and no callback adds
  metrics.
- `run` trains one trial of a search, and says which. Values of `random` and adaptive searches are
  drawn by `reproducibility.experiment_seed`. Those of `grid` are one of its points, by the same
  seed: an `int`, a `double` and the exponent of a `log` have `count` evenly spaced values, with
  both ends (an `int` without `count` every whole number), a `categorical` has each of its values.
  `--set hyperparameters.NAME=VALUE` chooses another value.
"""


def main() -> int:
    """Write the page, or compare it."""
    return write_or_check(TARGET, "\n".join(_lines()).rstrip() + "\n")


def _lines() -> Iterator[str]:
    yield HEAD
    for section, rows in groupby(sorted(ROWS, key=lambda row: row.section), lambda r: r.section):
        yield f"## `{section}`\n" if section else "## Top level\n"
        yield "| keys | configs | effect | |\n| --- | --- | --- | --- |"
        yield from map(_row, sorted(rows, key=lambda row: [*Effect].index(row.effect)))
        yield ""
    yield "## Keys of each type\n"
    yield "| section | type | keys |\n| --- | --- | --- |"
    types = {"hyperparameters.NAME": HYPERPARAMETERS, "checkpoint_storage": STORAGE}
    for section, keys in types.items():
        yield from (f"| `{section}` | `{kind}` | {_names(keys[kind])} |" for kind in keys)


def _row(row: Row) -> str:
    return (
        f"| {_names(row.names.split())} | {row.configs.value} | {row.effect.value} | {row.note} |"
    )


def _names(names: list[str] | tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


if __name__ == "__main__":
    sys.exit(main())
