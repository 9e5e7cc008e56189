"""Every public name of Determined 0.38.1 is served, or refused in words that help."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import pedl2det_runtime
from pedl2det_runtime import stub_path
from pedl2det_runtime.errors import Pedl2DetError, UnservedUseError

ROOT = Path(__file__).parent.parent
SCRIPT = ROOT / "scripts" / "determined_names.py"
BEGIN = f"is not supported by pedl2det {pedl2det_runtime.__version__}: "


@pytest.fixture(scope="module")
def names() -> ModuleType:
    spec = importlib.util.spec_from_file_location("determined_names", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(SCRIPT.parent))  # where it has its helper
    sys.modules["determined_names"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def rows(names: ModuleType) -> list[Any]:
    return list(names.table())


def test_no_name_fails_obscurely(rows: list[Any]) -> None:
    assert len(rows) > 500
    assert [row for row in rows if row.status == "obscure"] == []
    assert all(row.reason for row in rows if row.status in ("refused", "importable"))
    assert not [row for row in rows if stub_path.STUBS in row.reason]


@pytest.mark.parametrize(
    ("module", "least"),
    [
        ("determined", 20),
        ("determined.keras", 30),
    ],
)
def test_what_keras_trials_use_is_served(module: str, least: int, rows: list[Any]) -> None:
    """And nothing of these modules needs a cluster, but what is of the controller."""
    of_module = [row for row in rows if row.module == module]
    others = {row.name for row in of_module if row.status in ("refused", "importable")}

    assert sum(row.status == "served" for row in of_module) >= least
    assert others <= {
        *("cli", "deploy", "exec", "launch", "layers", "lightning", "pytorch", "transformers"),
        *("LOG_FORMAT", "horovod", "TFKerasTrainConfig", "TFKerasTrialController"),
    }


def test_the_page_has_the_table(names: ModuleType) -> None:
    assert names.TARGET.read_text(encoding="utf-8") == names.page()


@pytest.mark.oracle
def test_the_list_is_that_of_determined() -> None:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--list"], capture_output=True, text=True, check=True
    )
    printed = [line for line in done.stdout.splitlines() if line.startswith("determined")]
    assert printed == (ROOT / "tests" / "determined_names.txt").read_text().splitlines()


@pytest.fixture
def stubs() -> Iterator[None]:
    with stub_path.served_first():
        yield


@pytest.mark.parametrize(
    ("code", "name", "use"),
    [
        ("import determined.pytorch", "determined.pytorch", "trains Keras trials"),
        ("from determined import pytorch", "determined.pytorch", "trains Keras trials"),
        ("from determined.pytorch import X", "determined.pytorch", "trains Keras trials"),
        ("import determined as det; det.pytorch", "determined.pytorch", "trains Keras trials"),
        ("import determined.launch.horovod", "determined.launch", "--slots N"),
        ("from determined.errors import X", "determined.errors.X", "docs/determined.md"),
        ("import determined as det; det.keras.X", "determined.keras.X", "docs/determined.md"),
        ("from determined.core._train import X", "determined.core._train", "itself serves all"),
        ("from determined.common.api import bindings", "determined.common.api", "cluster"),
        ("import determined.estimator", "determined.estimator", "trains Keras trials"),
        ("from pedl.nothing import X", "pedl.nothing", "docs/semantics.md"),
        ("from pedl import nothing", "pedl.nothing", "docs/semantics.md"),
        ("import pedl; pedl.nothing", "pedl.nothing", "docs/semantics.md"),
        ("from pedl.frameworks.keras import X", "pedl.frameworks.keras.X", "docs/semantics.md"),
        ("import pedl.frameworks.pytorch", "pedl.frameworks.pytorch", "trains Keras trials"),
    ],
)
def test_what_is_not_served_says_so(code: str, name: str, use: str, stubs: None) -> None:
    with pytest.raises((ImportError, AttributeError)) as raised:
        exec(code, {})
    assert str(raised.value).startswith(f"{name} {BEGIN}")
    assert use in str(raised.value)
    assert isinstance(raised.value, Pedl2DetError)


def test_a_name_that_is_not_served_is_absent(stubs: None) -> None:
    import determined

    assert not hasattr(determined, "pytorch")
    assert getattr(determined, "pytorch", None) is None
    with pytest.raises(ModuleNotFoundError, match="No module named 'determinate'"):
        exec("import determinate", {})


@pytest.mark.parametrize(
    "name", ["determined.pytorch", "determined.keras.own", "determined.core._train", "pedl.nothing"]
)
def test_a_search_for_a_module_that_is_not_served_finds_none(name: str, stubs: None) -> None:
    assert importlib.util.find_spec(name) is None
    with pytest.raises(ImportError, match=BEGIN):
        importlib.import_module(name)


class Lenient(ModuleType):
    """A module of others that answers any name."""

    __path__: Any = ()
    asked: tuple[str, ...] = ()

    def __getattr__(self, name: str) -> str:
        self.asked = (*self.asked, name)
        return name


def test_modules_of_others_are_not_asked(stubs: None, monkeypatch: pytest.MonkeyPatch) -> None:
    module = Lenient("lenient")
    monkeypatch.setitem(sys.modules, "lenient", module)
    with pytest.raises(ModuleNotFoundError, match="^No module named 'lenient.part'$"):
        exec("import lenient.part", {})
    assert set(module.asked) <= {"__spec__"}  # importlib's own


def test_a_class_that_derives_from_a_placeholder_is_named(stubs: None) -> None:
    from determined.keras import TFKerasTrialController

    class Own(TFKerasTrialController):
        pass

    begin = f"^class Own: determined.keras.TFKerasTrialController{{}} {BEGIN}.*pedl2det run DIR"
    with pytest.raises(UnservedUseError, match=begin.format("")):
        Own()
    with pytest.raises(AttributeError, match=begin.format(".load")):
        Own.load()


@pytest.mark.parametrize(
    "code",
    [
        "from determined.experimental import client; client.get_experiment(1)",
        "from determined.experimental import Determined; Determined('host')",
        "from determined.experimental.client import create_experiment; create_experiment({}, '.')",
        "from determined_common.experimental import Determined; Determined()",
        "from determined.keras import TFKerasTrialController; TFKerasTrialController()",
    ],
)
def test_what_needs_a_cluster_is_imported_and_says_so_when_it_is_used(
    code: str, stubs: None
) -> None:
    with pytest.raises(UnservedUseError, match=f"{BEGIN}.*(cluster|pedl2det run DIR)"):
        exec(code, {})


def test_annotations_with_names_that_need_a_cluster(stubs: None) -> None:
    from determined.experimental import Checkpoint

    def is_one(checkpoint: Checkpoint | None) -> list[Checkpoint] | bool:
        return isinstance(checkpoint, Checkpoint)

    assert not is_one(None)
    with pytest.raises(AttributeError, match="Checkpoint.load is not supported by pedl2det"):
        Checkpoint.load()
