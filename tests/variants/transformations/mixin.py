"""Move methods of the trial into a mixin, in the same module or a new one."""

from __future__ import annotations

import ast
import random

from variants.choosing import in_some_module
from variants.imports import add_import, import_lines
from variants.project import Project, with_file
from variants.scopes import fresh
from variants.source import Source
from variants.transformations.base_class import class_text, movable_methods, with_bases, without
from variants.transformations.move_definition import module_names
from variants.trial import trial_classes

NAMES = ("ModelMixin", "Mixin", "CallbacksMixin", "TrainingMixin")
MODULES = ("mixins", "mixin", "shared")


def transform(project: Project, chance: random.Random) -> Project | None:
    """Take methods out of one trial class."""
    name = fresh(project, chance, *NAMES)
    module = fresh(project, chance, *MODULES) if chance.random() < 0.5 else None

    def apply(path: str, source: Source, node: ast.ClassDef) -> Project | None:
        some = movable_methods(source, node, chance, anywhere=module is None)
        some = [one for one in some if one.name != "__init__"]
        if not some or not node.bases or node.keywords:
            return None
        head = chance.choice((f"class {name}:\n", f"class {name}(object):\n"))
        text = class_text(source, head, some)
        bases = ", ".join([name, *(source.segment(one) for one in node.bases)])
        edits = [*without(source, node, some), *with_bases(source, node, bases)]
        if module is None:
            edits.append(source.before(node, f"{text}\n\n"))
            return with_file(project, path, source.edited(edits))
        lines = import_lines(source, [used for one in some for used in module_names(source, one)])
        if lines is None:
            return None
        edits.append(add_import(source, f"from {module} import {name}\n"))
        changed = with_file(project, path, source.edited(edits))
        head = f"{lines}\n\n" if lines else ""
        return with_file(changed, f"{module}.py", head + text)

    return in_some_module(project, chance, trial_classes, apply)
