"""Notebooks: one virtual module each, edited by span, so that every other byte stays."""

from __future__ import annotations

from pedl2det.analysis.notebook.document import Cell, Document
from pedl2det.analysis.notebook.module import NotebookSource

__all__ = ["Cell", "Document", "NotebookSource"]
