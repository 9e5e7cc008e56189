import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.preprocessing import RobustScaler, StandardScaler
from sklearn.utils.class_weight import compute_sample_weight
from tensorflow.keras.utils import Sequence

NUM_FEATURES = 30
SCALERS = {"standard": StandardScaler, "robust": RobustScaler, None: None}


class WeightedSequence(Sequence):
    def __init__(self, x, y, w, batch_size):
        self.x, self.y, self.w = x, y, w
        self.batch_size = batch_size

    def __len__(self):
        return int(np.ceil(len(self.x) / float(self.batch_size)))

    def __getitem__(self, i):
        s = slice(i * self.batch_size, (i + 1) * self.batch_size)
        return self.x[s], self.y[s], self.w[s]


def make_data_loaders(experiment_config, hparams):
    cfg = experiment_config.get("data") or {}
    x, y = load_breast_cancer(return_X_y=True)
    assert x.shape[1] == NUM_FEATURES

    splitter = StratifiedShuffleSplit(n_splits=1, test_size=cfg.get("test_size", 0.25), random_state=cfg.get("seed", 0))
    (train, valid), = splitter.split(x, y)

    scaler = SCALERS[cfg.get("scaler", "standard")]
    if scaler is not None:
        scaler = scaler().fit(x[train])
        x = scaler.transform(x)
    x = x.astype("float32")
    y = y.astype("float32")[:, None]

    class_weight = cfg.get("class_weight", "balanced")
    w = compute_sample_weight(class_weight, y[train, 0])
    bs = hparams["batch_size"]
    # validation without the weights, so that losses of different class_weight can be compared
    return (WeightedSequence(x[train], y[train], w, bs),
            WeightedSequence(x[valid], y[valid], np.ones(len(valid)), bs))
