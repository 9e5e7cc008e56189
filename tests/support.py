"""What several test files use: the command line in a process, and trees of files."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "legacy_examples"
LEGACY = ("iris", "digits")
#: All that are written for the APIs that migrate rewrites.
OLD_EXAMPLES = (
    *("iris", "digits", "digits_keras_trial", "wine_two_outputs", "cancer_dataset"),
    *("digits_script", "iris_download", "early_wine"),
)
SMALL_TRIAL = {
    "model_def.py": """\
import pedl
from pedl.frameworks.keras import TFKerasTrial


class T(TFKerasTrial):
    def build_model(self, hparams):
        model = make()
        model.compile("adam", "mse")
        return model
""",
    "data.py": "def make_data_loaders(experiment_config, hparams):\n    return 1, 2\n",
    "const.yaml": "hyperparameters: {batch_size: 2}\nsearcher:\n  name: single\n  max_steps: 1\n",
}


def pedl2det(
    *arguments: object, cwd: Path | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "pedl2det", *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**os.environ, **environment},
        check=False,
    )


def write_tree(directory: Path, files: dict[str, str]) -> Path:
    """Write some files below a directory."""
    for name, text in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return directory


def read_tree(directory: Path) -> dict[str, bytes]:
    """Every file below a directory, by name."""
    return {
        str(path.relative_to(directory)): path.read_bytes()
        for path in sorted(directory.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }
