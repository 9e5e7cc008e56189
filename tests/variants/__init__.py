"""Variants: examples written otherwise, which compute the same.

They measure how general `migrate` is: `generate` composes transformations at random, `campaign`
migrates what it made and counts what was finished.
"""

from variants.generate import Variant, generate, variants

__all__ = ["Variant", "generate", "variants"]
