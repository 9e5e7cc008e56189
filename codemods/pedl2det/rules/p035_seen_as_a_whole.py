"""Carry over a trial whose parts may be reached through strings, or all at once.

``vars(self)`` shows the attributes that a rewrite adds, ``globals()`` the names that it removes.
No rule follows a method that is assigned, as in ``keras_callbacks = shared_callbacks``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from pedl2det.analysis.loaders import TRAINING_METHOD, VALIDATION_METHOD
from pedl2det.analysis.names import root_and_attributes
from pedl2det.analysis.source import Source
from pedl2det.analysis.trial import GIVEN_HPARAMS, Trial
from pedl2det.fixes import Remark

#: What the harness calls.
_METHODS = {*GIVEN_HPARAMS[1:], TRAINING_METHOD, VALIDATION_METHOD}
#: Words in modules whose functions a rewrite may change.
_REWRITTEN = re.compile(r"pedl|determined|\bcompile\b|context|h(?:yper)?param|loaders|download")
_SEEN = "`{code}` reaches names of the trial by string, or all at once; a rewrite changes them"
_GIVEN = "`{code}` makes a method of the trial, which a rewrite would change"
_TWO = "{} is a Determined trial, and others here are PEDL trials"


def check(trial: Trial) -> Iterable[Remark]:
    """Report every place that sees more of the trial than a rule can follow."""
    for node in (*_by_text(trial), *_as_values(trial)):
        yield Remark(node, _SEEN.format(code=ast.unparse(node).partition("\n")[0]))
    for node in _given_methods(trial):
        yield Remark(node, _GIVEN.format(code=ast.unparse(node)))
    for root in trial.context_based_roots:
        yield Remark(root, _TWO.format(root.name))


def _given_methods(trial: Trial) -> Iterator[ast.AST]:
    """Methods of the harness that no ``def`` makes: ``keras_callbacks = shared_callbacks``."""
    for node in trial.modules.of(ast.Assign):
        owner = trial.modules.home(node).names.parents[node]
        names = {getattr(target, "attr", getattr(target, "id", "")) for target in node.targets}
        if isinstance(owner, ast.ClassDef):
            names = {name for name in names if not trial.flow.own_method(owner, name)}
        if isinstance(owner, ast.ClassDef | ast.Module) and names & _METHODS:
            yield node


def _by_text(trial: Trial) -> Iterator[ast.AST]:
    """``globals()``, ``eval(text)``, ``vars(self)``, ``methodcaller("build_model", hparams)``."""
    for call in trial.modules.of(ast.Call):
        name = getattr(root_and_attributes(call.func)[0], "id", "")
        if name in ("getattr", "hasattr"):
            continue  # the rules follow these
        is_seen = name in ("globals", "locals", "eval", "exec") and len(call.args) < 2
        if name in ("vars", "dir", "inspect"):
            is_seen = not call.args or _is_trial(trial, call.args[0])
        texts = [argument.value for argument in call.args if isinstance(argument, ast.Constant)]
        is_named = any(text in GIVEN_HPARAMS for text in texts)
        if is_named or (is_seen and trial.modules.is_of_library(call.func)):
            yield call


def _as_values(trial: Trial) -> Iterator[ast.AST]:
    """``self.__dict__``; ``sys.modules`` and modules of the project as values."""
    for node in trial.modules.reads:
        parent, dotted = trial.modules.home(node).names.parents[node], trial.modules.meaning(node)
        is_dict = isinstance(parent, ast.Attribute) and parent.attr == "__dict__"
        is_seen = dotted == "sys.modules" and not isinstance(parent, ast.Compare)
        if is_dict or not isinstance(parent, ast.Attribute):
            module = trial.modules.by_name.get(dotted or "")
            is_seen |= module is not None and not _is_registry(parent, module)
            is_seen |= is_dict and _is_trial(trial, node)
        if is_seen:
            yield parent


def _is_registry(parent: ast.AST, module: Source) -> bool:
    """Whether ``getattr(nets, name)`` finds a function or class that no rewrite changes."""
    is_asked = isinstance(parent, ast.Call) and getattr(parent.func, "id", "") == "getattr"
    return is_asked and not _REWRITTEN.search(module.text)


def _is_trial(trial: Trial, node: ast.expr) -> bool:
    """Whether an expression is a trial class or the trial, or a parameter that may get it."""
    for value in (origin.node for origin in trial.flow.origins(node) if not origin.path):
        owner = trial.modules.home(value).names.class_around(value)
        is_other = getattr(value, "arg", "") == "self" and owner not in (None, *trial.classes)
        if value in trial.classes or (isinstance(value, ast.arg) and not is_other):
            return True
    return False


EXAMPLE = """\
--- net.py
  import tensorflow as tf
+
+ import legacy_keras
+
+ legacy_keras.restore_attributes()
+ legacy_keras.restore_dimensions()


  class Net:
      def session_config(self, hparams):
          return configured(globals()['RATE'])
! carried over unchanged: `globals()` reaches names
"""
