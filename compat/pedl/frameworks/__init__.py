"""``pedl.frameworks``: one package for each framework."""
