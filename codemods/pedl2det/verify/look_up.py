"""Say on stderr which dotted names no installed library has."""

import pkgutil
import sys

for dotted in sys.argv[1:]:
    try:
        pkgutil.resolve_name(dotted)
    except (AttributeError, ImportError):
        sys.stderr.write(f"{dotted}\n")
