"""What the middle of a group knows."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pedl2det_runtime.distributed.collective import Collective, Step, disorder
from pedl2det_runtime.distributed.messages import PIECE, joined, pieces
from pedl2det_runtime.distributed.rounds import Rounds
from pedl2det_runtime.errors import DistributedError

FIRST = Step(1, Collective.ALLGATHER)


def full(size: int) -> Rounds:
    rounds = Rounds(size)
    for member in range(size):
        rounds.come(member, size, b"%d" % member, {})
    return rounds


@given(st.integers(2, 6).flatmap(lambda size: st.permutations(range(size))))
def test_a_round_is_over_when_the_last_gave_in_whatever_order(order: list[int]) -> None:
    rounds = full(len(order))
    over = [rounds.give(b"%d" % member, FIRST, [member]) for member in order]
    assert over == [False] * (len(order) - 1) + [True]
    assert rounds.gifts == {member: [member] for member in order}
    rounds.end()
    assert rounds.missing() == list(range(len(order)))


@given(st.lists(st.sampled_from([FIRST, Step(2, "allgather"), Step(1, "gather")]), min_size=1))
def test_steps_are_in_order_exactly_if_all_are_the_same(steps: list[Step]) -> None:
    wrong = disorder(dict(enumerate(steps)))
    assert (wrong is None) == (len(set(steps)) == 1)


def test_who_left_while_others_wait_is_named() -> None:
    rounds = full(3)
    rounds.leave(b"9")  # nobody knows it
    rounds.give(b"0", FIRST, [])
    with pytest.raises(DistributedError, match="process 2 has closed"):
        rounds.leave(b"2")
    assert sorted(rounds.there()) == [0, 1]


def test_all_may_leave_when_nobody_waits() -> None:
    rounds = full(3)
    for member in range(3):
        rounds.leave(b"%d" % member)
    assert rounds.there() == {}


@pytest.mark.parametrize("length", [1, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE + 7])
def test_an_object_in_pieces_is_the_same_again(length: int) -> None:
    class Frame:
        def __init__(self, part: memoryview) -> None:
            self.buffer = part

    data = random.Random(length).randbytes(length)
    frames = [Frame(part) for part in pieces(data)]
    assert len(frames) == -(-length // PIECE)
    assert bytes(joined(frames)) == data
