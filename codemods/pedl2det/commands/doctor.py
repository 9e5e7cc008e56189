"""``pedl2det doctor``: what this environment has and lacks for training."""

from __future__ import annotations

import ast
import itertools
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

import click
from packaging.requirements import Requirement

import pedl2det_names as names
from pedl2det.analysis.bindings import imported_as
from pedl2det.commands import arguments
from pedl2det.errors import Pedl2DetError
from pedl2det.visible import say
from pedl2det_names.name import pairs

_TENSORFLOWS = ("tensorflow", "tensorflow-cpu", "tensorflow-intel", "tf-nightly")
_WITHOUT_TF_KERAS, _LAST_OF_HOROVOD = (2, 15), (2, 18)
#: What Horovod's build needs and does not declare. Later versions cannot build it.
_TO_BUILD = (
    *("cmake<4", "setuptools<80", "wheel"),
    *("cffi", "cloudpickle", "packaging", "psutil", "pyyaml"),
)
_HOW_TO_BUILD = {
    "HOROVOD_WITH_TENSORFLOW": "1",
    "HOROVOD_WITHOUT_PYTORCH": "1",
    "HOROVOD_WITHOUT_MXNET": "1",
    "HOROVOD_WITH_GLOO": "1",
    "HOROVOD_WITHOUT_MPI": "1",
}
_SAYS_WHETHER_IT_WORKS = (
    "import horovod.tensorflow as hvd; hvd.init(); assert hvd.gloo_built() and hvd.size() == 1"
)
INSTALL = "pedl2det doctor --install"


@click.command("doctor")
@click.argument("directory", type=arguments.path, metavar="[DIR]", required=False)
@click.option(
    "--install", is_flag=True, help="Build Horovod for this TensorFlow and install it: 2 minutes."
)
def command(directory: Path | None, install: bool) -> None:
    """Say what is missing for training, and for training on several processes.

    With DIR, also what the trials in it import and this environment lacks, all at once.

    Marks: ok; -- an optional part is missing; !! a required part is missing (exit code 1).
    """
    if install:
        install_horovod(say)
    is_complete = True
    results = checks()
    arguments.require(directory)
    if directory is not None:
        results = itertools.chain(results, checks_of_trials(directory))
    for check in results:
        is_complete &= check.is_there or check.is_optional
        mark = "ok" if check.is_there else "--" if check.is_optional else "!!"
        say(f"{mark}  {check.name:12} {check.said}")
    sys.exit(0 if is_complete else 1)


@dataclass(frozen=True)
class Check:
    """The result of one check."""

    name: str
    is_there: bool  # whether it is installed and fits
    said: str  # its version, or what is wrong and what to do
    is_optional: bool = False  # whether training on one process works without it


def checks() -> Iterator[Check]:
    """Check everything that training needs."""
    tensorflow = _version(*_TENSORFLOWS)
    for name, required in _needed("run").items():
        version = tensorflow if name == "tensorflow" else _version(name)
        if name == "tf-keras":
            if tensorflow is not None and _minor(tensorflow) > _WITHOUT_TF_KERAS:
                yield _tf_keras(tensorflow)
        elif version is None:
            yield Check(name, False, "not installed: pip install 'pedl2det[run]'")
        elif required.specifier.contains(version, prereleases=True):
            yield Check(name, True, version)
        else:
            yield Check(name, False, f"{version}: expected {required.specifier}")
    yield replace(_horovod(), is_optional=True)
    ssh = shutil.which("ssh")
    yield Check("ssh", ssh is not None, ssh or "not installed: --hosts needs it", is_optional=True)


def install_horovod(say: Callable[[str], None]) -> None:
    """Build Horovod against the TensorFlow of this environment, and install it."""
    tensorflow = _version(*_TENSORFLOWS)
    if tensorflow is None:
        raise Pedl2DetError("install TensorFlow first: pip install 'pedl2det[run]'")
    if _minor(tensorflow) > _LAST_OF_HOROVOD:
        raise Pedl2DetError(_too_new(tensorflow))
    for tool in ("g++", "make"):
        if shutil.which(tool) is None:
            raise Pedl2DetError(
                f"building Horovod needs {tool}: install your system's C++ compiler"
            )
    horovod = f"horovod{_needed('horovod')['horovod'].specifier}"
    say(f"building {horovod} against TensorFlow {tensorflow}: about two minutes")
    _pip("install", *_TO_BUILD)
    # No wheel is taken from pip's cache, nor kept there: it fits one TensorFlow.
    options = ("--no-build-isolation", "--no-cache-dir", "--no-deps", "--force-reinstall")
    _pip("install", *options, horovod)
    _pip("install", horovod)  # what it needs


