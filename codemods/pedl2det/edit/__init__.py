"""Edits of code and configs, by which every byte stays that they do not concern."""
