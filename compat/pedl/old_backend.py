"""Functions of ``keras.backend`` and ``keras.utils`` that were removed with TensorFlow 1."""

from __future__ import annotations

from typing import Any

from pedl2det_runtime.errors.repeated_warnings import logger

_log = logger(__name__)


def backend_names(tf: Any) -> dict[str, Any]:
    """Return the removed names of ``keras.backend``.

    Args:
        tf: TensorFlow, with Keras 2.

    Returns:
        Their objects by name.
    """
    backend = tf.keras.backend
    orders = {"tf": "channels_last", "th": "channels_first"}

    def set_image_dim_ordering(dim_ordering: str) -> None:
        backend.set_image_data_format(orders.get(dim_ordering, dim_ordering))

    def image_dim_ordering() -> str:
        return "tf" if backend.image_data_format() == "channels_last" else "th"

    def _get_available_gpus() -> list[str]:
        return [device.name for device in tf.config.list_logical_devices("GPU")]

    from pedl.old_sessions import get_session, set_session

    functions = (
        *(set_image_dim_ordering, image_dim_ordering, _get_available_gpus),
        *(get_session, set_session),
    )
    return {function.__name__: function for function in functions} | {"tf": tf}


def multi_gpu_model(model: Any, gpus: Any = None, *_: Any, **__: Any) -> Any:
    """Return the model unchanged and log a warning: it trains on one device.

    Args:
        model: the model.
        gpus: the number of GPUs; ignored.
    """
    _log.warning(
        "multi_gpu_model(..., gpus=%r): the model trains on one device; BatchNormalization "
        "normalizes over the whole batch, not over the part of each GPU; to train on several "
        "devices, run with --slots",
        gpus,
    )
    return model
