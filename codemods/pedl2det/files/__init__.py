"""Write all files or none, and keep a journal to undo that."""
