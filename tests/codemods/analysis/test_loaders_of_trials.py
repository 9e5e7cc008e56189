"""What loaders are: adapters that are always returned, batch sizes, datasets."""

from __future__ import annotations

from pathlib import Path

import pytest

import pedl2det_names as names
from pedl2det.analysis.context import entry_of
from pedl2det.analysis.loaders import (
    Role,
    is_plain_in_memory,
    keeps_adapters,
    needs_unwrapping,
    only_datasets,
    plain_adapter,
)
from pedl2det.analysis.modules import Modules
from pedl2det.analysis.source import Source
from pedl2det.analysis.trial import Trial

_TRIAL = "from pedl.frameworks.keras import TFKerasTrial\n\n\nclass Net(TFKerasTrial):\n    pass\n"
_HEAD = (
    "import numpy as np\nimport pandas as pd\nimport pedl\nimport tensorflow as tf\n"
    "from pedl.frameworks.keras import wrap_dataset\n"
    "from pedl.frameworks.keras.data import InMemorySequence, KerasDataAdapter\n\n\n"
)


def project(directory: Path, **files: str) -> Trial:
    """A project of PEDL with a trial and some more modules."""
    sources = {}
    for name, text in {"model_def": _TRIAL, **files}.items():
        path = directory / f"{name}.py"
        path.write_text(text)
        sources[name] = Source.read(path)
    return Trial(directory, Modules(sources), entry_names={})


def _loaders(body: str, parameters: str = "experiment_config, hparams", more: str = "") -> str:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return f"{_HEAD}{more}def make_data_loaders({parameters}):\n{lines}"


@pytest.mark.parametrize(
    ("body", "role"),
    [
        ("t = load()\nt = KerasDataAdapter(t, workers=2)\nreturn t, v", Role.TRAINING),
        ("return KerasDataAdapter(t, workers=2), v", Role.TRAINING),
        ("return t, KerasDataAdapter(v, workers=2)", Role.VALIDATION),
        ("t = f()\nif fast:\n    t = KerasDataAdapter(t, workers=2)\nreturn t, v", Role.TRAINING),
        ("if f:\n    return KerasDataAdapter(t, workers=2), v\nreturn t, v", Role.TRAINING),
        ("a = KerasDataAdapter(t, workers=2)\nif f:\n    return a, v\nreturn t, v", None),
        ("t = KerasDataAdapter(t, workers=2)\nif f:\n    t = v\nreturn t, v", None),
        ("t = KerasDataAdapter(t, workers=2) if f else t\nreturn t, v", None),
        ("for i in v:\n    t = KerasDataAdapter(t, workers=2)\nreturn t, v", None),
        ("a = KerasDataAdapter(t, workers=2)\nprint(len(a))\nreturn a, v", None),
        ("a = KerasDataAdapter(t, **experiment_config)\nreturn a, v", None),
        ("a = KerasDataAdapter(t, workers=2)\nreturn a, a", None),
    ],
)
def test_an_adapter_is_plain_if_it_is_returned_wherever_it_is_made(
    tmp_path: Path, body: str, role: Role | None
) -> None:
    trial = project(tmp_path, data=_loaders(body))
    (reference,) = trial.uses(*names.harness.ADAPTERS)
    assert plain_adapter(trial, reference) is role
    assert keeps_adapters(trial) is (role is None)


def test_an_adapter_of_a_helper_is_plain_if_its_result_is_always_returned(tmp_path: Path) -> None:
    helper = "def fast(t):\n    return KerasDataAdapter(t, workers=2)\n\n\n"
    always = project(tmp_path, data=_loaders("return fast(t), v", more=helper))
    at_times = project(
        tmp_path, data=_loaders("a = fast(t)\nif v:\n    a = t\nreturn a, v", more=helper)
    )
    assert plain_adapter(always, always.uses(*names.harness.ADAPTERS)[0]) is Role.TRAINING
    assert plain_adapter(at_times, at_times.uses(*names.harness.ADAPTERS)[0]) is None


