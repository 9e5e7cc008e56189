"""Keys of the experiment config that code may read and that the migration of the config moves."""

from __future__ import annotations

import ast

from pedl2det.plan import Plan

#: Keys of the experiment config that its migration renames or moves.
MOVED_KEYS = {
    "batches_per_step",
    "entrypoint",
    "hyperparameters",
    "min_checkpoint_period",
    "min_validation_period",
    "searcher",
}


def refuse_moved_keys(plan: Plan, rule: str) -> None:
    """Refuse a trial in which a key is read that the migration of its config moves.

    The config may have been handed on, so that the whole trial is looked through.
    """
    for source in plan.project.sources.values():
        for node in source.names.of(ast.Subscript, ast.Call):
            match node:
                case ast.Subscript(slice=ast.Constant(value=key), ctx=ast.Load()):
                    pass
                case ast.Call(func=ast.Attribute(attr="get"), args=[ast.Constant(value=key), *_]):
                    pass
                case _:
                    continue
            if key in MOVED_KEYS:
                message = f"{key} of the config is changed by its migration"
                plan.refuse(rule, source, node, message)
