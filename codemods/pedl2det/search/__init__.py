"""How a search looks: lines, a table, a page."""
