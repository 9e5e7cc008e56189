"""Compose transformations at random: one seed, one variant."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from variants.check import problems
from variants.project import EXAMPLES, Project, read_example
from variants.registry import CODE, CONFIG, LAYOUT, TRANSFORMATIONS

#: No variant has more transformations of the code than this.
MOST = 6


class BrokenVariantError(Exception):
    """A transformation wrote code that cannot run: an error in the transformation."""


@dataclass(frozen=True)
class Variant:
    """An example, written otherwise.

    Attributes:
        example: the name of the example.
        seed: what it was generated from.
        files: its code and its config, by path.
        applied: the names of the transformations, in order.
    """

    example: str
    seed: int
    files: Project
    applied: tuple[str, ...]

    @property
    def name(self) -> str:
        """The name of its directory."""
        return f"{self.example}-{self.seed}"


def generate(example: str, seed: int) -> Variant:
    """Transform an example.

    Args:
        example: the name of a directory in `legacy_examples`.
        seed: decides; the same seed gives the same variant.

    Raises:
        BrokenVariantError: a transformation is wrong.
    """
    chance = random.Random(f"{example} {seed}")
    files: Project = read_example(example)
    applied: list[str] = []
    for names, count in _plan(chance):
        most = len(applied) + count
        for name in names:
            if len(applied) == most:
                break
            changed = TRANSFORMATIONS[name](files, chance)
            if changed is None:
                continue
            applied.append(name)
            for problem in problems(changed):
                raise BrokenVariantError(f"{example} {seed}: {' '.join(applied)}: {problem}")
            files = changed
    return Variant(example, seed, files, tuple(applied))


def variants(count: int, seed: int) -> Iterator[Variant]:
    """Generate variants of all examples in turn; each has at least one transformation."""
    return islice(_endless(seed), count)


def _endless(seed: int) -> Iterator[Variant]:
    while True:
        for example in EXAMPLES:
            variant = generate(example, seed)
            if variant.applied:
                yield variant
            seed += 1


def _plan(chance: random.Random) -> list[tuple[list[str], int]]:
    """Choose the order in which transformations are tried, and how many are applied.

    Those of the code come first, then those of the config, then those of the layout.
    """
    code = chance.sample(CODE, len(CODE)) + chance.sample(CODE, len(CODE))
    plan = [(code, chance.randint(1, MOST))]
    if chance.random() < 0.3:
        plan.append((chance.sample(CONFIG, len(CONFIG)), chance.randint(1, 2)))
    if chance.random() < 0.6:
        plan.append((chance.sample(LAYOUT, len(LAYOUT)), chance.randint(1, 2)))
    return plan
