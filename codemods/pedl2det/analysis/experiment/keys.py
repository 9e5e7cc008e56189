"""The keys of an experiment config, and those that each searcher has."""

from __future__ import annotations

import functools


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


#: Sections whose keys are all known. Those of ``data`` and ``hyperparameters`` are the trial's own.
SECTIONS = ("environment", "optimizations", "reproducibility", "resources")


@functools.cache
def known(section: str) -> frozenset[str]:
    """The keys of a section, or of the top level, those of old included."""
    from pedl2det_runtime.config.keys import names_in  # one table for all commands

    return frozenset(names_in(section)) - {"template"}


_EVERY_SEARCHER = _set(
    "max_length max_time metric name smaller_is_better source_checkpoint_uuid "
    "source_trial_id time_metric"
)
_HALVING = _set("divisor max_concurrent_trials max_trials stop_once")
SEARCHERS = {
    "single": _EVERY_SEARCHER,
    "random": _EVERY_SEARCHER | {"max_concurrent_trials", "max_trials"},
    "grid": _EVERY_SEARCHER | {"max_concurrent_trials"},
    "adaptive_asha": _EVERY_SEARCHER | _HALVING | {"bracket_rungs", "max_rungs", "mode"},
    "async_halving": _EVERY_SEARCHER | _HALVING | {"num_rungs"},
}
#: Searchers that are gone, and what takes their place.
GONE_SEARCHERS = {
    "adaptive": "adaptive_asha",  # until Determined 0.15.0, as the next two
    "adaptive_simple": "adaptive_asha",
    "sync_halving": "async_halving",
    "pbt": "random",  # until 0.17.15
}
