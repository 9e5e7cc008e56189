from pedl.frameworks.pytorch import PyTorchTrial


class Net(PyTorchTrial):
    pass
