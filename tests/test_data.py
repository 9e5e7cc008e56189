"""What a data loader may return, and what is said of everything else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pedl2det_runtime.data.loaders import as_data
from pedl2det_runtime.data.sequence_adapter import SequenceAdapter
from pedl2det_runtime.errors import CheckFailedError, InvalidDataTypeException

X, Y = np.arange(10.0).reshape(5, 2), np.arange(5)


def test_arrays_are_cut_in_order_and_the_last_batch_may_be_smaller() -> None:
    batches = as_data((X, Y), 2)

    assert len(batches) == 3
    assert [y.tolist() for _, y in (batches[i] for i in range(3))] == [[0, 1], [2, 3], [4]]
    assert batches[1][0].tolist() == X[2:4].tolist()


def test_lists_and_dicts_of_arrays_keep_their_form() -> None:
    assert [part.tolist() for part in as_data(([X, Y], Y), 5)[0][0]] == [
        X.tolist(),
        [*range(5)],
    ]
    assert set(as_data(({"a": X, "b": Y}, Y), 5)[0][0]) == {"a", "b"}


def test_sample_weights_come_third() -> None:
    assert as_data((X, Y, Y * 2.0), 5)[0][2].tolist() == [0.0, 2.0, 4.0, 6.0, 8.0]


def test_a_sequence_is_known_by_what_it_does() -> None:
    class Sequence:
        def __len__(self) -> int:
            return 1

        def __getitem__(self, index: int) -> Any:
            return X, Y

    sequence = Sequence()
    assert as_data(sequence, 2) is sequence


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        ([X, Y], InvalidDataTypeException, "list"),
        (X, InvalidDataTypeException, "ndarray"),
        ((X,), InvalidDataTypeException, "tuple"),
        (None, InvalidDataTypeException, "NoneType"),
        (([1, 2], [1, 2]), InvalidDataTypeException, "np.asarray"),
        ((X, Y[:4]), CheckFailedError, "Length of x and y do not match"),
        ((X, Y, Y[:4]), CheckFailedError, "sample weights do not match"),
        ((X[:1], Y[:1]), CheckFailedError, "Batch size is too large for the input data"),
    ],
)
def test_anything_else_is_refused(data: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        as_data(data, 2)


def test_an_adapter_says_how_its_sequence_is_read() -> None:
    settings = SequenceAdapter(data=[1, 2], workers=3, max_queue_size=5)

    assert settings.sequence == [1, 2]
    assert len(settings) == 2
    assert settings.fit_settings() == {
        "use_multiprocessing": False,
        "workers": 3,
        "max_queue_size": 5,
    }


def test_an_adapter_needs_a_sequence_that_holds_something() -> None:
    with pytest.raises(TypeError, match="SequenceAdapter: expected a Sequence"):
        SequenceAdapter()
    with pytest.raises(ValueError, match="non-zero length"):
        SequenceAdapter([])
