"""``determined.frameworks``: where PEDL had its trials; served for code half-way migrated."""
