"""Choose the experiment config that a trial is verified by."""

from __future__ import annotations

from pathlib import Path

from pedl2det.engine.script_configs import config_in_script
from pedl2det.errors import Pedl2DetError
from pedl2det.verify.extent import project_of


def chosen_config(home: Path, *, any_will_do: bool = False) -> Path:
    """Return the config of a trial: the one that `run` takes, else one that belongs to it.

    A script of early Determined may hold its config in its code.

    Args:
        home: the trial's directory.
        any_will_do: whether the best of several is taken where `run` asks the user to choose.

    Raises:
        Pedl2DetError: there is none, or there are several.
    """
    from pedl2det_runtime.errors import ConfigError
    from pedl2det_runtime.trainer.run import find_config

    try:
        return find_config(home)
    except ConfigError as error:
        project = project_of(home)
        configs = project.configs if project is not None else ()
        named = [one for one in configs if one.stem == "const"]
        if len(named) == 1 or len(configs) == 1 or (any_will_do and configs):
            return (named or _by_search(configs))[0]
        held = config_in_script(home) if not configs else None
        if held is not None:
            return held
        raise Pedl2DetError(str(error)) from None


def config_of_twin(twin: Path, home: Path, config: Path) -> Path:
    """Return the config of a trial that the user migrated.

    Args:
        twin: the directory of the migrated trial.
        home: the directory of the old trial.
        config: the config of the old trial; one outside of the trial is used for both.

    Raises:
        Pedl2DetError: the migrated trial has none, or several.
    """
    if not config.resolve().is_relative_to(home):
        return config
    same = twin / config.resolve().relative_to(home)
    return same if same.is_file() else chosen_config(twin)


def _by_search(configs: tuple[Path, ...]) -> list[Path]:
    """Configs in order: those of a single trial before searches."""
    return sorted(configs, key=lambda one: (b"single" not in one.read_bytes(), one))
