from model_def import Net

try:
    from fast_data import make_data_loaders
except ImportError:  # not on the laptop
    from data import make_data_loaders
