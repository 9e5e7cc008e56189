"""Cases of P027."""

from __future__ import annotations

from rule_cases.cases import Case, migrated_pedl_trial, pedl_trial
from rule_cases.small_trials import EARLY_CONFIG, loaders, migrated_model, with_data

_MORE = "legacy_keras.use_old_keras()\n"


def _case(net: str, more: str = _MORE) -> Case:
    """A trial that imports ``net.py``, which stays; its constructor says more, or not."""
    before = {**with_data(_DATA), "net.py": net}
    return Case(before, {"net.py": net, "model_def.py": migrated_model("", more=more)})


_DATA = loaders("return load(net.stem), load(net.stem)\n", "import net\nfrom rows import load")
_NET = """\
import tensorflow as tf
from tensorflow.keras import layers


def stem():
    made = tf.keras.Sequential([layers.Dense(4), {layer}])
    {frozen}
    return made
"""
_OTHER_NET = """\
from {keras}.layers import {kind}


def stem(x, y, w):
    layer = {layer}
    {given}
"""


def _standalone(layer: str, given: str, *said: str) -> Case:
    """A trial with a layer of standalone Keras; its constructor says some lines."""
    kind = "Conv2D" if "Conv2D" in layer else "Dense"
    net = _OTHER_NET.format(keras="{keras}", kind=kind, layer=layer, given=given)
    after = {"net.py": net.format(keras="tensorflow.keras")} | migrated_pedl_trial(*said)
    return Case(pedl_trial(net.format(keras="keras")), after)


def _images(arguments: str, says: str = "") -> Case:
    """A trial that transforms images."""
    net = (
        "from {keras}.preprocessing.image import ImageDataGenerator\n\n\n"
        f"def images(options):\n    return ImageDataGenerator({arguments})\n"
    )
    after = {"net.py": net.format(keras="tensorflow.keras")}
    return Case(pedl_trial(net.format(keras="keras")), after, says)


_COMPILED = """\
import tensorflow as tf
from tensorflow.keras.optimizers.legacy import SGD


class Own(tf.keras.losses.Loss):
    pass


def own(y_true, y_pred):
    return y_true - y_pred


def build(model):
    model.compile(SGD(0.1), {loss}, metrics=[{metric}])
"""


def _compiled(loss: str, metric: str, *said: str) -> Case:
    """A trial that compiles a model by a loss and a metric."""
    net = _COMPILED.format(loss=loss, metric=metric)
    return Case(pedl_trial(net), {"net.py": net} | migrated_pedl_trial(*said))


_NORM = "layers.BatchNormalization()"
_STOPPING = "tf.keras.callbacks.EarlyStopping(KIND)"

