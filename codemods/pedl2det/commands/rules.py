"""``pedl2det rules``: what migrate does, rule by rule."""

from __future__ import annotations

import difflib

import click

from pedl2det.analysis.text_rules import TextRule
from pedl2det.errors import Pedl2DetError
from pedl2det.rules import Rule, every_rule
from pedl2det.visible import say


@click.command("rules")
@click.argument("rule", required=False)
def command(rule: str | None) -> None:
    """List the rules by id, or show RULE (its id or name) with its before and after."""
    every = every_rule()
    if rule is None:
        for one in every:
            say(f"{one.id}  {one.name}")
        return
    wanted = rule.lower()
    found = next((one for one in every if wanted in (one.id.lower(), one.name)), None)
    if found is None:
        near = difflib.get_close_matches(wanted, [one.name for one in every], cutoff=0.5)
        hint = f"did you mean {' or '.join(near)}? " if near else ""
        raise Pedl2DetError(f"{rule}: no such rule: {hint}`pedl2det rules` lists them")
    say(described(found))


def described(rule: Rule | TextRule) -> str:
    """Return a rule with its reason, its forms and its example."""
    parts = [f"{rule.id} {rule.name}", "", rule.doc]
    if isinstance(rule, Rule) and rule.forms:
        parts += ["", f"forms: {', '.join(form.value for form in rule.forms)}"]
    for name, before, after in rule.example:
        if before:
            parts += ["", f"--- {name}, before", before.rstrip()]
        if after != before:
            parts += ["", f"--- {name}, after", after.rstrip()]
        else:
            parts += ["", f"--- {name} does not change"]
    if isinstance(rule, Rule) and rule.cases and rule.cases[0].says:
        parts += ["", f"says: {rule.cases[0].says}"]
    return "\n".join(parts)
