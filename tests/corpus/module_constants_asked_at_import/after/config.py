# of the only layer
SEED = 3
