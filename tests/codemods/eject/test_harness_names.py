"""eject: modules import from keras_trial.py what they imported from Determined."""

from __future__ import annotations

from pathlib import Path

import pytest

from pedl2det import support as library
from pedl2det.analysis.source import Source
from pedl2det.eject.surroundings import PACKAGE, detached
from pedl2det.errors import Pedl2DetError

#: Each way to import and name the harness, and what stands for it.
REWRITTEN = {
    "by name": (
        "from determined.keras import TFKerasTrial, TFKerasTrialContext as Context  # the harness\n"
        "class T(TFKerasTrial): ...\n",
        "from keras_trial import TFKerasTrial, TFKerasTrialContext as Context  # the harness\n"
        "class T(TFKerasTrial): ...\n",
    ),
    "by module": (
        "from determined import keras\n\n\nclass T(keras.TFKerasTrial):\n"
        "    def f(self) -> keras.InputData: ...\n",
        "import keras_trial\n\n\nclass T(keras_trial.TFKerasTrial):\n"
        "    def f(self) -> keras_trial.InputData: ...\n",
    ),
    "by package": (
        "import determined.keras\nimport determined.keras.callbacks as c\n"
        "one = determined.keras.callbacks.TensorBoard()\nother = c.EarlyStopping()\n",
        "import keras_trial\n\n"
        "one = keras_trial.TensorBoard()\nother = keras_trial.EarlyStopping()\n",
    ),
    "both": (
        "def f():\n    from determined.keras import InputData, callbacks\n"
        "    return callbacks.Callback, InputData\n",
        "import keras_trial\n\n\n"
        "def f():\n    return keras_trial.Callback, keras_trial.InputData\n",
    ),
    "beside others": (
        "import os, determined as det\nx = os.sep, det.keras.SequenceAdapter\n",
        "import os\n\nimport keras_trial\n\nx = os.sep, keras_trial.SequenceAdapter\n",
    ),
}


@pytest.mark.parametrize("name", REWRITTEN)
def test_each_way_to_name_the_harness_is_rewritten(name: str) -> None:
    old, new = REWRITTEN[name]

    assert detached(Source.of(Path("t.py"), old))[0] == new
    assert detached(Source.of(Path("t.py"), new)) == (new, set())


def test_imports_relative_to_the_trial_are_by_name() -> None:
    text = "from .data import load\nfrom . import nets, util as u\nfrom .nets import cnn\n"
    inner = "from ..data import load\nfrom .layers import one\nfrom .. import util\n"

    assert detached(Source.of(Path("t.py"), text))[0] == (
        "from data import load\nimport nets, util as u\nfrom nets import cnn\n"
    )
    assert detached(Source.of(Path("nets/t.py"), inner), 1)[0] == (
        "from data import load\nfrom .layers import one\nimport util\n"
    )


def test_other_code_stays_as_it_is() -> None:
    text = 'from tensorflow import keras\nkeras.TFKerasTrial = "determined.keras"  # determined\n'

    assert detached(Source.of(Path("t.py"), text))[0] == text


@pytest.mark.parametrize(
    "text",
    [
        "import os\nfrom determined.pytorch import PyTorchTrial\n",
        "import determined as det\ndet.core.init()\n",
        "import determined\nf(determined)\n",
    ],
)
def test_what_has_no_counterpart_is_named_with_its_place(text: str) -> None:
    with pytest.raises(Pedl2DetError, match=r"^t\.py:2: determined\S* has no counterpart"):
        detached(Source.of(Path("t.py"), text))


def test_a_module_of_pieces_has_only_what_is_used() -> None:
    text = library.render(["InvalidHP"], '"""Pieces."""\n', PACKAGE)

    assert "class InvalidHP(Exception):" in text
    assert "import" not in text
    assert "TFKerasTrialContext" not in text


def test_the_pieces_name_each_other_and_nothing_of_the_harness() -> None:
    text = library.render(library.available(PACKAGE), "", PACKAGE)

    compile(text, "keras_trial.py", "exec")
    assert "import determined" not in text
    assert "pedl" not in text
