def units():
    import pedl

    return pedl.get_hyperparameter("units")
