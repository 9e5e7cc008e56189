"""Write, verify, restore, store and prune checkpoints."""
