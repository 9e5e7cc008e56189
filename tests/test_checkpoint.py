"""Checkpoints: whole or not there, and nothing in them is trusted."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import os
import pickle
import random
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import training
from pedl2det_runtime.checkpoint import directory as checkpoint_directory
from pedl2det_runtime.checkpoint import safe_pickle, writer
from pedl2det_runtime.checkpoint.code_files import code_of
from pedl2det_runtime.checkpoint.state import Progress, RankState, State, read_state
from pedl2det_runtime.checkpoint.writer import Contents
from pedl2det_runtime.config.credentials import without_credentials
from pedl2det_runtime.errors import CheckpointError
from pedl2det_runtime.training.load_model import needs_trust
from support import write_tree

pytestmark = pytest.mark.versions

OWN = RankState(random={}, callbacks=b"", loaders={}, layers=[], gradients=[])
STATE = State(progress=Progress(5, 5, 5), records=2, best=0.5, seed=1, slots=1)


def model(error: OSError | None = None) -> Any:
    """A small model, whose saving may fail as on a full disk."""

    class Model(tf.keras.Sequential):
        def save(self, *arguments: Any, **settings: Any) -> None:
            super().save(*arguments, **settings)
            if error:
                raise error

    made = Model([tf.keras.layers.Dense(1, input_shape=(2,))])
    made.compile("sgd", "mse")
    return made


def save(directory: Path, model: Any) -> Path:
    contents = Contents({"token": "s3cret"}, {"units": 4}, directory, ())
    checkpoints = directory / "checkpoints"
    return writer.save(checkpoints, model, STATE, [OWN], run="1", contents=contents).complete()


def test_the_states_of_data_are_read_as_they_were_written(tmp_path: Path) -> None:
    order, generator = np.arange(3), random.Random(1).getstate()
    changes = {"order": order, "alias": order, "seen": {("a", 1)}, "own": ("state", generator)}
    replace(OWN, loaders={"training": changes, "validation": {}}).write(tmp_path, 0)

    read = RankState.read(tmp_path, 0)

    training = read.loaders["training"]
    assert np.array_equal(training.pop("order"), order)
    assert np.array_equal(training.pop("alias"), order)
    assert read.loaders == {
        "training": {"seen": {("a", 1)}, "own": ("state", generator)},
        "validation": {},
    }


def test_a_checkpoint_that_fails_half_way_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="could not be written: No space left"):
        save(tmp_path, model(OSError(28, "No space left on device")))

    assert list((tmp_path / "checkpoints").iterdir()) == []
    assert checkpoint_directory.latest(tmp_path / "checkpoints") is None


def test_what_a_kill_left_behind_is_not_taken_for_a_checkpoint(tmp_path: Path) -> None:
    whole = save(tmp_path, model())
    partial = tmp_path / "checkpoints" / ".abc.partial"
    partial.mkdir()
    (partial / "metadata.json").write_text('{"steps_completed": 99}')

    assert checkpoint_directory.latest(tmp_path / "checkpoints") == whole


def test_an_empty_directory_that_a_kill_left_is_removed(tmp_path: Path) -> None:
    name = "c0ffee00-1234-4abc-8def-0123456789ab"
    empty, other = f".{name}.partial", ".a.partial"
    full = ".deadbeef-0000-4000-8000-000000000001.partial"
    for path in (empty, f"{full}/theirs", other, name):
        (tmp_path / "checkpoints" / path).mkdir(parents=True)

    training.run(training.Trial, tmp_path, training.config(2))

    left = {path.name for path in (tmp_path / "checkpoints").iterdir()}
    assert left >= {full, other, name}
    assert empty not in left


class Overflowing(training.Trial):
    """Its loss scale overflows, and is halved, in each of the first steps."""

    def build_model(self) -> Any:
        layer = tf.keras.layers.Dense(1, kernel_initializer="zeros", input_shape=(3,))
        model = self.context.wrap_model(tf.keras.Sequential([layer]))
        inner = tf.keras.optimizers.Adam(0.1)
        scaled = tf.keras.mixed_precision.LossScaleOptimizer(inner, initial_scale=2.0**127)
        model.compile(scaled, "mse")
        return model


def test_a_loss_scale_goes_on_where_it_was(tmp_path: Path) -> None:
    whole = training.run(Overflowing, tmp_path / "whole", training.config(24))
    training.run(Overflowing, tmp_path / "broken", training.config(12))
    resumed = training.run(Overflowing, tmp_path / "broken", training.config(24), resume=True)

    assert any(whole.kernel), "every step overflowed"
    assert resumed.weights == whole.weights


def test_the_state_comes_back(tmp_path: Path) -> None:
    assert read_state(save(tmp_path, model())) == STATE


def test_a_damaged_checkpoint_says_so(tmp_path: Path) -> None:
    path = save(tmp_path, model())
    (path / "state.json").write_text("{")

    with pytest.raises(CheckpointError, match=r"state\.json: damaged checkpoint"):
        read_state(path)


def test_the_copies_of_a_config_are_for_their_user_alone(tmp_path: Path) -> None:
    umask = os.umask(0)
    try:
        path = save(tmp_path, model())
    finally:
        os.umask(umask)

    copies = [path / "experiment_config.json", path / "hparams.json"]
    assert [oct(one.stat().st_mode & 0o777) for one in [path, *copies]] == [
        "0o700",
        "0o600",
        "0o600",
    ]


def test_credentials_are_replaced_at_any_depth() -> None:
    config = {
        "checkpoint_storage": {"secret_key": "a", "access_key": "b", "bucket": "c"},
        "environment": {"registry_auth": {"password": "d", "username": "e"}},
        "list": [{"token": "f"}],
    }

    assert without_credentials(config) == {
        "checkpoint_storage": {"secret_key": "*" * 8, "access_key": "*" * 8, "bucket": "c"},
        "environment": {"registry_auth": {"password": "*" * 8, "username": "*" * 8}},
        "list": [{"token": "*" * 8}],
    }


class Attack:
    def __reduce__(self) -> Any:
        return os.system, ("true",)


@pytest.mark.parametrize("data", [pickle.dumps(Attack()), pickle.dumps(print), b"", b"garbage"])
def test_a_pickle_that_is_more_than_data_is_refused(data: bytes) -> None:
    with pytest.raises(CheckpointError):
        safe_pickle.loads(data)


def test_data_survives_pickling() -> None:
    value = [None, {"wait": 3, "best": np.float32(0.5)}, (1, {2}), np.arange(3)]
    back = safe_pickle.loads(safe_pickle.dumps(value))

    assert back[:3] == value[:3]
    assert back[3].tolist() == [0, 1, 2]


OWN_CLASSES = """\
import enum
from os import unlink


