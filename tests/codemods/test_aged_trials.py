"""Context-based trials of TensorFlow 2.0 to 2.10, and what early Determined shares with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from pedl2det.engine import Options, Status, migrate
from pedl2det.files.write import write_all
from support import EXAMPLES, write_tree

TRIAL = """\
import numpy as np
import tensorflow as tf
from determined.keras import TFKerasTrial, TFKerasTrialContext
{imports}

class Net(TFKerasTrial):
    def __init__(self, context: TFKerasTrialContext):
        self.context = context

    def build_model(self):
        model = self.context.wrap_model(tf.keras.Sequential([{layer}]))
        {optimizer}
        model.compile({compiled}, "mse")
        return model

    def build_training_data_loader(self):
        return {data}

    def build_validation_data_loader(self):
        return np.ones((8, 2)), np.ones(8)
"""
CONFIG = """\
entrypoint: model_def:Net
hyperparameters:
  global_batch_size: 4
searcher:
  name: single
  metric: val_loss
  {length}
{more}"""
BATCHES = "max_length:\n    batches: 10"


def trial(
    imports: str = "",
    layer: str = "tf.keras.layers.Dense(1)",
    optimizer: str = "opt = self.context.wrap_optimizer(tf.keras.optimizers.Adam(0.1))",
    compiled: str = "opt",
    data: str = "np.ones((16, 2)), np.ones(16)",
) -> str:
    """A context-based trial in which there is nothing old."""
    return TRIAL.format(
        imports=imports and f"{imports}\n",
        layer=layer,
        optimizer=optimizer,
        compiled=compiled,
        data=data,
    )


def migrated(
    directory: Path, text: str, length: str = BATCHES, more: str = "", **modules: str
) -> str:
    """The trial's file after a migration, which must finish it."""
    files = {"model_def.py": text, "const.yaml": CONFIG.format(length=length, more=more)}
    write_tree(directory, files | {f"{name}.py": code for name, code in modules.items()})
    result = migrate([directory], Options(partial=True))
    assert all(one.status is Status.REWRITTEN for one in result.outcomes), result.findings
    write_all(result.files)
    assert not migrate([directory], Options()).files  # a second run changes nothing
    return (directory / "model_def.py").read_text()


def lines_with(text: str, *words: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if any(word in line for word in words)]


def test_a_trial_without_old_names_needs_nothing(tmp_path: Path) -> None:
    assert migrated(tmp_path, trial()) == trial()


@pytest.mark.parametrize(
    ("imports", "data", "after"),
    [
        ("", "np.ones((16, 2)).astype(np.float), np.ones(16)", ".astype(float), np.ones(16)"),
        ("", "np.ones((16, 2)), np.ones(16, dtype=np.bool)", "np.ones(16, dtype=bool)"),
        (
            "from tensorflow.python.keras.utils.np_utils import to_categorical",
            "np.ones((16, 2)), to_categorical(np.ones(16))",
            "from tensorflow.keras.utils import to_categorical",
        ),
        (
            "from keras.utils import np_utils",
            "np.ones((16, 2)), np_utils.to_categorical(np.ones(16))",
            "from tensorflow.keras import utils as np_utils",
        ),
    ],
)
def test_names_that_are_gone_get_those_of_today(
    imports: str, data: str, after: str, tmp_path: Path
) -> None:
    assert after in migrated(tmp_path, trial(imports, data=data))


@pytest.mark.parametrize(
    "sign", ["np.ones((16, 2)).astype(np.int), np.ones(16)", "tf.keras.premade.LinearModel"]
)
def test_an_aged_trial_keeps_the_optimizers_of_its_time(sign: str, tmp_path: Path) -> None:
    text = migrated(tmp_path, trial(data=sign))

    assert "tf.keras.optimizers.legacy.Adam(0.1)" in text


def test_np_bool_alone_says_nothing_about_the_age_of_a_trial(tmp_path: Path) -> None:
    text = migrated(tmp_path, trial(data="np.ones((16, 2)), np.ones(16, dtype=np.bool)"))

    assert "tf.keras.optimizers.Adam(0.1)" in text


