"""Docstrings describe the parameters that their functions have."""

from __future__ import annotations

import pytest

from pedl2det.edits.docstrings import described

GOOGLE = """Return loaders.

    Args:
        config: the config of
            the experiment.
        hparams (dict): the hyperparameters.
        seed: of hparams: a number.

    Returns:
        config: as it is.
    """
NUMPY = """Return loaders.

    Parameters
    ----------
    hparams : dict
        The hyperparameters.

    Returns
    -------
    two loaders
    """
REST = """Return loaders.

    :param config: the config
    :param dict hparams: the hyperparameters
    :return: two loaders
    """


def test_the_context_takes_the_place_of_the_first_parameter_that_is_gone() -> None:
    text = described(GOOGLE, ("config", "hparams"), "context")

    assert text == GOOGLE.replace(
        "config: the config of\n            the experiment.", "context: the context of the trial."
    ).replace("        hparams (dict): the hyperparameters.\n", "")


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        (
            NUMPY,
            "\n    Parameters\n    ----------\n    hparams : dict\n        The hyperparameters.\n",
        ),
        (REST, "    :param dict hparams: the hyperparameters\n"),
    ],
    ids=["numpy", "rest"],
)
def test_a_section_of_which_nothing_is_left_goes(text: str, gone: str) -> None:
    assert gone in text
    assert described(text, ("hparams",), None) == text.replace(gone, "")


def test_a_docstring_of_which_one_line_is_left_is_one_line() -> None:
    text = "Return loaders.\n\n    Args:\n        hparams: the hyperparameters.\n    "

    assert described(text, ("hparams",), None) == "Return loaders."


def test_text_that_only_mentions_a_parameter_stays() -> None:
    text = "Use hparams: see below.\n\n    hparams: a dict\n    "

    assert described(text, ("hparams",), "context") == text
