import io
import os
from collections import Counter

import numpy as np

from corpus.windows import CharWindows

HERE = os.path.dirname(os.path.abspath(__file__))

with io.open(os.path.join(HERE, 'sonnets.txt'), encoding='utf-8') as f:
    TEXT = f.read().lower()

MIN_COUNT = int(os.environ.get('SONNET_MIN_COUNT', 2))
_counts = Counter(TEXT)
VOCAB = ['<unk>'] + sorted(c for c, n in _counts.items() if n >= MIN_COUNT)
CHAR_TO_ID = {c: i for i, c in enumerate(VOCAB)}
ID_TO_CHAR = dict(enumerate(VOCAB))


def encode(text):
    return np.array([CHAR_TO_ID.get(c, 0) for c in text], dtype=np.int32)


def decode(ids):
    return ''.join(ID_TO_CHAR[int(i)] for i in ids)


def make_data_loaders(experiment_config, hparams):
    data = experiment_config.get('data', {})
    ids = encode(TEXT)
    cut = int(len(ids) * data.get('train_frac', .85))
    kwargs = dict(length=hparams['length'], stride=data.get('stride', 3), batch_size=hparams['batch_size'])
    train = CharWindows(ids[:cut], shuffle=True, **kwargs)
    kwargs['stride'] = hparams['length']
    return train, CharWindows(ids[cut:], shuffle=False, **kwargs)


del f
