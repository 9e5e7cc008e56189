"""Cases of P014."""

from __future__ import annotations

from rule_cases import cases
from rule_cases.cases import Case, case_of
from rule_cases.small_trials import migrated_model, pedl_trial

_IMPORTS = """\
from data import make_data_loaders
from model_def import Net
"""
_FLOAT = f"""\
import tensorflow as tf

{_IMPORTS}
tf.keras.backend.set_floatx("float64")
"""
_PATH = "import os\nimport sys\n\nsys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))\n"
_EXPORTS = f'{_IMPORTS}\nVERSION = 3\n__all__ = ["Net", "make_data_loaders"]\n'
_BODY, _ROWS = "return load(4), load(2)\n", "from rows import load"
_STEPS, _BATCHES = "  max_steps: 2\n", "  max_length:\n    batches: 200\n"
_CONFIG = "hyperparameters: {}\nsearcher:\n  name: single\n  metric: val_loss\n"
_RELATIVE = """\
--- net.py
- from . import sizes
- from .sizes import WIDTH
+ import sizes
+ from sizes import WIDTH


  def units():
      return sizes.SCALE * WIDTH
"""
_FOLDER = """\
--- net.py
- from . import blocks
+ import blocks


  def units():
      from blocks import sizes

      return blocks.sizes.WIDTH * sizes.WIDTH
"""
_TWICE = f"{_RELATIVE}! sizes was loaded twice, because other files import it by its own name\n"


def _case(init: str, entry: str, says: str = "") -> Case:
    config = f"{_CONFIG}{_BATCHES}entrypoint: {entry}:Net\n"
    return Case(
        {**pedl_trial(_BODY, _ROWS), "__init__.py": init, "const.yaml": _CONFIG + _STEPS},
        {"__init__.py": init, "const.yaml": config, "model_def.py": migrated_model("")},
        says,
    )


AROUND = {name: text.replace("Net", "Trial") for name, text in pedl_trial(_BODY, _ROWS).items()}
CASES = (
    _case(_FLOAT, "__init__", "the entrypoint is in __init__.py"),
    _case(f"import patches\n{_IMPORTS}", "__init__", "the entrypoint is in __init__.py"),
    _case(f"{_PATH}{_IMPORTS}", "__init__", "the entrypoint is in __init__.py"),
    _case(_EXPORTS, "model_def"),
    case_of(_TWICE, cases.pedl_trial("", sizes="WIDTH = 4\nSCALE = 2\n", more="import sizes\n")),
    case_of(_RELATIVE, cases.pedl_trial("", sizes="WIDTH = 4\nSCALE = 2\n")),
    case_of(  # a folder is a package without a file of its own, too
        _FOLDER, {**cases.pedl_trial(""), "blocks/sizes.py": "WIDTH = 4\n"}
    ),
)
