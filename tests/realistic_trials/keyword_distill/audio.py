"""Tones for words: every keyword is a pair of glides."""
import numpy as np
from scipy import signal

KEYWORDS = ["yes", "no", "stop", "go", "left", "right"]
RATE, LENGTH = 2000, 1024
SPECTROGRAM = (33, 31)


def utter(word, rng):
    t = np.arange(LENGTH) / RATE
    k = KEYWORDS.index(word)
    f0, f1 = 150 + 60 * k, 150 + 60 * ((k * 2 + 3) % len(KEYWORDS))
    wave = signal.chirp(t, f0 * rng.uniform(.95, 1.05), t[-1], f1 * rng.uniform(.95, 1.05))
    wave += .5 * signal.chirp(t, 2 * f1, t[-1], 2 * f0)
    return wave + rng.normal(0, .5, LENGTH)


def spectrogram(wave):
    _, _, s = signal.spectrogram(wave, RATE, nperseg=64, noverlap=32)
    return np.log(s + 1e-8)


def dataset(n, seed):
    rng = np.random.RandomState(seed)
    labels = rng.randint(len(KEYWORDS), size=n)
    x = np.array([spectrogram(utter(KEYWORDS[l], rng)) for l in labels], dtype='float32')[..., None]
    x = (x - x.mean()) / x.std()
    return x, np.eye(len(KEYWORDS), dtype='float32')[labels]


def shift(x, rng, most=3):
    return np.roll(x, rng.randint(-most, most + 1), axis=2)
