"""Lists the public names of Determined, and writes docs/determined.md: what each is here.

python scripts/determined_names.py --list  # with determined==0.38.1: prints the list
python scripts/determined_names.py         # with TensorFlow: writes the page
python scripts/determined_names.py --check # exit 1 if it is not what would be written
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import sys
import types
import typing
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from generated_page import ROOT, write_or_check

LIST = ROOT / "tests" / "determined_names.txt"
TARGET = ROOT / "docs" / "determined.md"
COMMON = ("api", "check", "constants", "context", "detignore", "experimental", "storage")
MODULES = (
    "determined",
    *("determined.core", "determined.errors", "determined.keras", "determined.keras.callbacks"),
    *("determined.horovod", "determined.tensorboard", "determined.util", "determined.common"),
    *(f"determined.common.{name}" for name in (*COMMON, "streams", "util", "v1file_utils")),
    *(f"determined.experimental{name}" for name in ("", ".client", ".core_v2")),
)
#: Modules whose classes are listed with their members.
WITH_MEMBERS = ("determined", "determined.keras", "determined.keras.callbacks")
HEAD = """\
# The names of Determined

Every public name of Determined 0.38.1 in the modules that Keras trials import, and what it is in
pedl2det (`scripts/determined_names.py` writes this page).

- *served*: it works, with its public members; [api.md](api.md) describes most of them.
- *importable*: it can be imported and annotated; its use raises an error.
- *refused*: importing or reading it raises an ImportError or AttributeError.
- *not public*: internal to Determined, and refused too.

The message of an error begins with the name, and ends with the reason in the table:
`{example}`.
Names that are not listed, such as those of other frameworks and private ones, are refused in the
same way.
"""


@dataclass(frozen=True)
class Row:
    """What a name is here.

    Attributes:
        module: the module that has the name.
        name: the name in it; with a member of a class, ``Class.member``.
        status: served, importable, refused, not public, or obscure.
        reason: why it is not served; the whole error, if that is obscure.
    """

    module: str
    name: str
    status: str
    reason: str = ""


def main() -> int:
    """Print the list; or write or compare the page."""
    if "--list" in sys.argv[1:]:
        print("\n".join(listed()))
        return 0
    return write_or_check(TARGET, page())


def listed() -> Iterator[str]:
    """Yield the public names of the Determined that is installed, as ``module:name``."""
    for module in MODULES:
        imported = importlib.import_module(module)
        found = pkgutil.iter_modules(getattr(imported, "__path__", []), f"{module}.")
        below = {one.name.rpartition(".")[2]: imported for one in found}
        members = below | vars(imported)
        for name in sorted(members):
            if _is_own(name, members[name]):
                yield f"{module}:{name}"
                if module in WITH_MEMBERS and inspect.isclass(members[name]):
                    yield from (f"{module}:{name}.{member}" for member in _members(members[name]))


def _is_own(name: str, value: object) -> bool:
    """Whether a name in a module is public and Determined's own, not an import of something."""
    if name.startswith("_") or isinstance(value, typing.TypeVar) or name == "TYPE_CHECKING":
        return False
    if isinstance(value, types.ModuleType):
        return value.__name__.startswith("determined")
    home = getattr(value, "__module__", None) or "determined"
    return home.startswith("determined") or (home == "typing" and not hasattr(typing, name))


def _members(kind: type) -> list[str]:
    own = [base for base in kind.__mro__ if base.__module__.startswith("determined")]
    return sorted({name for base in own for name in vars(base) if not name.startswith("_")})


def page() -> str:
    """Return the page."""
    from pedl2det_runtime.refusals import message

    lines = [HEAD.format(example=message("determined.pytorch"))]
    for module, rows in groupby(table(), key=lambda row: row.module):
        lines += [f"## `{module}`\n", "| name | here |", "| --- | --- |"]
        for row in rows:
            if row.status != "served" or "." not in row.name:
                reason = f": {row.reason}" if row.reason else ""
                lines.append(f"| `{row.name}` | {row.status}{reason} |")
        lines.append("")
    return "\n".join(lines)


def table() -> list[Row]:
    """Return what each name of the list is here."""
    from pedl2det_runtime import stub_path

    rows: list[Row] = []
    with stub_path.served_first():
        for line in LIST.read_text(encoding="utf-8").splitlines():
            module, _, name = line.partition(":")
            above = [row for row in rows if (row.module, row.name) == (module, name.split(".")[0])]
            if not above or above[0].status == "served":
                rows.append(_row(module, name))
    return rows


def _row(module: str, name: str) -> Row:
    from pedl2det_runtime import refusals
    from pedl2det_runtime.errors import Pedl2DetError

    try:
        if "." in name:
            value = importlib.import_module(module)
            for part in name.split("."):
                fields = getattr(value, "__dataclass_fields__", {})
                value = fields[part] if part in fields else getattr(value, part)
        else:
            found: dict[str, object] = {}
            exec(f"from {module} import {name} as value", found)
            value = found["value"]
    except Pedl2DetError as error:
        reason = str(error).partition(": ")[2]
        internal = reason == refusals.INTERNAL
        return Row(module, name, *(("not public",) if internal else ("refused", reason)))
    except Exception as error:
        return Row(module, name, "obscure", f"{type(error).__name__}: {error}")
    if refusals.is_placeholder(value):
        return Row(module, name, "importable", str(value.__doc__).partition(": ")[2])
    return Row(module, name, "served")


if __name__ == "__main__":
    sys.exit(main())
