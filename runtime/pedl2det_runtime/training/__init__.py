"""Training: from a directory and a config to a trained model, its reports and checkpoints."""
