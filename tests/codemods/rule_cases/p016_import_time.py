"""Cases of P016."""

from __future__ import annotations

from rule_cases.cases import Case, pedl_trial

_READ = """\
import pedl

WIDTH = pedl.get_hyperparameter("width")


class Net:
    def units(self):
        return 2 * WIDTH
"""
_READ_AFTER = """\
class Net:
    def units(self):
        return 2 * self.context.get_hparam("width")
"""
_SETTINGS = '"""Settings of the trial."""\n'
_NET = """\
import settings


class Net:
    def units(self):
        return settings.WIDTH
"""
_OTHER = _READ.replace("import pedl\n", "import os\n").replace(
    "pedl.get_hyperparameter", "os.getenv"
)

CASES = (
    Case(
        {**pedl_trial(_NET), "settings.py": _SETTINGS + _READ.partition("\n\n\n")[0] + "\n"},
        {"net.py": _READ_AFTER.replace("2 * ", ""), "settings.py": _SETTINGS},
        "nothing but text is left in this module",
    ),
    Case(  # another module imports it as well
        pedl_trial(_READ, other="from net import WIDTH\n\nDEPTH = 3\n"),
        {"net.py": _READ.replace("pedl", "legacy_keras")},
    ),
    Case(pedl_trial(_OTHER), {"net.py": _OTHER}),
)
