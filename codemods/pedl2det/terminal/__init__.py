"""How a run looks: a bar on a terminal, lines in a pipe, JSON for programs, or next to nothing."""
