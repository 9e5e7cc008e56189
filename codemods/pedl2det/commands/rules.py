"""``pedl2det rules``: what migrate does, rule by rule."""

from __future__ import annotations

import click

from pedl2det.errors import Pedl2DetError
from pedl2det.rules import FILE_RULES, RULES, FileRule, Rule


@click.command("rules")
@click.argument("rule", required=False)
def command(rule: str | None) -> None:
    """List the rules, or show RULE (its code or name) with its before and after."""
    every: tuple[Rule | FileRule, ...] = (*RULES, *FILE_RULES)
    if rule is None:
        for one in every:
            click.echo(f"{one.id}  {one.name:<20} {one.safety.value}")
        return
    found = next((one for one in every if rule in (one.id, one.name)), None)
    if found is None:
        raise Pedl2DetError(f"{rule}: no such rule: `pedl2det rules` lists them")
    click.echo(described(found))


def described(rule: Rule | FileRule) -> str:
    """A rule with its reason and its first example."""
    example = rule.cases[0]
    parts = [f"{rule.id} {rule.name} ({rule.safety.value})", "", rule.doc]
    for name, before in example.before.items():
        if example.after and name not in example.after:
            continue
        parts += ["", f"--- {name}, before", before.rstrip()]
        if name in example.after:
            parts += ["", f"--- {name}, after", example.after[name].rstrip()]
    if example.says:
        parts += ["", f"says: {example.says}"]
    return "\n".join(parts)
