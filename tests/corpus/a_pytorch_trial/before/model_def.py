import torch
from pedl.frameworks.pytorch import PyTorchTrial


class Net(PyTorchTrial):
    def build_model(self, hparams):
        return torch.nn.Linear(4, hparams['units'])
