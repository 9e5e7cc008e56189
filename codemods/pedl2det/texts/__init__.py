"""Migrate texts that are no Python code: configs, requirements, commands for a shell."""

from pedl2det.analysis.experiment import ConfigFacts
from pedl2det.texts.commands import first_harness_line, ignore_note, is_shell_file, migrate_shell
from pedl2det.texts.configs import migrate_config
from pedl2det.texts.legacy_config import with_legacy_config
from pedl2det.texts.requirements import (
    PlaceOfTrial,
    is_requirement_file,
    migrate_requirements,
    without_harness,
)
from pedl2det.texts.results import TextChange, TextFinding, TextResult

__all__ = [
    "ConfigFacts",
    "PlaceOfTrial",
    "TextChange",
    "TextFinding",
    "TextResult",
    "first_harness_line",
    "ignore_note",
    "is_requirement_file",
    "is_shell_file",
    "migrate_config",
    "migrate_requirements",
    "migrate_shell",
    "with_legacy_config",
    "without_harness",
]
