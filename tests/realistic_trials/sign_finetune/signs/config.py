# Defaults; __init__.py of the experiment overrides some.
SEED = 0
SMOOTHING = 0.0
SIDE = 16
CHANNELS = 1
CLASSES = 10
OLD_CLASSES = 5  # what the backbone was trained on
