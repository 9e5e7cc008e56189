"""All that can be run: ``nox -l`` lists it, ``nox`` runs it, ``nox -s NAME`` one of it."""

import nox

nox.options.default_venv_backend = "venv"
nox.options.error_on_missing_interpreters = True

EXAMPLES = ("-r", "legacy_examples/requirements.txt")
TYPES = ("mypy>=1.11", "types-pyyaml", "click", "libcst", "numpy", "pydantic")


@nox.session(python="3.11")
def lint(session: nox.Session) -> None:
    """Ruff and mypy."""
    session.install("ruff>=0.6", *TYPES)
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("mypy", "compat", "runtime", "codemods")


@nox.session(python="3.11")
def tests(session: nox.Session) -> None:
    """Everything on TensorFlow 2.18; arguments go to pytest."""
    session.install("-e", ".[run,report,dev]", "tensorflow==2.18.*", "tf-keras==2.18.*", *EXAMPLES)
    session.install("scikit-learn")
    session.run("pytest", "-m", "not oracle", *session.posargs)


@nox.session(python="3.11")
def oracle(session: nox.Session) -> None:
    """The migrated trials on Determined 0.38.1 and TensorFlow 2.15."""
    session.install("tensorflow-cpu==2.15.*", "determined==0.38.1", "pytest>=8", *EXAMPLES)
    session.install("click", "h5py", "libcst", "pydantic", "pyyaml")
    session.install("--no-deps", "-e", ".")  # its extra asks for tensorflow by its other name
    session.run("pytest", "-m", "oracle", "tests/test_oracle.py", *session.posargs)


@nox.session(python="3.11", default=False)
def benchmarks(session: nox.Session) -> None:
    """Print the ratios of benchmarks/README.md."""
    session.install("-e", ".[run]", "tensorflow==2.18.*", "tf-keras==2.18.*")
    session.run("python", "benchmarks/startup.py")
    session.run("python", "benchmarks/chunks.py")
