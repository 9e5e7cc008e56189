import tensorflow as tf
from nets import Deep


class Net(Deep):
    def net(self):
        return tf.keras.Sequential([tf.keras.layers.Dense(self.units) for _ in range(self.depth)])
