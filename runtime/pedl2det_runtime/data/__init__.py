"""Data loaders, the order of batches, data workers and the dataset that the model reads."""
