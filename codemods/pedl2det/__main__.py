"""``python -m pedl2det``: the command line, with the current directory off ``sys.path``.

Trials hold modules called ``data`` or ``util``; none of them may hide one of ours.
"""

import os
import sys

sys.path[:] = [entry for entry in sys.path if entry not in ("", os.getcwd())]  # noqa: PTH109

from pedl2det.cli import main  # noqa: E402

main()
