"""Check the searcher's metric against the compiled model, before the training."""

from __future__ import annotations

import difflib
import re
from typing import Any

from pedl2det_runtime.backends.compiled_model import metric_names
from pedl2det_runtime.config.experiment_config import ExperimentConfig
from pedl2det_runtime.config.generation import Generation
from pedl2det_runtime.errors import MetricError
from pedl2det_runtime.training.callback_multiplexer import Multiplexer


def check_metric(
    config: ExperimentConfig, generation: Generation, model: Any, callbacks: Multiplexer
) -> None:
    """Refuse a searcher's metric that no validation will report.

    It is not checked where the metrics are not certain: a trial computes its own, a callback may
    add some, or the model does when it is called.

    Raises:
        MetricError: it is none of the metrics that the model is compiled with.
    """
    if generation.validate or callbacks.may_add_metrics:
        return
    names = metric_names(model)
    if names is None:
        return
    metrics = generation.reported("validation", dict.fromkeys(sorted(names)))
    wanted = config.searcher.metric
    if _without_number(wanted) in map(_without_number, generation.with_aliases(metrics)):
        return
    near = difflib.get_close_matches(wanted, metrics, 1)
    hint = f"; did you mean {near[0]}?" if near else ""
    raise MetricError(
        f"{config.location('searcher', 'metric')}: {wanted} is none of the numbers that the "
        f"validation reports: {', '.join(metrics)}{hint}"
    )


def _without_number(name: str) -> str:
    """Remove the number that Keras adds to repeated names."""
    return re.sub(r"_\d+$", "", name)
