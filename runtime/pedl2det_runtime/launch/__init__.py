"""The start of several ranks (processes) of one trial with ``horovodrun``, and how they ended."""
