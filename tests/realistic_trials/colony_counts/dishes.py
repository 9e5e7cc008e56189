"""Petri dishes: dots on agar, and the density map as target."""
import numpy as np
from scipy.ndimage import gaussian_filter
from tensorflow.keras.utils import Sequence

SIZE = 32
SCALE = 100.0


def dish(rng, sigma):
    n = rng.poisson(8)
    image = rng.normal(0, 0.05, (SIZE, SIZE))
    yy, xx = np.mgrid[:SIZE, :SIZE]
    dots = np.zeros((SIZE, SIZE))
    for _ in range(n):
        y, x = rng.randint(2, SIZE - 2, size=2)
        r = rng.uniform(0.8, 2.0)
        image += rng.uniform(0.5, 1.0) * np.exp(-((yy - y) ** 2 + (xx - x) ** 2) / (2 * r * r))
        dots[y, x] += 1
    return image, SCALE * gaussian_filter(dots, sigma, mode="constant")


class DishSequence(Sequence):
    def __init__(self, n, batch_size, sigma, seed, augment=False):
        rng = np.random.RandomState(seed)
        pairs = [dish(rng, sigma) for _ in range(n)]
        self.images, self.maps = [np.array(a, dtype=np.float32)[..., None] for a in zip(*pairs)]
        self.batch_size = batch_size
        self.augment = augment

    def __len__(self):
        return len(self.images) // self.batch_size

    def __getitem__(self, index):
        where = slice(index * self.batch_size, (index + 1) * self.batch_size)
        x, y = self.images[where], self.maps[where]
        if self.augment:
            # the same for the whole batch; depends on the index only, so that workers do not matter
            k, flip = index % 4, index % 8 >= 4
            x, y = np.rot90(x, k, axes=(1, 2)), np.rot90(y, k, axes=(1, 2))
            if flip:
                x, y = x[:, :, ::-1], y[:, :, ::-1]
        return x, y
