"""Layers of our old network."""
from tensorflow.keras import layers


def dense(units, **options):
    return layers.Dense(units, activation="tanh", **options)
