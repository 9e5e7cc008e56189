"""``import keras`` after ``import pedl``, where ``keras`` would be Keras 3: the old one is served.

This folder stands first on ``sys.path`` then. The module takes its own place in ``sys.modules``.
"""

from pedl import idioms

idioms.activate()
