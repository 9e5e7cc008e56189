"""Where the modules and names of standalone Keras 2.2.4 are today.

Paths are those below ``keras``, for ``tensorflow.python.keras`` too.
"""

from __future__ import annotations

#: Module paths that are public still, or were at the time.
PUBLIC = (
    *("activations", "applications", "backend", "callbacks", "constraints", "datasets"),
    *("datasets.boston_housing", "datasets.cifar10", "datasets.cifar100", "datasets.imdb"),
    *("datasets.fashion_mnist", "datasets.mnist", "datasets.reuters", "initializers", "layers"),
    *("losses", "metrics", "models", "optimizers", "preprocessing", "regularizers", "utils"),
    *("preprocessing.image", "preprocessing.sequence", "preprocessing.text"),
    *("applications.inception_v3", "applications.mobilenet", "applications.mobilenet_v2"),
    *("applications.resnet50", "applications.vgg16", "applications.vgg19", "applications.resnet"),
    *("applications.xception", "applications.densenet", "applications.imagenet_utils"),
    *("applications.nasnet", "applications.inception_resnet_v2", "applications.resnet_v2"),
)

#: Module paths that have moved, and where what they held is now; nowhere, if it is gone.
MOVED = {
    "backend.tensorflow_backend": "backend",
    "callbacks.callbacks": "callbacks",
    "datasets.cifar": "src.datasets.cifar",
    "engine": "src.engine",
    "engine.base_layer": "src.engine.base_layer",
    "engine.input_layer": "src.engine.input_layer",
    "engine.network": "src.engine.functional",
    "engine.saving": "models",
    "engine.sequential": "src.engine.sequential",
    "engine.topology": "src.engine.base_layer",
    "engine.training": "src.engine.training",
    "layers.advanced_activations": "layers",
    "layers.convolutional": "layers",
    "layers.convolutional_recurrent": "layers",
    "layers.core": "layers",
    "layers.cudnn_recurrent": "layers",
    "layers.embeddings": "layers",
    "layers.local": "layers",
    "layers.merge": "layers",
    "layers.noise": "layers",
    "layers.normalization": "layers",
    "layers.pooling": "layers",
    "layers.recurrent": "layers",
    "layers.wrappers": "layers",
    "objectives": "losses",
    "saving": "models",
    "utils.conv_utils": "src.utils.conv_utils",
    "utils.data_utils": "src.utils.data_utils",
    "utils.generic_utils": "src.utils.generic_utils",
    "utils.io_utils": "src.utils.io_utils",
    "utils.layer_utils": "src.utils.layer_utils",
    "utils.multi_gpu_utils": "utils",
    "utils.np_utils": "src.utils.np_utils",
    "utils.training_utils": "utils",
    "utils.vis_utils": "src.utils.vis_utils",
    "wrappers": "",
    "wrappers.scikit_learn": "",
}

_ENGINE = {
    "Layer": "layers.Layer",
    "InputSpec": "layers.InputSpec",
    "Input": "layers.Input",
    "Model": "models.Model",
    "Network": "models.Model",
    "Container": "models.Model",
    "Sequential": "models.Sequential",
}

#: Names that were at a path, beside what is there today, and where they are now.
NAMES: dict[str, dict[str, str]] = {
    **dict.fromkeys(("engine", *(path for path in MOVED if path.startswith("engine."))), _ENGINE),
    "applications.imagenet_utils": {
        "_obtain_input_shape": "src.applications.imagenet_utils.obtain_input_shape"
    },
    "constraints": {
        "maxnorm": "constraints.max_norm",
        "nonneg": "constraints.non_neg",
        "unitnorm": "constraints.unit_norm",
    },
    "initializers": {
        "normal": "initializers.RandomNormal",
        "uniform": "initializers.RandomUniform",
        "zero": "initializers.Zeros",
        "one": "initializers.Ones",
    },
    "models": {"Input": "layers.Input"},
    "optimizers": {
        "adadelta": "optimizers.Adadelta",
        "adagrad": "optimizers.Adagrad",
        "adam": "optimizers.Adam",
        "adamax": "optimizers.Adamax",
        "sgd": "optimizers.SGD",
        "nadam": "optimizers.Nadam",
        "rmsprop": "optimizers.RMSprop",
    },
    "utils.generic_utils": {
        "get_custom_objects": "utils.get_custom_objects",
        "CustomObjectScope": "utils.CustomObjectScope",
    },
}

#: Names that nothing serves, and what to write instead.
UNSERVED: dict[str, dict[str, str]] = {
    "backend": {"control_flow_ops": "use tf.cond and tf.while_loop"},
    "layers": {
        "CuDNNGRU": "it ran on GPUs alone: use GRU with recurrent_activation='sigmoid' and "
        "reset_after=True, which computes the same",
        "CuDNNLSTM": "it ran on GPUs alone, with two biases: use LSTM with "
        "recurrent_activation='sigmoid', which has one",
        "Merge": "use keras.layers.concatenate, add and their like",
        "Recurrent": "derive from keras.layers.RNN, or from a cell's layer",
    },
    "models": {"model_from_yaml": "use model_from_json: YAML could run code"},
    "optimizers": {"TFOptimizer": "use an optimizer of keras.optimizers"},
    "utils": {"HDF5Matrix": "read the file with h5py, in a keras.utils.Sequence"},
    "utils.io_utils": {"HDF5Matrix": "read the file with h5py, in a keras.utils.Sequence"},
    "wrappers.scikit_learn": {
        "KerasClassifier": "use scikeras, or train the model with fit",
        "KerasRegressor": "use scikeras, or train the model with fit",
    },
}
UNSERVED |= {
    path: UNSERVED[target] for path, target in MOVED.items() if target in ("layers", "backend")
}

#: Packages of their own that Keras 2.2.4 brought along, and the path below ``keras`` that they are.
PACKAGES = {"keras_preprocessing": "preprocessing", "keras_applications": "applications"}
