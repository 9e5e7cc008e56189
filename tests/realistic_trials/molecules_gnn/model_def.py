import logging
from typing import Any, Dict, List

import numpy as np
import tensorflow as tf
from sklearn.utils.class_weight import compute_class_weight
from tensorflow.keras.layers import Dense, Dropout, Input

import determined as det
from determined.keras import TFKerasTrial, TFKerasTrialContext

import gnn


class WarmupThenDecay(tf.keras.optimizers.schedules.LearningRateSchedule):
    def __init__(self, peak, warmup_steps, power=-0.5):
        super().__init__()
        self.peak, self.warmup_steps, self.power = peak, float(warmup_steps), power

    def __call__(self, step):
        step = tf.cast(step, tf.float32) + 1.0
        return self.peak * tf.minimum(step / self.warmup_steps, (step / self.warmup_steps) ** self.power)

    def get_config(self):
        return {"peak": self.peak, "warmup_steps": self.warmup_steps, "power": self.power}


class SparseMacroF1(tf.keras.metrics.Metric):
    def __init__(self, classes, name="macro_f1", **kwargs):
        super().__init__(name=name, **kwargs)
        self.classes = classes
        self.confusion = self.add_weight("confusion", shape=(classes, classes), initializer="zeros")

    def update_state(self, y_true, y_pred, sample_weight=None):
        y_true = tf.reshape(tf.cast(y_true, tf.int32), [-1])
        self.confusion.assign_add(
            tf.math.confusion_matrix(y_true, tf.argmax(y_pred, -1), self.classes, dtype=tf.float32)
        )

    def result(self):
        hit = tf.linalg.diag_part(self.confusion)
        return tf.reduce_mean(2 * hit / (tf.reduce_sum(self.confusion, 0) + tf.reduce_sum(self.confusion, 1) + 1e-7))

    def reset_states(self):
        self.confusion.assign(tf.zeros_like(self.confusion))

    reset_state = reset_states  # newer name


class ValidationLog(det.keras.callbacks.Callback):
    def __init__(self, metric: str) -> None:
        self.metric = metric
        self.history: List[float] = []

    def on_test_end(self, logs: Dict = None) -> None:
        self.history.append(float(logs[self.metric]))
        logging.info("%s so far: %s", self.metric, np.round(self.history, 3))

    def get_state(self) -> Any:
        return self.history

    def load_state(self, state: Any) -> None:
        self.history = state


class MoleculeTrial(TFKerasTrial):
    def __init__(self, context: TFKerasTrialContext) -> None:
        super().__init__(context)
        self.context = context
        self.model_hp = context.get_hparam("model")
        self.optim_hp = context.get_hparam("optimizer")
        data = context.get_data_config()
        self.train, self.valid = gnn.make_graphs(data["train"], 1), gnn.make_graphs(data["valid"], 2)

        present = np.unique(self.train.labels)
        weights = compute_class_weight("balanced", classes=present, y=self.train.labels)
        self.context.configure_fit(
            class_weight={int(c): float(w) for c, w in zip(present, weights)}, workers=2, max_queue_size=4
        )

    def build_model(self) -> tf.keras.Model:
        nodes = Input((gnn.graphs.MAX_ATOMS, len(gnn.graphs.ATOMS)), name="nodes")
        adjacency = Input((gnn.graphs.MAX_ATOMS,) * 2, name="adjacency")
        layer = gnn.LAYERS[self.model_hp["layer"]]
        x = nodes
        for i, units in enumerate(self.model_hp["units"]):
            x = layer(units, name=f"{self.model_hp['layer']}_{i}")([x, adjacency])
        x = gnn.Readout()([x, nodes])
        x = Dropout(self.model_hp["dropout"])(x)
        x = Dense(3, activation="softmax")(x)
        model = self.context.wrap_model(tf.keras.Model(inputs=[nodes, adjacency], outputs=x))

        schedule = WarmupThenDecay(self.optim_hp["peak"], self.optim_hp["warmup"])
        optimizer = self.context.wrap_optimizer(tf.keras.optimizers.Adam(schedule, epsilon=1e-7, amsgrad=True))
        model.compile(optimizer, "sparse_categorical_crossentropy", metrics=["accuracy", SparseMacroF1(3)])
        return model

    def build_training_data_loader(self) -> tf.keras.utils.Sequence:
        return gnn.GraphSequence(self.train, self.context.get_per_slot_batch_size(), self.context.get_trial_seed())

    def build_validation_data_loader(self) -> tf.keras.utils.Sequence:
        return gnn.GraphSequence(self.valid, self.context.get_per_slot_batch_size())

    def keras_callbacks(self) -> List[tf.keras.callbacks.Callback]:
        return [
            ValidationLog("val_macro_f1"),
            det.keras.callbacks.EarlyStopping(monitor="val_loss", patience=self.optim_hp["patience"]),
            det.keras.callbacks.TensorBoard(update_freq="batch", profile_batch=0, histogram_freq=1),
        ]
