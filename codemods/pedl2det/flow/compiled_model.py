"""Where a model is compiled: in the function that returns it, or in one that it calls."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from pedl2det.facts.project import TrialProject
from pedl2det.facts.source import Source
from pedl2det.findings import Unclear
from pedl2det.flow import where
from pedl2det.flow.branches import always_compiles, exclude_each_other
from pedl2det.flow.model_names import called, fits, names_of, own_nodes, parameter


class UnclearModel(Unclear):
    """How a model is compiled cannot be seen.

    Attributes:
        source: the file of the place.
    """

    def __init__(self, source: Source, node: ast.AST, message: str) -> None:
        super().__init__(node, message)
        self.source = source


@dataclass(frozen=True)
class Wrapping:
    """One statement before which something is wrapped.

    Attributes:
        source: the file.
        function: the function.
        statement: the call, as a statement.
        names: the names that get the wrapped model; none if the caller has wrapped it.
        compiles: whether the statement is ``compile`` itself, with its optimizer.
    """

    source: Source
    function: ast.FunctionDef
    statement: ast.Expr
    names: tuple[str, ...]
    compiles: bool = True


@dataclass
class CompiledModel:
    """How the model of one trial is compiled.

    Attributes:
        project: the trial.
        wrappings: what has to be wrapped where.
    """

    project: TrialProject
    wrappings: list[Wrapping] = field(default_factory=list)
    _followed: dict[ast.FunctionDef, list[ast.expr]] = field(default_factory=dict)
    _sources: dict[ast.FunctionDef, Source] = field(default_factory=dict)

    def read(self, source: Source, function: ast.FunctionDef) -> None:
        """Follow the model that a function returns to where it is compiled.

        Raises:
            UnclearModel: it is not always compiled, or under no name that could be wrapped.
        """
        self._follow(source, function)
        for helper, calls in self._followed.items():
            for home, use in self._uses(helper):
                if use not in calls:
                    message = (
                        f"{helper.name} compiles the trial's model, and is used here for "
                        "something else: give the trial a function of its own"
                    )
                    raise UnclearModel(home, use, message)

    def _follow(self, source: Source, function: ast.FunctionDef) -> None:
        own = own_nodes(source, function)
        returns = [node for node in own if isinstance(node, ast.Return) and node.value]
        made: list[ast.stmt] = [
            node for node in returns if called(self.project, source, node.value)
        ]
        returned = [ast.unparse(one.value) for one in returns if one not in made and one.value]
        names: dict[str, ast.Assign | None] = {}
        if returned:
            names = names_of(self.project, function, returned[0])
        direct = [node for node in own if _compiled_name(node) in names]
        handed = [] if direct else [node for node in own if self._hands(source, node, names)]
        bound = [] if direct or handed else self._bound(source, own, names)
        done = [*made, *direct, *handed, *bound]
        if not set(returned) <= set(names) or always_compiles(function.body, done) is not True:
            message = (
                f"{function.name} does not compile, by its name and always, the model that it "
                "returns"
            )
            raise UnclearModel(source, function, message)
        again = [node for node in own if direct and self._hands(source, node, names)]
        if again:
            message = f"{ast.unparse(again[0])}: the model is compiled here once more"
            raise UnclearModel(source, again[0], message)
        handed_on = [_model_names(one) for one in (*made, *bound)]
        for home, node in fits(self.project, source, function, {*names}.union(*handed_on)):
            message = (
                f"{ast.unparse(node)}: the model is trained here, where the context-based API "
                "trains nothing: train another model, and take its weights"
            )
            raise UnclearModel(home, node, message)
        self._wrap(source, function, own, names, [*direct, *handed])
        for statement in (*made, *bound):
            assert isinstance(statement, ast.Return | ast.Assign)
            self._enter(source, statement.value)

    def _wrap(
        self,
        source: Source,
        function: ast.FunctionDef,
        own: list[ast.stmt | ast.expr],
        names: dict[str, ast.Assign | None],
        statements: list[ast.stmt | ast.expr],
    ) -> None:
        """Take the statements of one function that compile its model, or hand it on for that."""
        for statement in statements:
            assert isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
            model = _compiled_name(statement)
            here = model or self._hands(source, statement, names) or ""
            there = [
                name
                for name, assign in names.items()
                if name == here or (assign is not None and assign.lineno < statement.lineno)
            ]
            for name in there:
                self._check(source, function, own, name, statement)
            wrapping = Wrapping(
                source, function, statement, _in_order(names, there, here), model is not None
            )
            self.wrappings.append(wrapping)
            if model is None:
                self._enter_handed(source, statement.value, here)

    def _check(
        self,
        source: Source,
        function: ast.FunctionDef,
        own: list[ast.stmt | ast.expr],
        name: str,
        statement: ast.Expr,
    ) -> None:
        """Raise if the wrapped model cannot be bound to a name before a statement."""
        problem = None
        found = next(node for node in own if isinstance(node, ast.expr) and _is(node, name))
        if isinstance(found, ast.Attribute):
            if self.project.script is None and found.attr in where.methods(self.project):
                problem = f"{name} is a property, and cannot be assigned"
        elif not isinstance(found, ast.Name):
            problem = f"{name} is no name that could be assigned"
        elif source.names.binder(found) is not function:
            problem = f"{name} is not a name of {function.name} itself"
        elif _is_bound_after(source, own, name, statement):
            problem = f"{name} is bound anew after it was compiled"
        if problem:
            raise UnclearModel(source, statement, problem)

    def _hands(
        self, source: Source, node: ast.AST, names: dict[str, ast.Assign | None]
    ) -> str | None:
        """The name of the model that a statement hands to a function that compiles it."""
        if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
            return None
        helper = called(self.project, source, node.value)
        given = helper and parameter(*helper, node.value, names)
        if helper is None or given is None:
            return None
        if not any(_compiled_name(one) == given for one in own_nodes(*helper)):
            return None
        arguments = (*node.value.args, *(one.value for one in node.value.keywords))
        return next(name for name in map(ast.unparse, arguments) if name in names)

    def _bound(
        self,
        source: Source,
        own: list[ast.stmt | ast.expr],
        names: dict[str, ast.Assign | None],
    ) -> list[ast.stmt]:
        """The assignments that bind the model to what a function of the directory gives."""
        return [
            node
            for node in own
            if isinstance(node, ast.Assign)
            and called(self.project, source, node.value)
            and any(ast.unparse(target) in names for target in node.targets)
            and not any(
                _is_bound_after(source, own, ast.unparse(target), node) for target in node.targets
            )
        ]

    def _enter(self, source: Source, call: ast.expr | None) -> None:
        """Follow the model into a function that makes it."""
        assert isinstance(call, ast.Call)
        helper = called(self.project, source, call)
        assert helper is not None
        self._take(helper, call)
        if len(self._followed[helper[1]]) == 1:
            self._follow(*helper)

    def _enter_handed(self, source: Source, call: ast.Call, name: str) -> None:
        """Follow the model into a function that is handed it, wrapped already."""
        helper = called(self.project, source, call)
        assert helper is not None
        home, function = helper
        self._take(helper, call)
        if len(self._followed[function]) > 1:
            return
        own = own_nodes(home, function)
        given = parameter(home, function, call, [name])
        compiles = [node for node in own if _compiled_name(node) == given]
        stores = [one for one in own if isinstance(one, ast.Name) and one.id == given]
        if always_compiles(function.body, compiles) is not True or any(
            not isinstance(one.ctx, ast.Load) for one in stores
        ):
            message = f"{function.name} does not compile, by its name and always, {given}"
            raise UnclearModel(home, function, message)
        for place, node in fits(self.project, home, function, [given or ""]):
            message = f"{ast.unparse(node)}: the model is trained here, where nothing trains now"
            raise UnclearModel(place, node, message)
        for node in compiles:
            assert isinstance(node, ast.Expr)
            self.wrappings.append(Wrapping(home, function, node, ()))

    def _take(self, helper: tuple[Source, ast.FunctionDef], call: ast.Call) -> None:
        self._followed.setdefault(helper[1], []).append(call.func)
        self._sources[helper[1]] = helper[0]

    def _uses(self, helper: ast.FunctionDef) -> list[tuple[Source, ast.expr]]:
        """Every place that reads a function, or a method by its name."""
        if helper in self.project.calls.home:
            uses = self.project.calls.uses(helper)
            return [(use.source, use.node) for use in uses if not use.is_annotation]
        return [
            (source, node)
            for source in self.project.sources.values()
            for node in source.names.nodes
            if isinstance(node, ast.Attribute) and node.attr == helper.name
        ]


def _compiled_name(node: ast.AST) -> str | None:
    """What a statement compiles."""
    match node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=value, attr="compile"))):
            return ast.unparse(value)
    return None


def _model_names(statement: ast.stmt) -> set[str]:
    """The names that a statement hands to the function that it calls."""
    call = getattr(statement, "value", None)
    arguments = [*call.args, *(one.value for one in call.keywords)] if call else []
    return {ast.unparse(one) for one in arguments if isinstance(one, ast.Name)}


def _is(node: ast.expr, name: str) -> bool:
    return not isinstance(node, ast.Constant) and ast.unparse(node) == name


def _is_bound_after(
    source: Source, own: list[ast.stmt | ast.expr], name: str, statement: ast.stmt
) -> bool:
    """Whether a name is bound after a statement, and not instead of it."""
    end = (statement.end_lineno or 0, statement.end_col_offset or 0)
    return any(
        isinstance(node, ast.Name | ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and ast.unparse(node) == name
        and (node.lineno, node.col_offset) > end
        and not exclude_each_other(source, node, statement)
        for node in own
    )


def _in_order(names: dict[str, ast.Assign | None], there: list[str], here: str) -> tuple[str, ...]:
    """The names that get the wrapped model as the code has them, the one that holds it last."""
    assigns = [names[name] for name in there]
    texts = [ast.unparse(target) for one in assigns if one for target in one.targets]
    ordered = list(dict.fromkeys([one for one in texts if one in there] + there))
    plain = [one for one in ordered if "." not in one]
    last = plain[-1] if plain else here
    return (*(one for one in ordered if one != last), last)
