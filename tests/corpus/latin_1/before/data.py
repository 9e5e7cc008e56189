# -*- coding: latin-1 -*-
# Für die Größen
from rows import rows


def make_data_loaders(experiment_config, hparams):
    return rows("train", hparams["batch_size"]), rows("prüfung", hparams["batch_size"])