def test_lr_is_seen_through_a_dict_of_classes(tmp_path: Path) -> None:
    classes = 'KINDS = {"adam": tf.keras.optimizers.Adam, "sgd": tf.keras.optimizers.SGD}'
    made = 'opt = self.context.wrap_optimizer(KINDS["adam"](lr=0.1))'

    text = migrated(tmp_path, trial(f"\n{classes}", optimizer=made))

    assert lines_with(text, "KINDS") == [
        'KINDS = {"adam": tf.keras.optimizers.legacy.Adam, "sgd": tf.keras.optimizers.legacy.SGD}',
        'opt = self.context.wrap_optimizer(KINDS["adam"](learning_rate=0.1))',
    ]


@pytest.mark.parametrize("module", ["keras", "tensorflow.python.keras"])
def test_layers_of_tensorflow_2_keep_its_defaults(module: str, tmp_path: Path) -> None:
    text = migrated(tmp_path, trial(f"from {module}.layers import LSTM", layer="LSTM(4)"))

    assert lines_with(text, "LSTM") == [
        "from tensorflow.keras.layers import LSTM",
        "model = self.context.wrap_model(tf.keras.Sequential([LSTM(4)]))",
    ]


def test_names_of_tensorflow_1_mean_its_defaults(tmp_path: Path) -> None:
    layer = "tf.keras.layers.LSTM(4), tf.keras.layers.Lambda(lambda x: tf.log(x))"

    text = migrated(tmp_path, trial(layer=layer))

    assert 'tf.keras.layers.LSTM(4, recurrent_activation="hard_sigmoid")' in text


def test_standalone_keras_2_4_has_the_optimizers_of_tensorflow(tmp_path: Path) -> None:
    made = "opt = self.context.wrap_optimizer(Adadelta(clipnorm=1.0))"

    text = migrated(tmp_path, trial("from keras.optimizers import Adadelta", optimizer=made))

    assert lines_with(text, "Adadelta") == [
        "from tensorflow.keras.optimizers.legacy import Adadelta",
        made,
    ]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ("np.ones((16, 2)), np.ones(16)", "tf.keras.optimizers.Adam()"),
        ("np.ones((16, 2), dtype=np.float), np.ones(16)", "tf.keras.optimizers.legacy.Adam()"),
    ],
)
def test_a_named_optimizer_becomes_an_object_that_a_checkpoint_holds(
    data: str, expected: str, tmp_path: Path
) -> None:
    text = migrated(tmp_path, trial(optimizer="pass", compiled='"adam"', data=data))

    assert f"optimizer = self.context.wrap_optimizer({expected})" in text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("tf.optimizers.SGD(lr=0.1)", "tf.keras.optimizers.legacy.SGD(learning_rate=0.1)"),
        ('tf.optimizers.SGD(**{"lr": 0.1})', 'tf.keras.optimizers.legacy.SGD(**{"lr": 0.1})'),
    ],
)
def test_the_short_name_of_the_optimizers_is_known(before: str, after: str, tmp_path: Path) -> None:
    made = "opt = self.context.wrap_optimizer({})"

    text = migrated(tmp_path, trial(optimizer=made.format(before)))

    assert after in text


def test_an_own_optimizer_derives_from_the_class_whose_hooks_it_overrides(tmp_path: Path) -> None:
    own = (
        "\n\nclass Own(tf.keras.optimizers.Adam):\n"
        "    def _resource_apply_dense(self, grad, var, apply_state=None):\n"
        "        return super()._resource_apply_dense(grad * 2, var, apply_state)\n"
    )

    text = migrated(tmp_path, trial(own, optimizer="opt = self.context.wrap_optimizer(Own())"))

    assert "class Own(tf.keras.optimizers.legacy.Adam):" in text


