"""Training of earlier API generations, expressed as context-based trials: loaders and scripts."""
