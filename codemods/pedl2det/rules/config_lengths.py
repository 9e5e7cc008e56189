"""C102: lengths in steps become lengths in batches."""

from __future__ import annotations

from pedl2det.facts.config import Config, Entry
from pedl2det.facts.project import TrialProject
from pedl2det.findings import Finding, Kind
from pedl2det.plan import Plan
from pedl2det.rules.rule import ALL, Case, Rule, Safety, trial

BATCHES_PER_STEP = 100
EXACT_SEARCHERS = {"single", "random", "grid"}
OTHER_SEARCHERS = {
    "adaptive",
    "adaptive_asha",
    "adaptive_simple",
    "async_halving",
    "pbt",
    "sync_halving",
}
_PERIODS = ("min_validation_period", "min_checkpoint_period")


def plan(project: TrialProject, plan: Plan) -> None:
    """Convert the lengths of every config that counts in steps."""
    for config in project.configs:
        _plan_config(config, plan)


def _plan_config(config: Config, plan: Plan) -> None:
    _check_searcher(config, plan)
    per_step = BATCHES_PER_STEP
    stated = config.entry("batches_per_step")
    if stated is not None:
        number = _number(stated, "batches", plan, config)
        if number is None:
            return
        per_step = number
        plan.config(config).rename(RULE.id, stated, "scheduling_unit")
    length = config.entry("searcher", "max_steps")
    if length is not None:
        _plan_length(config, plan, length, "max_length", per_step)
    for name in _PERIODS:
        period = config.entry(name)
        if period is not None and period.scalar not in (None, "", "~", "null", "Null", "NULL"):
            _plan_length(config, plan, period, name, per_step)


def _check_searcher(config: Config, plan: Plan) -> None:
    entry = config.entry("searcher", "name")
    name = entry.scalar if entry else None
    if entry is None or name in EXACT_SEARCHERS:
        return
    if name not in OTHER_SEARCHERS:
        known = ", ".join(sorted(EXACT_SEARCHERS | OTHER_SEARCHERS))
        message = f"searcher.name: unknown searcher {name}: expected one of {known}"
        plan.findings.append(Finding(Kind.BAD_INPUT, RULE.id, config.path, entry.line, message))
    elif config.entry("searcher", "max_length") is None:
        message = f"searcher.name: {name} counted in steps, and no search in batches is the same"
        plan.findings.append(Finding(Kind.PERSON, RULE.id, config.path, entry.line, message))


def _plan_length(config: Config, plan: Plan, entry: Entry, name: str, per_step: int) -> None:
    steps = _number(entry, "steps", plan, config)
    if steps is not None:
        plan.config(config).nest(RULE.id, entry, name, "batches", str(steps * per_step))


def _number(entry: Entry, what: str, plan: Plan, config: Config) -> int | None:
    text = entry.scalar or ""
    if text.isdecimal() and int(text) > 0:
        return int(text)
    message = f"{'.'.join(entry.path)}: expected a positive whole number of {what}, got {text!r}"
    plan.findings.append(Finding(Kind.BAD_INPUT, RULE.id, config.path, entry.line, message))
    return None


_HPARAMS = "hyperparameters: {}\n"


def _config(text: str) -> dict[str, str]:
    return {"const.yaml": f"{_HPARAMS}{text}"}


RULE = Rule(
    id="C102",
    name="config-lengths",
    doc="A step was batches_per_step batches, 100 unless the config said otherwise. Lengths and "
    "periods are given in batches.",
    safety=Safety.SAFE,
    plan=plan,
    generations=ALL,
    cases=(
        Case(
            trial("pass\n")
            | _config(
                "searcher:\n  name: single\n  max_steps: 10  # short\n"
                "batches_per_step: 50\nmin_validation_period: 2\n"
            ),
            _config(
                "searcher:\n  name: single\n  max_length:\n    batches: 500  # short\n"
                "scheduling_unit: 50\nmin_validation_period:\n  batches: 100\n"
            ),
        ),
        Case(
            trial("pass\n") | _config("searcher: {name: random, max_steps: 3, max_trials: 4}\n"),
            _config("searcher: {name: random, max_length: {batches: 300}, max_trials: 4}\n"),
        ),
        Case(
            trial("pass\n") | _config("searcher: {name: single, max_length: {epochs: 3}}\n"),
            {},
        ),
        Case(
            trial("pass\n") | _config("searcher: {name: adaptive, target_trial_steps: 3}\n"),
            {},
            says="adaptive counted in steps",
        ),
        Case(
            trial("pass\n") | _config("searcher: {name: grdi, max_steps: 3}\n"),
            {},
            says="unknown searcher grdi",
        ),
    ),
)
