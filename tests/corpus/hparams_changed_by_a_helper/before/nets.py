def filled(hp):
    hp.setdefault('units', 8)
    return hp
