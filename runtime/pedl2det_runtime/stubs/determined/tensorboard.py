"""``determined.tensorboard``: writers of metrics."""

from pedl2det_runtime import refusals
from pedl2det_runtime.core.tensorboard import (
    BatchMetricWriter,
    MetricWriter,
    get_base_path,
    get_metric_writer,
)

__all__ = ["BatchMetricWriter", "MetricWriter", "get_base_path", "get_metric_writer"]

refusals.complete(__name__)
