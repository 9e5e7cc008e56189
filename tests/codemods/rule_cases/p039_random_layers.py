"""Cases of P039."""

from __future__ import annotations

from rule_cases.cases import Case
from rule_cases.small_trials import EARLY_CONFIG, loaders, migrated_model, with_data

_MORE = "tf.keras.backend.experimental.enable_tf_random_generator()\n"
_DATA = loaders("return load(net.layers), load(net.layers)\n", "import net\nfrom rows import load")


_OLD = "legacy_keras.use_old_keras()\n"


def _case(net: str, more: str = _MORE) -> Case:
    """A trial that imports ``net.py``, which stays; its constructor says more, or not."""
    before = {**with_data(_DATA), "net.py": net}
    return Case(before, {"net.py": net, "model_def.py": migrated_model("", more=more)})


AROUND = {"const.yaml": EARLY_CONFIG}
CASES = (
    _case("from tensorflow.keras.layers import Dropout as Drop\n\n\nlayers = [Drop(0.5)]\n"),
    _case(
        "from tensorflow.keras.applications import MobileNet\n\n\nlayers = [MobileNet()]\n",
        _OLD + _MORE,
    ),
    _case("class Dropout:\n    pass\n\n\nlayers = [Dropout()]\n", more=""),
)
