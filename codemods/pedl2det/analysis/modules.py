"""The modules of one project, and what their names mean across files."""

from __future__ import annotations

import ast
import builtins
import functools
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import PurePosixPath

from pedl2det.analysis.bindings import imported_as
from pedl2det.analysis.names import Node, one_meaning, root_and_attributes
from pedl2det.analysis.source import Source
from pedl2det_names import is_legacy

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class Modules:
    """The Python files of one project by module name (``data``, ``nets.cnn``, ``__init__``)."""

    def __init__(self, sources: Mapping[str, Source]) -> None:
        self.by_name = dict(sources)
        self._tops = {name.partition(".")[0] for name in sources}
        self._followed: dict[str, str] = {}
        self._meanings: dict[ast.AST, str | None] = {}
        #: The names that are being followed, to end a cycle.
        self._open: set[tuple[str, str]] = set()
        self._added = [
            f"{package}{path.replace('/', '.')}."
            for module, source in self.by_name.items()
            for path in added_paths(source)
            for package in dict.fromkeys((self._package(module), ""))
        ]
        for module in self.by_name:
            self._bind_stars(module, set())
        for module, source in self.by_name.items():
            source.names.link(functools.partial(self.follow, module))

    def __iter__(self) -> Iterator[Source]:
        return iter(self.by_name.values())

    def of(self, kind: type[Node]) -> Iterator[Node]:
        """The nodes of a kind in all files."""
        for source in self:
            yield from source.names.of(kind)

    @cached_property
    def reads(self) -> list[ast.Name | ast.Attribute]:
        """The names and attributes that are read, in all files."""
        nodes = (node for source in self for node in source.names.of(ast.Name, ast.Attribute))
        return [node for node in nodes if isinstance(node.ctx, ast.Load)]

    @cached_property
    def _names(self) -> dict[int, str]:
        return {id(source): name for name, source in self.by_name.items()}

    def name_of(self, source: Source) -> str:
        """The dotted name by which siblings import a file."""
        return self._names[id(source)]

    @cached_property
    def _homes(self) -> dict[ast.AST, Source]:
        return {node: source for source in self for node in source.names.nodes}

    def home(self, node: ast.AST) -> Source:
        """The file that a node stands in."""
        return self._homes[node]

    def definition(self, dotted: str) -> Definition | None:
        """The function or class of the project that a dotted name means, methods included."""
        module, rest = self.split(dotted)
        if module is None or not rest:
            return None
        scope: ast.AST = module.tree
        for part in rest.split("."):
            bound = [binding.node for binding in module.names.bound(scope, part)]
            definitions = [node for node in bound if isinstance(node, Definition)]
            if not definitions:
                return None
            scope = definitions[-1]  # the last one counts
        return scope if isinstance(scope, Definition) else None

    def split(self, dotted: str) -> tuple[Source | None, str]:
        """The module of the project in which a dotted name is defined, and the rest of it."""
        parts = dotted.split(".")
        for end in range(len(parts), 0, -1):
            source = self.by_name.get(".".join(parts[:end]))
            if source is not None:
                return source, ".".join(parts[end:])
        return None, dotted

    def bound(self, dotted: str) -> str | None:
        """Where a dotted name of the project is bound, through imports; None if nowhere."""
        place = self._follow(dotted)
        home, rest = self.split(place)
        is_bound = home is not None and home.names.module_bindings(rest.partition(".")[0])
        return place if is_bound else None

    def follow(self, module: str, dotted: str) -> str:
        """Resolve a dotted name in a module to the place where it is defined."""
        dotted = self._absolute(module, dotted)
        if dotted.partition(".")[0] not in self._tops:
            return dotted  # a library's, as most names are
        if dotted not in self._followed:
            self._followed[dotted] = dotted  # ends a cycle
            self._followed[dotted] = self._follow(dotted)
        return self._followed[dotted]

    def _follow(self, dotted: str) -> str:
        parts = dotted.split(".")
        for end in range(len(parts) - 1, 0, -1):
            module = ".".join(parts[:end])
            if module in self.by_name:
                bindings = self.by_name[module].names.module_bindings(parts[end])
                step = (module, parts[end])
                meaning = one_meaning(bindings)
                if meaning is None or step in self._open:
                    return dotted
                self._open.add(step)
                place = self.follow(module, ".".join([meaning, *parts[end + 1 :]]))
                self._open.remove(step)
                return place
        return dotted

    def _absolute(self, module: str, dotted: str) -> str:
        """Resolve leading dots of a dotted name, and add its folder if that is on ``sys.path``."""
        name = dotted.lstrip(".")
        level = len(dotted) - len(name)
        if level:
            package = self._package(module).split(".")[:-1]
            return ".".join([*package[: len(package) - level + 1], *([name] if name else [])])
        first = dotted.partition(".")[0]
        if first not in self.by_name:
            for folder in self._added:
                if any(f"{known}.".startswith(f"{folder}{first}.") for known in self.by_name):
                    return folder + dotted
        return dotted

    def _package(self, module: str) -> str:
        """The package that a module is in, with a dot at its end."""
        is_package = self.by_name[module].path.stem == "__init__"
        inner = module if is_package and module != "__init__" else module.rpartition(".")[0]
        return f"{inner}." if inner else ""

    def _bind_stars(self, module: str, seen: set[str]) -> None:
        """Bind what ``from x import *`` binds; for libraries, only remember the module."""
        names = self.by_name[module].names
        seen.add(module)
        for node in names.tree.body:
            if not isinstance(node, ast.ImportFrom) or node.names[0].name != "*":
                continue
            home = self._absolute(module, "." * node.level + (node.module or ""))
            if home not in self.by_name:
                names.stars.append(home)
            elif home not in seen:
                self._bind_stars(home, seen)
                names.stars += self.by_name[home].names.stars
                for name in self.by_name[home].names.module_names():
                    if not name.startswith("_"):
                        names.bind(name, f"{home}.{name}")

    def imports(self, source: Source, other: Source) -> bool:
        """Whether importing one file imports another, maybe through others."""
        # The packages around the other have begun to run before it: their imports do not count.
        run = self.run_by_importing([source], besides=self._packages(other))
        return other in run[1:]

    def _packages(self, source: Source) -> list[Source]:
        parts = self.name_of(source).split(".")
        packages = (self.by_name.get(".".join(parts[:end])) for end in range(1, len(parts)))
        return [package for package in packages if package is not None]

    def run_by_importing(
        self, sources: Iterable[Source], besides: Collection[Source] = ()
    ) -> list[Source]:
        """The files that run when some files are imported: these, and all that they import."""
        files = list(sources)
        for source in files:
            packages = self._packages(source)
            files += [
                package for package in packages if package not in files and package not in besides
            ]
            for node in source.names.of(ast.Import, ast.ImportFrom):
                files += [other for other in self.imported(source, node) if other not in files]
        return files

    def init_effect(self, homes: Iterable[Source]) -> ast.stmt | None:
        """The first statement of ``__init__.py`` with an effect that importing some files may miss.

        Statements without an effect bind names, or import what these files import anyway, the
        standard library or the old harness.
        """
        init = self.by_name.get("__init__")
        homes = list(homes)
        if init is None or init in homes:
            return None
        imported = self.run_by_importing(homes)
        for node in init.tree.body:
            names = _imports(init, node)
            siblings = [sibling for name in names if (sibling := self.split(name)[0]) is not None]
            tops = {name.partition(".")[0] for name in names}
            is_plain = _is_plain_binding(node) or (
                bool(tops)
                and all(top in sys.stdlib_module_names or is_legacy(f"{top}.x") for top in tops)
            )
            if any(sibling not in imported for sibling in siblings) or not (siblings or is_plain):
                return node
        return None

    def imported(self, source: Source, node: ast.AST) -> list[Source]:
        """The other files of the project that an import at the top of a file runs."""
        is_at_top = source.names.definition_around(node) is None
        modules = [self.split(name)[0] for name in _imports(source, node) if is_at_top]
        return [other for other in modules if other is not None and other is not source]

    def meaning(self, node: ast.AST) -> str | None:
        """The dotted name that an expression means: of a module of the project, or of a library."""
        if node not in self._meanings:
            is_name = isinstance(node, ast.Name | ast.Attribute)
            self._meanings[node] = self._meaning(node) if is_name else None
        return self._meanings[node]

    def _meaning(self, node: ast.AST) -> str | None:
        source = self.home(node)
        dotted = source.names.qualified(node)
        if dotted is not None:
            return dotted
        root, attributes = root_and_attributes(node)
        if not isinstance(root, ast.Name) or source.names.binder(root) is not source.tree:
            return None
        return ".".join([self.name_of(source), root.id, *attributes])

    def is_of_library(self, node: ast.expr) -> bool:
        """Whether an expression means something of a library or a builtin."""
        meaning = self.meaning(node)
        if meaning is not None:
            return self.split(meaning)[0] is None
        names = self.home(node).names
        return (
            isinstance(node, ast.Name) and names.binder(node) is None and hasattr(builtins, node.id)
        )


