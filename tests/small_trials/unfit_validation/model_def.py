import numpy as np
from keras.layers import Dense
from keras.models import Sequential
from keras.optimizers import SGD
from pedl.frameworks.keras import KerasTrial
from pedl.frameworks.keras.data import InMemorySequence


def make_data_loaders(experiment_config, hparams):
    rng = np.random.RandomState(3)
    x = rng.normal(size=(64, 5)).astype("float32")
    y = (x[:, :1] > 0).astype("float32")
    candidates = rng.normal(size=(16, 4, 5)).astype("float32")  # the model ranks these four
    best = candidates[:, :, 0].argmax(axis=1)
    return InMemorySequence(x, y, 8), InMemorySequence(candidates, best, 8)


class Net(KerasTrial):
    def build_model(self, hparams):
        return Sequential(
            [
                Dense(hparams["units"], activation="tanh", input_dim=5),
                Dense(1, activation="sigmoid"),
            ]
        )

    def optimizer(self):
        return SGD(lr=0.2)

    def loss(self):
        return "binary_crossentropy"

    def batch_size(self):
        return 8

    def validation_metrics(self):
        return {}

    def compute_validation_metrics(self, step_id):
        self.validation_data_adapter.start(is_validation=True)
        hits = []
        batches = self.validation_data_adapter.get_iterator()
        for _ in range(2):
            candidates, best = next(batches)
            scores = self.model.predict(candidates.reshape(-1, 5)).reshape(-1, 4)
            hits += list(scores.argmax(axis=1) == best)
        self.validation_data_adapter.stop()
        return {"num_inputs": len(hits), "validation_metrics": {"hit_rate": float(np.mean(hits))}}
