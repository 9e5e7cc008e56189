"""``@promise``: names the line of the documents that a conformance test is about."""

import pytest


def promise(where: str, text: str) -> pytest.MarkDecorator:
    """Mark a test.

    Args:
        where: document and line: ``001:40`` is line 40 of seed 001, ``4.6`` a section of
            spec/context_api.md.
        text: the promise, in our words.
    """
    return pytest.mark.promise(where, text)
