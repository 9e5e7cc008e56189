# keras-tcn==3.1.1
import numpy as np
from tcn import TCN, compiled_tcn

from pedl.frameworks.keras import TFKerasTrial
from pedl.frameworks.keras.data import InMemorySequence


def make_data_loaders(experiment_config, hparams):
    rng = np.random.RandomState(11)
    x = rng.rand(96, 24, 2).astype("float32")
    y = (x[:, :, 0].sum(axis=1) > 12).astype("int32")[:, None]
    batch_size = hparams["batch_size"]
    return InMemorySequence(x[:64], y[:64], batch_size), InMemorySequence(
        x[64:], y[64:], batch_size
    )


class AddingTrial(TFKerasTrial):
    def build_model(self, hparams):
        return compiled_tcn(
            num_feat=2,
            num_classes=2,
            nb_filters=8,
            kernel_size=3,
            dilations=[1, 2, 4],
            nb_stacks=1,
            max_len=24,
            return_sequences=False,
            use_layer_norm=True,
            lr=hparams["learning_rate"],
        )