def test_layers_for_cudnn_alone_are_those_of_compat_v1(tmp_path: Path) -> None:
    layer = "tf.keras.layers.CuDNNLSTM(4) if tf.test.is_gpu_available() else tf.keras.layers.GRU(4)"

    text = migrated(tmp_path, trial(layer=layer))

    joined = " ".join(text.split())
    assert "tf.compat.v1.keras.layers.CuDNNLSTM(4) if tf.test.is_gpu_available()" in joined


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("tf.reduce_sum(x, axis=1, keep_dims=True)", "tf.reduce_sum(x, axis=1, keepdims=True)"),
        ("tf.argmax(x, dimension=1)", "tf.argmax(x, axis=1)"),
        ("tf.boolean_mask(x, x > 0, axis=0)", "tf.boolean_mask(x, x > 0, axis=0)"),
        (
            "tf.nn.max_pool(value=x, ksize=2, strides=2)",
            "tf.nn.max_pool(input=x, ksize=2, strides=2)",
        ),
        ("tf.reduce_mean(x, 1)", "tf.reduce_mean(x, 1)"),
        ("tf.where(tf.is_nan(x), 0.0, x)", "tf.compat.v1.where(tf.math.is_nan(x), 0.0, x)"),
        ("tf.where(tf.math.is_nan(x), 0.0, x)", "tf.where(tf.math.is_nan(x), 0.0, x)"),
    ],
)
def test_parameters_of_tensorflow_1_have_their_names_of_today(
    before: str, after: str, tmp_path: Path
) -> None:
    layer = "tf.keras.layers.Lambda(lambda x: {})"

    assert layer.format(after) in migrated(tmp_path, trial(layer=layer.format(before)))


@pytest.mark.parametrize(
    ("image", "expected"),
    [("tf-2.2-cpu-0.4.0", "GRU(4)"), ("tf-1.15-cpu-0.4.0", 'recurrent_activation="hard_sigmoid"')],
)
def test_the_image_of_an_early_trial_tells_its_tensorflow(
    image: str, expected: str, tmp_path: Path
) -> None:
    more = f"environment:\n  image: determinedai/environments:py-3.6.9-pytorch-1.4-{image}\n"

    early = trial(layer="tf.keras.layers.GRU(4)", optimizer="opt = tf.keras.optimizers.Adam(0.1)")

    text = migrated(tmp_path, early, "max_steps: 2", more)

    assert expected in text
    assert "image" not in (tmp_path / "const.yaml").read_text()  # it cannot run what is written


def test_the_options_of_compile_may_name_an_old_optimizer(tmp_path: Path) -> None:
    aged = trial(optimizer="opt = tf.keras.optimizers.Adam(lr=0.1)")
    hidden = aged.replace('model.compile(opt, "mse")', "model.compile(**self.options(opt))")
    assert hidden != aged

    text = migrated(tmp_path, hidden)

    assert "model.compile(**legacy_keras.arguments_of_optimizer(self.options(opt)))" in text


def test_the_options_of_compile_of_a_trial_of_today_are_its_own(tmp_path: Path) -> None:
    current = trial(optimizer="opt = 0.1")
    hidden = current.replace('model.compile(opt, "mse")', 'model.compile("adam", **self.options)')
    assert hidden != current

    assert 'model.compile("adam", **self.options)' in migrated(tmp_path, hidden)


def test_steps_of_the_config_are_read_of_the_config_as_it_was(tmp_path: Path) -> None:
    stores = "self.context = context\n        config = context.get_experiment_config()\n"
    early = trial(optimizer="opt = tf.keras.optimizers.Adam(0.1)").replace(
        "self.context = context\n", f'{stores}        self.total = config["batches_per_step"]\n'
    )

    text = migrated(tmp_path, early, "max_steps: 2")

    assert "config = legacy_keras.get_experiment_config()\n" in text
    assert 'self.total = config["batches_per_step"]\n' in text


def test_a_function_that_has_the_context_gets_no_second_one(tmp_path: Path) -> None:
    nets = (
        "import tensorflow as tf\n\n\n"
        "def build(ctx):\n"
        "    model = ctx.wrap_model(tf.keras.Sequential([tf.keras.layers.Dense(1)]))\n"
        '    model.compile("sgd", "mse")\n'
        "    return model\n"
    )
    text = trial("import nets").replace(
        "model = self.context.wrap_model(tf.keras.Sequential([tf.keras.layers.Dense(1)]))\n"
        "        opt = self.context.wrap_optimizer(tf.keras.optimizers.Adam(0.1))\n"
        '        model.compile(opt, "mse")\n'
        "        return model",
        "return nets.build(self.context)",
    )

    assert "nets.build(self.context)" in migrated(tmp_path, text, "max_steps: 2", nets=nets)
    new = (tmp_path / "nets.py").read_text()
    assert "optimizer = ctx.wrap_optimizer(tf.keras.optimizers.legacy.SGD())" in new


