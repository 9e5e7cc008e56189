"""What names mean across the modules of one directory: re-exports and ``import *``."""

from __future__ import annotations

import ast
import functools

from pedl2det.analysis.imported import added_paths
from pedl2det.analysis.source import Source


def link(sources: dict[str, Source]) -> None:
    """Let the names of every module mean what they mean in the module that they come from.

    Args:
        sources: the files by module name; their names are changed.
    """
    links = _Links(sources)
    for module in sources:
        links.bind_stars(module, set())
    for module, source in sources.items():
        source.names.link(functools.partial(links.follow, module))


class _Links:
    def __init__(self, sources: dict[str, Source]) -> None:
        self._sources = sources
        self._followed: dict[str, str] = {}
        #: The names of modules that are being followed: one that leads back to itself ends there.
        self._open: set[tuple[str, str]] = set()
        self._added = [
            f"{package}{path.replace('/', '.')}."
            for module, source in sources.items()
            for path in added_paths(source)
            for package in dict.fromkeys((self._package(module), ""))
        ]

    def follow(self, module: str, dotted: str) -> str:
        """A dotted name, as a module has it, by the place where it is defined."""
        dotted = self._absolute(module, dotted)
        if dotted.partition(".")[0] not in self._sources and dotted not in self._followed:
            return dotted  # most names: a library's
        if dotted not in self._followed:
            self._followed[dotted] = dotted  # a cycle means itself
            self._followed[dotted] = self._follow(dotted)
        return self._followed[dotted]

    def bind_stars(self, module: str, seen: set[str]) -> None:
        """Bind what ``from x import *`` binds; of libraries, remember the module alone."""
        names = self._sources[module].names
        seen.add(module)
        for node in names.tree.body:
            if not isinstance(node, ast.ImportFrom) or node.names[0].name != "*":
                continue
            home = self._absolute(module, "." * node.level + (node.module or ""))
            if home not in self._sources:
                names.stars.append(home)
                continue
            if home in seen:
                continue
            self.bind_stars(home, seen)
            names.stars += self._sources[home].names.stars
            public = self._sources[home].names.module_names()
            bound = {name: f"{home}.{name}" for name in public if not name.startswith("_")}
            for name, dotted in bound.items():
                names.bind(name, dotted)

    def _follow(self, dotted: str) -> str:
        parts = dotted.split(".")
        for end in range(len(parts) - 1, 0, -1):
            module = ".".join(parts[:end])
            if module in self._sources:
                bindings = self._sources[module].names.module_bindings(parts[end])
                step = (module, parts[end])
                if len(bindings) != 1 or bindings[0] is None or step in self._open:
                    return dotted
                self._open.add(step)
                found = self.follow(module, ".".join([bindings[0], *parts[end + 1 :]]))
                self._open.remove(step)
                return found
        return dotted

    def _absolute(self, module: str, dotted: str) -> str:
        """A dotted name without the dots that are relative to a module's package."""
        name = dotted.lstrip(".")
        level = len(dotted) - len(name)
        if not level:
            return self._by_search_path(dotted)
        package = self._package(module).split(".")[:-1]
        return ".".join([*package[: len(package) - level + 1], *([name] if name else [])])

    def _package(self, module: str) -> str:
        """The package that a module is in, with a dot at its end."""
        is_package = self._sources[module].path.stem == "__init__"
        inner = module if is_package and module != "__init__" else module.rpartition(".")[0]
        return f"{inner}." if inner else ""

    def _by_search_path(self, dotted: str) -> str:
        """A dotted name with the folder in front that was added to ``sys.path`` for it."""
        first = dotted.partition(".")[0]
        if first not in self._sources:
            for folder in self._added:
                if any(f"{one}.".startswith(f"{folder}{first}.") for one in self._sources):
                    return folder + dotted
        return dotted
