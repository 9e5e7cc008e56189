"""Writes data/iris_training.csv and data/iris_test.csv from scikit-learn's copy of iris."""
import os

import numpy as np
from sklearn.datasets import load_iris

TEST_RECORDS = 30


def main():
    iris = load_iris()
    order = np.random.RandomState(0).permutation(len(iris.data))
    directory = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")
    os.makedirs(directory, exist_ok=True)
    header = "sepal_length,sepal_width,petal_length,petal_width,species"
    for name, rows in [
        ("iris_test.csv", order[:TEST_RECORDS]),
        ("iris_training.csv", order[TEST_RECORDS:]),
    ]:
        with open(os.path.join(directory, name), "w") as f:
            f.write(header + "\n")
            for row in rows:
                values = ["%.1f" % value for value in iris.data[row]]
                f.write(",".join(values + [str(iris.target[row])]) + "\n")


if __name__ == "__main__":
    main()
