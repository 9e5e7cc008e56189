"""Determined's context-based Keras API and the training loop behind it.

Importing this package makes ``import determined`` work without Determined: the stub modules are
appended to ``sys.path``, so an installed Determined takes precedence. ``pedl2det run`` puts them
first (:func:`pedl2det_runtime.stub_path.serve_first`).

TensorFlow is not imported here; it is imported when a trial is loaded.
"""

from pedl2det_runtime import stub_path

__version__ = "0.1.0"

stub_path.serve_last()
