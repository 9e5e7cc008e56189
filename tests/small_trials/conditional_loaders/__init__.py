import pedl

from model_def import Net

if pedl.get_hyperparameter("scaled"):
    from data import scaled_loaders as make_data_loaders
else:
    from data import plain_loaders as make_data_loaders
