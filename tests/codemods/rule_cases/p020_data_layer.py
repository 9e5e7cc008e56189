"""What the example of P020 has beside."""

AROUND: dict[str, str] = {}
