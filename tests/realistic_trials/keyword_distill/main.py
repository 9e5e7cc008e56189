# Keyword spotting: a small student is distilled from a larger teacher.
#   python main.py            (on a laptop, with defaults)
#   pedl experiment create const.yaml .
import os
import random
from functools import partial

import numpy as np

random.seed(0)
np.random.seed(0)

import tensorflow as tf
tf.set_random_seed(0)

import keras
from keras import backend as K
from keras.callbacks import Callback, LearningRateScheduler
from keras.layers import *
from keras.models import Model, Sequential
from keras.optimizers import Adam, SGD

import audio

try:
    import pedl
    hp = partial(pedl.get_hyperparameter)
except ImportError:
    DEFAULTS = dict(temperature=3., alpha=.3, student_width=8, teacher_batches=40, lr=1e-2)
    hp = DEFAULTS.__getitem__

BATCH = 24
N_WORDS = len(audio.KEYWORDS)
QUIET = os.environ.get('QUIET', '') != ''


def conv_block(x, width, stride):
    x = Conv2D(width, (3, 3), strides=stride, padding='same', use_bias=False)(x)
    x = BatchNormalization()(x)
    return Activation('relu')(x)


def network(width, blocks, name):
    inp = Input(audio.SPECTROGRAM + (1,))
    x = inp
    for i in range(blocks):
        x = conv_block(x, width * 2 ** min(i, 2), 2 if i < 2 else 1)
    x = GlobalAveragePooling2D()(x)
    logits = Dense(N_WORDS, name=name + '_logits')(x)
    return Model(inp, logits, name=name)


def logits_crossentropy(y_true, y_pred):
    return K.categorical_crossentropy(y_true, y_pred, from_logits=True)


def accuracy(y_true, y_pred):
    "of the hard labels, which are the first half of y_true"
    return keras.metrics.categorical_accuracy(y_true[:, :N_WORDS], y_pred)


def distillation_loss(temperature, alpha):
    def loss(y_true, y_pred):
        hard, soft = y_true[:, :N_WORDS], y_true[:, N_WORDS:]
        soft = K.softmax(soft / temperature)
        return (alpha * logits_crossentropy(hard, y_pred)
                + (1 - alpha) * temperature ** 2 * logits_crossentropy(soft, y_pred / temperature))
    return loss


def batches(x, y, seed, teacher=None):
    """Endless. With a teacher its logits stand beside the labels."""
    rng = np.random.RandomState(seed)
    while True:
        for rows in np.array_split(rng.permutation(len(x)), len(x) // BATCH):
            xb, yb = audio.shift(x[rows], rng), y[rows]
            if teacher is not None:
                yb = np.concatenate([yb, teacher.predict_on_batch(xb)], axis=1)
            yield xb, yb


class Progress(Callback):
    def __init__(self, every=10):
        self.every, self.n = every, 0

    def on_batch_end(self, batch, logs={}):
        self.n += 1
        if self.n % self.every == 0 and not QUIET:
            print('batch %4d  loss %.3f  acc %.3f' % (self.n, logs['loss'], logs['accuracy']))


def main():
    (x, y), (x_val, y_val) = audio.dataset(240, seed=1), audio.dataset(96, seed=2)

    teacher = network(12, 4, 'teacher')
    teacher.compile(Adam(lr=3e-3), loss=logits_crossentropy, metrics=['accuracy'])
    for i, (xb, yb) in zip(range(hp('teacher_batches')), batches(x, y, seed=3)):
        teacher.train_on_batch(xb, yb)
    print('teacher: %s' % dict(zip(teacher.metrics_names, teacher.evaluate(x_val, y_val, verbose=0))))
    teacher.trainable = False

    student = network(hp('student_width'), 2, 'student')
    student.compile(optimizer=SGD(lr=hp('lr'), momentum=.9, nesterov=True),
                    loss=distillation_loss(hp('temperature'), hp('alpha')),
                    metrics=[accuracy])
    print('%d parameters in the teacher, %d in the student' % (teacher.count_params(), student.count_params()))

    y_val = np.concatenate([y_val, teacher.predict(x_val)], axis=1)
    student.fit_generator(
        batches(x, y, seed=4, teacher=teacher),
        validation_data=(x_val, y_val),
        callbacks=[Progress()],
        workers=0,
    )


if __name__ == '__main__':
    main()
