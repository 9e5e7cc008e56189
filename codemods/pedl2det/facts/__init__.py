"""What is there: files, their trees, what names mean, and which trial a file belongs to."""
