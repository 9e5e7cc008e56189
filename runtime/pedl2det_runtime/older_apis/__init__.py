"""Data objects and scripts of earlier API generations, adapted to context-based trials."""
