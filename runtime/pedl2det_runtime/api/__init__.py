"""The public API: trials, contexts, callbacks and information about the run."""
