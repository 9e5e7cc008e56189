"""C107: a config names the trial that a script has become, and its batch size."""

from __future__ import annotations

from pedl2det.facts.config import Config
from pedl2det.facts.project import TrialProject
from pedl2det.findings import Finding, Kind, Unclear
from pedl2det.plan import Plan
from pedl2det.rules.rule import SCRIPTS, Case, Rule, Safety
from pedl2det.script.batch_size import batch_size
from pedl2det.script.data import is_sequence
from pedl2det.script.fit_call import FitCall, fit_call
from pedl2det.script.naming import class_name
from pedl2det.script.parts import parts_of

_SIZES = ("batch_size", "global_batch_size")


def plan(project: TrialProject, plan: Plan) -> None:
    """Rewrite the entrypoint of every config that names the script."""
    source = project.script
    if source is None or plan.is_refused:
        return
    try:
        parts = parts_of(source)
        fit = fit_call(parts)
        size = batch_size(parts, fit)
    except Unclear as error:
        plan.refuse(RULE.id, source, error.node, str(error))
        return
    entrypoint = f"{project.module_of(source)}:{class_name(project, source)}"
    for config in project.configs:
        script = config.entry("entrypoint")
        if script is None or config.entry("entrypoint", "script") is None:
            continue
        if len(config.entries("entrypoint")) > 1:
            _leave(plan, config, script.line, "entrypoint: expected nothing beside script")
        plan.config(config).flatten(RULE.id, script, entrypoint)
        _plan_size(plan, config, fit, size, is_sequence(parts, fit.training[0]) is not None)


def _plan_size(plan: Plan, config: Config, fit: FitCall, size: int | str, is_known: bool) -> None:
    """Give a config the batch size of the script, or check the one that it has."""
    entry = config.entry("hyperparameters")
    assert entry is not None
    lengths = [one for one in config.scalars() if one.path[-1] in ("records", "epochs")]
    if lengths and not fit.is_cut:
        message = f"{'.'.join(lengths[0].path)}: the records in a batch of a Sequence are not known"
        _leave(plan, config, lengths[0].line, message)
    present = next(
        (found for name in _SIZES if (found := config.entry("hyperparameters", name))), None
    )
    if present is None and isinstance(size, int):
        slots = config.entry("resources", "slots_per_trial")
        said = (slots and slots.scalar) or ""
        processes = int(said) if said.isdecimal() else 1
        if not fit.is_cut and not is_known:
            message = (
                f"global_batch_size: {size} cuts arrays only: the Sequence cuts its own batches"
            )
            plan.findings.append(Finding(Kind.NOTE, RULE.id, config.path, entry.line, message))
        plan.config(config).insert(
            RULE.id, entry, "global_batch_size", str(size * max(processes, 1))
        )
    elif present is None:
        message = "hyperparameters: the script asks for batch_size, which is not here"
        _leave(plan, config, entry.line, message)
    elif isinstance(size, int) and fit.is_cut and present.scalar != str(size):
        message = (
            f"{'.'.join(present.path)}: the script cuts batches of {size} records, whatever this "
            "says: make them one"
        )
        _leave(plan, config, present.line, message)


def _leave(plan: Plan, config: Config, line: int, message: str) -> None:
    plan.findings.append(Finding(Kind.PERSON, RULE.id, config.path, line, message))


_SCRIPT = """\
from tensorflow.keras import Sequential
from data import x, y

model = Sequential()
model.compile("sgd", "mse")
model.fit(x, y, batch_size=16, validation_data=(x, y))
"""
_SEARCHER = "searcher: {name: single, metric: val_loss}\n"


def _files(config: str, script: str = _SCRIPT) -> dict[str, str]:
    return {"train.py": script, "const.yaml": config}


RULE = Rule(
    id="C107",
    name="config-script",
    doc="The entrypoint names the trial instead of the script, and hyperparameters get the "
    "global_batch_size that a trial must have: the one that the script cut its batches by.",
    safety=Safety.SAFE,
    plan=plan,
    generations=SCRIPTS,
    cases=(
        Case(
            _files(
                f"entrypoint:\n  script: train.py  # alone\n\nhyperparameters:\n  a: 1\n{_SEARCHER}"
            ),
            {
                "const.yaml": "entrypoint: train:TrainTrial  # alone\n\n"
                f"hyperparameters:\n  a: 1\n  global_batch_size: 16\n{_SEARCHER}"
            },
        ),
        Case(
            _files(f"entrypoint: {{script: train.py}}\nhyperparameters: {{}}\n{_SEARCHER}"),
            {
                "const.yaml": "entrypoint: train:TrainTrial\n"
                f"hyperparameters: {{global_batch_size: 16}}\n{_SEARCHER}"
            },
        ),
        Case(
            _files(
                f"entrypoint: {{script: train.py}}\nhyperparameters: {{batch_size: 8}}\n{_SEARCHER}"
            ),
            {},
            says="hyperparameters.batch_size: the script cuts batches of 16 records",
        ),
        Case(_files(f"entrypoint: other:T\nhyperparameters: {{}}\n{_SEARCHER}"), {}),
    ),
)
