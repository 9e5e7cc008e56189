"""What a trial needs of its environment: packages, commands of its cluster, mounted directories."""

from __future__ import annotations

import ast
import shlex
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from sys import stdlib_module_names

import yaml

import pedl2det_names as names
from pedl2det.analysis.config import Config
from pedl2det.analysis.discovery import discover
from pedl2det.analysis.experiment import hook_commands
from pedl2det.analysis.source import Source
from pedl2det.commands.doctor import Check
from pedl2det_runtime.errors import aged_libraries

#: What installs a module that has another name than its package.
_PACKAGES = {
    "Bio": "biopython",
    "Crypto": "pycryptodome",
    "PIL": "pillow",
    "attr": "attrs",
    "bs4": "beautifulsoup4",
    "cv2": "opencv-python-headless",
    "dateutil": "python-dateutil",
    "google": "google-cloud-storage",
    "mpl_toolkits": "matplotlib",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "yaml": "pyyaml",
}
#: Packages that ``run`` serves, or that TensorFlow brings.
_SERVED = {"determined", "determined_common", "keras", "legacy_keras", "pedl", "tensorflow"}
_MISSING = (ImportError.__name__, ModuleNotFoundError.__name__, Exception.__name__)
_HOOK = "startup-hook.sh"


def checks(directory: Path) -> Iterator[Check]:
    """Look at all that the trials of a directory need, one by one.

    Only the modules that a trial imports count, not what lies beside it.
    """
    found = discover([directory])
    reader, projects = found.reader, found.projects
    own = {name.partition(".")[0] for project in projects for name in project.modules}
    files = {path for one in projects for path in one.needed or one.modules.values()}
    sources = filter(None, map(reader.source_or_none, sorted(files)))
    paths = sorted({path for project in projects for path in project.configs})
    configs = {path: config for path in paths if (config := reader.config_or_none(path))}
    yield from _packages(sources, own)
    homes = {project.home for project in projects}
    for hook in sorted(home / _HOOK for home in homes if (home / _HOOK).is_file()):
        yield Check("hook", False, f"a cluster ran it first: sh {shlex.quote(str(hook))}", True)
    commands = [line for config in configs.values() for line in hook_commands(config)]
    for command in dict.fromkeys(commands):
        yield Check("environment", False, f"a cluster ran it first: {command}", True)
    for path, config in configs.items():
        yield from _mounts(path, config)


def _packages(sources: Iterable[Source], own: set[str]) -> Iterator[Check]:
    """One check for all packages that are missing, and one for those that code can do without."""
    needed: set[str] = set()
    optional: set[str] = set()
    for source in sources:
        for node in source.names.of(ast.Import, ast.ImportFrom):
            roots = {name.partition(".")[0] for name in _imported(node)}
            (optional if _is_guarded(source, node) else needed).update(roots)
    ours = own | _SERVED | stdlib_module_names
    missing = {one for one in needed | optional if one not in ours and find_spec(one) is None}
    missing = {one for one in missing if names.lookup(one) is None}
    for some, is_optional in ((missing & needed, False), (missing - needed, True)):
        if some:
            packages = sorted({_PACKAGES.get(one, one.replace("_", "-")) for one in some})
            said = f"{', '.join(sorted(some))} missing: pip install {' '.join(packages)}"
            yield Check("imports", False, said, is_optional)
    if not missing & needed:
        yield Check("imports", True, "every package that the trial imports is installed")
    if newer := sorted(aged_libraries.newer(needed | optional)):
        said = f"{', '.join(newer)}: if the trial fails there, {aged_libraries.COMMAND}"
        yield Check("aged", False, said, is_optional=True)


def _imported(node: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [] if node.level or not node.module else [node.module]


def _is_guarded(source: Source, node: ast.AST) -> bool:
    """Whether an import is below a ``try`` that goes on without it."""
    parents = source.names.parents
    while node in parents:
        around = parents[node]
        if isinstance(around, ast.Try) and node in around.body:
            caught = [ast.unparse(one.type) if one.type else "" for one in around.handlers]
            if any(name in ("", *_MISSING) or "Error" in name for name in caught):
                return True
        node = around
    return False


def _mounts(path: Path, config: Config) -> Iterator[Check]:
    mounts = yaml.safe_load(config.text).get("bind_mounts")
    for mount in mounts if isinstance(mounts, list) else ():
        match mount:
            case {"container_path": str(there), "host_path": str(here)}:
                if not (Path(there).exists() or Path(here).exists()):
                    message = f"{path}: neither {there} nor {here} is on this machine"
                    yield Check("bind_mounts", False, message, is_optional=True)
