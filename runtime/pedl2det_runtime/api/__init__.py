"""What users import or subclass: trials, contexts, callbacks, and what they may know of a run."""
