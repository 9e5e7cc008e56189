"""All that can be run: ``nox -l`` lists it, ``nox`` runs it, ``nox -s NAME`` one of it."""

import shutil
import subprocess
from pathlib import Path

import nox

nox.options.default_venv_backend = "venv"
nox.options.error_on_missing_interpreters = True

EXAMPLES = ("-r", "legacy_examples/requirements.txt")
TYPES = (
    "mypy>=1.11",
    "types-pyyaml",
    "click",
    "libcst",
    "numpy",
    "packaging",
    "pydantic",
    "pyzmq>=26",
    "rich>=13.7",
    "tomlkit",
)
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

#: What the runtime's tests are, on a TensorFlow that is not the one we develop on. Conformance
#: tests train and resume in one process, in a fraction of the time that others take.
RUNTIME = (
    *("-m", "not kills and not oracle"),
    *("tests/conformance", "tests/test_checkpoint.py", "tests/test_data.py"),
    *("tests/test_examples.py", "tests/test_feeding.py", "tests/test_graph_mode_by_itself.py"),
    "tests/pieces",
)


@nox.session(python="3.11")
def lint(session: nox.Session) -> None:
    """Ruff, mypy, and whether the generated pages are those of the code."""
    session.install("-e", ".", "ruff>=0.6", "griffe>=1.7", *TYPES)
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("mypy", "compat", "runtime", "codemods")
    for page in PAGES:
        session.run("python", f"scripts/{page}.py", "--check")


@nox.session(python="3.11")
def codemods(session: nox.Session) -> None:
    """The migration tool, without TensorFlow; arguments go to pytest."""
    tools = ("black>=24", "mypy>=1.11", "ruff>=0.6", "yapf>=0.40")
    session.install("-e", ".", "pydantic>=2.6", *TESTING, *tools)
    session.run("pytest", *PARALLEL, *(session.posargs or ("tests/codemods",)))


@nox.session(python="3.11")
def tests(session: nox.Session) -> None:
    """Everything else on TensorFlow 2.18; arguments go to pytest, and name any test."""
    session.install("-e", ".[run,dev]", "tensorflow==2.18.*", "tf-keras==2.18.*", *EXAMPLES)
    session.install("scikit-learn")
    session.run("pedl2det", "doctor", "--install")
    if not session.posargs:
        session.run("pytest", "-m", "ranks")
    others = ("-m", "not oracle and not ranks")
    # Of the codemods only verify trains; the rest has had its session.
    wanted = session.posargs or ("tests", "--ignore-glob=tests/codemods/[!v]*")
    session.run("pytest", *PARALLEL, *others, _promises("2.18"), *wanted)


@nox.session(python="3.11", name="tests-2.15")
def tests_2_15(session: nox.Session) -> None:
    """The runtime on TensorFlow 2.15, and against Determined 0.38.1, which needs it."""
    _install_determined(session)
    session.install(*TESTING)
    session.run("pytest", *PARALLEL, *RUNTIME, _promises("2.15"), *session.posargs)
    oracle = (
        *("tests/test_oracle.py", "tests/pieces/test_pieces_on_determined.py"),
        *("tests/test_oracle_checkpoints.py", "tests/test_determined_callback.py"),
        "tests/test_determined_names.py",
    )
    session.run("pytest", "-m", "oracle", *oracle, *session.posargs)


@nox.session(python="3.11", name="tests-2.21")
def tests_2_21(session: nox.Session) -> None:
    """The runtime on TensorFlow 2.21."""
    session.install("-e", ".[run]", "tensorflow==2.21.*", "tf-keras==2.21.*", *EXAMPLES)
    session.install(*TESTING)
    tests = (*RUNTIME, "tests/test_old_apis.py")
    session.run("pytest", *PARALLEL, *tests, _promises("2.21"), *session.posargs)


@nox.session(python="3.11")
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
    session.install("-e", ".[run,dev]", "tensorflow==2.18.*", "tf-keras==2.18.*", *EXAMPLES)
    arguments = session.posargs or ("--count", "1000", "--verify", "100")
    session.run("python", "-m", "variants.campaign", *arguments, env={"PYTHONPATH": "tests"})


@nox.session(python="3.11", default=False)
def campaign(session: nox.Session) -> None:
    """Kill runs, damage checkpoints, hand in hostile inputs; ``-- --minutes 20``."""
    session.install("-e", ".[run,dev]", "tensorflow==2.18.*", "tf-keras==2.18.*", *EXAMPLES)
    session.run("python", "-m", "campaign", *session.posargs, env={"PYTHONPATH": "tests"})


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


def _install_determined(session: nox.Session) -> None:
    """Install pedl2det beside Determined 0.38.1, which needs TensorFlow 2.15."""
    session.install("tensorflow-cpu==2.15.*", "determined==0.38.1", *EXAMPLES)
    session.install(
        "click", "fsspec", "h5py", "libcst", "packaging", "pydantic", "pyyaml", "tomlkit"
    )
    session.install("--no-deps", "-e", ".")  # its extra asks for tensorflow by its other name


def _promises(version: str) -> str:
    # One argument: a directory that is there already would be taken for one of tests.
    return f"--promises=build/promises/{version}"
