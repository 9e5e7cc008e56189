import pedl


def units():
    return pedl.get_hyperparameter("units")


if __name__ == "__main__":
    print(units())
