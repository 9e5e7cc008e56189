"""One process of a run that torch.distributed connects; see test_torch_groups."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import torch.distributed

import a_process
from pedl2det_runtime.distributed import DistributedContext


def main() -> None:
    """Write one file for each process."""
    torch.distributed.init_process_group("gloo")
    target = Path(sys.argv[1]) / f"{torch.distributed.get_rank()}.json"
    outcomes = []
    for name in sys.argv[2:]:
        scenario = getattr(a_process, name)
        context = DistributedContext.from_torch_distributed(chief_ip="127.0.0.1")
        outcomes.append(a_process.tried(lambda do=scenario, context=context: do(context)))
        context.close()
        target.write_text(json.dumps(outcomes))


if __name__ == "__main__":
    main()
