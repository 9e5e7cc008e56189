"""``determined.experimental``: the Native API of Determined 0.12 to 0.15, and the client."""

from pedl2det_runtime import refusals

refusals.complete(
    __name__,
    lazily={
        "client": "determined.experimental.client",
        "keras": "determined.experimental.keras",
        "Mode": "pedl2det_runtime.training.native_api:Mode",
        "create": "pedl2det_runtime.training.native_api:create",
        "create_trial_instance": "pedl2det_runtime.training.native_api:create_trial_instance",
        "test_one_batch": "pedl2det_runtime.training.native_api:test_one_batch",
    },
)
