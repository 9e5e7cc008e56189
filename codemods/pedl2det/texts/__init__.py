"""Migrate texts that are no Python code: configs, requirements, commands for a shell."""

from pedl2det.analysis.experiment import RULES as CONFIG_RULES
from pedl2det.texts.commands import RULES as COMMAND_RULES
from pedl2det.texts.requirements import RULES as REQUIREMENT_RULES

#: Every rule about a text.
RULES = (*CONFIG_RULES, *COMMAND_RULES, *REQUIREMENT_RULES)