def test_an_old_optimizer_is_known_by_what_it_has(tmp_path: Path) -> None:
    """Today's would fail."""
    made = (
        "opt = self.context.wrap_optimizer(tf.keras.optimizers.Adam(0.1))\n"
        "        self.rate = opt._decayed_lr(tf.float32)"
    )
    assert "tf.keras.optimizers.legacy.Adam(0.1)" in migrated(tmp_path, trial(optimizer=made))


@pytest.mark.parametrize(
    "made",
    [
        "o = {}\n        o['decay'] = 0.1\n        opt = tf.keras.optimizers.Adam(**o)",
        "o = {}\n        o.update(lr=0.1)\n        opt = tf.keras.optimizers.Adam(**o)",
        "o = {}\n        o['decay'] = 0.1\n        opt = getattr(tf.optimizers, 'Adam')(**o)",
        "kinds = vars(tf.keras.optimizers)\n        opt = kinds['Adam'](lr=0.1)",
    ],
)
def test_what_an_optimizer_may_get_out_of_sight_is_left_to_a_proof(
    made: str, tmp_path: Path
) -> None:
    """Today's would ignore the rate, or refuse the decay: the trial is to be trained as it is."""
    text = trial(optimizer=f"{made}\n        opt = self.context.wrap_optimizer(opt)")
    config = CONFIG.format(length=BATCHES, more="")
    write_tree(tmp_path, {"model_def.py": text, "const.yaml": config})

    result = migrate([tmp_path], Options())

    assert result.files == []
    assert {finding.rule for finding in result.findings} == {"P009"}
    assert [outcome.is_to_prove for outcome in result.outcomes] == [True]


def test_options_that_every_optimizer_takes_say_nothing_of_an_age(tmp_path: Path) -> None:
    made = "o = {}\n        o['beta_1'] = 0.1\n        opt = tf.keras.optimizers.Adam(**o)"
    text = trial(optimizer=f"{made}\n        opt = self.context.wrap_optimizer(opt)")
    assert migrated(tmp_path, text) == text


@pytest.mark.parametrize(
    ("statement", "makes_one"), [("super().compile()", True), ("self.is_ready = True", False)]
)
def test_a_model_that_compiles_itself_may_make_an_optimizer(
    statement: str, makes_one: bool, tmp_path: Path
) -> None:
    """GANs give Keras no optimizer, which then makes one: of its time, as in the old run."""
    nets = (
        "import tensorflow as tf\n\n\n"
        "class Net(tf.keras.Model):\n"
        "    def compile(self, optimizer, loss):\n"
        f"        {statement}\n"
        "        self.optimizer_of_net = optimizer\n"
    )
    optimizer = "opt = self.context.wrap_optimizer(tf.keras.optimizers.Adam(lr=0.1))"
    text = trial("import nets", optimizer=optimizer).replace("tf.keras.Sequential([", "nets.Net([")

    new = migrated(tmp_path, text, nets=nets)

    assert ("legacy_keras.use_keras_2_9()" in new) == makes_one


def test_a_script_that_tests_the_trial_keeps_it_from_nothing(tmp_path: Path) -> None:
    local = "from determined.experimental import create\n\ncreate(None, {}, local=True)\n"

    migrated(tmp_path, trial(data="np.ones((16, 2)).astype(np.int), np.ones(16)"), local=local)

    assert "run `pedl2det run DIR --test` instead" in (tmp_path / "local.py").read_text()


@pytest.mark.parametrize("attribute", ["context", "given"])
def test_the_context_may_have_any_name_in_the_constructor(attribute: str, tmp_path: Path) -> None:
    early = (EXAMPLES / "early_wine" / "model_def.py").read_text()
    early = early.replace("trial_context: TFKerasTrialContext", "res")
    early = early.replace("trial_context", "res").replace("self.context", f"self.{attribute}")
    write_tree(tmp_path, {"model_def.py": early})

    result = migrate([tmp_path])

    assert [one.status for one in result.outcomes] == [Status.REWRITTEN]
    (new,) = (file.new.decode() for file in result.files if file.path.name == "model_def.py")
    assert f"        self.{attribute} = res\n        res.configure_fit(shuffle=False)\n" in new
