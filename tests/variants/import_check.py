"""Import every module of some trials in one process that loads TensorFlow once.

Reads a JSON list of directories from stdin and prints a JSON object: what failed, by directory.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

from variants.project import LOOSE_SCRIPTS
from variants.tool import prepare_imports

#: How a constant ends that is asked for at import: a run knows it, this check does not.
NEEDS_A_TRIAL = "RuntimeError: no trial is running"


def failed_imports(directories: list[Path]) -> dict[Path, str]:
    """Import the modules of trials in another process; return what failed, by directory."""
    if not directories:
        return {}
    done = subprocess.run(
        [sys.executable, "-m", "variants.import_check"],
        input=json.dumps([str(path) for path in directories]),
        capture_output=True,
        text=True,
        check=False,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(sys.path),
            "TF_USE_LEGACY_KERAS": "1",
            "TF_CPP_MIN_LOG_LEVEL": "3",
        },
    )
    lines = done.stdout.splitlines()
    if done.returncode or not lines:
        raise RuntimeError(done.stderr[-2000:])
    return {Path(path): error for path, error in json.loads(lines[-1]).items()}


def import_all(directory: Path) -> str:
    """Import the modules of a trial and forget them; return the first error, or nothing."""
    known = set(sys.modules)
    sys.path.insert(0, str(directory))
    importlib.invalidate_caches()
    os.chdir(directory)
    try:
        for path in sorted(directory.glob("*.py")):
            if path.name in LOOSE_SCRIPTS:
                continue
            if path.name == "__init__.py":
                spec = importlib.util.spec_from_file_location("package_of_trial", path)
                assert spec is not None and spec.loader is not None
                spec.loader.exec_module(importlib.util.module_from_spec(spec))
            else:
                importlib.import_module(path.stem)
    except BaseException as error:  # a script may exit
        said = f"{type(error).__name__}: {error}"
        return "" if said.startswith(NEEDS_A_TRIAL) else f"{path.name}: {said}"
    finally:
        sys.path.remove(str(directory))
        for name in set(sys.modules) - known:
            file = getattr(sys.modules[name], "__file__", None)
            if file and Path(file).is_relative_to(directory):
                del sys.modules[name]
    return ""


if __name__ == "__main__":
    prepare_imports()
    answers = {path: import_all(Path(path)) for path in json.load(sys.stdin)}
    print()
    print(json.dumps({path: error for path, error in answers.items() if error}))
