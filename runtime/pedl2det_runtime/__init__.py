"""The context-based Keras API of Determined and the one controller that trains under it.

Importing this package makes ``import determined`` work where no Determined is installed:
the stub modules go *last* on ``sys.path``, so that an installed Determined wins. Inside
``pedl2det run`` they go first (see :func:`pedl2det_runtime.stub_path.serve_first`).

Nothing heavy is imported here: TensorFlow loads when a trial does.
"""

from pedl2det_runtime import stub_path

__version__ = "0.1.0"

stub_path.serve_last()
