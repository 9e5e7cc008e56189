"""How pedl.get_hyperparameter was used."""

URL = "pedl.frameworks.keras"  # import pedl
