"""One module a command; each holds ``command``."""
