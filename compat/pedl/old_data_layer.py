"""``context.experimental.cache_train_dataset`` of Determined 0.12 to 0.19.9, kept in memory."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any


def caching(
    self: Any,
    dataset_id: str,
    dataset_version: str,
    shuffle: bool = False,
    skip_shuffle_at_epoch_end: bool = False,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator of functions that make a dataset: it is cached, and shuffled if wanted."""
    del dataset_id, dataset_version, skip_shuffle_at_epoch_end

    def decorate(make: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(make)
        def made(*args: Any, **kwargs: Any) -> Any:
            dataset = self.context.wrap_dataset(make(*args, **kwargs)).cache()
            if not shuffle:
                return dataset
            records = dataset.cardinality()
            if records < 0:
                records = sum(1 for _ in dataset)
            return dataset.shuffle(records, seed=self.context.get_trial_seed())

        return made

    return decorate
