"""Choose among the places where a transformation could apply."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from typing import TypeVar

from variants.project import Project, module_paths
from variants.source import Source

T = TypeVar("T")


def first_that_applies(
    chance: random.Random, places: Iterable[T], apply: Callable[[T], Project | None]
) -> Project | None:
    """Apply a change at the first place, in random order, where it is possible."""
    order = list(places)
    chance.shuffle(order)
    return next((changed for place in order if (changed := apply(place)) is not None), None)


def in_some_module(
    project: Project,
    chance: random.Random,
    places: Callable[[Source], Iterable[T]],
    apply: Callable[[str, Source, T], Project | None],
) -> Project | None:
    """Apply a change at one random place of the project's modules.

    Args:
        project: the files.
        chance: decides.
        places: returns the places of one module.
        apply: changes the project at one place of a module.
    """
    found = []
    for path in module_paths(project):
        source = Source(project[path])
        found += [(path, source, place) for place in places(source)]
    return first_that_applies(chance, found, lambda one: apply(*one))
