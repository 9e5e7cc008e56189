from functools import partial, update_wrapper
from typing import Any, Callable, Dict

import keras
import keras.backend as K
from keras.layers import BatchNormalization, Dense, Dropout, InputLayer
from keras.layers.advanced_activations import LeakyReLU, PReLU
from keras.models import Sequential
from keras.regularizers import l1_l2

from pedl.frameworks.keras import KerasTrial
from pedl.trial import MetricOp, ValidOp

from fraud_data import N_COLUMNS


def focal_loss(y_true, y_pred, gamma=2.0, alpha=0.25):
    p = K.clip(y_pred, K.epsilon(), 1 - K.epsilon())
    pos = -alpha * K.pow(1 - p, gamma) * K.log(p)
    neg = -(1 - alpha) * K.pow(p, gamma) * K.log(1 - p)
    return K.mean(y_true * pos + (1 - y_true) * neg, axis=-1)


def named_partial(func, **kwargs):
    """Keras wants a __name__ on losses and metrics, which a partial has not."""
    p = partial(func, **kwargs)
    update_wrapper(p, func)
    return p


def caught_at(y_true, y_pred, threshold):
    alarm = K.cast(y_pred > threshold, K.floatx())
    return K.sum(alarm * y_true) / (K.sum(y_true) + K.epsilon())


def alarms_at(y_true, y_pred, threshold):
    return K.mean(K.cast(y_pred > threshold, K.floatx()))


def cost(y_true, y_pred, miss=50.0, false_alarm=1.0):
    alarm = K.cast(K.greater(y_pred, 0.5), K.floatx())
    return K.mean(miss * y_true * (1 - alarm) + false_alarm * (1 - y_true) * alarm)


ACTIVATIONS = {
    "leaky": lambda: LeakyReLU(alpha=0.1),
    "prelu": PReLU,
    "elu": partial(keras.layers.ELU, alpha=0.9),
}  # type: Dict[str, Callable[[], keras.layers.Layer]]


class FraudTrial(KerasTrial):
    THRESHOLDS = (0.3, 0.5, 0.7)

    def __init__(self, hparams: Dict[str, Any]) -> None:
        super(FraudTrial, self).__init__(hparams)
        for key, value in hparams.items():
            setattr(self, "hp_" + key, value)

    def build_model(self, hparams: Dict[str, Any]) -> Sequential:
        model = Sequential([InputLayer((N_COLUMNS,))])
        size = self.hp_width
        while size >= self.hp_narrowest:
            model.add(Dense(size, use_bias=False, kernel_regularizer=l1_l2(**self.hp_reg)))
            model.add(BatchNormalization(momentum=0.9))
            model.add(ACTIVATIONS[self.hp_activation]())
            if self.hp_dropout:
                model.add(Dropout(self.hp_dropout))
            size //= 2
        model.add(Dense(1, activation="sigmoid", bias_initializer=keras.initializers.Constant(-1.0)))
        return model

    def batch_size(self) -> int:
        return self.hp_batch_size

    def optimizer(self) -> keras.optimizers.Optimizer:
        return keras.optimizers.Nadam(lr=self.hp_lr, schedule_decay=0.004)

    def loss(self):
        return named_partial(focal_loss, gamma=self.hp_gamma)

    def training_metrics(self) -> Dict[str, MetricOp]:
        return {"cost": cost, "caught": named_partial(caught_at, threshold=0.5)}

    def validation_metrics(self) -> Dict[str, ValidOp]:
        metrics = {"cost": cost}
        for t in self.THRESHOLDS:
            metrics["caught_%d" % (100 * t)] = named_partial(caught_at, threshold=t)
            metrics["alarms_%d" % (100 * t)] = named_partial(alarms_at, threshold=t)
        return metrics
