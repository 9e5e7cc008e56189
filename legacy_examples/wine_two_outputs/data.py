import numpy as np
import pandas as pd
from keras.utils.data_utils import Sequence


class Bottles(Sequence):
    def __init__(self, features, kinds, strong, batch_size):
        self.features, self.kinds, self.strong = features, kinds, strong
        self.batch_size = batch_size

    def __len__(self):
        return len(self.features) // self.batch_size

    def __getitem__(self, idx):
        rows = slice(idx * self.batch_size, (idx + 1) * self.batch_size)
        outputs = {"kind": self.kinds[rows], "strong": self.strong[rows]}
        return {"features": self.features[rows]}, outputs


def make_data_loaders(experiment_config, hparams):
    table = pd.read_csv(experiment_config["data"]["file"])
    order = np.random.permutation(len(table))
    kinds = np.eye(3)[table.pop("target")][order]
    strong = (table.pop("alcohol") > 13.0).to_numpy(np.float32)[order, np.newaxis]
    features = ((table - table.mean()) / table.std()).to_numpy(np.float32)[order]
    held_out = experiment_config["data"]["validation_set_size"]
    size = hparams["batch_size"]
    return (
        Bottles(features[held_out:], kinds[held_out:], strong[held_out:], size),
        Bottles(features[:held_out], kinds[:held_out], strong[:held_out], size),
    )
