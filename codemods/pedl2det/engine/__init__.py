"""Migrate trials: find projects, run the rules, put their fixes together, check the result."""

from pedl2det.engine.migrate import migrate
from pedl2det.engine.options import Options
from pedl2det.engine.result import Change, NewFile, Outcome, Result, Status

__all__ = ["Change", "NewFile", "Options", "Outcome", "Result", "Status", "migrate"]
