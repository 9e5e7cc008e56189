import math
from typing import Dict, NamedTuple, Tuple

import numpy as np
import tensorflow as tf

ATOMS = "CNOFS"
MAX_ATOMS = 12


class Graphs(NamedTuple):
    nodes: np.ndarray      # (n, MAX_ATOMS, len(ATOMS)) one-hot
    adjacency: np.ndarray  # (n, MAX_ATOMS, MAX_ATOMS)
    labels: np.ndarray     # (n,)


def make_graphs(n: int, seed: int) -> Graphs:
    rng = np.random.RandomState(seed)
    nodes = np.zeros((n, MAX_ATOMS, len(ATOMS)), np.float32)
    adjacency = np.zeros((n, MAX_ATOMS, MAX_ATOMS), np.float32)
    labels = np.zeros(n, np.int32)
    for i in range(n):
        size = rng.randint(5, MAX_ATOMS + 1)
        kinds = rng.choice(len(ATOMS), size, p=[0.6, 0.15, 0.15, 0.05, 0.05])
        nodes[i, np.arange(size), kinds] = 1
        for j in range(1, size):
            k = rng.randint(max(0, j - 3), j)
            adjacency[i, j, k] = adjacency[i, k, j] = 1
        polar = nodes[i, :, 1] + nodes[i, :, 2]
        score = polar @ adjacency[i] @ polar + 0.3 * rng.normal()
        labels[i] = int(score > 0.9) + int(score > 2.9)
    return Graphs(nodes, adjacency, labels)


class GraphSequence(tf.keras.utils.Sequence):
    def __init__(self, graphs: Graphs, batch_size: int, seed: int = None) -> None:
        self.nodes, self.adjacency, self.labels = graphs
        self.batch_size = batch_size
        self.order = np.arange(len(self.labels))
        self.rng = np.random.RandomState(seed) if seed is not None else None
        self.on_epoch_end()

    def __len__(self) -> int:
        return math.ceil(len(self.order) / self.batch_size)

    def __getitem__(self, i: int) -> Tuple[Dict[str, np.ndarray], np.ndarray]:
        rows = self.order[i * self.batch_size : (i + 1) * self.batch_size]
        return {"nodes": self.nodes[rows], "adjacency": self.adjacency[rows]}, self.labels[rows]

    def on_epoch_end(self) -> None:
        if self.rng is not None:
            self.rng.shuffle(self.order)
