"""All that can be run: ``nox -l`` lists it, ``nox`` runs it, ``nox -s NAME`` one of it."""

import atexit
import functools
import hashlib
import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import nox
from nox.logger import logger

ROOT = Path(__file__).parent
BUILD = ROOT / "build"


def _backend() -> str:
    """Choose uv where it reaches the package index, else pip, whose settings may be others."""
    command = ["uv", "pip", "compile", "--quiet", "--python-version", "3.11", "-"]
    try:
        subprocess.run(command, input="pip", text=True, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "venv"
    return "uv"


BACKEND = nox.options.default_venv_backend = _backend()
nox.options.reuse_venv = "yes"
nox.options.error_on_missing_interpreters = True
nox.options.allow_parallel = True  # with -j, as `make test` has it
#: uv installs no bytecode. Without any, each process of the tests compiles all of TensorFlow.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

Session = Callable[[nox.Session], None]


def timed(function: Session) -> Session:
    """Say at the end of everything what a session took: wall-clock and CPU seconds."""

    @functools.wraps(function)
    def wrapper(session: nox.Session) -> None:
        began, cpu = time.monotonic(), sum(os.times()[:4])
        try:
            function(session)
        finally:
            costs = (time.monotonic() - began, sum(os.times()[:4]) - cpu)
            SESSIONS.mkdir(parents=True, exist_ok=True)
            (SESSIONS / session.name).write_text(json.dumps(costs))

    return wrapper


def stamped(*inputs: str) -> Callable[[Session], Session]:
    """Skip a session that was green with these inputs, unless ALL=1 or it has arguments.

    Args:
        inputs: pathspecs of git, beside those that every session depends on.
    """

    def decorate(function: Session) -> Session:
        @functools.wraps(function)
        def wrapper(session: nox.Session) -> None:
            stamp = BUILD / "stamps" / session.name
            digest = "" if session.posargs else _digest(*inputs, *FOR_ALL)
            if not digest:
                function(session)  # arguments choose some tests: no word on the others
                return
            was_green = stamp.exists() and stamp.read_text() == digest
            if was_green and not os.environ.get("ALL"):
                session.skip("green before, and nothing that it depends on has changed")
            stamp.unlink(missing_ok=True)
            function(session)
            stamp.parent.mkdir(parents=True, exist_ok=True)
            stamp.write_text(digest)

        return timed(wrapper)

    return decorate


def _digest(*inputs: str) -> str:
    """A hash of all files of the work tree that git does not ignore; "" where it is no clone."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *inputs]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    digest = hashlib.sha256(b"" if listed.returncode else b"files")
    for name in sorted(set(filter(None, listed.stdout.split("\0")))):
        path = ROOT / name
        digest.update(name.encode() + b"\0")
        digest.update(path.read_bytes() if path.is_file() else b"")
    return "" if listed.returncode else digest.hexdigest()


def _say_costs() -> None:
    """Say what the sessions took, and which tests cost most; build/costs has all of them."""
    sessions = [path for path in SESSIONS.glob("*") if path.stat().st_mtime > BEGAN]
    for path in sorted(sessions):
        seconds, cpu = json.loads(path.read_text())
        logger.info(f"{path.name:14} {seconds / 60:5.1f} min {cpu:6.0f} CPU s")
    written = [json.loads(path.read_text()) for path in (BUILD / "costs").glob("*.json")]
    tests = [(cpu, test) for costs in written for test, (_, cpu) in costs.items()]
    for cpu, test in sorted(tests, reverse=True)[: 10 if sessions else 0]:
        logger.info(f"{cpu:27.0f} CPU s {test}")
    if sessions:
        logger.info(f"{'all of it':14} {(time.time() - BEGAN) / 60:5.1f} min")


SESSIONS = BUILD / "costs" / "sessions"
BEGAN = time.time()
if "PEDL2DET_NOX" not in os.environ:  # with -j each session is a nox of its own
    os.environ["PEDL2DET_NOX"] = "1"
    atexit.register(_say_costs)

#: What a session depends on, whichever it is.
FOR_ALL = ("noxfile.py", "pyproject.toml", "legacy_examples/requirements.txt")
SOURCES = ("codemods", "compat", "runtime", "legacy_examples")
#: And those that train.
TRAINING = (*SOURCES, "tests", ":!tests/codemods/[!v]*", ":!tests/corpus")
#: What some tests on TensorFlow 2.18 read besides.
PAGES_AND_FILES = ("docs", "*.md", "mkdocs.yml", "scripts", "LICENSE")

EXAMPLES = ("-r", "legacy_examples/requirements.txt")
TYPES = (
    "mypy>=1.11",
    "types-pyyaml",
    "click",
    "jinja2>=3.1",
    "libcst",
    "numpy",
    "packaging",
    "pydantic",
    "rich>=13.7",
)
#: The arguments with which `nightly` has its sessions leave nothing out.
NIGHTLY = ["--nightly"]
TESTING = ("hypothesis", "pytest>=8", "pytest-xdist")
#: Tests take from a millisecond to a minute: who has done his share takes of the other's.
PARALLEL = ("-n", "2", "--dist", "worksteal")

#: TensorFlow and Keras of 2019, with what trials imported beside them.
TENSORFLOW_1 = (
    *("tensorflow==1.14.0", "keras==2.2.4", "numpy<1.17", "h5py<3", "protobuf<3.21"),
    *("pandas<1", "scikit-learn<0.22", "scipy<1.4", "pillow"),
)

#: The scripts that write pages from code alone.
PAGES = ("api_reference", "commands_page", "config_page", "rules_page")

#: Of TensorFlow: the one that it is developed on, then the others.
VERSIONS = ("2.18", "2.15", "2.21")
#: What knows of their differences. Each test of it runs on one, on the next with the next commit.
OF_VERSIONS = (
    *("tests/conformance", "tests/test_checkpoint.py", "tests/test_data.py"),
    *("tests/test_examples.py", "tests/test_feeding.py", "tests/test_graph_mode_by_itself.py"),
    *("tests/test_old_apis.py", "tests/pieces"),
)
ORACLE = (
    *("tests/test_oracle.py", "tests/pieces/test_pieces_on_determined.py"),
    *("tests/test_oracle_checkpoints.py", "tests/test_determined_callback.py"),
    "tests/test_determined_names.py",
)


@nox.session(python="3.11")
@stamped("*.py", "docs", "compat", "runtime", "codemods")
def lint(session: nox.Session) -> None:
    """Ruff, mypy, and whether the generated pages are those of the code."""
    session.install("-e", ".", "ruff>=0.6", "griffe>=1.7", *TYPES)
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("mypy", "compat", "runtime", "codemods")
    for page in PAGES:
        session.run("python", f"scripts/{page}.py", "--check")


@nox.session(python="3.11")
@stamped(*SOURCES, "tests/*.py", "tests/codemods", "tests/corpus", "tests/variants")
def codemods(session: nox.Session) -> None:
    """The migration tool, without TensorFlow; arguments go to pytest."""
    tools = ("mypy>=1.11", "ruff>=0.6", "yapf>=0.40")
    session.install("-e", ".", "pydantic>=2.6", *TESTING, *tools)
    _pytest(session, *(session.posargs or ("tests/codemods",)))


@nox.session(python="3.11")
@stamped(*TRAINING, *PAGES_AND_FILES)
def tests(session: nox.Session) -> None:
    """Everything else on TensorFlow 2.18; arguments go to pytest, and name any test."""
    _install_with_tensorflow(session)
    if session.posargs and not _is_nightly(session):
        _pytest(session, "-m", "not oracle and not ranks", *session.posargs)
        return
    # Of the codemods only verify trains; the rest has had its session.
    others = ("-m", "not oracle and not ranks", "tests", "--ignore-glob=tests/codemods/[!v]*")
    _pytest(session, *others, *_turn(session), _promises("2.18"))


@nox.session(python="3.11", venv_params=["--seed"] if BACKEND == "uv" else ())
@stamped(*TRAINING, *PAGES_AND_FILES)
def ranks(session: nox.Session) -> None:
    """What needs Horovod, and the commands of the pages; arguments go to pytest."""
    _install_with_tensorflow(session)
    session.run("pedl2det", "doctor", "--install")
    arguments = () if _is_nightly(session) else session.posargs
    _pytest(session, "-m", "ranks", *_turn(session), *arguments, alone=True)


@nox.session(python="3.11", name="tests-2.15")
@stamped(*TRAINING)
def tests_2_15(session: nox.Session) -> None:
    """What knows of versions, on TensorFlow 2.15; and against Determined 0.38.1, which needs it."""
    _install_determined(session)
    session.install(*TESTING)
    _pytest_versions(session, "2.15")
    _pytest(session, "-m", "oracle", *ORACLE, *_turn(session), alone=True, name="oracle")


@nox.session(python="3.11", name="tests-2.21")
@stamped(*TRAINING)
def tests_2_21(session: nox.Session) -> None:
    """What knows of versions, on TensorFlow 2.21."""
    session.install("-e", ".[run]", "tensorflow==2.21.*", "tf-keras==2.21.*", *EXAMPLES)
    session.install(*TESTING)
    _pytest_versions(session, "2.21")


@nox.session(python=["3.12", "3.13"], default=False)
def pythons(session: nox.Session) -> None:
    """What another Python may change: the codemods, what is served, the examples, the demo."""
    session.install("-e", ".[run]", "tensorflow==2.21.*", "tf-keras==2.21.*", *EXAMPLES)
    session.install(*TESTING, "mypy>=1.11", "ruff>=0.6", "yapf>=0.40", "scikit-learn")
    of_python = ("test_served_libraries", "test_examples", "pieces/test_library_functions")
    session.run("pytest", *PARALLEL, "tests/codemods", "--ignore-glob=tests/codemods/[v]*")
    session.run("pytest", *PARALLEL, *(f"tests/{name}.py" for name in of_python))
    session.run("python", "scripts/demo.py")


@nox.session(venv_backend="none", default=False)
def nightly(session: nox.Session) -> None:
    """The whole of OF_VERSIONS on each TensorFlow, and all tests that take turns."""
    for name in ("tests", "ranks", "tests-2.15", "tests-2.21"):
        session.notify(name, NIGHTLY)


@nox.session(python="3.11", requires=["tests", "tests-2.15", "tests-2.21"])
def conformance(session: nox.Session) -> None:
    """Whether docs/conformance.md says what the sessions before this one found."""
    session.run("python", "scripts/conformance.py", "--check")


@nox.session(python="3.11", default=False)
def pages(session: nox.Session) -> None:
    """Write the pages that are made from code and from test runs."""
    session.install("-e", ".", "griffe>=1.7")
    for page in PAGES:
        session.run("python", f"scripts/{page}.py")
    session.run("python", "scripts/conformance.py")


@nox.session(python="3.11")
@stamped("docs", "mkdocs.yml", "*.md")
def docs(session: nox.Session) -> None:
    """Build the site of the documentation; a warning or a link to nothing is an error."""
    session.install("mkdocs-material>=9.5,<10")
    session.run("mkdocs", "build", "--quiet", env={"NO_MKDOCS_2_WARNING": "1"})


@nox.session(python="3.11", default=False)
def benchmarks(session: nox.Session) -> None:
    """Measure against Determined, Keras and Horovod, and write docs/performance.md."""
    _install_determined(session)
    session.run("pedl2det", "doctor", "--install")
    session.run("python", "benchmarks", *session.posargs)


@nox.session(python="3.11", default=False)
def variants(session: nox.Session) -> None:
    """Migrate a thousand variants of the examples, and verify a hundred; arguments as for it."""
    _install_with_tensorflow(session)
    arguments = session.posargs or ("--count", "1000", "--verify", "100")
    session.run("python", "-m", "variants.campaign", *arguments, env={"PYTHONPATH": "tests"})


@nox.session(python="3.11", default=False, venv_params=["--seed"] if BACKEND == "uv" else ())
def campaign(session: nox.Session) -> None:
    """Kill runs, damage checkpoints; ``-- --minutes 20``, ``-- searches``, or ``-- ranks``."""
    _install_with_tensorflow(session)
    module, arguments = "campaign", session.posargs
    if arguments[:1] in (["ranks"], ["searches"]):
        module, arguments = f"campaign.{arguments[0]}", arguments[1:]
        session.run("pedl2det", "doctor", "--install")
    session.run("python", "-m", module, *arguments, env={"PYTHONPATH": "tests"})


@nox.session(python="3.11", default=False)
def foreign(session: nox.Session) -> None:
    """Migrate trials that others wrote; say what code none reaches (``-- DATA``, ``--verify``)."""
    if "--verify" in session.posargs:
        _install_with_tensorflow(session)
    else:
        session.install("-e", ".", "coverage>=7.6")
    session.run("python", "scripts/foreign.py", *session.posargs)


@nox.session(python="3.11", default=False, name="real-projects")
def real_projects(session: nox.Session) -> None:
    """Train and migrate trials around Keras libraries of their time; arguments name trials."""
    _install_with_tensorflow(session)
    session.install("pip", "setuptools<75", "wheel")  # which unpack source distributions of then
    session.install("cython", "librosa", "opencv-python-headless", "progressbar2", "scikit-image")
    session.install("six", "typeguard", "numpy<2", "pandas<2")
    session.run("python", "scripts/real_projects.py", *session.posargs)


@nox.session(python="3.11", default=False)
def mutants(session: nox.Session) -> None:
    """Break the code in every room, and see the tests notice; arguments choose the files."""
    _install_with_tensorflow(session)
    session.run("python", "scripts/mutants.py", *session.posargs)


@nox.session(python="3.11", default=False)
def tf1(session: nox.Session) -> None:
    """Compare trials with TensorFlow 1.14: the examples, or directories given as arguments."""
    python = shutil.which("python3.7")
    if python is None or subprocess.run([python, "-V"]).returncode:
        session.skip("TensorFlow 1.14 needs Python 3.7, and there is no python3.7 on the path")
    old = Path(session.create_tmp()).resolve() / "tensorflow-1.14"
    session.run(python, "-m", "venv", str(old), external=True)
    session.run(str(old / "bin" / "pip"), "install", *TENSORFLOW_1, external=True)
    session.install("-e", ".[run]", "tensorflow==2.18.*", "tf-keras==2.18.*", *EXAMPLES)
    session.install("scikit-learn")
    arguments = ("--python", str(old / "bin" / "python"), *session.posargs)
    session.run("python", "-m", "tf1", *arguments, env={"PYTHONPATH": "tests"})


def _install_with_tensorflow(session: nox.Session) -> None:
    """Install pedl2det with the TensorFlow that it is developed on."""
    session.install("-e", ".[run,dev]", "tensorflow==2.18.*", "tf-keras==2.18.*", *EXAMPLES)
    session.install("scikit-learn")


def _install_determined(session: nox.Session) -> None:
    """Install pedl2det beside Determined 0.38.1, which needs TensorFlow 2.15."""
    session.install("tensorflow-cpu==2.15.*", "determined==0.38.1", *EXAMPLES)
    session.install("click", "fsspec", "h5py", "jinja2", "libcst", "packaging", "pydantic")
    session.install("black", "pyflakes", "pyyaml")
    session.install("--no-deps", "-e", ".")  # its extra asks for tensorflow by its other name


def _pytest_versions(session: nox.Session, version: str) -> None:
    """Run a third of what knows of versions; at night all that train in the test's process."""
    wanted = "not kills and not oracle" if _is_nightly(session) else "versions and not oracle"
    arguments = () if _is_nightly(session) else session.posargs or _turn(session, version)
    _pytest(session, "-m", wanted, *OF_VERSIONS, _promises(version), *arguments)


def _pytest(
    session: nox.Session, *arguments: str, alone: bool = False, name: str | None = None
) -> None:
    """Run pytest, and have it write what each test costs.

    Args:
        session: what runs it.
        arguments: of pytest.
        alone: whether each test is to run with no other of them beside it.
        name: of these tests, if they are not all of the session.
    """
    name = name or session.name
    options = [f"--costs={BUILD / 'costs' / name}.json"]
    if not session.posargs:
        stamps = BUILD / "stamps" / f"{name}.json"
        if os.environ.get("ALL"):
            stamps.unlink(missing_ok=True)
        options.append(f"--stamps={stamps}")  # leaves out files that are green as they are
    session.run("pytest", *(() if alone else PARALLEL), *options, *arguments)


def _turn(session: nox.Session, version: str = VERSIONS[0]) -> tuple[str, ...]:
    """Of the tests that take turns, those of this commit; of `versions`, those of this one."""
    command = ["git", "rev-list", "--count", "HEAD"]
    counted = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    turn = int(counted.stdout or 0) + VERSIONS.index(version)
    return () if _is_nightly(session) else (f"--turn={turn}", f"--every={len(VERSIONS)}")


def _is_nightly(session: nox.Session) -> bool:
    return session.posargs == NIGHTLY


def _promises(version: str) -> str:
    # One argument: a directory that is there already would be taken for one of tests.
    return f"--promises=build/promises/{version}"
