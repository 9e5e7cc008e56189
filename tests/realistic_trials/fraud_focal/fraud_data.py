"""Card transactions, simulated (the real ones may not leave the bank)."""
import logging
from contextlib import contextmanager
from time import time

import numpy as np
import pandas as pd
from keras.utils import Sequence

CATEGORICAL = {"merchant": 12, "country": 8, "weekday": 7}
NUMERIC = ["log_amount", "hour_sin", "hour_cos", "since_last", "velocity"]
N_COLUMNS = len(NUMERIC) + sum(CATEGORICAL.values())


@contextmanager
def timed(what):
    start = time()
    yield
    logging.info("%s took %.2f s", what, time() - start)


def simulate(n, fraud_rate, seed):
    rng = np.random.RandomState(seed)
    df = pd.DataFrame({
        "amount": rng.lognormal(3, 1.2, n),
        "hour": rng.randint(0, 24, n),
        "since_last": rng.exponential(1.0, n),
        "velocity": rng.poisson(2, n).astype(float),
    })
    for col, levels in CATEGORICAL.items():
        df[col] = rng.randint(0, levels, n)
    df["fraud"] = (rng.rand(n) < fraud_rate).astype(int)
    fraud = df.fraud == 1
    df.loc[fraud, "amount"] *= 2.5
    df.loc[fraud, "velocity"] += 3
    df.loc[fraud, "hour"] = rng.randint(0, 6, fraud.sum())
    return df


def featurize(df):
    out = pd.DataFrame(index=df.index)
    out["log_amount"] = np.log1p(df.amount)
    out["hour_sin"] = np.sin(2 * np.pi * df.hour / 24)
    out["hour_cos"] = np.cos(2 * np.pi * df.hour / 24)
    out["since_last"] = df.since_last
    out["velocity"] = df.velocity
    for col, levels in CATEGORICAL.items():
        values = pd.Categorical(df[col], categories=range(levels))
        out = out.join(pd.get_dummies(values, prefix=col).set_index(df.index))
    return out.astype(np.float32)


class BalancedSequence(Sequence):
    """Every batch has `n_fraud` frauds; the honest ones come in order."""

    def __init__(self, x, y, batch_size, fraud_share, seed=0):
        self.x, self.y = x.values, y.values
        self.n_fraud = max(1, int(round(batch_size * fraud_share)))
        self.n_honest = batch_size - self.n_fraud
        self.frauds = np.flatnonzero(self.y == 1)
        self.honest = np.flatnonzero(self.y == 0)
        self.seed = seed

    def __len__(self):
        return len(self.honest) // self.n_honest

    def __getitem__(self, i):
        rng = np.random.RandomState(self.seed + i)
        rows = np.concatenate([
            self.honest[i * self.n_honest:(i + 1) * self.n_honest],
            rng.choice(self.frauds, self.n_fraud),
        ])
        return self.x[rows], self.y[rows].reshape(-1, 1)


class PlainSequence(Sequence):
    def __init__(self, x, y, batch_size):
        self.x, self.y, self.batch_size = x, y, batch_size

    def __len__(self):
        return len(self.x) // self.batch_size

    def __getitem__(self, i):
        lo, hi = i * self.batch_size, (i + 1) * self.batch_size
        return self.x.iloc[lo:hi].values, self.y.iloc[lo:hi].values.reshape(-1, 1)


def make_data_loaders(experiment_config, hparams):
    data = experiment_config["data"]
    with timed("simulation"):
        df = simulate(data["n"], data["fraud_rate"], data.get("seed", 7))
    with timed("features"):
        x = featurize(df)
        assert x.shape[1] == N_COLUMNS, x.columns

    cut = int(len(df) * (1 - data["validation_share"]))
    mean, std = x[:cut][NUMERIC].mean(), x[:cut][NUMERIC].std()
    x[NUMERIC] = (x[NUMERIC] - mean) / std

    train = BalancedSequence(x[:cut], df.fraud[:cut], hparams["batch_size"], hparams["fraud_share"])
    test = PlainSequence(x[cut:], df.fraud[cut:], data.get("validation_batch_size", 4 * hparams["batch_size"]))
    logging.info("%d training batches, %d validation batches", len(train), len(test))
    return train, test
