"""The experiment config in a script of early Determined."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from pedl2det.errors import Pedl2DetError
from pedl2det.verify.configs import configs_in_scripts
from support import write_tree

CONFIG = """\
config = {
    "hyperparameters": {"global_batch_size": det.Constant(4), "rate": det.Double(0.1, 0.5)},
    "searcher": {"name": "single", "max_steps": -1},
}
"""
NATIVE = f"""\
import determined as det
from determined.experimental.keras import init

{CONFIG}
context = init(config)
model = context.wrap_model(build())
model.fit(x, y, validation_data=(x, y))
"""
CREATED = f"""\
import determined as det
from determined.experimental import create
from determined.keras import TFKerasTrial


class Net(TFKerasTrial):
    pass


if __name__ == "__main__":
    {CONFIG.replace(chr(10), chr(10) + "    ")}
    create(trial_def=Net, config=config)
"""
HELD = {
    "hyperparameters": {
        "global_batch_size": 4,
        "rate": {"type": "double", "minval": 0.1, "maxval": 0.5},
    },
    "searcher": {"name": "single", "max_steps": -1},
}


def held(path: Path) -> Any:
    file = next(configs_in_scripts(path), None)
    return yaml.safe_load(file.read_text()) if file is not None else None


@pytest.mark.parametrize("named", ["", "train.py"])
def test_a_script_is_trained_by_the_config_in_its_code(named: str, tmp_path: Path) -> None:
    home = write_tree(tmp_path / "trial", {"train.py": NATIVE})

    assert held(home / named) == {**HELD, "entrypoint": {"script": "train.py"}}


def test_each_script_of_a_directory_is_trained_by_its_own(tmp_path: Path) -> None:
    wide = NATIVE.replace("Constant(4)", "Constant(8)")
    home = write_tree(tmp_path / "trial", {"deep.py": NATIVE, "wide.py": wide})

    found = {path.name: yaml.safe_load(path.read_text()) for path in configs_in_scripts(home)}

    assert [config["entrypoint"]["script"] for config in found.values()] == ["deep.py", "wide.py"]
    assert found["wide.yaml"]["hyperparameters"]["global_batch_size"] == 8


def test_a_trial_that_submits_itself_is_trained_by_its_config(tmp_path: Path) -> None:
    home = write_tree(tmp_path / "trial", {"model_def.py": CREATED})

    assert held(home) == {**HELD, "entrypoint": "model_def:Net"}


def test_a_config_within_a_function_is_found(tmp_path: Path) -> None:
    lines = NATIVE.splitlines(keepends=True)
    inner = "".join(f"    {line}" for line in lines[2:])
    code = "".join(lines[:2]) + f"\n\ndef main():\n{inner}\n\nmain()\n"
    home = write_tree(tmp_path / "trial", {"train.py": code})

    assert held(home)["searcher"] == HELD["searcher"]


def test_a_config_that_is_computed_is_told(tmp_path: Path) -> None:
    code = NATIVE.replace("context = init", 'config["searcher"]["max_steps"] = 7\ncontext = init')
    home = write_tree(tmp_path / "trial", {"train.py": code})

    with pytest.raises(Pedl2DetError, match="computed: write it to const.yaml"):
        held(home)


def test_other_files_hold_no_config(tmp_path: Path) -> None:
    assert held(write_tree(tmp_path / "trial", {"train.py": "model.fit(x)\n"})) is None
