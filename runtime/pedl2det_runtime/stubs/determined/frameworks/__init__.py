"""``determined.frameworks``: the module path of trials in PEDL, for partly migrated code."""
