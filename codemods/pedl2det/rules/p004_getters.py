"""``pedl.get_hyperparameter`` and the other getters become methods of the context.

A function that asks gets the context from each of its callers. Where the context cannot be handed
on, ``legacy_keras`` asks for it. There is no context yet while modules are imported: a constant
that is asked for there is asked for where it is read, unless it is more than a getter. The getters
of the process's rank, which the context had in early Determined, are on ``context.distributed``.

The config of the migrated trial has ``max_length: {batches: N}`` in the place of ``max_steps``,
``scheduling_unit`` in that of ``batches_per_step``, and its batch size is
``hyperparameters.global_batch_size``. Where code reads more of it than keys that stay,
``legacy_keras.get_experiment_config`` gives all code one dict, which is the config as it was;
``data.legacy_config`` of each config holds what it cannot compute. Code that loads a config file
with PyYAML gets it as it was from ``legacy_keras.old_config``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

import pedl2det_names as names
from pedl2det.analysis.bindings import imported_as
from pedl2det.analysis.context import AS_BEFORE
from pedl2det.analysis.modules import only_names
from pedl2det.analysis.source import Source
from pedl2det.analysis.trial import CONFIG_GETTERS, GETTERS, Generation, Trial, key_of, question
from pedl2det.findings import Kind
from pedl2det.fixes import Fix, Remark, Replace, ReplaceStatement, rewrite

#: Getters of the context of early Determined, and what gives the same of the config as it was.
_AS_BEFORE = {
    "get_experiment_config": AS_BEFORE,
    "get_data_config": "legacy_keras.get_data_config()",
}


_LOADS = [f"yaml.{name}load" for name in ("", "safe_", "full_", "unsafe_")]
_CONFIG = "code that reads {name} itself finds other keys there: migrate rewrites it"


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Rewrite every use of a getter; where the context is out of reach, by a piece of its name."""
    for reference in trial.uses(*GETTERS):
        assert isinstance(reference.node, ast.expr)
        is_old = reference.dotted in CONFIG_GETTERS and not trial.config_uses.is_plain
        asked = None if is_old else question(trial, reference)
        if asked is not None and trial.context.at(asked[0]) is not None:
            node, code = asked
            key = key_of(node)
            holes = {"key": key} if key is not None and "{key}" in code else {}
            yield rewrite(node, code, holes)
        else:
            piece = reference.dotted.rpartition(".")[2]
            yield rewrite(reference.node, f"legacy_keras.{piece}")
        if asked is not None:
            yield from _at_import(trial, reference.source, *asked)
    for name, code in _AS_BEFORE.items() if not trial.config_uses.is_plain else ():
        for call in trial.asked_of_context(name):
            yield rewrite(call, code)
    if trial.generation is not Generation.CONTEXT:
        yield from _own_configs(trial)
    had_ranks = trial.generation is not Generation.PEDL
    for node in trial.modules.of(ast.Attribute) if had_ranks else ():
        if node.attr in names.RANK_GETTERS and _is_context(trial, node.value):
            yield rewrite(node, f"{{it}}.distributed.{node.attr}", {"it": node.value})


def _own_configs(trial: Trial) -> Iterable[Fix | Remark]:
    """Files of configs that code names, and loads: lengths in steps and old keys are gone."""
    files = {path.name for path, _ in trial.configs}
    texts = [one for one in trial.modules.of(ast.Constant) if isinstance(one.value, str)]
    named = [one for one in texts if str(one.value).rpartition("/")[2] in files]
    calls = trial.modules.of(ast.Call) if named else ()
    loads = [call for call in calls if trial.modules.meaning(call.func) in _LOADS]
    for call in loads:
        yield rewrite(call, "legacy_keras.old_config({config})", {"config": call})
    for text in named if not loads else ():
        yield Remark(text, _CONFIG.format(name=text.value), kind=Kind.DIFFERENT)


def _is_context(trial: Trial, node: ast.expr) -> bool:
    """Whether an expression is the trial's context."""
    for origin in trial.flow.origins(node):
        if isinstance(origin.node, ast.arg) and not origin.path:
            function = trial.modules.home(origin.node).names.definition_around(origin.node)
            constructors = [method for _, method in trial.methods("__init__")]
            if function in constructors or origin.node.arg in ("context", "trial_context"):
                return True
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    return name in ("context", "trial_context")


# Constants of modules.


def _at_import(trial: Trial, source: Source, asked: ast.expr, code: str) -> Iterable[Fix]:
    """Move the question of a constant to where the constant is read."""
    statement = source.names.parents[asked]
    if source.names.parents.get(statement) is not source.tree:
        return
    match statement:
        case (
            ast.Assign(targets=[ast.Name() as target]) | ast.AnnAssign(target=ast.Name() as target)
        ):
            if _is_read_later_alone(trial, source, target):
                key = key_of(asked)
                code = code.replace("{key}", source.segment(key) if key else "")
                reads = [Replace(one, code) for one in trial.flow.reads_of(target)]
                yield Fix(statement, (ReplaceStatement(statement), *reads))


def _is_read_later_alone(trial: Trial, source: Source, target: ast.Name) -> bool:
    """Whether all that is done with a constant is to read it where the context can be had."""
    reads = trial.flow.reads_of(target)
    homes = [trial.modules.home(read) for read in reads]
    return (
        bool(reads)
        and not any(use.is_change for read in reads for use in trial.flow.uses(read))
        and all(trial.context.at(read) is not None for read in reads)
        and all(len(trial.flow.bindings(read)) < 2 for read in reads if isinstance(read, ast.Name))
        and len(source.names.bound(source.tree, target.id)) == 1
        and not _is_set_elsewhere(trial, source, target.id)
        and not (_has_effects(source) and any(home is not source for home in homes))
        and not _is_imported_in_vain(trial, f"{trial.modules.name_of(source)}.{target.id}", homes)
    )


def _is_set_elsewhere(trial: Trial, source: Source, name: str) -> bool:
    """Whether a function of the module, or another module, may give a constant another value."""
    return any(name in node.names for node in source.names.of(ast.Global)) or any(
        node.attr == name and not isinstance(node.ctx, ast.Load)
        for other in trial.modules
        for node in other.names.of(ast.Attribute)
    )


def _has_effects(source: Source) -> bool:
    """Whether importing a module does more than to bind names, so that its import has to stay."""
    imports = ast.Import | ast.ImportFrom
    others = [one for one in source.tree.body if not isinstance(one, imports)]
    asked = [one for one in others if isinstance(one, ast.Assign | ast.AnnAssign)]
    return not all(one in asked or only_names(one) for one in others)


def _is_imported_in_vain(trial: Trial, dotted: str, homes: list[Source]) -> bool:
    """Whether a module imports a constant that it never reads, and so would miss it."""
    return any(
        source.names.follow(imported_as(node, alias)) == dotted
        for source in trial.modules
        if all(source is not home for home in homes)
        for node in source.names.of(ast.ImportFrom)
        for alias in node.names
    )


EXAMPLE = """\
--- net.py
- import pedl
-
-
- DEPTH = pedl.get_hyperparameter("depth")
-
-
- def width():
+ def width(context):
-     return pedl.get_hyperparameter("width")
+     return context.get_hparam("width")


  class Net:
      def units(self):
-         return DEPTH * [width() * pedl.get_hyperparameter("scale")]
+         return self.context.get_hparam("depth") * [
+             width(self.context) * self.context.get_hparam("scale")
+         ]
"""
