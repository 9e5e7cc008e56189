"""Edits of code (libcst) and of text (spans)."""
