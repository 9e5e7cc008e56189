"""What ``determined.keras.DeterminedCallback`` needs of the Core API: local files.

``context``         ``determined.core.init``: reports and checkpoints
``keras_callback``  the callback, and its ``TensorBoard``
"""
