"""The statements in the place of a call of ``fit``, as templates."""

from __future__ import annotations

from dataclasses import dataclass, field

from pedl2det.engine.lowering.fit_call import Given
from pedl2det.findings import Kind


@dataclass
class Recorded:
    """The statements in the place of a call of ``fit``.

    Attributes:
        lines: templates of statements.
        holes: their holes: expressions of the script, or code.
        support: the pieces of ``legacy_keras`` that they use.
        batch_size: what the configs must say, if they say nothing.
        has_validation: whether there are validation data.
        has_callbacks: whether there may be callbacks.
        may_be_none: whether what was given as callbacks may be None.
        said: what there is to say about the call.
    """

    lines: list[str] = field(default_factory=list)
    holes: dict[str, Given] = field(default_factory=dict)
    support: list[str] = field(default_factory=list)
    batch_size: int | None = None
    has_validation: bool = True
    has_callbacks: bool = False
    may_be_none: bool = False
    said: list[tuple[Kind, str, str]] = field(default_factory=list)

    def hole(self, name: str, given: Given) -> str:
        """A hole for an argument, as it stands in a template."""
        self.holes[name] = given
        return f"{{{name}}}"

    def keep(self, attribute: str, code: str) -> None:
        """Keep a value on the trial."""
        self.lines.append(f"{{trial}}.{attribute} = {code}")
