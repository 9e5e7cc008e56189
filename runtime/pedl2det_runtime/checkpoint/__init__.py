"""Checkpoints: their format, who owns them, which of them stay, where they are stored."""
