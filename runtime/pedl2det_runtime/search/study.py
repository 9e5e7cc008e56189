"""The record of a search: an Optuna study, whose storage several processes may share.

All trials are in the study from its beginning, waiting. Whoever takes one trains it; what a killed
search was training is taken up again from the same place. A search that shares its database records
its claim before it sets a trial running, so that a kill between these two commits loses no trial.
"""

from __future__ import annotations

import contextlib
import json
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pedl2det_runtime.config.credentials import without_credentials
from pedl2det_runtime.errors import ConfigError, Pedl2DetError
from pedl2det_runtime.search.plan import Plan, Point

try:
    import optuna
except ModuleNotFoundError:
    raise Pedl2DetError(
        "a search needs optuna, which is not installed: pip install 'pedl2det[search]'"
    ) from None
from optuna.trial import TrialState
from sqlalchemy.exc import SQLAlchemyError

optuna.logging.set_verbosity(optuna.logging.WARNING)

#: The storage in a search's own directory.
DATABASE = "search.db"
_PLAN, _CLAIM, _PLACE, _WENT_ON, _RESULT = "plan", "claim of ", "place", "went_on", "result"
_LONGEST_ENTRY = 5.0  # seconds without a new trial
_LONGEST_LOCK = 60.0  # seconds for which another program may lock an SQLite database


@dataclass(frozen=True)
class Result:
    """What a trial of a search has reached."""

    number: int  #: its number
    hparams: dict[str, Any]  #: its hyperparameters
    state: str  #: ``waiting``, ``running``, ``finished``, ``stopped`` (early), or ``failed``
    values: dict[int, float]  #: the searcher's metric by the batch of the rung
    best: float | None = None  #: the best value of the metric; None if there is none
    best_batch: int | None = None  #: the batch of that validation
    checkpoint: str | None = None  #: the path of its checkpoint; None if there is none
    error: str = ""  #: the last line of a trial that failed
    place: str | None = None  #: the search that took it, if several share the database

    @property
    def is_over(self) -> bool:
        """Whether it has nothing left to train."""
        return self.state in ("finished", "stopped", "failed")


