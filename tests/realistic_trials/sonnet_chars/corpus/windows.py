import numpy as np
from tensorflow.python.keras.utils.data_utils import Sequence


class CharWindows(Sequence):
    ''' (batch, length) of ids and the same one character later '''

    def __init__(self, ids, length, stride, batch_size, shuffle):
        self.ids, self.length, self.batch_size = ids, length, batch_size
        self.starts = np.arange(0, len(ids) - length - 1, stride)
        if shuffle:
            # once; seeded by PEDL
            np.random.shuffle(self.starts)

    def __len__(self):
        return max(1, len(self.starts) // self.batch_size)

    def __getitem__(self, idx):
        starts = self.starts[idx * self.batch_size:(idx + 1) * self.batch_size]
        x = np.stack([self.ids[s:s + self.length] for s in starts])
        y = np.stack([self.ids[s + 1:s + self.length + 1] for s in starts])
        return x, y[..., np.newaxis]
