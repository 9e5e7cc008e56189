"""Prove that variants compute what their example computes: train both, compare every batch."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from variants.generate import Variant
from variants.project import EXAMPLES, LEGACY_EXAMPLES, config_path, write_project
from variants.tool import Trainer

#: What a run writes of which every byte must be equal.
RECORDS = ("batches.jsonl", "metrics.jsonl")


@dataclass(frozen=True)
class Comparison:
    """A variant beside its example.

    Attributes:
        variant: the variant.
        problem: how it differs; empty where it does not.
    """

    variant: Variant
    problem: str


class Comparer:
    """Trains examples once and variants as they come.

    Args:
        trainer: runs the command line.
        home: a directory for copies and results.
        batches: how long each trains.
    """

    def __init__(self, trainer: Trainer, home: Path, batches: int) -> None:
        self._trainer, self._home, self._batches = trainer, home, batches
        self._expected: dict[str, dict[str, str]] = {}

    def compare(self, variant: Variant) -> Comparison:
        """Train a variant, and its example if it was not yet trained."""
        if variant.example not in self._expected:
            self._expected[variant.example] = self._train_example(variant.example)
        directory = write_project(variant.files, variant.example, self._home / variant.name)
        config = directory / config_path(variant.files)
        actual = self._train(directory, config, variant.name)
        expected = self._expected[variant.example]
        for name in ("error", *RECORDS):
            if actual.get(name) != expected.get(name):
                return Comparison(variant, f"{name}: {actual.get(name) or 'nothing'}")
        return Comparison(variant, "")

    def _train_example(self, name: str) -> dict[str, str]:
        assert name in EXAMPLES
        directory = LEGACY_EXAMPLES / name
        trained = self._train(directory, directory / "const.yaml", f"{name}-original")
        if "error" in trained:
            raise RuntimeError(f"{name} does not train: {trained['error']}")
        return trained

    def _train(self, directory: Path, config: Path, name: str) -> dict[str, str]:
        out = self._home / "results" / name
        code, said = self._trainer.run(directory, config, out, self._batches)
        if code:
            return {"error": said.strip()[-800:]}
        return {one: (out / one).read_text(encoding="utf-8") for one in RECORDS}
