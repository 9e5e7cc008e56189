"""Writes data/digits.npz from scikit-learn's copy of the handwritten digits."""
import os

import numpy as np
from sklearn.datasets import load_digits


def main():
    digits = load_digits()
    directory = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")
    os.makedirs(directory, exist_ok=True)
    np.savez_compressed(
        os.path.join(directory, "digits.npz"),
        images=digits.images.astype("uint8"),
        labels=digits.target.astype("uint8"),
    )


if __name__ == "__main__":
    main()
