"""``determined.experimental.client``: can be imported; each use needs a cluster."""

from pedl2det_runtime import refusals

refusals.complete(__name__)
