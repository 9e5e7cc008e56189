_bound_context = None


def bind(context):
    """Make the trial's context known to the functions of this file."""
    global _bound_context
    _bound_context = context


def context():
    """Return the context of the trial."""
    if _bound_context is None:
        raise RuntimeError(
            "the trial's context is not known yet: call legacy_keras.bind(context) first "
            "in the constructor of the trial"
        )
    return _bound_context
