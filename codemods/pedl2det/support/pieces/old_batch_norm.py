import tensorflow as tf


class BatchNormalization(tf.keras.layers.BatchNormalization):
    """Normalizes by the batch in training also where it is frozen, as before TensorFlow 2.

    A frozen one leaves its averages as they are.
    """

    def call(self, inputs, training=None):
        if training is None:
            training = tf.keras.backend.learning_phase()
        if self.trainable or not isinstance(training, (bool, int)) or not training:
            return super().call(inputs, training=training)
        averages = [self.moving_mean, self.moving_variance]
        values = [tf.identity(average) for average in averages]
        self._trainable = True
        try:
            outputs = super().call(inputs, training=True)
        finally:
            self._trainable = False
        with tf.control_dependencies([outputs]):
            for average, value in zip(averages, values):
                average.assign(value)
        return outputs


def with_old_batch_normalization(model):
    """Let a model's own layers normalize by the batch in training also where they are frozen."""
    for layer in model.submodules:
        if type(layer) is tf.keras.layers.BatchNormalization:
            layer.__class__ = BatchNormalization
    return model
