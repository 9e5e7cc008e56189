"""The context of the trial, for functions that are not given it."""

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


def _is_bound(*given):
    """Tell whether the trial's context is known already, and among what is given."""
    among = any(each is _bound_context for each in given)
    return _bound_context is not None and (among or not given)
