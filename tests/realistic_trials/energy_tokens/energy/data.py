"""Hourly consumption of buildings, simulated."""
import numpy as np
import pandas as pd
from tensorflow.keras.utils import Sequence

USES = ["office", "school", "retail", "lab"]
NUMERIC = ["temperature", "floor_area", "age", "hour_sin", "hour_cos"]
CATEGORICAL = {"use": len(USES), "weekday": 7, "site": 5}


def simulate(n, seed):
    rng = np.random.RandomState(seed)
    df = pd.DataFrame({
        "temperature": rng.normal(12, 9, n),
        "floor_area": rng.lognormal(7, 0.7, n),
        "age": rng.uniform(0, 80, n),
        "hour": rng.randint(0, 24, n),
        "weekday": rng.randint(0, 7, n),
        "use": rng.choice(USES, n),
        "site": rng.randint(0, 5, n),
    })
    busy = ((df.hour > 7) & (df.hour < 19) & (df.weekday < 5)).astype(float)
    cooling = np.maximum(df.temperature - 20, 0) * 0.04 + np.maximum(10 - df.temperature, 0) * 0.03
    by_use = df.use.map({"office": 1.0, "school": 0.8, "retail": 1.3, "lab": 2.2})
    df["kwh"] = (np.log(df.floor_area) - 4 + by_use * (0.4 + busy) + cooling + 0.004 * df.age + rng.normal(0, 0.15, n))
    return df


def features(df):
    numeric = np.column_stack([
        df.temperature / 10, np.log(df.floor_area) - 7, df.age / 40,
        np.sin(2 * np.pi * df.hour / 24), np.cos(2 * np.pi * df.hour / 24),
    ]).astype("float32")
    out = {"numeric": numeric}
    for name in CATEGORICAL:
        codes = df[name].map(USES.index) if name == "use" else df[name]
        out[name] = codes.values.astype("int32")[:, None]
    return out, df.kwh.values.astype("float32")


class FrameSequence(Sequence):
    def __init__(self, df, batch_size, weight_labs=1.0):
        self.x, self.y = features(df)
        self.w = np.where(df.use == "lab", weight_labs, 1.0).astype("float32")
        self.batch_size = batch_size

    def __len__(self):
        return -(-len(self.y) // self.batch_size)

    def __getitem__(self, i):
        s = np.s_[i * self.batch_size:(i + 1) * self.batch_size]
        return {k: v[s] for k, v in self.x.items()}, self.y[s], self.w[s]
