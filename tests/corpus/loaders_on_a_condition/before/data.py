import os

from rows import rows

if os.name == 'nt':
    def make_data_loaders(experiment_config, hparams):
        return rows(1, 2), rows(3, 4)
else:
    def make_data_loaders(experiment_config, hparams):
        return rows(2, 1), rows(4, 3)
