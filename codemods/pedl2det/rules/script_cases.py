"""The cases of P017."""

from __future__ import annotations

from pedl2det.rules.rule import Case, Files

_CONFIG = (
    "entrypoint: {script: train.py}\nhyperparameters: {units: 4}\n"
    "searcher: {name: single, metric: val_loss, max_steps: 1}\n"
)
_IMPORTS = "import pedl\nfrom tensorflow.keras import Sequential, layers\nfrom data import load\n"
_MODEL = 'model = Sequential([layers.Dense(1)])\nmodel.compile(SGD(), "mse")\n'
_FIT = "model.fit(x, y, validation_data=(x, y))\n"
_LOADERS = """
    def build_model(self):
        return self.model

    def build_training_data_loader(self):
        return self.training_data

    def build_validation_data_loader(self):
        return self.validation_data
"""


def _script(code: str, imports: str = _IMPORTS) -> Files:
    return {"train.py": f"{imports}{code}", "const.yaml": _CONFIG}


def _trial(body: str, after: str = "", staying: str = "") -> Files:
    """The file that a script becomes, by this rule alone."""
    text = f"{_IMPORTS}{staying}\n\nclass TrainTrial(TFKerasTrial):\n"
    text += '    """Trains the model of this script, on the data that it gave to fit."""\n\n'
    text += "    def __init__(self, context: TFKerasTrialContext) -> None:\n"
    lines = ["self.context = context", *body.splitlines()]
    text += "".join(f"        {line}\n" if line else "\n" for line in lines)
    return {"train.py": text + _LOADERS + after}


_WRAPPED = """\
model = Sequential([layers.Dense(1)])
model = self.context.wrap_model(model)
optimizer = self.context.wrap_optimizer(tf.keras.optimizers.get(SGD(), use_legacy_optimizer=True))
model.compile(optimizer, "mse")
"""
_KEPT = """\
self.model = model
self.training_data = (x, y)
self.validation_data = (x, y)
self.context.configure_fit(shuffle=False)
"""

CASES: tuple[Case, ...] = (
    Case(
        _script(
            "UNITS = 4\n\n\ndef size():\n    return pedl.get_hyperparameter('units') + UNITS\n\n\n"
            "if __name__ == '__main__':\n    # The data.\n    x, y = load(size())\n"
            + "".join(f"    {line}\n" for line in _MODEL.splitlines())
            + "    model.fit(\n        x, y, epochs=9, workers=2, validation_data=(x, y)\n    )\n"
            + "    print(len(x), model.count_params())\n"
        ),
        _trial(
            "# The data.\nx, y = load(size(self.context))\n"
            + _WRAPPED
            + _KEPT.replace("False)", "False, workers=2)")
            + "self.x = x\n",
            "\n    def keras_callbacks(self):\n"
            "        return [tf.keras.callbacks.LambdaCallback(on_train_end=self.after_training)]\n"
            "\n    def after_training(self, _logs=None):\n"
            '        """What the script did when its model was trained."""\n'
            "        model = self.model\n        x = self.x\n"
            "        print(len(x), model.count_params())\n",
            "UNITS = 4\n\n\ndef size(context):\n"
            "    return pedl.get_hyperparameter('units') + UNITS\n",
        ),
        says="what the script did after fit is done when the training ends",
    ),
    Case(
        _script(f"x, y = load()\n{_MODEL}{_FIT}"),
        _trial(f"x, y = load()\n{_WRAPPED}{_KEPT}"),
    ),
    Case(
        _script(
            f"\n\ndef main():\n    x, y = load()\n    {_MODEL.replace(chr(10), chr(10) + '    ')}"
            f"{_FIT}\n\nmain()\n"
        ),
        _trial(f"x, y = load()\n{_WRAPPED}{_KEPT}"),
    ),
    Case(
        _script(
            "\n\ndef build(units):\n    net = Sequential([layers.Dense(units)])\n"
            '    net.compile(SGD(), "mse")\n    return net\n\n\n'
            f"x, y = load()\nmodel = build(4)\n{_FIT}"
        ),
        _trial(
            f"x, y = load()\nmodel = build(self.context, 4)\n{_KEPT}",
            staying="\n\ndef build(context, units):\n    net = Sequential([layers.Dense(units)])\n"
            "    net = context.wrap_model(net)\n    optimizer = context.wrap_optimizer("
            "tf.keras.optimizers.get(SGD(), use_legacy_optimizer=True))\n"
            '    net.compile(optimizer, "mse")\n    return net\n',
        ),
    ),
    Case(
        {"train.py": f"{_IMPORTS}x, y = load()\n{_MODEL}{_FIT}", "const.yaml": "a: 1\n"},
        {},
    ),
    Case(
        _script(f"x, y = load()\n{_MODEL}for _ in range(3):\n    {_FIT}"),
        {},
        says="fit is called in a loop",
    ),
    Case(
        _script(f"x, y = load()\n{_MODEL}{_FIT}{_FIT}"),
        {},
        says="fit is called more than once",
    ),
    Case(
        _script(f"x, y = load()\n{_MODEL}model.fit(x, y, validation_split=0.1)\n"),
        {},
        says="fit is told no validation_data",
    ),
    Case(
        _script(f"x, y = load()\n{_MODEL}h = {_FIT}print(h.history)\n"),
        {},
        says="h is used after fit: it is empty",
    ),
    Case(
        _script(
            f"x, y = load()\n\n\ndef batches():\n    yield 1\n\n\n{_MODEL}"
            "model.fit_generator(batches(), 5, validation_data=(x, y))\n"
        ),
        {},
        says="the data come from a generator",
    ),
    Case(
        _script(f"x, y = load()\n\n\ndef head():\n    return x[:5]\n\n\n{_MODEL}{_FIT}"),
        {},
        says="head uses x, which the trial's constructor would own",
    ),
)
