"""Name what may keep a trial from repeating itself."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

from pedl2det.analysis.reader import Reader
from pedl2det.analysis.source import Source

_UNSEEDED = "draws random numbers that no seed determines"
_TIME = "reads the clock"
_ORDER = "lists files in the order of the file system"
_THREADS = "starts threads or processes, whose order is not determined"
_WORKERS = "loads batches with several workers: their random draws come in any order"
_UNORDERED = "lets a dataset deliver its elements in any order"

#: Functions by their dotted names; those of the first group repeat if they are given a seed.
_SEEDABLE = {
    "numpy.random.default_rng": _UNSEEDED,
    "numpy.random.RandomState": _UNSEEDED,
    "numpy.random.seed": _UNSEEDED,
    "numpy.random.SeedSequence": _UNSEEDED,
    "random.Random": _UNSEEDED,
    "random.seed": _UNSEEDED,
}
_FUNCTIONS = {
    **dict.fromkeys(("os.urandom", "random.SystemRandom", "uuid.uuid1", "uuid.uuid4"), _UNSEEDED),
    **dict.fromkeys(("secrets.randbelow", "secrets.token_bytes", "secrets.choice"), _UNSEEDED),
    **dict.fromkeys(("time.time", "time.time_ns", "time.perf_counter"), _TIME),
    **dict.fromkeys(("datetime.datetime.now", "datetime.datetime.utcnow"), _TIME),
    **dict.fromkeys(("os.listdir", "os.scandir", "os.walk", "glob.glob", "glob.iglob"), _ORDER),
    **dict.fromkeys(("threading.Thread", "concurrent.futures.ThreadPoolExecutor"), _THREADS),
    **dict.fromkeys(("multiprocessing.Pool", "multiprocessing.Process"), _THREADS),
}
_KEYWORDS = {"use_multiprocessing": _WORKERS, "workers": _WORKERS}


def likely_reasons(files: Iterable[Path], home: Path) -> tuple[str, ...]:
    """Return places in a trial that may keep it from repeating itself.

    Args:
        files: the files of the trial.
        home: its directory; places are relative to it.
    """
    reader = Reader()
    found = []
    for path in sorted(files):
        source = reader.source_or_none(path)
        if source is None:
            continue
        shown = path.relative_to(home) if path.is_relative_to(home) else path
        for node, reason in sorted(_places(source), key=lambda one: one[0].lineno):
            code = " ".join(source.segment(node).split())
            found.append(f"{shown}:{node.lineno}: {reason}: {code}")
    return tuple(dict.fromkeys(found))


def _places(source: Source) -> Iterator[tuple[ast.expr, str]]:
    for node in source.names.of(ast.Call):
        assert isinstance(node, ast.Call)
        name = source.names.qualified(node.func) or ""
        if name in _SEEDABLE and not _has_seed(node):
            yield node, _SEEDABLE[name]
        elif name in _FUNCTIONS and not _is_sorted(source, node):
            yield node, _FUNCTIONS[name]
        for keyword in node.keywords:
            if keyword.arg in _KEYWORDS and _is_parallel(keyword):
                yield node, _KEYWORDS[keyword.arg]
            elif keyword.arg in ("deterministic", "sloppy") and _is_unordered(keyword):
                yield node, _UNORDERED


def _has_seed(node: ast.Call) -> bool:
    arguments = [*node.args, *(one.value for one in node.keywords)]
    return bool(arguments) and not all(
        isinstance(one, ast.Constant) and one.value is None for one in arguments
    )


def _is_sorted(source: Source, node: ast.Call) -> bool:
    parent = source.names.parents.get(node)
    return (
        isinstance(parent, ast.Call)
        and isinstance(parent.func, ast.Name)
        and parent.func.id in ("sorted", "len", "set")
    )


def _is_parallel(keyword: ast.keyword) -> bool:
    """Whether a keyword asks for several workers; a value that is not known may do so."""
    value = keyword.value
    if not isinstance(value, ast.Constant):
        return True
    return (
        value.value is True if keyword.arg == "use_multiprocessing" else value.value not in (0, 1)
    )


def _is_unordered(keyword: ast.keyword) -> bool:
    return isinstance(keyword.value, ast.Constant) and (
        keyword.value.value is (keyword.arg == "sloppy")
    )
