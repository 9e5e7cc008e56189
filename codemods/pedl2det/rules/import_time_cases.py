"""The cases of P018."""

from __future__ import annotations

from pedl2det.rules.rule import Case, trial

_CONFIG = (
    'import pedl\n\n# For all.\nSIZE = pedl.get_hyperparameter("batch_size")\nTWICE = SIZE * 2\n'
)
_BASE = "from pedl.frameworks.keras import TFKerasTrial"
_USES = f"from config import SIZE, TWICE\n{_BASE}"


def _data_case(body: str, is_read: bool = False) -> Case:
    """A constant that may be a dict, and a use of it."""
    before = trial(f"def build_model(self, hparams):\n{body}", f"from config import DATA\n{_BASE}")
    code = 'import pedl\n\nDATA = pedl.get_experiment_config().get("data", {})\n'
    config = "hyperparameters: {units: 1}\ndata: {path: rows.csv, list: [1]}\n"
    files = before | {"config.py": code, "const.yaml": f"{config}searcher: {{name: single}}\n"}
    if not is_read:
        return Case(files, {}, says="DATA: it may be a dict or a list")
    text = 'self.context.get_experiment_config().get("data", {})'
    inlined = f"def build_model(self, hparams):\n{body.replace('DATA', text)}"
    after = trial(inlined, f"from config import DATA\n{_BASE}")
    return Case(files, after | {"config.py": "import pedl\n\npass\n"})


def _text_case(use: str, becomes: str) -> Case:
    """A use of constants that are made of another; what it becomes, if it does."""
    code = (
        'import pedl\n\nUNITS = pedl.get_hyperparameter("units")\n'
        "SHAPE = (UNITS, 4)\nSIZES = [UNITS] * 2\nPAIR = UNITS, 4\n"
    )
    imports = f"from config import PAIR, SHAPE, SIZES, UNITS\n{_BASE}"
    files = trial(f"def build_model(self, hparams):\n    return {use}\n", imports)
    files |= {"config.py": code}
    if not becomes:
        return Case(files, {}, says="SIZES: it may be a dict or a list")
    after = trial(f"def build_model(self, hparams):\n    return {becomes}\n", imports)
    gone = {"config.py": "import pedl\n\npass\npass\npass\npass\n"}
    return Case(files, after | gone)


def _hidden_case(body: str, imports: str = "") -> Case:
    """A constant that is made by a built-in function, which is hidden where it is used."""
    uses = f"def build_model(self, hparams):\n{body}    return SIZE\n"
    code = 'import pedl\n\nSIZE = max(pedl.get_hyperparameter("units"), 1)\n'
    files = trial(uses, f"from config import SIZE\n{imports}\n{_BASE}") | {"config.py": code}
    return Case(files, {}, says="SIZE: max, of which it is made, may mean something else here")


CASES = (
    Case(
        trial("def build_model(self, hparams):\n    return SIZE, TWICE + 1\n", _USES)
        | {"config.py": _CONFIG},
        trial(
            "def build_model(self, hparams):\n"
            "    return self.context.get_per_slot_batch_size(), "
            "(self.context.get_per_slot_batch_size() * 2) + 1\n",
            _USES,
        )
        | {"config.py": "import pedl\n\n# For all.\npass\npass\n"},
    ),
    Case(
        trial("def build_model(self, hparams):\n    return SIZE\n", _USES)
        | {"config.py": _CONFIG + "\n\ndef default(size=SIZE):\n    return size\n"},
        {},
        says="SIZE is used here, where the context is out of reach: it is evaluated while",
    ),
    Case(
        trial("def build_model(self, hparams):\n    return config.SIZE\n")
        | {"config.py": f"{_CONFIG}\n\ndef twice():\n    global SIZE\n    SIZE *= 2\n"},
        {},
    ),
    Case(
        trial("def build_model(self, hparams):\n    config.SIZE = 4\n", f"import config\n{_BASE}")
        | {"config.py": _CONFIG},
        {},
        says="SIZE is set here, and other modules would see it",
    ),
    Case(
        trial(
            "def build_model(self, hparams):\n    return vars(config)\n",
            f"import config\n{_BASE}",
        )
        | {"config.py": _CONFIG},
        {},
        says="config is handed on here, and SIZE may be sought in it",
    ),
    Case(
        trial("pass\n") | {"config.py": _CONFIG, "all.py": "from config import *\n"},
        {},
        says="import * hides where SIZE is used",
    ),
    Case(
        trial("def build_model(self, hparams):\n    return SIZE\n", f"{_USES}\nSIZE //= 2")
        | {"config.py": _CONFIG},
        {},
        says="SIZE is bound anew in this file",
    ),
    _text_case("f'{UNITS}'", """f'{self.context.get_hparam("units")}'"""),
    _text_case('f"{UNITS:>3}"', '''f"{self.context.get_hparam('units'):>3}"'''),
    _text_case("SHAPE", '(self.context.get_hparam("units"), 4)'),
    _text_case("[n for n in SIZES]", '[n for n in ([self.context.get_hparam("units")] * 2)]'),
    _text_case("SIZES.append(1)", ""),
    _text_case("PAIR[0]", '(self.context.get_hparam("units"), 4)[0]'),
    Case(
        trial("def build_model(self, hparams):\n    return config.get('SIZE')\n")
        | {"config.py": f"{_CONFIG}\n\ndef get(name):\n    return globals()[name]\n"},
        {},
        says="SIZE may be sought by globals() here",
    ),
    _data_case("    return DATA['path'], len(DATA)\n", is_read=True),
    _data_case("    kept = DATA\n    kept['a'] = 1\n"),
    _data_case("    DATA.get('a', {})['y'] = 1\n"),
    _data_case("    DATA.append(1)\n"),
    _data_case("    DATA['list'].append(1)\n"),
    _data_case("    fill(DATA)\n\ndef fill(data):\n    data['a'] = 1\n"),
    _hidden_case("    max = 5\n"),
    _hidden_case("    pass\n", "from numpy import max"),
    _hidden_case("    pass\n", "from numpy import *"),
    Case(
        trial("pass\n", f"from config import ALL\n{_BASE}")
        | {"config.py": 'import pedl\n\nALL = [[pedl.get_hyperparameter("units")]] * 2\n'},
        {},
    ),
    Case(trial("pass\n") | {"config.py": "SIZE = 32\nTWICE = SIZE * 2\n"}, {}),
)
