"""One transformation a file: `transform(project, chance)` returns a changed project or None.

A transformation changes how a trial is written and never what it computes: the same layers under
the same names, the same random draws in the same order, the same names of metrics.
"""
