"""Writes data/wine.csv from scikit-learn's copy of the wine recognition data."""
import os

from sklearn.datasets import load_wine


def main():
    wine = load_wine(as_frame=True)
    directory = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")
    os.makedirs(directory, exist_ok=True)
    wine.frame.to_csv(os.path.join(directory, "wine.csv"), index=False)


if __name__ == "__main__":
    main()
