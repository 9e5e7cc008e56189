"""Several processes of a trial that needs graph mode and does not select it."""

from __future__ import annotations

from pathlib import Path

import pytest

from support import pedl2det
from test_graph_mode_by_itself import AUTOENCODER, last_validation, trained, trial

pytest.importorskip("horovod", reason="Horovod is not installed")
pytestmark = [pytest.mark.slow, pytest.mark.ranks]

ON_ONE = """\
        if self.context.distributed.get_rank() == 1:
            tf.gradients(y, x)
        model = self"""


def test_all_ranks_train_in_graph_mode_if_one_needs_it(tmp_path: Path) -> None:
    source = AUTOENCODER.replace("0.5 * K.sum(K.square(code), axis=-1)", "0.0")
    source = source.replace("        model = self", ON_ONE)
    directory = trial(tmp_path / "trial", source, OPTIMIZER="tf.keras.optimizers.SGD(0.01)")

    done = pedl2det("run", directory, "--out", tmp_path / "ranks", "--slots", "2")
    assert done.returncode == 0, done.stderr
    trained(directory, tmp_path / "alone")

    place = f"{directory}/model_def.py:28"
    assert f"starting again in graph mode, as by TensorFlow 1: {place}: it uses" in done.stdout
    found = [last_validation(tmp_path / name) for name in ("ranks", "alone")]
    assert found[0] == pytest.approx(found[1], rel=1e-4)
