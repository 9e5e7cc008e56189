"""What the example of P034 has beside: loaders that are not in the project."""

AROUND = {"__init__.py": "from company_data import make_data_loaders\n"}
