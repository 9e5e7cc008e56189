"""Where the values of a trial go: loaders, datasets, hyperparameters, the model, the context."""
