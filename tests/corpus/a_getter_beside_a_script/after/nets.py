import legacy_keras


def units():
    return legacy_keras.get_hyperparameter("units")


if __name__ == "__main__":
    print(units())
