"""A text that is rewritten in steps; each of its lines knows the line that it came from."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider

from pedl2det import fixes as fx
from pedl2det.analysis.source import Source
from pedl2det.edits.apply import apply
from pedl2det.edits.imports import Wanted, fitted
from pedl2det.edits.locate import Locator


@dataclass(frozen=True)
class Text:
    """A text of a script.

    Attributes:
        source: the text and its tree.
        lines: for each line, the line of the first text that it came from.
    """

    source: Source
    lines: tuple[int, ...]

    @classmethod
    def of(cls, source: Source) -> Text:
        """A first text."""
        return cls(source, tuple(range(1, len(source.lines) + 1)))

    def old_line(self, line: int) -> int:
        """The line of the first text that a line came from."""
        return self.lines[min(line, len(self.lines)) - 1]

    def edited(self, edits: Iterable[fx.Edit]) -> Text:
        """The text with some edits, whose lines stay in their order."""
        return self._with(apply(self.source, edits, {}), None)

    def with_imports_of(self, old: str) -> Text:
        """The text without the imports that only an older text used."""
        wanted = Wanted(frozenset(), _never, _never, frozenset())
        new = fitted(old, self.source.text, wanted)
        return self._with(new if old[:1].isspace() else new.lstrip(), None)

    def rebuilt(self, locator: Locator, module: cst.Module) -> Text:
        """The text of a tree that holds nodes of the tree of this text, in any order.

        Args:
            locator: found the nodes of this text.
            module: the new tree.
        """
        wrapper = MetadataWrapper(module, unsafe_skip_copy=True)
        known: dict[int, int] = {}
        for node, place in wrapper.resolve(PositionProvider).items():
            old = locator.positions.get(node)
            if old is not None and not isinstance(node, cst.Module | cst.BaseCompoundStatement):
                line = place.start.line
                known[line] = min(known.get(line, old.start.line), old.start.line)
        return self._with(module.code, known)

    def _with(self, text: str, known: dict[int, int] | None) -> Text:
        source = Source.of(self.source.path, text, self.source.encoding, self.source.bom)
        if known is None:
            known = _unchanged(self.source.lines, source.lines)
        lines, last = [], 1
        for line in range(1, len(source.lines) + 1):
            last = known.get(line, last)
            lines.append(self.old_line(last))
        return Text(source, tuple(lines))


def _never(_: str) -> bool:
    return False


def _unchanged(old: Sequence[str], new: Sequence[str]) -> dict[int, int]:
    """The lines of a new text that an old one has, by their numbers."""
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    found = {}
    for tag, old_start, old_end, start, end in matcher.get_opcodes():
        for number in range(start, end):
            if tag in ("equal", "replace"):
                found[number + 1] = min(old_start + number - start, old_end - 1) + 1
    return found
