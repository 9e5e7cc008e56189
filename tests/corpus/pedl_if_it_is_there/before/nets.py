try:
    import pedl
except ImportError:
    pedl = None


def units():
    return pedl.get_hyperparameter("units") if pedl else 8
