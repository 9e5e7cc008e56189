# -*- coding: utf-8 -*-
# Character model of the sonnets. GRU, tied embeddings, samples in the log.
import logging
import sys
import typing

import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K
from tensorflow.keras.callbacks import LambdaCallback, LearningRateScheduler, TerminateOnNaN
from tensorflow.keras.layers import GRU, LSTM, Dropout, Embedding, Input, Layer, SpatialDropout1D
from tensorflow.keras.models import Model

from corpus import CHAR_TO_ID, TEXT, VOCAB, decode, encode
from pedl.frameworks.keras import TFKerasTrial as BaseTrial

logging.basicConfig(stream=sys.stdout, level=logging.INFO)


class Config(typing.NamedTuple):
    batch_size: int
    length: int
    units: int = 32
    dim: int = 16
    cell: str = 'GRU'
    dropout: float = .0
    lr: float = 1e-3
    lr_decay: float = 1.0
    decay_from: int = 1
    clip: float = 5.
    temperature: float = .8


class TiedSoftmax(Layer):
    """ Softmax over the embedding matrix of another layer. `table` returns it; were the layer itself an
    attribute, its weights would be counted (and updated!) twice. """

    def __init__(self, table, **kwargs):
        super(TiedSoftmax, self).__init__(**kwargs)
        self.table = table

    def build(self, input_shape):
        self.bias = self.add_weight(name='bias', shape=(len(VOCAB),), initializer='zeros', trainable=True)
        super(TiedSoftmax, self).build(input_shape)

    def call(self, x):
        shape = tf.shape(x)
        flat = tf.reshape(x, [-1, int(x.shape[-1])])
        logits = tf.matmul(flat, self.table(), transpose_b=True) + self.bias
        return tf.reshape(tf.nn.softmax(logits), tf.concat([shape[:-1], [len(VOCAB)]], 0))

    def compute_output_shape(self, input_shape):
        return tuple(input_shape[:-1]) + (len(VOCAB),)


def perplexity(y_true, y_pred):
    return K.exp(K.mean(K.sparse_categorical_crossentropy(y_true, y_pred)))


def bits_per_char(y_true, y_pred):
    return K.mean(K.sparse_categorical_crossentropy(y_true, y_pred)) / np.log(2.)


def sample(preds, temperature, rng):
    # helper function to sample an index from a probability array
    preds = np.log(np.asarray(preds).astype('float64') + 1e-9) / temperature
    exp_preds = np.exp(preds)
    return np.argmax(rng.multinomial(1, exp_preds / np.sum(exp_preds), 1))


class CharTrial(BaseTrial):
    def __init__(self, hparams, *args, **kwargs):
        super().__init__(hparams, *args, **kwargs)
        self.cfg = Config(**hparams)
        logging.info('config: %s', self.cfg)
        for name, value in self.cfg._asdict().items():
            if name not in hparams:
                logging.info('  default %s = %r', name, value)

    def build_model(self, hparams):
        cfg = self.cfg
        Cell = {'GRU': GRU, 'LSTM': LSTM}[cfg.cell]
        chars = Input(shape=(cfg.length,), dtype='int32')
        embedding = Embedding(len(VOCAB), cfg.dim, name='chars')
        x = embedding(chars)
        if cfg.dropout:
            x = SpatialDropout1D(cfg.dropout)(x)
        x = Cell(cfg.units, return_sequences=True)(x)
        x = Dropout(cfg.dropout)(x)
        x = Cell(cfg.dim, return_sequences=True)(x)
        x = TiedSoftmax(lambda: embedding.embeddings)(x)
        self.model = Model(chars, x)
        self.model.compile(
            optimizer=tf.keras.optimizers.RMSprop(lr=cfg.lr, rho=.95, clipvalue=cfg.clip),
            loss='sparse_categorical_crossentropy',
            metrics=[perplexity, bits_per_char],
        )
        return self.model

    def write(self, n=40):
        rng = np.random.RandomState(0)
        ids = list(encode(TEXT[:self.cfg.length]))
        for _ in range(n):
            preds = self.model.predict(np.array([ids[-self.cfg.length:]]))[0, -1]
            ids.append(sample(preds, self.cfg.temperature, rng))
        return decode(ids[self.cfg.length:])

    def keras_callbacks(self, hparams):
        cfg = self.cfg
        return [
            TerminateOnNaN(),
            LearningRateScheduler(lambda epoch, lr=cfg.lr: lr * cfg.lr_decay ** max(0, epoch - cfg.decay_from)),
            LambdaCallback(on_epoch_end=lambda epoch, logs: logging.info('epoch %d: %r', epoch, self.write())),
        ]