AROUND = {"const.yaml": EARLY_CONFIG}
_SUBCLASS = """

class Up(layers.{base}):
    def __init__(self, how):
        super().__init__(interpolation=how)
"""
_OWN_LAYER = """

class Own(layers.Layer):
    def build(self, shape):
        self.size = shape[1]

    def call(self, inputs):
        return {call}
"""
CASES = (
    _case(_NET.format(layer=_NORM, frozen='setattr(made, "trainable", False)')),
    _case(_NET.format(layer=_NORM, frozen="made.trainable = True"), more=""),
    _case(_NET.format(layer=_NORM, frozen="made.trainable, rate = KIND, 0.1")),
    _case(_NET.format(layer=_NORM, frozen="made.layers[0].__class__(4)")),
    _case(_NET.format(layer=_NORM, frozen="made.trainable = True if KIND else False")),
    _case(_NET.format(layer="layers.BatchNormalization(trainable=True)", frozen=""), more=""),
    _case(_NET.format(layer="Up(KIND)", frozen="") + _SUBCLASS.format(base="UpSampling2D")),
    _case(_NET.format(layer="Up(KIND)", frozen="") + _SUBCLASS.format(base="Layer")),
    _case(_NET.format(layer="print(layers.UpSampling2D.mro())", frozen="")),
    _case(_NET.format(layer="layers.Embedding(4, 8, trainable=False)", frozen=""), _MORE),
    _case(_NET.format(layer="layers.Masking(0.0)", frozen=""), _MORE),
    _case(_NET.format(layer="layers.UpSampling2D()", frozen=""), _MORE),
    _images(
        "width_shift_range=2, zoom_range=0.0",
        "ImageDataGenerator: the images differ from those of old Keras",
    ),
    _images("**options", "the images differ"),
    _images("horizontal_flip=True, shear_range=0"),
    _case(
        _NET.format(layer=_NORM, frozen='made.optimizer = "adagrad"'),
        _MORE,
    ),
    _case(_NET.format(layer=_NORM, frozen="print(made.metrics_names)"), _MORE),
    _case(_NET.format(layer=_NORM, frozen='loss = "cosine_proximity"'), _MORE),
    _case(
        _NET.format(layer="getattr(layers, KIND)(4)", frozen=""),
        f"{_MORE}tf.keras.backend.experimental.enable_tf_random_generator()\n",
    ),
    _case(_NET.format(layer="layers.Embedding(4, 8, **OPTIONS)", frozen=""), _MORE),
    _case(_NET.format(layer="KINDS[0](4)", frozen="KINDS = [layers.Dense]"), _MORE),
    _case(_NET.format(layer="layers.Dense(4)", frozen="made = made(1, mask=KIND)"), _MORE),
    _case(_NET.format(layer="layers.Dense(4)", frozen="yield made, 2, 3"), _MORE),
    _case(
        _NET.format(layer="Own()", frozen="") + _OWN_LAYER.format(call="tf.shape(inputs)"), _MORE
    ),
    _case(_NET.format(layer="layers.Lambda(lambda x: 2 * x)", frozen=""), _MORE),
    _case(_NET.format(layer="layers.Dense(tf.keras.backend.int_shape(1)[0])", frozen=""), _MORE),
    _case(_NET.format(layer="layers.Dense(4)", frozen="made.get_gradients = None"), _MORE),
    _case(_NET.format(layer="layers.Dense(4)", frozen="yield 1, 2"), ""),
    _case(_NET.format(layer="layers.Dense(4)", frozen="made.sizes = (1, 2, 3)"), ""),
    _case(_NET.format(layer="layers.Dense(4)", frozen="print(np.ones((1, KIND, 3)))"), ""),
    _case(_NET.format(layer="layers.Dense(4)", frozen="for a, b, c in made: pass"), ""),
    _case(_NET.format(layer="layers.Dense(4)", frozen="yield made"), _MORE),
    _case(_NET.format(layer="layers.Dense(4)", frozen="return tuple(made)"), _MORE),
    _case(_NET.format(layer="layers.Dense(4)", frozen="made.x = tuple(y for y in made)"), _MORE),
    _case(_NET.format(layer="layers.Dense(4)", frozen="return (made, 2, 3) if KIND else 4"), _MORE),
    _case(_NET.format(layer="layers.Dense(4)", frozen="return (made, 2, 3), (4, 5)"), _MORE),
    _case(_NET.format(layer="layers.Dense(4)", frozen="mask = isinstance(made, layers.Dense)"), ""),
    _case(_NET.format(layer="layers.Dot(1)", frozen=""), _MORE),
    _case(_NET.format(layer=_STOPPING, frozen="KIND = 'auc'"), _MORE),
    _case(
        _NET.format(layer="layers.Dense(4)", frozen="").replace(
            "def stem", "class Stop(tf.keras.callbacks.EarlyStopping):\n    pass\n\n\ndef stem"
        ),
        _MORE,
    ),
    _case(
        _NET.format(layer="layers.Dense(4)", frozen="KINDS = [tf.keras.callbacks.EarlyStopping]"),
        _MORE,
    ),
    _case(_NET.format(layer=_STOPPING.replace("KIND", '"accuracy"'), frozen=""), ""),
    _case(
        _NET.format(layer=_STOPPING.replace("KIND", 'patience=2, monitor="loss"'), frozen=""), ""
    ),
    _compiled('"mse"', '"mae"'),
    _compiled("Own()", '"mae"', "use_old_keras"),
    _compiled("own", '"mae"', "use_old_keras"),
    _compiled('"mse"', "own"),
    _compiled('"mse"', "Own", "use_old_keras"),
    _compiled('"mse"', "tf.keras.losses.get(KIND)", "use_old_keras"),
    _standalone("Dense(4)", "return x, y", "use_standalone_keras"),
    _standalone("Conv2D(4, 3)", "return x, y", "use_standalone_keras"),
    _standalone("Conv2D(4, 3, 3)", "return x, y", "use_standalone_keras", "use_old_arguments"),
    *(
        _standalone(layer, "return x, y", "use_standalone_keras", "use_old_arguments")
        for layer in (
            *("Dense(4, **y)", "Dense(*y)", "Dense(nb_row=1, nb_col=2)", "[Dense][0](4)"),
            "Dense(4) or import_module(y)",
        )
    ),
)
