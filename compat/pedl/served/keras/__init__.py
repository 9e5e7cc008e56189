"""Redirect ``import keras`` to Keras 2 after ``import pedl``, if Keras 3 is installed.

This directory is first on ``sys.path`` then. Importing this module replaces it in ``sys.modules``.
"""

from pedl import idioms

idioms.activate()
