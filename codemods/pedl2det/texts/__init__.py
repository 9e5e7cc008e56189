"""Migrate texts that are no Python code: configs, requirements, commands for a shell."""

from pedl2det.analysis.experiment import ConfigFacts
from pedl2det.texts.configs import migrate_config
from pedl2det.texts.results import TextChange, TextFinding, TextResult

__all__ = ["ConfigFacts", "TextChange", "TextFinding", "TextResult", "migrate_config"]
