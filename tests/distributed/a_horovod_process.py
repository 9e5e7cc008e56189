"""One process of a run that Horovod connects; see test_horovod_groups.

    python a_horovod_process.py DIRECTORY SCENARIO...

All scenarios in one process: TensorFlow takes seconds to start. Each writes what happened into the
directory.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import horovod.tensorflow as hvd

import a_process
from pedl2det_runtime.distributed import DistributedContext


def eager(context: DistributedContext) -> dict[str, Any]:
    """Each collective once."""
    return a_process.all_collectives(context)


def in_a_graph(context: DistributedContext) -> dict[str, Any]:
    """The same, and from here on, where a trial wants TensorFlow 1's graphs."""
    import tensorflow as tf

    tf.compat.v1.disable_eager_execution()
    return a_process.all_collectives(context)


def main() -> None:
    """Write one file for each process."""
    hvd.init()
    target = Path(sys.argv[1]) / f"{hvd.rank()}.json"
    outcomes = []
    for name in sys.argv[2:]:
        scenario = globals().get(name) or getattr(a_process, name)
        context = DistributedContext.from_horovod(hvd, chief_ip="127.0.0.1")
        outcomes.append(a_process.tried(lambda do=scenario, context=context: do(context)))
        context.close()
        target.write_text(json.dumps(outcomes))


if __name__ == "__main__":
    main()
