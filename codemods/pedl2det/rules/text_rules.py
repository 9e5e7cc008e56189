"""The rules about configs, requirements and commands, and what else reports findings.

They are implemented in ``analysis/experiment`` and ``texts``; here are their names, which options
and reports use.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TextRule:
    """A rule about texts that are no Python.

    Attributes:
        id: its id, such as ``C101``.
        name: its name in words.
        doc: what it rewrites to what, and why.
    """

    id: str
    name: str
    doc: str


TEXT_RULES = (
    TextRule("C101", "config-batch-size", "``batch_size`` becomes ``global_batch_size``."),
    TextRule("C102", "config-lengths", "Lengths in steps become lengths in batches."),
    TextRule("C103", "config-int-bounds", "The upper bound of an int is no longer included."),
    TextRule("C104", "config-floats", "Numbers such as ``1e-4``, which YAML reads as texts."),
    TextRule("C105", "config-entrypoint", "``entrypoint: module:Class`` names the trial."),
    TextRule("C106", "config-metric", "``searcher.metric`` by the name of today."),
    TextRule("C107", "config-script", "The batch size of a script that became a trial."),
    TextRule("C108", "config-searcher", "Searchers that no longer exist."),
    TextRule("C109", "config-removed", "Keys that no longer exist."),
    TextRule("C110", "config-unknown", "Keys that Determined does not know."),
    TextRule("C111", "config-epochs", "``records_per_epoch``, for callbacks that count epochs."),
    TextRule("C112", "config-hyperparameters", "Hyperparameters that Determined rejects."),
    TextRule("R301", "requirements", "Requirements on ``pedl`` become requirements of today."),
    TextRule("R302", "old-pins", "Pins of versions that nothing builds any more."),
    TextRule("N201", "shell-lines", "Commands of PEDL's command line."),
    TextRule("N202", "notebook-files", "Cells that write a file with old code."),
    TextRule("N203", "pedlignore", "``.pedlignore`` has another name on a cluster."),
    TextRule("N204", "notebook-trial", "A trial in a notebook, which no entrypoint can name."),
)

#: What else findings are reported under.
OTHERS = {
    "P000": "legacy-name",
    "C100": "config",
    "scan": "scan",
    "names": "names",
    "verify": "verify",
}
