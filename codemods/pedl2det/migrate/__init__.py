"""From paths to new files and to what there is to say; nothing is written here."""

from pedl2det.migrate.one_trial import migrate_project, plan_rules, plan_trial
from pedl2det.migrate.result import NewFile, Result
from pedl2det.migrate.run import migrate

__all__ = ["NewFile", "Result", "migrate", "migrate_project", "plan_rules", "plan_trial"]
