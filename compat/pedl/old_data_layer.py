"""``context.experimental.cache_train_dataset`` of Determined 0.12 to 0.19.9, cached in memory."""

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
    """Return a decorator that caches the dataset of a function and shuffles it on request.

    Args:
        self: ``context.experimental``.
        dataset_id: ignored.
        dataset_version: ignored.
        shuffle: whether to shuffle the records with the trial's seed.
        skip_shuffle_at_epoch_end: ignored.
    """
    del dataset_id, dataset_version, skip_shuffle_at_epoch_end

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def cached(*args: Any, **kwargs: Any) -> Any:
            dataset = self.context.wrap_dataset(function(*args, **kwargs)).cache()
            if not shuffle:
                return dataset
            records = dataset.cardinality()
            if records < 0:
                records = sum(1 for _ in dataset)
            return dataset.shuffle(records, seed=self.context.get_trial_seed())

        return cached

    return decorate
