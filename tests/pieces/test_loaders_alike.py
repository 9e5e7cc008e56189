"""Data objects of legacy_keras.py give what those of the shim give."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import tensorflow as tf
from determined.keras import TFKerasTrialContext

import pedl.data
from pedl import idioms
from pedl.frameworks.keras.data import InMemorySequence, KerasDataAdapter
from pedl2det_runtime.data.loaders import ArraySequence
from training import config, trial_running

# pedl.frameworks.keras gives TensorFlow its old meanings; other tests of this process want today's.
idioms.deactivate()

X = np.arange(22.0).reshape(11, 2)
Y = np.arange(11)
FRAME = pd.DataFrame(X, columns=["a", "b"])
SERIES = pd.Series(Y, name="c")


def bits(value: Any) -> Any:
    """A batch, to be compared to the last bit and type."""
    if isinstance(value, dict):
        return {name: bits(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [bits(part) for part in value]
    assert isinstance(value, np.ndarray)
    return value.dtype.str, value.shape, value.tobytes()


def assert_alike(shim: Any, piece: Any) -> None:
    assert len(piece) == len(shim)
    assert [bits(piece[i]) for i in range(len(shim))] == [bits(shim[i]) for i in range(len(shim))]


@pytest.mark.parametrize(
    ("data", "labels"),
    [(X, Y), (FRAME, SERIES), (FRAME, Y), (X.tolist(), Y.tolist()), (X.astype("float16"), SERIES)],
    ids=["arrays", "pandas", "frame", "lists", "halves"],
)
@pytest.mark.parametrize("drop", [False, True])
@pytest.mark.parametrize("size", [1, 4, 11])
def test_a_sequence_in_memory(data: Any, labels: Any, drop: bool, size: int, pieces: Any) -> None:
    given = {"batch_size": size, "sample_weight": np.ones(11), "drop_leftovers": drop}

    piece = pieces.InMemorySequence(data, labels, **given)

    assert isinstance(piece, tf.keras.utils.Sequence)
    assert_alike(InMemorySequence(data, labels, **given), piece)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((X, Y[:5], 2), "input data and input labels do not match"),
        ((X, Y, 12), "Batch size is too large"),
        ((X, Y, 2, Y[:3]), "input data and sample weights do not match"),
    ],
    ids=["labels", "batch size", "weights"],
)
def test_what_does_not_fit_is_an_error(given: Any, message: str, pieces: Any) -> None:
    with pytest.raises(ValueError, match=message):
        pieces.InMemorySequence(*given)


@pytest.mark.parametrize("make", ["plain", "slice", "named", "one named"])
@pytest.mark.parametrize("size", [3, 4, 11])
def test_records_are_cut_into_batches(make: str, size: int, pieces: Any) -> None:
    def loader(module: Any) -> Any:
        if make == "named":
            return module.ArrayBatchLoader({"a": X, "b": X + 1}, {"u": Y, "v": -Y})
        if make == "one named":
            return module.ArrayBatchLoader({"a": X}, Y.tolist())
        whole = module.ArrayBatchLoader(X, Y)
        return module.SliceBatchLoader(whole, 2, 30) if make == "slice" else whole

    shim, piece = loader(pedl.data), loader(pieces)

    assert len(piece) == len(shim)
    assert bits(piece.get_batch(1, 4).data) == bits(shim.get_batch(1, 4).data)
    assert bits(piece.get_batch(1, 4).labels) == bits(shim.get_batch(1, 4).labels)
    assert len(piece.get_batch(1, 4)) == len(shim.get_batch(1, 4)) == 3
    batches = pieces.validation_loader(Context(), piece, size)
    assert isinstance(batches, tf.keras.utils.Sequence)
    assert_alike(shim.batches(size), batches)
    records = range(2 if make == "slice" else 0, 11)
    assert [_records(batch) for batch in batches] == [
        [*records[first : first + size]] for first in range(0, len(records), size)
    ]


def _records(batch: Any) -> list[int]:
    """The numbers of the records of a batch."""
    x = batch[0]["a"] if isinstance(batch[0], dict) else batch[0]
    return [int(one) // 2 for one in x[:, 0]]


def test_records_that_do_not_fit(pieces: Any) -> None:
    with pytest.raises(ValueError, match="Length of input data and input labels do not match."):
        pieces.ArrayBatchLoader(X, Y[:3])


class Context:
    """A context that writes down what is said to it."""

    def __init__(self) -> None:
        self.fit: list[dict[str, Any]] = []
        self.wrapped: list[tuple[Any, bool]] = []

    def configure_fit(self, **settings: Any) -> None:
        self.fit.append(settings)

    def wrap_dataset(self, dataset: Any, shard_dataset: bool = True) -> Any:
        self.wrapped.append((dataset, shard_dataset))
        return dataset


SETTINGS = {"use_multiprocessing": True, "workers": 3, "max_queue_size": 7}


@pytest.mark.parametrize("settings", [{}, SETTINGS], ids=["default", "chosen"])
def test_an_adapter_says_how_its_sequence_is_read(settings: Any, pieces: Any) -> None:
    sequence = pieces.InMemorySequence(X, Y, 4)
    context = Context()

    loader = pieces.training_loader(context, pieces.KerasDataAdapter(sequence, **settings))

    assert loader is sequence
    assert context.fit == [KerasDataAdapter(sequence, **settings).fit_settings()]
    validation = pieces.SequenceAdapter(data=sequence)
    assert pieces.validation_loader(Context(), validation) is sequence


def test_an_adapter_is_a_sequence_itself(pieces: Any) -> None:
    sequence = pieces.InMemorySequence(X, Y, 4)
    adapter = pieces.KerasDataAdapter(sequence)

    assert isinstance(adapter, tf.keras.utils.Sequence)
    assert_alike(sequence, adapter)


class Restless(tf.keras.utils.Sequence):
    """Gives other batches in each pass."""

    def __init__(self) -> None:
        self.passes = 0

    def __len__(self) -> int:
        return 3

    def __getitem__(self, index: int) -> Any:
        return np.array([index, self.passes]), np.array([index])

    def on_epoch_end(self) -> None:
        self.passes += 1


@pytest.mark.parametrize(
    ("offset", "is_validation"), [(0, False), (5, False), (0, True), (2, True)]
)
def test_an_adapter_can_be_read(offset: int, is_validation: bool, pieces: Any) -> None:
    read = []
    for kind in (KerasDataAdapter, pieces.KerasDataAdapter):
        adapter = kind(Restless())
        for _ in range(2):
            adapter.start(offset, is_validation=is_validation)
            batches = zip(adapter.get_iterator(), range(8), strict=False)
            read.append([bits(batch) for batch, _ in batches])
            adapter.stop()

    assert read[:2] == read[2:]
    assert len(read[0]) == (3 if is_validation else 8)


@pytest.mark.parametrize(("given", "error"), [((), TypeError), (([],), ValueError)])
def test_an_adapter_needs_batches(given: Any, error: type[Exception], pieces: Any) -> None:
    for kind in (KerasDataAdapter, pieces.KerasDataAdapter):
        with pytest.raises(error):
            kind(*given)


@pytest.mark.parametrize(
    "arrays",
    [
        (X, Y),
        (FRAME, SERIES),
        ([X, FRAME], Y, np.ones(11)),
        ({"a": FRAME, "b": X}, SERIES, pd.Series(np.ones(11))),
        (tf.constant(X), tf.constant(Y), None),
    ],
    ids=["arrays", "pandas", "list", "dict", "tensors"],
)
def test_a_tuple_becomes_one_of_arrays(arrays: Any, pieces: Any) -> None:
    for unwrap in (pieces.training_loader, pieces.validation_loader):
        loader = unwrap(Context(), arrays)
        leaves = [leaf for leaf in tf.nest.flatten(loader) if leaf is not None]
        assert all(isinstance(leaf, np.ndarray) for leaf in leaves)
        kept = arrays[:2] if arrays[-1] is None else arrays
        assert_alike(ArraySequence(kept, 4), ArraySequence(loader[: len(kept)], 4))


def test_what_is_only_like_a_sequence_becomes_one(pieces: Any) -> None:
    class Plain:
        def __len__(self) -> int:
            return 2

        def __getitem__(self, index: int) -> Any:
            return X[index : index + 1], Y[index : index + 1]

    loader = pieces.training_loader(Context(), Plain())

    assert isinstance(loader, tf.keras.utils.Sequence)
    assert_alike(Plain(), loader)


def test_datasets_are_not_sharded_once_more(pieces: Any) -> None:
    """PEDL let a trial return a dataset on which wrap_dataset was never called."""
    dataset = tf.data.Dataset.range(3)
    for unwrap in (pieces.training_loader, pieces.validation_loader):
        context = Context()
        assert unwrap(context, dataset) is dataset
        assert context.wrapped == [(dataset, False)]


def test_datasets_are_wrapped_and_nothing_else(pieces: Any) -> None:
    context = Context()
    pieces.bind(context)
    one, other = tf.data.Dataset.range(3), tf.data.Dataset.range(4)

    wrapped = pieces.wrap_dataset({"train": one, "info": (other, "text", X)})

    assert wrapped["train"] is one and wrapped["info"][0] is other
    assert wrapped["info"][1] == "text" and wrapped["info"][2] is X
    assert {id(dataset) for dataset, _ in context.wrapped} == {id(one), id(other)}
    assert all(shard for _, shard in context.wrapped)


@pytest.mark.parametrize("size", [1, 3, 4, 11])
@pytest.mark.parametrize(
    "arrays", [(X, Y), ([X, FRAME], SERIES), ({"a": X}, {"u": Y, "v": Y}, np.ones(11))]
)
def test_records_that_fill_no_batch_are_left_out(arrays: Any, size: int, pieces: Any) -> None:
    shim = ArraySequence(arrays, size, keeps_partial_batch=False)

    assert_alike(shim, ArraySequence(pieces.whole_batches(arrays, batch_size=size), size))
    assert_alike(shim, ArraySequence(pieces.whole_batches(*arrays, batch_size=size), size))


def test_what_is_no_array_stays_as_it_is(pieces: Any) -> None:
    dataset, sequence = tf.data.Dataset.range(3), Restless()

    assert pieces.whole_batches(dataset, batch_size=2) is dataset
    assert pieces.whole_batches(sequence, batch_size=2) is sequence
    x, y, weights = pieces.whole_batches((X, Y, None), batch_size=4)
    assert (len(x), len(y), weights) == (8, 8, None)


@pytest.mark.parametrize(
    ("data", "batches"),
    [((X, Y), 3), (([X, X], Y), 3), (Restless(), 3), (tf.data.Dataset.range(9), 100)],
    ids=["arrays", "list", "sequence", "dataset"],
)
def test_an_epoch_is_a_pass_or_a_step(data: Any, batches: int, pieces: Any, tmp_path: Path) -> None:
    with trial_running(config(), tmp_path) as info:  # batches of 4
        context = TFKerasTrialContext(info)
        assert pieces.batches_in_epoch(context, data, 4) == batches