@pytest.mark.parametrize(
    ("size", "is_plain"),
    [
        ('hparams["batch_size"]', True),
        ('pedl.get_hyperparameter("batch_size")', True),
        ("SIZE", True),
        ("32", False),
        ('hparams["batch_size"] // 2', False),
        ('experiment_config["batch_size"]', False),
    ],
)
def test_arrays_are_plain_if_their_batch_size_is_the_hyperparameter(
    tmp_path: Path, size: str, is_plain: bool
) -> None:
    body = f"return InMemorySequence(x, y, {size}), v"
    more = 'SIZE = pedl.get_hyperparameter("batch_size")\n\n\n'
    trial = project(tmp_path, data=_loaders(body, more=more))
    (reference,) = trial.uses(*names.harness.IN_MEMORY_SEQUENCES)
    assert is_plain_in_memory(trial, reference) is is_plain


def test_hyperparameters_that_are_changed_are_not_as_they_were_given(tmp_path: Path) -> None:
    body = 'hparams["batch_size"] = 4\nreturn InMemorySequence(x, y, hparams["batch_size"]), v'
    trial = project(tmp_path, data=_loaders(body))
    (reference,) = trial.uses(*names.harness.IN_MEMORY_SEQUENCES)
    assert not is_plain_in_memory(trial, reference)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("wrap_dataset(tf.data.Dataset.range(4)).map(len).batch(2)", False),
        ("tf.data.Dataset.range(4).map(len).batch(2)", True),
        ("tf.data.Dataset.zip((wrap_dataset(a), b))", True),
        ("builder.as_dataset()['train']", True),
        ("tf.data.Dataset.range(4) if u else InMemorySequence(x, y, 4)", True),
        ("unknown()", True),
        ("tf.data.experimental.make_csv_dataset('x.csv', 8)", True),
        ("InMemorySequence(x, y, 4)", False),
        ("generator.flow(x, y)", False),
    ],
)
def test_a_run_looks_at_loaders_that_may_be_datasets_nobody_wrapped(
    tmp_path: Path, value: str, expected: bool
) -> None:
    body = f"t = {value}\nreturn t, wrap_dataset(tf.data.Dataset.range(4))"
    assert needs_unwrapping(project(tmp_path, data=_loaders(body))) is expected


def test_a_run_looks_at_no_loaders_where_nothing_speaks_of_datasets(tmp_path: Path) -> None:
    assert not needs_unwrapping(project(tmp_path, data=_loaders("return unknown(), unknown()")))


def test_loaders_are_datasets_only_if_each_of_them_is_one(tmp_path: Path) -> None:
    dataset = "tf.data.Dataset.range(4)"
    both = project(tmp_path, data=_loaders(f"return {dataset}, {dataset}"))
    one = project(tmp_path, data=_loaders(f"return {dataset}, unknown()"))
    hidden = project(tmp_path, data=_loaders(f"if 1:\n    return u()\nreturn {dataset}, {dataset}"))
    assert only_datasets(both)
    assert not only_datasets(one)
    assert not only_datasets(hidden)


@pytest.mark.parametrize(
    ("parameters", "is_by_position", "is_plain"),
    [
        ("experiment_config, hparams", True, True),
        ("a, b, seed=3", True, True),
        ("a, b, seed", True, False),
        ("*, experiment_config, hparams", False, False),
        ("hparams", False, False),
        ("*args", False, False),
        ("", False, True),
    ],
)
def test_a_function_of_the_harness_is_plain_if_it_can_be_called_without_its_two_arguments(
    tmp_path: Path, parameters: str, is_by_position: bool, is_plain: bool
) -> None:
    trial = project(tmp_path, data=_loaders("return 1, 2", parameters))
    assert trial.loaders is not None
    entry = entry_of(trial.loaders)
    assert (entry.hparams is not None, entry.is_plain) == (is_by_position, is_plain)