def added_paths(source: Source) -> Iterator[str]:
    """The folders that a file adds to ``sys.path``, if it spells them out.

    Such as ``src`` in ``sys.path.append(os.path.join(os.path.dirname(__file__), "src"))``.
    """
    names = source.names
    for call in names.of(ast.Call) if "sys" in source.text else ():
        if any(names.qualified(node) == "sys.path" for node in names.below(call.func)):
            texts = [node.value for node in names.below(call) if isinstance(node, ast.Constant)]
            paths = [PurePosixPath(text) for text in texts if isinstance(text, str)]
            parts = [part for path in paths for part in path.parts if part != "."]
            if parts and not {"..", "/"}.intersection(parts):
                yield "/".join(parts)


def _imports(source: Source, node: ast.AST) -> list[str]:
    """The dotted names that an import names, and the module that it imports them from."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if not isinstance(node, ast.ImportFrom):
        return []
    home = "." * node.level + (node.module or "")
    names = [home, *(imported_as(node, alias) for alias in node.names)]
    return [source.names.follow(name) for name in names]


def _is_plain_binding(node: ast.stmt) -> bool:
    """Whether a statement only binds a name to something that needs no call."""
    match node:
        case ast.Pass() | ast.Expr(value=ast.Constant()):
            return True
        case ast.Assign(targets=targets, value=value):
            is_call = any(isinstance(part, ast.Call) for part in ast.walk(value))
            return not is_call and all(isinstance(target, ast.Name) for target in targets)
    return False
