"""Keep ``build_model`` under another name where the trial calls it itself.

Such a call builds one more model, or begins the one of the class below. The harness alone calls
the new ``build_model``, which has its model trained.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator, Sequence

from pedl2det.analysis.flow import Function, argument_for, by_position
from pedl2det.analysis.trial import Trial
from pedl2det.fixes import AddMember, Edit, Fix, RenameFunction, Replace

_NAME = "build_model"


def calls_of(trial: Trial, methods: Sequence[Function]) -> list[ast.Attribute]:
    """Where the project calls ``build_model`` methods of the trial that runs."""
    called = {call.node.func for method in methods for call in trial.flow.calls(method)}
    found = [one for one in called if isinstance(one, ast.Attribute) and one.attr == _NAME]
    for node in trial.modules.of(ast.Attribute):
        owner = trial.modules.home(node).names.class_around(node)
        is_own = owner in trial.classes and ast.unparse(node.value) in ("self", "super()")
        if node.attr == _NAME and is_own and node not in called:
            found.append(node)
    return [one for one in found if not _is_tried(trial, one)]


def _is_tried(trial: Trial, node: ast.expr) -> bool:
    """Whether a method is that of a trial made by hand, which no harness trains."""
    made = trial.flow.origins(node.value) if isinstance(node, ast.Attribute) else []
    makers = [one.node.func for one in made if isinstance(one.node, ast.Call)]
    return any(one.node in trial.classes for maker in makers for one in trial.flow.origins(maker))


def keeps_hparams(trial: Trial) -> bool:
    """Whether the project calls ``build_model`` with hyperparameters of its own, or unseen."""
    methods = [one for _, one in trial.methods(_NAME)]
    nodes = calls_of(trial, methods)
    seen = [one for method in methods for one in trial.flow.calls(method)]
    origins = [
        origin
        for method in methods
        for call in trial.flow.calls(method)
        for parameter in by_position(method)[1:2]
        if call.node.func in nodes
        and (value := argument_for(call, method, parameter.arg)) is not None
        for origin in trial.flow.origins(value)
    ]
    is_decorated = any(one.decorator_list for one in methods)
    is_unseen = {*nodes} - {one.node.func for one in seen}
    is_own = any(not isinstance(one.node, ast.arg) for one in origins)
    return not is_decorated and (is_own or bool(is_unseen))


def split(
    rule: str, trial: Trial, methods: Sequence[Function], name: str, body: str
) -> Iterator[Fix]:
    """Rename the methods and add a ``build_model``.

    Args:
        rule: the rule that asks for it.
        trial: the project.
        methods: every ``build_model`` of one kind of trial.
        name: their new name.
        body: the new method; ``{model}`` stands for the call of the renamed one.
    """
    taken = {one.attr for one in trial.modules.of(ast.Attribute)}
    taken |= {method.name for _, method in trial.methods()}
    while name in taken:
        name += "_"
    given = ""
    if keeps_hparams(trial):
        given = "hparams"
        body = f"hparams = legacy_keras.get_hyperparameters()\n{body}"
    body = body.replace("{model}", f"self.{name}({given})")
    code = f"def {_NAME}(self):\n{textwrap.indent(body, '    ')}"
    for method in methods:
        source = trial.modules.home(method)
        owner = source.names.parents[method]
        assert isinstance(owner, ast.ClassDef)
        edits: list[Edit] = [RenameFunction(method, name)]
        above = trial.flow.bases(owner)[1:]
        if not any(trial.flow.own_method(one, _NAME) in methods for one in above):
            edits.append(AddMember(owner, code))
        yield Fix(rule, source, method, tuple(edits))
    for node in calls_of(trial, methods):
        edit = Replace(node, f"{{owner}}.{name}", {"owner": node.value})
        yield Fix(rule, trial.modules.home(node), node, (edit,))
