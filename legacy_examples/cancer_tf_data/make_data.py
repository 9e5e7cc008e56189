"""Writes data/cancer.csv from scikit-learn's copy of the breast cancer data."""
import os

from sklearn.datasets import load_breast_cancer


def main():
    cancer = load_breast_cancer(as_frame=True)
    directory = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")
    os.makedirs(directory, exist_ok=True)
    cancer.frame.to_csv(os.path.join(directory, "cancer.csv"), index=False)


if __name__ == "__main__":
    main()
