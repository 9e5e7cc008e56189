"""Which process is which: numbers that fit together, and what is said of those that do not."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pedl2det_runtime.distributed import DistributedContext
from pedl2det_runtime.distributed.layout import Layout, machines
from pedl2det_runtime.errors import CheckFailedError, DistributedError

ALONE = {
    "rank": 0,
    "size": 1,
    "local_rank": 0,
    "local_size": 1,
    "cross_rank": 0,
    "cross_size": 1,
}
TORCH = {
    "RANK": "0",
    "WORLD_SIZE": "1",
    "LOCAL_RANK": "0",
    "LOCAL_WORLD_SIZE": "1",
    "GROUP_RANK": "0",
    "GROUP_WORLD_SIZE": "1",
}
DEEPSPEED = {
    "RANK": "0",
    "WORLD_SIZE": "1",
    "LOCAL_RANK": "0",
    "LOCAL_SIZE": "1",
    "CROSS_RANK": "0",
    "CROSS_SIZE": "1",
}


@st.composite
def runs(draw: st.DrawFn) -> list[Layout]:
    """The processes of a run, ranks dealt to machines in any way, in any order."""
    local_size = draw(st.integers(1, 4))
    cross_size = draw(st.integers(2, 4))
    size = local_size * cross_size
    others = draw(st.permutations(range(1, size)))
    ranks = [0, *others]
    layouts = [
        Layout(rank, size, place % local_size, local_size, place // local_size, cross_size)
        for place, rank in enumerate(ranks)
    ]
    return draw(st.permutations(layouts))


@given(runs())
def test_every_rank_is_on_one_machine_in_the_order_of_local_ranks(layouts: list[Layout]) -> None:
    by_machine = machines(layouts)
    assert sorted(rank for ranks in by_machine for rank in ranks) == list(range(len(layouts)))
    for layout in layouts:
        assert by_machine[layout.cross_rank][layout.local_rank] == layout.rank


@given(runs(), st.randoms())
def test_two_with_the_same_place_are_noticed(layouts: list[Layout], chance: random.Random) -> None:
    one, other = chance.sample(range(len(layouts)), 2)
    layouts[one] = layouts[other]
    with pytest.raises(DistributedError, match="2 processes have the same rank"):
        machines(layouts)


@given(runs())
def test_one_that_is_missing_is_noticed(layouts: list[Layout]) -> None:
    with pytest.raises(DistributedError, match="processes connected"):
        machines(layouts[1:])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"rank": 1}, "rank: expected 0 to 0 (size - 1), got 1"),
        ({"rank": -1}, "rank: expected 0 to 0"),
        ({"local_rank": 1}, "local_rank: expected 0 to 0 (local_size - 1), got 1"),
        ({"cross_size": 0}, "cross_size: expected 1 or more, got 0"),
        ({"size": 3, "local_size": 2}, "size 3 is not local_size 2 times cross_size 1"),
        ({"size": 2, "local_size": 2, "rank": 1}, "rank 1 and local_rank 0 must be equal"),
        ({"size": 4, "local_size": 2, "cross_size": 2, "local_rank": 1}, "must have local_rank 0"),
        ({"rank": None}, "rank: expected a whole number, got None"),
        ({"rank": True}, "rank: expected a whole number, got True"),
        ({"size": 2, "cross_size": 2}, "2 machines need the address of the machine with rank 0"),
    ],
)
def test_numbers_that_no_process_can_have(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(CheckFailedError) as error:
        DistributedContext(**{**ALONE, **wrong})
    assert str(error.value).startswith("DistributedContext: ")
    assert message in str(error.value)


def test_a_context_of_one_process_can_be_closed_twice_and_then_talks_no_more() -> None:
    with DistributedContext(**ALONE) as context:
        assert context.gather(1) == context.allgather_local(1) == [1]
    context.close()
    with pytest.raises(DistributedError, match="broadcast.*closed"):
        context.broadcast(1)


@pytest.mark.parametrize(("launcher", "variables"), [("torch", TORCH), ("deepspeed", DEEPSPEED)])
def test_launchers_say_it_in_the_environment(
    launcher: str, variables: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "from_torch_distributed" if launcher == "torch" else "from_deepspeed"
    make = getattr(DistributedContext, name)
    for variable in {*TORCH, *DEEPSPEED}:
        monkeypatch.delenv(variable, raising=False)
    with pytest.raises(CheckFailedError, match=r"\$RANK: expected a whole number, got 'nothing'"):
        make()
    for variable, value in variables.items():
        monkeypatch.setenv(variable, value)
    assert make().allgather(5) == [5]
    monkeypatch.setenv("WORLD_SIZE", "2")
    last = list(variables)[-1]
    monkeypatch.setenv(last, "2")
    with pytest.raises(CheckFailedError, match="chief_ip"):
        make()
    monkeypatch.setenv(last, "two")
    with pytest.raises(CheckFailedError, match=rf"\${last}: expected a whole number, got 'two'"):
        make()
