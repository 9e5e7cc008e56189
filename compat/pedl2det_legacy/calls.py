"""Call functions of old trials with the arguments that they accept."""

import inspect


def called(function, **offered):
    """Call a function with those arguments of the old harness that it takes."""
    args, kwargs = accepted(function, offered)
    return function(*args, **kwargs)


def accepted(function, offered):
    """Return those arguments of the old harness that a function takes.

    The harness passed all of them by position. Where a function does not take that, its
    parameters get the argument of their name, the others the next one.
    """
    if fits(function, *offered.values()):
        return list(offered.values()), {}
    left, args, kwargs = dict(offered), [], {}
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            kwargs.update(left)
        elif parameter.kind is parameter.KEYWORD_ONLY and name in left:
            kwargs[name] = left.pop(name)
        elif parameter.kind in (
            parameter.POSITIONAL_ONLY,
            parameter.POSITIONAL_OR_KEYWORD,
        ):
            if name not in left and parameter.default is not parameter.empty:
                break
            if left:
                args.append(left.pop(name if name in left else next(iter(left))))
    return args, kwargs


def fits(function, *args, **kwargs):
    """Tell whether a function takes these arguments; one not written in Python may."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return True
    try:
        signature.bind(*args, **kwargs)
    except TypeError:
        return False
    return True