class Study:
    """The trials of one search.

    Args:
        storage: the URL of a database that Optuna knows.
        title: the name of the search in it.
        plan: its trials.
        place: what identifies this search among those that share the storage, so that it takes up
            its own trials; None if no other search uses the storage.
        smaller_is_better: the meaning of the metric.

    Raises:
        ConfigError: the storage has another search of this name.
    """

    def __init__(
        self, storage: str, title: str, plan: Plan, place: str | None, *, smaller_is_better: bool
    ) -> None:
        self._plan, self._place = plan, place
        self._lost: set[int] = set()  # trials that another process claimed faster
        direction = "minimize" if smaller_is_better else "maximize"
        waiting = {"connect_args": {"timeout": _LONGEST_LOCK}}
        is_sqlite = storage.startswith("sqlite")
        try:
            database = optuna.storages.RDBStorage(storage, waiting if is_sqlite else None)
        except Exception as error:  # of any driver
            raise Pedl2DetError(f"--storage {_reason(storage, error)}") from None
        try:
            self._study = optuna.create_study(
                storage=database, study_name=title, direction=direction
            )
        except optuna.exceptions.DuplicatedStudyError:
            self._study = optuna.load_study(storage=database, study_name=title)
            self._wait_for_trials()
        self._enter(title, storage)

    def take(self, taken: set[int]) -> Point | None:
        """Return a trial to train: one that was interrupted here, or the next that waits.

        Args:
            taken: the numbers of those that this process is training.
        """
        for trial in self._trials():
            is_free = trial.state == TrialState.RUNNING and trial.number not in taken
            if is_free and self._is_mine(trial):
                return self._point(trial)
        for trial in self._trials():
            if trial.state == TrialState.WAITING and self._claim(self._point(trial)):
                return self._point(trial)
        return None

    def report(self, point: Point, batches: int, value: float) -> bool:
        """Record the metric of a trial at a rung; return whether the trial goes on."""
        others = self._values(point, batches)
        self._trial(point).report(value, batches)
        if batches >= point.rungs[-1] or self._plan.halving is None:
            return False
        smaller = self._study.direction == optuna.study.StudyDirection.MINIMIZE
        goes_on = self._plan.halving.goes_on(value, others, smaller_is_better=smaller)
        if goes_on:
            self._trial(point).set_user_attr(_WENT_ON, batches)
        return goes_on

    def rungs_left(self, point: Point) -> list[int]:
        """Return the rungs of a trial that it has not gone on from, in batches.

        Others may have reached a rung since then; what was decided there holds.
        """
        gone = self._trials()[point.number].user_attrs.get(_WENT_ON, 0)
        return [batches for batches in point.rungs if batches > gone]

    def end(self, point: Point, result: dict[str, Any], *, stopped: bool = False) -> None:
        """Record the end of a trial.

        Args:
            point: the trial.
            result: ``best``, ``best_batch`` and ``checkpoint``, or ``error``.
            stopped: whether it stopped early.
        """
        best = result.get("best")
        self._trial(point).set_user_attr(_RESULT, result)
        if stopped:
            self._study.tell(point.number, state=TrialState.PRUNED)
        elif best is None or math.isnan(best):
            self._study.tell(point.number, state=TrialState.FAIL)
        else:
            self._study.tell(point.number, best)

    def results(self) -> list[Result]:
        """Return what each trial has reached, by number."""
        names = {
            "WAITING": "waiting",
            "RUNNING": "running",
            "COMPLETE": "finished",
            "PRUNED": "stopped",
            "FAIL": "failed",
        }
        return [
            Result(
                trial.number,
                self._plan.points[trial.number].hparams,
                names[trial.state.name],
                dict(trial.intermediate_values),
                place=_place_of(trial),
                **trial.user_attrs.get(_RESULT, {}),
            )
            for trial in self._trials()
        ]

    def _is_mine(self, trial: Any) -> bool:
        """Return whether a running trial is that of this search, or of one killed at its place."""
        place = trial.user_attrs.get(_PLACE)
        if self._place is None:
            return True
        if place is not None:
            return bool(place == self._place)
        return _CLAIM + self._place in trial.user_attrs and trial.number not in self._lost

    def _claim(self, point: Point) -> bool:
        """Set a waiting trial running; return False if another process was faster."""
        trial = self._trial(point)
        try:
            if self._place is not None:
                trial.set_user_attr(_CLAIM + self._place, True)
            is_claimed = trial.storage.set_trial_state_values(trial._trial_id, TrialState.RUNNING)
        except optuna.exceptions.UpdateFinishedTrialError:
            is_claimed = False
        if not is_claimed:
            self._lost.add(point.number)
        elif self._place is not None:
            trial.set_user_attr(_PLACE, self._place)
        return bool(is_claimed)

    def _enter(self, title: str, storage: str) -> None:
        """Put the trials into a new study; refuse a study with others."""
        wanted = [json.dumps([point.hparams, point.seed]) for point in self._plan.points]
        trials = self._trials()
        known = [trial.user_attrs.get(_PLAN) for trial in trials]
        if known != wanted[: len(known)]:
            raise ConfigError(
                f"--storage {without_credentials(storage)}: it has another search of the name "
                f"{title}: its config, seed or number of trials has changed; choose another --out "
                "or --storage"
            )
        params = [dict(flat_hparams(point.hparams)) for point in self._plan.points]
        distributions = {
            name: self._distribution([values[name] for values in params]) for name in params[0]
        }
        for number, text in [*enumerate(wanted)][len(known) :]:
            self._study.add_trial(
                optuna.trial.create_trial(
                    state=TrialState.WAITING,
                    params=params[number],
                    distributions=distributions,
                    user_attrs={_PLAN: text},
                )
            )

    def _distribution(self, values: list[Any]) -> Any:
        """Return Optuna's range of a hyperparameter."""
        kinds = {type(value) for value in values}
        if kinds == {int}:
            return optuna.distributions.IntDistribution(min(values), max(values))
        if kinds <= {int, float} and all(map(math.isfinite, values)):
            return optuna.distributions.FloatDistribution(min(values), max(values))
        return optuna.distributions.CategoricalDistribution(list(dict.fromkeys(values)))

    def _trials(self) -> list[Any]:
        trials: list[Any] = self._study.get_trials(deepcopy=False)
        return trials[: len(self._plan.points)]

    def _point(self, trial: Any) -> Point:
        number: int = trial.number
        return self._plan.points[number]

    def _trial(self, point: Point) -> Any:
        trial_id = self._trials()[point.number]._trial_id
        return optuna.trial.Trial(self._study, trial_id)

    def _values(self, point: Point, batches: int) -> list[float]:
        """Return what the other trials of a bracket have reached at a rung."""
        rung = point.rungs.index(batches)
        found = []
        for trial, other in zip(self._trials(), self._plan.points, strict=True):
            if other.bracket == point.bracket and other != point and rung < len(other.rungs):
                value = trial.intermediate_values.get(other.rungs[rung])
                found += [] if value is None else [value]
        return found

    def _wait_for_trials(self) -> None:
        """Wait until the process that made the study has put in all trials."""
        end = time.monotonic() + _LONGEST_ENTRY
        while len(self._trials()) < len(self._plan.points) and time.monotonic() < end:
            time.sleep(0.5)


def _place_of(trial: Any) -> str | None:
    """Return which search took a trial, or claimed it before it was killed."""
    claims = (key.removeprefix(_CLAIM) for key in trial.user_attrs if key.startswith(_CLAIM))
    place: str | None = trial.user_attrs.get(_PLACE) or next(claims, None)
    return place


def flat_hparams(hparams: dict[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the hyperparameters by dotted names; values that Optuna cannot hold become JSON."""
    for name, value in hparams.items():
        if isinstance(value, dict):
            yield from flat_hparams(value, f"{before}{name}.")
        else:
            simple = value is None or isinstance(value, bool | int | float | str)
            yield f"{before}{name}", value if simple else json.dumps(value)


@contextlib.contextmanager
def database_errors(storage: str) -> Iterator[None]:
    """Report what a database refuses, such as while another program locks it, as one line."""
    try:
        yield
    except (SQLAlchemyError, optuna.exceptions.StorageInternalError) as error:
        more = "when the database can be used again, go on with --resume"
        raise Pedl2DetError(f"--storage {_reason(storage, error)}; {more}") from None


def _reason(storage: str, error: Exception) -> str:
    """Return a database and what its driver says, without credentials."""
    cause = error.__cause__ or error
    lines = str(getattr(cause, "orig", None) or cause).strip().splitlines()
    return f"{without_credentials(storage)}: {without_credentials(lines[0])}"


def sqlite(out: Path) -> str:
    """Return the URL of the storage in a search's own directory."""
    return f"sqlite:///{out / DATABASE}"
