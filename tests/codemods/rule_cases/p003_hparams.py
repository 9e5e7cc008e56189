"""Cases of P003."""

from __future__ import annotations

from rule_cases.cases import Case, pedl_trial

_NET = """\
class Net:
    def session_config(self{hparams}):
"""
_OLD = _NET.format(hparams=", hparams")
_NEW = _NET.format(hparams="")
_LEGACY = f"import legacy_keras\n\n\n{_NEW}"
_DECORATED = """\
class Net:
    @logged
    def session_config(self, hparams):
        return configured(hparams["rate"])
"""
_DECORATED_AFTER = """\
import legacy_keras


class Net:
    @logged
    def _session_config_from_hparams(self, hparams):
        return configured(hparams["rate"])

    def session_config(self):
        return self._session_config_from_hparams(legacy_keras.shared_hyperparameters())
"""
_OWN_METHOD = """\
class Net:
    def watches(self, hparams):
        return configured(hparams["rate"])
"""
_ANY_ARGUMENTS = """\
class Net:
    def session_config(self, *args):
        return configured(args[0]["rate"])
"""


def _case(before: str, after: str) -> Case:
    return Case(pedl_trial(before), {"net.py": after})


def _carried(before: str, why: str) -> Case:
    return Case(pedl_trial(before), {}, f"carried over unchanged: {why}")


_NAMED = """\
from tensorflow.keras.layers import Lambda


class Net:
    def session_config(self{hparams}):
{before}        scaled = lambda x: x * hparams["rate"]
        return Lambda(scaled)
"""
_LAMBDA = """\
from tensorflow.keras.layers import Lambda


class Net:
    def session_config(self{hparams}):
{before}        return Lambda(lambda x: x * hparams["rate"]), {units}
"""


_SHARED = "legacy_keras.shared_hyperparameters()"
CASES = (
    _case(
        _NAMED.format(hparams=", hparams", before=""),
        _NAMED.format(hparams="", before="        hparams = self.context.get_hparams()\n"),
    ),
    _case(
        _LAMBDA.format(hparams=", hparams", before="", units='hparams["units"]'),
        _LAMBDA.format(
            hparams="",
            before="        hparams = self.context.get_hparams()\n",
            units='hparams["units"]',
        ),
    ),
    _case(
        f"{_OLD}        return [hparams[key] for key in KEYS]\n",
        f"{_LEGACY}        return [legacy_keras.shared_hyperparameters()[key] for key in KEYS]\n",
    ),
    _case(
        f'{_OLD}        return "global_batch_size" in hparams, hparams.get("rate", 1)\n',
        f"{_LEGACY}        return (\n"
        '            "global_batch_size" in legacy_keras.shared_hyperparameters(),\n'
        '            self.context.get_hparams().get("rate", 1),\n        )\n',
    ),
    _case(_DECORATED, _DECORATED_AFTER),
    _case(_OWN_METHOD, _OWN_METHOD),
    *(  # All methods of the trial were given the same dict.
        _case(f"{_OLD}        {code}\n", f"{_LEGACY}        {code.replace('hparams', _SHARED)}\n")
        for code in (
            'hparams["rate"] *= 2',
            'dict.setdefault(hparams, "rate", 0.1)',
            "PREPARATIONS[0](hparams)",
            '[put("rate", 0.1) for put in [hparams.setdefault]]',
        )
    ),
    _case(
        f"{_OLD}        hparams |= MORE\n",
        f"{_LEGACY}        hparams = {_SHARED}\n        hparams |= MORE\n",
    ),
    _carried(_ANY_ARGUMENTS, "session_config reads"),
)
