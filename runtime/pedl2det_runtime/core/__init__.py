"""The Core API off the cluster (``determined.core``): reports and checkpoints are local files.

``context``         ``init`` and ``Context``
``train``           reports of metrics, in ``metrics.jsonl``
``checkpoints``     checkpoints of a user's own files
``searcher``        the length of the training
``preempt``         whether to stop
``keras_callback``  ``determined.keras.DeterminedCallback``
``tensorboard``     ``determined.tensorboard``
``modes``           enumerations
``json_values``     reports and metadata as JSON
"""
