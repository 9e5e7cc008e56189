"""``determined.frameworks``: the module path of trials in PEDL, for partly migrated code."""

from pedl2det_runtime import refusals

refusals.complete(__name__)
