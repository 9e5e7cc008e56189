"""Train and migrate old trials around Keras libraries of their time, as PyPI has these.

Usage: real_projects.py [NAME...] [--keep DIR]

A file of ``scripts/real_projects`` is a trial; its first line names the source distributions to
download, whose packages and tests are put beside it, unchanged. Prints one line a trial, and below
it what stood in the way.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

import numpy

TRIALS = Path(__file__).parent / "real_projects"
CONFIG = """\
description: {name}
hyperparameters:
  batch_size: 8
  learning_rate: 1e-3
searcher:
  name: single
  metric: {metric}
  max_steps: 2
batches_per_step: 4
min_validation_period: 1
"""
#: No library may fetch weights, or ask whether there is a newer version of it.
OFFLINE = {"HTTPS_PROXY": "http://127.0.0.1:9", "HTTP_PROXY": "http://127.0.0.1:9"}


def main() -> None:
    """Run and migrate the chosen trials, or all."""
    parser = argparse.ArgumentParser(description="Train and migrate trials around old libraries.")
    parser.add_argument("names", nargs="*", help="files of scripts/real_projects, without .py")
    parser.add_argument("--keep", type=Path, help="keep the projects and what was printed here")
    given = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as temporary:
        out = (given.keep or Path(temporary)).resolve()
        for name in given.names or sorted(path.stem for path in TRIALS.glob("*.py")):
            failed += not campaign(TRIALS / f"{name}.py", out / name, out / "downloads")
    sys.exit(failed)


def campaign(trial: Path, out: Path, downloads: Path) -> bool:
    """Run and migrate one trial; print how it went, and return whether all is well."""
    old, new, report = out / "old", out / "new", out / "migrate.json"
    shutil.rmtree(out, ignore_errors=True)
    libraries = make_project(trial, old, downloads)
    shutil.copytree(old, new)
    code, run = pedl2det(out / "run.txt", "run", old, "--out", out / "run")
    _, migrate = pedl2det(out / "migrate.txt", "migrate", "--report", report, new)
    trials = json.loads(report.read_text())["trials"] if report.exists() else []
    status = "; ".join(map(describe_outcome, trials)) or "not migrated"
    lines = sum(len(file.read_bytes().splitlines()) for file in old.rglob("*.py"))
    print(f"{trial.stem:16} {lines:6} lines  run: {f'exit {code}' if code else 'trains'}", end="")
    print(f"  migrate: {status}  ({' '.join(libraries)})", flush=True)
    is_done = code == 0 and status == "rewritten, proved"
    for line in () if is_done else (*(run[-3:] if code else ()), *migrate[-12:]):
        print(f"    {line}")
    return is_done


def make_project(trial: Path, directory: Path, downloads: Path) -> list[str]:
    """Write the project of a trial; return the libraries in it."""
    directory.mkdir(parents=True)
    text = trial.read_text()
    libraries = re.findall(r"\S+==\S+", text.partition("\n")[0])
    for library in libraries:
        add_library(library, directory, downloads)
    ((name, base),) = re.findall(r"class (\w+)\((\w*KerasTrial)\)", text)
    metric = "val_loss" if base == "TFKerasTrial" else "loss"
    (directory / "model_def.py").write_text(text)
    (directory / "__init__.py").write_text(f"from model_def import {name}, make_data_loaders\n")
    (directory / "const.yaml").write_text(CONFIG.format(name=trial.stem, metric=metric))
    return libraries


def add_library(library: str, directory: Path, downloads: Path) -> None:
    """Put the packages of a source distribution into a directory, and build what is in Cython."""
    name = re.sub(r"[-_.]+", "[-_.]", library.replace("==", "-"))
    folder = downloads / library
    if not folder.exists():
        command = ("pip", "download", "--quiet", "--no-binary", ":all:", "--no-deps")
        subprocess.run(
            [sys.executable, "-m", *command, "--no-build-isolation", "--dest", folder, library],
            check=True,
        )
    (archive,) = folder.glob("*.tar.gz")
    with tempfile.TemporaryDirectory() as temporary:
        with tarfile.open(archive) as file:
            file.extractall(temporary, filter="data")
        (top,) = Path(temporary).iterdir()
        assert re.fullmatch(name, top.name, re.IGNORECASE), top
        for package in top.iterdir():
            if package.is_dir() and any(package.rglob("*.py")):
                shutil.copytree(package, directory / package.name, dirs_exist_ok=True)
    for file in directory.rglob("*.pyx"):
        include = {"CFLAGS": f"-I{numpy.get_include()}"}
        command = ["cythonize", "--inplace", "--quiet", file]
        subprocess.run(command, check=True, capture_output=True, env={**os.environ, **include})


def pedl2det(log: Path, *arguments: str | Path) -> tuple[int, list[str]]:
    """Run a command of pedl2det; return its exit code and what it printed."""
    done = subprocess.run(
        [sys.executable, "-m", "pedl2det", *map(str, arguments)],
        env={**os.environ, **OFFLINE, "TF_CPP_MIN_LOG_LEVEL": "3"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    log.write_text(done.stdout)
    return done.returncode, done.stdout.splitlines()


def describe_outcome(trial: dict[str, Any]) -> str:
    """Return how far a trial was migrated, and whether that is proved, from the report."""
    proof = trial["proof"] or {"outcome": "no proof"}
    outcome = proof["outcome"]
    return f"{trial['status']}, {'proved' if outcome == 'equal' else outcome}"


if __name__ == "__main__":
    main()
