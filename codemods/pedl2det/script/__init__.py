"""A script that fits its own model, as a trial: what moves, where to, and when it must stay."""
