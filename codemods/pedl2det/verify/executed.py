"""Write down which statements of a trial are executed while it trains.

A mark before each statement writes its line when it is first met, so that the log is complete even
if the process, or a fork of it, is killed. Tracing (`sys.settrace`) would slow down TensorFlow.
"""

import ast
import builtins
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any

# No `from __future__` here: code that is compiled by the function below would inherit it.

_MARKED = "_pedl2det_executed"  # a builtin of the process, in which each mark looks up its place


class Executed(dict[tuple[str, int], None]):
    """The places (file, line) that were executed below a directory.

    The log has a row for each statement of the code that is compiled (file, first and last line,
    the name of the function around it), and one for each that is executed (file, line).
    """

    def __init__(self, directory: str, log: str) -> None:
        self._directory = directory + os.sep
        self._log = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def __missing__(self, place: tuple[str, int]) -> None:
        self[place] = None
        self.write(*place)

    def write(self, *row: object) -> None:
        """Write a row of the log at once."""
        os.write(self._log, ("\t".join(map(str, row)) + "\n").encode(errors="surrogateescape"))

    def watch(self) -> None:
        """Mark the statements of all code below the directory that is compiled from now on."""
        setattr(builtins, _MARKED, self)
        builtins.compile = self._marking(compile)
        sys.dont_write_bytecode = True  # another process has no such builtin

    def _marking(self, compiled: Callable[..., Any]) -> Callable[..., Any]:
        def marked(
            source: Any, filename: Any, mode: str, flags: int = 0, *more: Any, **options: Any
        ) -> Any:
            only_tree, file = ast.PyCF_ONLY_AST, os.fsdecode(filename)
            if mode == "exec" and not flags & only_tree and file.startswith(self._directory):
                tree = compiled(source, filename, mode, flags | only_tree, *more, **options)
                marks = _Marks(file)
                source = marks.visit(tree)
                for statement in marks.statements:
                    self.write(file, *statement)
            return compiled(source, filename, mode, flags, *more, **options)

        return marked

    def add_converted(self) -> None:
        """Count the functions that AutoGraph has converted, from their text, as executed."""
        if "tensorflow" in sys.modules:
            from tensorflow.python.autograph.impl import api

            for code in [*api._TRANSPILER._cache._cache]:
                if code.co_filename.startswith(self._directory):
                    for _, _, line in code.co_lines():
                        self[code.co_filename, line or 0]


#: Statements that execute nothing, or only define a function or a class.
_NOTHING = (
    *(ast.Pass, ast.Global, ast.Nonlocal, ast.Try),
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef),
)


class _Marks(ast.NodeTransformer):
    def __init__(self, file: str) -> None:
        self._file = file
        self._inside = self._function = ""  # names within the file
        self.statements: list[tuple[int, int | None, str]] = []

    def visit(self, node: ast.AST) -> ast.AST:
        around = self._inside, self._function
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            self._inside = f"{self._inside}.{node.name}".lstrip(".")
            self._function = "" if isinstance(node, ast.ClassDef) else self._inside
        super().visit(node)
        self._inside, self._function = around
        return node

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        for name in ("body", "orelse", "finalbody"):
            statements = getattr(node, name, None)
            if isinstance(statements, list):
                setattr(node, name, [*self._marked(statements)])
        return node

    def _marked(self, statements: list[ast.stmt]) -> Iterator[ast.stmt]:
        for statement in statements:
            match statement:
                case ast.Expr(value=ast.Constant()) | ast.ImportFrom(module="__future__"):
                    pass  # it comes first in its file or function
                case _:
                    yield self._mark(statement)
            yield statement

    def _mark(self, statement: ast.stmt) -> ast.stmt:
        first, last = statement.lineno, statement.end_lineno
        if body := getattr(statement, "body", None) or getattr(statement, "cases", None):
            last = max(first, body[0].lineno - 1)  # of its head
        if not isinstance(statement, _NOTHING):
            self.statements.append((first, last, self._function))
        place = ast.Tuple([ast.Constant(self._file), ast.Constant(first)], ast.Load())
        look_up = ast.Subscript(ast.Name(_MARKED, ast.Load()), place, ast.Load())
        return ast.fix_missing_locations(ast.copy_location(ast.Expr(look_up), statement))
