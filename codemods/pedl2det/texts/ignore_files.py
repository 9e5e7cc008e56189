"""Files that name what is not sent to a cluster (N203)."""

from __future__ import annotations

from pathlib import PurePath

from pedl2det.texts.results import TextFinding

RULE = "N203"
OLD, NEW = ".pedlignore", ".detignore"


def ignore_note(path_name: str, cluster: bool) -> TextFinding | None:
    """Say that a ``.pedlignore`` needs another name; both hold patterns of ``.gitignore``.

    The file is not renamed: it is no text of the trial, and version control renames it best.
    Without a cluster nothing is sent, and the file has no effect.
    """
    if PurePath(path_name).name != OLD or not cluster:
        return None
    message = f"{OLD}: det reads {NEW}, in the same form"
    return TextFinding(RULE, 1, "note", message, f"git mv {OLD} {NEW}")