def _pip(subcommand: str, *arguments: str) -> None:
    command = [sys.executable, "-m", "pip", subcommand, "--quiet", *arguments]
    scripts = os.path.dirname(sys.executable)  # noqa: PTH120 - where pip has put cmake
    path = os.pathsep.join((scripts, os.environ.get("PATH", os.defpath)))
    done = subprocess.run(  # noqa: S603 - our own command
        command, env={**os.environ, **_HOW_TO_BUILD, "PATH": path}, check=False
    )
    if done.returncode:
        raise Pedl2DetError(f"pip failed, see above: {' '.join(command)}")


def _tf_keras(tensorflow: str) -> Check:
    version = _version("tf-keras")
    if version is not None and _minor(version) == _minor(tensorflow):
        return Check("tf-keras", True, version)
    needed = ".".join(map(str, _minor(tensorflow)))
    reason = f"{version} beside TensorFlow {tensorflow}" if version else "not installed"
    return Check("tf-keras", False, f"{reason}: pip install 'tf-keras=={needed}.*'")


def _horovod() -> Check:
    version, tensorflow = _version("horovod"), _version(*_TENSORFLOWS)
    if version is None:
        too_new = tensorflow is not None and _minor(tensorflow) > _LAST_OF_HOROVOD
        remedy = _too_new(tensorflow or "") if too_new else INSTALL
        return Check("horovod", False, f"not installed (for --slots): {remedy}")
    tried = subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-c", _SAYS_WHETHER_IT_WORKS], capture_output=True, text=True, check=False
    )
    if tried.returncode:
        last = (tried.stderr.strip().splitlines() or ["no message"])[-1]
        return Check("horovod", False, f"{version} does not work: {last}; build it anew: {INSTALL}")
    return Check("horovod", True, version)


def _too_new(tensorflow: str) -> str:
    last = ".".join(map(str, _LAST_OF_HOROVOD))
    return (
        f"Horovod builds against TensorFlow {last} and earlier, here is {tensorflow}: "
        f"pip install 'tensorflow=={last}.*' 'tf-keras=={last}.*'"
    )


def _needed(extra: str) -> dict[str, Requirement]:
    """What an extra of this package asks for: the requirements by name."""
    required = map(Requirement, metadata.requires("pedl2det") or [])
    asked = {"extra": extra}
    return {need.name: need for need in required if need.marker and need.marker.evaluate(asked)}


def _version(*names: str) -> str | None:
    for name in names:
        try:
            return metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return None


def _minor(version: str) -> tuple[int, int]:
    major, minor = version.split(".")[:2]
    return int(major), int(minor)


#: The packages of modules that have other names.
_PACKAGES = pairs("""
    Bio>biopython Crypto>pycryptodome PIL>pillow attr>attrs bs4>beautifulsoup4
    cv2>opencv-python-headless dateutil>python-dateutil google>google-cloud-storage
    mpl_toolkits>matplotlib skimage>scikit-image sklearn>scikit-learn yaml>pyyaml
""")
#: Packages that ``run`` serves, or that TensorFlow brings.
_SERVED = {"determined", "determined_common", "keras", "legacy_keras", "pedl", "tensorflow"}


def checks_of_trials(directory: Path) -> Iterator[Check]:
    """Yield a check for all missing packages, and one for those that code can do without."""
    from pedl2det.analysis.discovery import discover
    from pedl2det_runtime.errors import aged_libraries

    discovered = discover([directory])
    reader, projects = discovered.reader, discovered.projects
    own = {name.partition(".")[0] for project in projects for name in project.modules}
    # Only the modules that a trial imports count, not what lies beside it.
    files = {path for project in projects for path in project.needed or project.modules.values()}
    sources = filter(None, map(reader.source_or_none, sorted(files)))
    needed: set[str] = set()
    optional: set[str] = set()
    for source in sources:
        for node in source.names.of(ast.Import, ast.ImportFrom):
            roots = {imported_as(node, alias).partition(".")[0] for alias in node.names} - {""}
            is_tried = any(isinstance(outer, ast.Try) for outer in source.names.around(node))
            (optional if is_tried else needed).update(roots)
    ours = own | _SERVED | sys.stdlib_module_names
    missing = {name for name in needed | optional if name not in ours and find_spec(name) is None}
    missing = {name for name in missing if names.lookup(name) is None}
    for some, is_optional in ((missing & needed, False), (missing - needed, True)):
        if some:
            packages = sorted({_PACKAGES.get(name, name.replace("_", "-")) for name in some})
            message = f"{', '.join(sorted(some))} missing: pip install {' '.join(packages)}"
            yield Check("imports", False, message, is_optional)
    if not missing & needed:
        yield Check("imports", True, "every package that the trial imports is installed")
    if newer := sorted(aged_libraries.newer(needed | optional)):
        message = f"{', '.join(newer)}: if the trial fails there, {aged_libraries.COMMAND}"
        yield Check("aged", False, message, is_optional=True)
