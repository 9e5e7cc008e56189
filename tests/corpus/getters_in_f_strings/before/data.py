import pedl
from rows import rows


def make_data_loaders(experiment_config, hparams):
    print(f"trial {pedl.get_trial_id()} of {pedl.get_experiment_id():>4}")
    return rows(f"{pedl.get_hyperparameter('units')}"), rows("test")
