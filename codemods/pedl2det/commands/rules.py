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
    if rule is not None:
        row = find_rule(rule)
        say(f"{row.id} {row.name}\n\n{row.doc}\n\n{row.example}".rstrip())
        return
    for row in every_rule():
        say(f"{row.id}  {row.name}")


def find_rule(word: str, where: str = "") -> Rule | TextRule:
    """Return a rule by its id, in any case, or its name, which the user wrote ``where``."""
    known = {name: rule for rule in every_rule() for name in (rule.id.lower(), rule.name)}
    if word.lower() not in known:
        near = difflib.get_close_matches(word, [rule.name for rule in every_rule()], cutoff=0.5)
        hint = f"did you mean {' or '.join(near)}? " if near else ""
        message = f"{word}: no such rule: {hint}`pedl2det rules` lists them"
        raise Pedl2DetError(f"{where}: {message}" if where else message)
    return known[word.lower()]
