"""Spans of a text replaced: every other character stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pedl2det.analysis.text_rules import Span, replaced


def test_spans_are_replaced_in_any_order() -> None:
    assert replaced("one two three", [Span(8, 13, "3"), Span(0, 3, "1")]) == "1 two 3"


def test_insertions_at_one_place_keep_their_order_and_come_before_a_replacement() -> None:
    spans = [Span(1, 2, "B"), Span(1, 1, "x"), Span(1, 1, "y")]

    assert replaced("abc", spans) == "axyBc"


def test_an_insertion_after_a_replacement_that_ends_there() -> None:
    assert replaced("abc", [Span(0, 2, "-"), Span(2, 2, "+")]) == "-+c"


@pytest.mark.parametrize(
    "spans", [[Span(0, 2, ""), Span(1, 3, "")], [Span(0, 3, ""), Span(1, 1, "x")]]
)
def test_overlapping_spans_are_a_defect(spans: list[Span]) -> None:
    with pytest.raises(ValueError, match="is no span"):
        replaced("abc", spans)


@pytest.mark.parametrize("span", [Span(2, 1, ""), Span(0, 4, ""), Span(-1, 0, "")])
def test_a_span_outside_of_the_text_is_refused(span: Span) -> None:
    with pytest.raises(ValueError, match="is no span from 0 to 3"):
        replaced("abc", [span])


@given(st.lists(st.tuples(st.text(max_size=4), st.text(max_size=4), st.text(max_size=4))))
def test_what_no_span_covers_stays(parts: list[tuple[str, str, str]]) -> None:
    """Each part is (kept, replaced, replacement)."""
    text = "".join(kept + old for kept, old, _ in parts)
    spans, at = [], 0
    for kept, old, new in parts:
        at += len(kept)
        spans.append(Span(at, at + len(old), new))
        at += len(old)

    assert replaced(text, spans) == "".join(kept + new for kept, _, new in parts)
