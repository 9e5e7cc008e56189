"""The tests of verify train; without TensorFlow they are not collected."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("tensorflow") else ["test_*.py"]
