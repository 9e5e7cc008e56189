"""What ``experiment create`` is without a cluster: ``pedl2det run``, or ``search``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pedl2det.analysis.config import Config
from pedl2det.findings import Unreadable
from pedl2det.texts.shell_words import Word

_WITHOUT_EFFECT = ("--local", "-f", "--follow", "--follow-first-trial")
_TEST = ("-t", "--test", "--test-mode")
_LOCAL = (
    "pedl2det run trains on this machine, and waits until it is trained; "
    "migrate --cluster writes det experiment create"
)
_SEARCHES = (
    "pedl2det search trains the trials of a search on this machine, and waits until they are "
    "trained; migrate --cluster writes det experiment create"
)
_LEVELS = 3  # directories above a file outside of a repository
_LITERAL = re.compile(r"[\w./@+-]+")


@dataclass(frozen=True)
class Creation:
    """The words after ``create``, as pedl2det has them.

    Attributes:
        config: the config.
        directory: the directory of the trial.
        options: the options of pedl2det.
        is_test: whether it is only tried.
    """

    config: Word
    directory: Word
    options: tuple[str, ...]
    is_test: bool

    @property
    def searcher(self) -> str | None:
        """The searcher that an option names in place of the config's."""
        name = re.search(r"searcher\.name=['\"]?(\w+)", " ".join(self.options))
        return name[1] if name else None


def read_creation(arguments: list[Word]) -> Creation | None:
    """Read the words after ``create``; None if pedl2det has no such option."""
    names: list[Word] = []
    options: list[str] = []
    words = iter(arguments)
    for word in words:
        if word.text in _TEST:
            options.append("--test")
        elif word.text == "--config" and (value := next(words, None)):
            options.append(f"--set {value.text}")
        elif _is_unknown(word):
            return None
        elif word.text not in _WITHOUT_EFFECT:
            names.append(word)
    if len(names) != 2:
        return None
    return Creation(names[0], names[1], tuple(options), "--test" in options)


def local_command(
    creation: Creation, file: Path, directories: Sequence[str]
) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return the command that trains on this machine what a command created.

    Args:
        creation: the words after ``create``.
        file: the file that holds the command.
        directories: where the commands before it went with ``cd``, in order.

    Returns:
        The command, and the message and help of each note on it.
    """
    config = creation.config.plain
    searcher = creation.searcher or _searcher_of(file, config, directories)
    searches = searcher not in (None, "", "single") and not creation.is_test
    command, message = ("search", _SEARCHES) if searches else ("run", _LOCAL)
    words = ["pedl2det", command, creation.directory.text, "-c", creation.config.text]
    line = " ".join([*words, *creation.options])
    help_ = "it needs pip install 'pedl2det[run,search]'" if searches else ""
    notes = [(message, help_)]
    if not searcher and not creation.is_test:
        is_read = searcher is not None
        reason = "has no searcher.name" if is_read else "is not read here: it may be a search"
        message = f"pedl2det run trains one trial, and {config} {reason}"
        help_ = line.replace("pedl2det run", "pedl2det search", 1)
        help_ = f"for a config whose searcher is not single: {help_}"
        notes.append((message, help_))
    return line, tuple(notes)


def unknown_options(arguments: Sequence[Word]) -> list[str]:
    """Return the options after ``create`` that pedl2det has no counterpart for."""
    return [word.text for word in arguments if _is_unknown(word)]


def _is_unknown(word: Word) -> bool:
    known = (*_TEST, *_WITHOUT_EFFECT, "--config")
    return word.text.startswith("-") and word.text not in known


def _searcher_of(file: Path, config: str, directories: Sequence[str]) -> str | None:
    """The name of the searcher in a config that a command names; empty if it names none.

    None if the config is not found or cannot be read.
    """
    if not _LITERAL.fullmatch(config):
        return None
    for directory in _working_directories(file, directories):
        if (path := directory / config).is_file():
            try:
                entry = Config.read(path).entry("searcher", "name")
            except Unreadable:
                return None
            return (entry.scalar or "") if entry is not None else ""
    return None


def _working_directories(file: Path, directories: Sequence[str]) -> Iterator[Path]:
    """Where a command may run: where the file is or above, or where ``cd`` leads from there."""
    known: list[str] = []
    for directory in directories:
        known = [*known, directory] if _LITERAL.fullmatch(directory) else []
    tops = [*_above(file)]
    for moves in (known, known[-1:], []):
        yield from (top.joinpath(*moves) for top in tops)


def _above(file: Path) -> Iterator[Path]:
    """The directory of a file and those above it, as far as its repository reaches."""
    above = file.resolve().parents
    inside = next((n for n, one in enumerate(above, 1) if (one / ".git").exists()), _LEVELS)
    return iter(above[:inside])