class Mood(enum.Enum):
    GOOD = 1


class Point(tuple):
    pass


class Table(dict):
    pass


class Failure(Exception):
    pass


class Log:
    path = None

    def __init__(self, path):
        open(path, "w").close()


class Writer(Log):
    def __init__(self):
        pass

    __call__ = Log.__init__
"""


@pytest.fixture
def own_classes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A module of a trial that is in ``tmp_path``."""
    write_tree(tmp_path, {"own_classes.py": OWN_CLASSES})
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("own_classes")
    del sys.modules["own_classes"]


def test_instances_of_the_trials_own_classes_survive_pickling(
    own_classes: Any, tmp_path: Path
) -> None:
    writer = own_classes.Writer()
    writer.data = [own_classes.Mood.GOOD, own_classes.Point((1, 2)), own_classes.Table(a=1)]
    value = [writer, own_classes.Failure("why")]
    data = safe_pickle.dumps(value, tmp_path)
    back = safe_pickle.loads(data, tmp_path)

    assert back[0].data == writer.data
    assert list(map(type, back[0].data)) == list(map(type, writer.data))
    assert repr(back[1]) == "Failure('why')"


def test_a_class_of_an_environment_in_the_trials_directory_is_refused(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("mine")
    opened = b"cnumpy\nmemmap\n(V%s\nVu1\nVw+\nI0\n(I4\nttR" % os.fsencode(target)

    with pytest.raises(CheckpointError, match="refused to unpickle numpy.memmap"):
        safe_pickle.loads(b"\x80\x04" + opened + b"(I0\nI75\nI1\nI75\nu.", Path(sys.prefix).parent)

    assert target.read_text() == "mine"


@pytest.mark.parametrize("mark", ["pyvenv.cfg", "conda-meta/history", "own-1.0.dist-info/RECORD"])
def test_a_class_of_an_installed_package_is_refused(mark: str, own_classes: Any) -> None:
    """Also where ``pip install --target`` installed it."""
    data = pickle.dumps(own_classes.Table())
    directory = Path(own_classes.__file__).parent
    write_tree(directory, {mark: ""})

    with pytest.raises(CheckpointError, match="refused to unpickle own_classes.Table"):
        safe_pickle.loads(data, directory.parent)


@pytest.mark.parametrize(
    "opcodes",
    [
        pytest.param(b"cown_classes\nLog\nV%s\n\x85R.", id="constructor"),
        pytest.param(b"cown_classes\nunlink\nV%s\n\x85R.", id="what the trial imported"),
        pytest.param(b"cown_classes\nLog\nV%s\n\x85\x81.", id="new with arguments"),
        pytest.param(b"cown_classes\nWriter\n)\x81V%s\n\x85R.", id="call of an instance"),
        pytest.param(b"cown_classes\nWriter\n}Vpath\nV%s\nsb.", id="attribute of a class"),
        pytest.param(b"cown_classes\nWriter\n)\x81I0\nV%s\ns.", id="item of no container"),
        pytest.param(b"cnumpy\nndarray\n)\x81V%s\na.", id="item of an array"),
    ],
)
def test_a_pickle_calls_nothing_that_pickling_does_not(
    opcodes: bytes, own_classes: Any, tmp_path: Path
) -> None:
    target = tmp_path / "target"
    target.write_text("mine")

    with pytest.raises(CheckpointError):
        safe_pickle.loads(b"\x80\x04" + opcodes % os.fsencode(target), tmp_path)

    assert target.read_text() == "mine"
    assert own_classes.Writer.path is None


def test_a_checkpoint_holds_few_data_files_and_all_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Directories of data go in whole or not at all, those near the trial first."""
    modules = [f"module_{number}.py" for number in range(150)]
    kept = {"words.txt": "a b\n", "data/sizes/sizes.csv": "1,2\n"}
    labels = {f"data/labels/{number}.txt": "cat\n" for number in range(100)}
    tables = {f"tables/{number}.csv": "1" * 2**18 for number in range(33)}
    skipped = {"data/.cache/a.txt": "", "out/a.txt": "", "old/a.txt": ""}
    skipped |= {"old/state.json": "", "old/metadata.json": ""}
    files = dict.fromkeys(modules, "") | kept | labels | tables | skipped
    directory = write_tree(tmp_path / "trial", files)
    for name in modules:
        module = ModuleType(name)
        module.__file__ = str(directory / name)
        monkeypatch.setitem(sys.modules, name, module)
    said: list[str] = []

    files_of_it = code_of(directory, directory / "out", said.append)

    names = [str(path.relative_to(directory)) for path in files_of_it]
    assert names == sorted([*modules, *kept])
    assert said == [
        "checkpoints do not contain the data files in tables (33 files, 8,448 KB), data/labels "
        "(100 files, 1 KB): they take the first 100 data files beside a trial, of 8 MB together"
    ]


@pytest.mark.parametrize("place", [".", "trial", "trial/parts"])
def test_a_state_json_of_others_keeps_no_code_out(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {"parts/own.py": "", "parts/words.txt": "a b\n", "words.txt": "a b\n"}
    directory = write_tree(tmp_path / "trial", files)
    write_tree(tmp_path / place, {"state.json": "{}"})
    module = ModuleType("own")
    module.__file__ = str(directory / "parts" / "own.py")
    monkeypatch.setitem(sys.modules, "own", module)

    found = code_of(directory, directory / "out", print)

    assert found == tuple(directory / name for name in files)


def test_few_data_files_are_all_kept_without_a_word(tmp_path: Path) -> None:
    files = {f"{folder}/{number}.txt": "cat\n" for folder in "ab" for number in range(50)}
    directory = write_tree(tmp_path, files)
    said: list[str] = []

    assert len(code_of(directory, tmp_path / "out", said.append)) == 100
    assert said == []


def configs_of_keras() -> list[dict[str, Any]]:
    """The configs of all layers, optimizers, losses and metrics that can be made with few words."""
    given = {"units": 2, "filters": 2, "kernel_size": 3, "rate": 0.1, "input_dim": 4}
    given |= {"output_dim": 2, "factor": 0.1, "height": 4, "width": 4, "num_classes": 2}
    parts = tf.keras.layers, tf.keras.optimizers, tf.keras.losses, tf.keras.metrics
    found = []
    for made in [made for part in parts for made in vars(part).values() if inspect.isclass(made)]:
        arguments = {
            name: given[name] for name in inspect.signature(made).parameters.keys() & given
        }
        with contextlib.suppress(AttributeError, NotImplementedError, TypeError, ValueError):
            config = made(**arguments).get_config()
            found.append({"class_name": made.__name__, "config": config})
    return found


def test_a_model_of_keras_own_parts_needs_no_trust() -> None:
    configs = configs_of_keras()
    assert len(configs) > 100
    assert [needed for config in configs for needed in needs_trust(config)] == []
