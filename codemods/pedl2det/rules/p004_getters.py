"""``pedl.get_hyperparameter`` and the other getters become methods of the context.

A function that calls a getter takes the context from each of its callers. Where the context cannot
be passed on, and while modules are imported, before there is a context, ``legacy_keras`` answers.
The getters of the process's rank, which early Determined had on the context, are on
``context.distributed``.

The config of the migrated trial has ``max_length: {batches: N}`` in the place of ``max_steps``,
``scheduling_unit`` in that of ``batches_per_step``, and its batch size is
``hyperparameters.global_batch_size``. Where code reads keys that have changed,
``legacy_keras.get_experiment_config`` returns the old config, one dict for all code;
``data.legacy_config`` of each config holds what cannot be computed. Code that loads a config file
with PyYAML gets the old config from ``legacy_keras.old_config``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

import pedl2det_names as names
from pedl2det.analysis.context import AS_BEFORE
from pedl2det.analysis.trial import CONFIG_GETTERS, GETTERS, Generation, Trial, ask_context, key_of
from pedl2det.findings import Kind
from pedl2det.fixes import Fix, Remark, rewrite

#: Getters of early Determined's context, and the code that gets the same from the old config.
_AS_BEFORE = {
    "get_experiment_config": AS_BEFORE,
    "get_data_config": "legacy_keras.get_data_config()",
}

#: The name of a file that code computes or searches for: ``"%s.yaml" % name``.
_OF_YAML = re.compile(r"^[^/\s]*[%{}*][^/\s]*\.ya?ml$|^\.ya?ml$")
_LOADS = [f"yaml.{name}load" for name in ("", "safe_", "full_", "unsafe_")]
_CONFIG = "code that reads {name} itself finds other keys there: migrate rewrites it"


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Rewrite every use of a getter, to ``legacy_keras`` where the context is out of reach."""
    for reference in trial.uses(*GETTERS):
        assert isinstance(reference.node, ast.expr)
        is_old = reference.dotted in CONFIG_GETTERS and not trial.config_uses.is_plain
        asked = None if is_old else ask_context(trial, reference)
        if asked is not None and trial.context.at(asked[0]) is not None:
            node, code = asked
            key = key_of(node)
            holes = {"key": key} if key is not None and "{key}" in code else {}
            yield rewrite(node, code, holes)
        else:
            piece = reference.dotted.rpartition(".")[2]
            yield rewrite(reference.node, f"legacy_keras.{piece}")
    for name, code in _AS_BEFORE.items() if not trial.config_uses.is_plain else ():
        for call in trial.asked_of_context(name):
            yield rewrite(call, code)
    if trial.generation is not Generation.CONTEXT:
        yield from _own_configs(trial)
    had_ranks = trial.generation is not Generation.PEDL
    for node in trial.modules.of(ast.Attribute) if had_ranks else ():
        if node.attr in names.harness.RANK_GETTERS and _is_context(trial, node.value):
            yield rewrite(node, f"{{it}}.distributed.{node.attr}", {"it": node.value})


def _own_configs(trial: Trial) -> Iterable[Fix | Remark]:
    """Handle code that names or loads config files, in which old keys are gone."""
    files = {path.name for path, _ in trial.configs}
    texts = [text for text in trial.modules.of(ast.Constant) if isinstance(text.value, str)]
    named = [text for text in texts if str(text.value).rpartition("/")[2] in files]
    is_computed = any(_OF_YAML.search(str(text.value)) for text in texts)
    calls = trial.modules.of(ast.Call) if named or is_computed else ()
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


EXAMPLE = """\
--- net.py
- import pedl
+ import legacy_keras

- DEPTH = pedl.get_hyperparameter("depth")
+ DEPTH = legacy_keras.get_hyperparameter("depth")


- def width():
+ def width(context):
-     return pedl.get_hyperparameter("width")
+     return context.get_hparam("width")


  class Net:
      def units(self):
-         return DEPTH * [width() * pedl.get_hyperparameter("scale")]
+         return DEPTH * [width(self.context) * self.context.get_hparam("scale")]
"""
