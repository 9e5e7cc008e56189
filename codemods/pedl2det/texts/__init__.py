"""Migrate texts other than Python code: configs, requirements, shell commands."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Literal

from pedl2det.analysis.experiment import RULES as CONFIG_RULES
from pedl2det.analysis.text_rules import TextRule
from pedl2det.analysis.tree import TEXT_STARTS

#: Where a migrated trial is, seen from a file.
PlaceOfTrial = Literal["around", "below", ""]

_LISTS = re.compile(
    r"(?:.*[-_.])?(?:requirements|constraints)(?:[-_.].*)?\.(?:txt|in)", re.IGNORECASE
)
_OTHERS = {"pyproject.toml", "setup.cfg", "setup.py", "environment.yaml", "environment.yml"}


def is_shell_file(path_name: str) -> bool:
    """Whether a file may hold commands for a shell."""
    path = PurePath(path_name)
    suffixes = (".bash", ".ipynb", ".markdown", ".md", ".mk", ".sh", ".zsh")
    return path.name.startswith(TEXT_STARTS) or path.suffix in suffixes


def is_requirement_file(path_name: str) -> bool:
    """Whether a file is one that tools read requirements from."""
    path = PurePath(path_name)
    in_folder = path.parent.name == "requirements" and path.suffix in (".txt", ".in")
    return in_folder or path.name in _OTHERS or _LISTS.fullmatch(path.name) is not None


#: Every rule about a text.
RULES = (
    *CONFIG_RULES,
    TextRule(
        "N201",
        "shell-lines",
        "pedl experiment create CONFIG DIR becomes pedl2det run DIR -c CONFIG, or pedl2det search "
        "if the searcher of CONFIG is not single, or with --cluster det experiment create CONFIG "
        "DIR, in shell scripts, Makefiles, Dockerfiles, notebooks and Markdown. Other commands of "
        "pedl, and pip install pedl, are named with what to write.",
        "run.sh",
        "cd trial && pedl -m host e create a.yaml . -f >log 2>&1\n",
        "cd trial && pedl2det run . -c a.yaml >log 2>&1\n",
    ),
    TextRule(
        "N202",
        "notebook-files",
        "A notebook's cell that writes a file or runs a program with old code, such as "
        "%%writefile, is left: migrate what it holds as a file.",
    ),
    TextRule(
        "R301",
        "requirements",
        "A requirement on pedl, which no index serves, becomes pedl2det[run], or with --cluster "
        "determined; its marker and comment stay. In setup.py, setup.cfg, pyproject.toml and "
        "environment.yml it is left.",
        "requirements.txt",
        "numpy\nPEDL[x]>=0.9,<1 ; python_version < '3.9'  # harness\n",
        "numpy\npedl2det[run] ; python_version < '3.9'  # harness\n",
    ),
    TextRule(
        "R302",
        "old-pins",
        "tensorflow==1.14, keras==2.2.4, numpy<1.19 cannot be met beside pedl2det[run]: no version "
        "is in both. Beside it, and in the directory of a trial, they become what it needs. In "
        "lists that serve other code too, and for a cluster, it is a note.",
        "requirements.txt",
        "pedl2det[run]\ntensorflow==1.14.0\nnumpy<3\n",
        "pedl2det[run]\ntensorflow>=2.15,<2.22\nnumpy<3\n",
    ),
)
