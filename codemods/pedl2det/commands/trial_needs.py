"""What a trial needs of its environment: the packages that it imports."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from sys import stdlib_module_names

import pedl2det_names as names
from pedl2det.analysis.bindings import imported_as
from pedl2det.analysis.discovery import discover
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


def checks(directory: Path) -> Iterator[Check]:
    """One check for all packages that are missing, and one for those that code can do without.

    Only the modules that a trial imports count, not what lies beside it.
    """
    found = discover([directory])
    reader, projects = found.reader, found.projects
    own = {name.partition(".")[0] for project in projects for name in project.modules}
    files = {path for one in projects for path in one.needed or one.modules.values()}
    sources = filter(None, map(reader.source_or_none, sorted(files)))
    needed: set[str] = set()
    optional: set[str] = set()
    for source in sources:
        for node in source.names.of(ast.Import, ast.ImportFrom):
            roots = {imported_as(node, one).partition(".")[0] for one in node.names} - {""}
            is_tried = any(isinstance(one, ast.Try) for one in source.names.around(node))
            (optional if is_tried else needed).update(roots)
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
