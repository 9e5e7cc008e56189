"""
Tells malignant from benign tumours. Written for Determined 0.19: tf.data pipelines, wrapped right
after they are made, a learning rate schedule, class weights, TensorBoard.
"""
import tensorflow as tf

from data import load_cancer
from determined.keras import TFKerasTrial, TFKerasTrialContext
from determined.keras.callbacks import TensorBoard


class CancerTrial(TFKerasTrial):
    def __init__(self, context: TFKerasTrialContext) -> None:
        self.context = context
        # Benign tumours (1) are the more frequent ones.
        self.context.configure_fit(class_weight={0: 1.7, 1: 1.0})
        config = self.context.get_data_config()
        self.training, self.validation = load_cancer(config["file"], config["validation_share"])

    def build_model(self) -> tf.keras.Model:
        model = tf.keras.Sequential(
            [
                tf.keras.layers.BatchNormalization(input_shape=(30,)),
                tf.keras.layers.Dense(self.context.get_hparam("units"), activation="relu"),
                tf.keras.layers.Dense(1, activation="sigmoid"),
            ]
        )
        model = self.context.wrap_model(model)
        schedule = tf.keras.optimizers.schedules.ExponentialDecay(
            self.context.get_hparam("learning_rate"), decay_steps=100, decay_rate=0.7
        )
        optimizer = self.context.wrap_optimizer(
            tf.keras.optimizers.SGD(schedule, momentum=0.9, nesterov=True)
        )
        model.compile(
            optimizer,
            tf.keras.losses.BinaryCrossentropy(),
            metrics=["accuracy", tf.keras.metrics.AUC(name="auc")],
        )
        return model

    def build_training_data_loader(self) -> tf.data.Dataset:
        dataset = tf.data.Dataset.from_tensor_slices(self.training)
        dataset = self.context.wrap_dataset(dataset)
        dataset = dataset.cache().shuffle(512, seed=self.context.get_trial_seed())
        dataset = dataset.batch(self.context.get_per_slot_batch_size(), drop_remainder=True)
        return dataset.prefetch(tf.data.experimental.AUTOTUNE)

    def build_validation_data_loader(self) -> tf.data.Dataset:
        dataset = tf.data.Dataset.from_tensor_slices(self.validation)
        dataset = self.context.wrap_dataset(dataset)
        return dataset.batch(self.context.get_per_slot_batch_size())

    def keras_callbacks(self):
        return [TensorBoard(update_freq="batch", profile_batch=0)]
