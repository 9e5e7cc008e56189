"""Data: what loaders return, which batch is next, and how batches reach the model."""
