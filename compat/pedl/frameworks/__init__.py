"""``pedl.frameworks``: one package per framework."""

from pedl2det_runtime import refusals

refusals.complete(__name__, lazily={name: f"pedl.frameworks.{name}" for name in ("keras", "util")})
