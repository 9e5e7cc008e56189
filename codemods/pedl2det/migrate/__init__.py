"""From paths to new files and to what there is to say; nothing is written here."""

from pedl2det.migrate.run import (
    NewFile,
    Result,
    migrate,
    migrate_or_leave,
    migrate_project,
    plan_rules,
    plan_trial,
)

__all__ = [
    "NewFile",
    "Result",
    "migrate",
    "migrate_or_leave",
    "migrate_project",
    "plan_rules",
    "plan_trial",
]
