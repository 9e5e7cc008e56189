def name(units):
    return f"dense-{units}"
