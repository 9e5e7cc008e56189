"""P019: ``download_data`` is called by the trial, once on each machine."""

from __future__ import annotations

import ast
from typing import Any

import libcst as cst

from pedl2det.edit.making import becomes, statements
from pedl2det.facts.project import TrialProject
from pedl2det.facts.source import Source
from pedl2det.plan import Plan, entry
from pedl2det.rules.rule import Case, Rule, Safety, trial

GETTER = "pedl.get_download_data_dir"
_NAME = "download_data_dir"
_FUNCTION = '''\
@functools.lru_cache(maxsize=None)
def download_data_dir(context):
    """What {name} returned, which is called once on each machine."""
    distributed = context.distributed
    directory = {call} if distributed.get_local_rank() == 0 else None
    return distributed.broadcast_local(directory)
'''


def plan(project: TrialProject, plan: Plan) -> None:
    """Call it before everything else of the trial, and answer who asks for its directory."""
    if project.downloader is None:
        return  # whoever asks for a directory is refused, as nothing answers for the name
    source, function = project.downloader
    takes_nothing = not function.args.args
    if takes_nothing:
        _check_bare(plan, source, function)
    elif not entry.is_plain(plan, RULE.id, source, function):
        return
    _check_free(plan, function)
    call = f"{function.name}({'' if takes_nothing else 'context'})"
    plan.require(source, "import functools")
    plan.file(source).show(function)
    plan.file(source).module(_after(function.name, _FUNCTION.format(name=function.name, call=call)))
    if not takes_nothing:
        entry.take_context(plan, RULE.id, source, function)
    plan.changed(RULE.id, source, function)
    trial_source, _ = project.trial
    entry.make_known(plan, RULE.id, source, _NAME, trial_source)
    plan.constructor.append(f"{_NAME}(context)")
    _plan_getters(plan, source)


def _plan_getters(plan: Plan, home: Source) -> None:
    for found in plan.project.occurrences:
        if found.name != GETTER or found.call is None or found.ambiguous:
            continue
        plan.claim(found.node)
        context = plan.context(RULE.id, found.source, found.call, f"{GETTER} is called here")
        if context is None:
            continue
        plan.expression(RULE.id, found.source, found.call, becomes(f"{_NAME}({context})"))
        if found.source is not plan.project.trial[0]:
            entry.make_known(plan, RULE.id, home, _NAME, found.source)


def _check_bare(plan: Plan, source: Source, function: ast.FunctionDef) -> None:
    asks = any(
        found.source is source and source.names.function_of(found.node) is function
        for found in plan.project.occurrences
    )
    if asks or function.decorator_list or function.args.vararg or function.args.kwarg:
        message = f"expected the signature {function.name}(experiment_config, hparams)"
        plan.refuse(RULE.id, source, function, message)


def _check_free(plan: Plan, function: ast.FunctionDef) -> None:
    for use in plan.project.calls.uses(function):
        plan.refuse(RULE.id, use.source, use.node, f"{function.name} is used here too")
    for other in plan.project.sources.values():
        if other.names.uses_name(other.tree, _NAME) or other.names.module_bindings(_NAME):
            plan.refuse(RULE.id, other, other.tree, f"the name {_NAME} is taken")


def _after(name: str, code: str) -> Any:
    """Put a function after another one of the module."""

    def edit(module: Any) -> Any:
        body = list(module.body)
        at = next(
            index
            for index, item in enumerate(body)
            if isinstance(item, cst.FunctionDef) and item.name.value == name
        )
        (new,) = statements(code)
        new = new.with_changes(leading_lines=[cst.EmptyLine(indent=False)] * 2)
        return module.with_changes(body=[*body[: at + 1], new, *body[at + 1 :]])

    return edit


_DATA = "import pedl\n\n\ndef fetch(experiment_config, hparams):\n    return {directory}\n"
_LOAD = "\n\ndef make_data_loaders(experiment_config, hparams):\n    return open({directory})\n"
_INIT = "from data import fetch as download_data\nfrom data import make_data_loaders\n"
_HERE = 'experiment_config["data"]["dir"]'
_MIGRATED = trial(
    "pass\n\n"
    "def __init__(self, context: TFKerasTrialContext) -> None:\n"
    "    download_data_dir(context)\n"
)

RULE = Rule(
    id="P019",
    name="download-data",
    doc="The trial's constructor calls download_data before anything else, on one process of each "
    "machine, and the directory that it returned is known to all of them.",
    safety=Safety.SAFE,
    plan=plan,
    cases=(
        Case(
            trial("pass\n")
            | {
                "__init__.py": _INIT,
                "data.py": _DATA.format(directory=_HERE)
                + _LOAD.format(directory="pedl.get_download_data_dir()"),
            },
            {
                "data.py": _DATA.format(directory='context.get_data_config()["dir"]').replace(
                    "experiment_config, hparams", "context"
                )
                + "\n\n"
                + _FUNCTION.format(name="fetch", call="fetch(context)")
                + _LOAD.format(directory="download_data_dir(context)"),
            }
            | _MIGRATED,
        ),
        Case(
            trial("pass\n")
            | {
                "__init__.py": _INIT,
                "data.py": _DATA.format(directory=_HERE) + "\n\nfetch({}, {})\n",
            },
            {},
            says="fetch is used here too",
        ),
        Case(
            trial("pass\n") | {"__init__.py": "", "data.py": "def download_data():\n    pass\n"}, {}
        ),
    ),
)
