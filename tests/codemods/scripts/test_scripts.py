"""A lowered script does what the script did: the same calls, in the same order, with the same data.

Both are run with a Keras that only writes down what it is told.
"""

from __future__ import annotations

import random
import re
import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pedl2det.analysis.modules import Modules
from pedl2det.analysis.project import Script
from pedl2det.analysis.source import Source
from pedl2det.engine import migrate
from pedl2det.findings import Kind
from pedl2det.scripts import lower_sources

HEAD = "import random\n\nimport keras\nimport pedl\n\n"
MODEL = 'model = keras.Model("net")\nmodel.compile("sgd", "mse")\n'

STRAIGHT = f"""
{MODEL}x = [random.random() for _ in range(4)]
y = [random.random() for _ in range(4)]
"""
SCRIPTS = {
    "at module level": f"{STRAIGHT}model.fit(x, y, validation_data=(x, y))\nkeras.say('end', x)\n",
    "with the names of a star import": f"from math import *\n{STRAIGHT}"
    "model.fit(x, y, validation_data=(x, y))\nkeras.say(floor(2.5))\n",
    "below the main guard": """
def load(n):
    return [random.random() for _ in range(n)]


if __name__ == "__main__":
    model = keras.Model("net")
    model.compile(keras.SGD(pedl.get_hyperparameter("rate")), "mse")
    x, y = load(3), load(3)
    model.fit(x, y, validation_data=(x, y))
    if x[0] < 2:
        x = x[:1]
    keras.say("after", x, y)
""",
    "in functions with arguments": """
import argparse


def build(units):
    model = keras.Model(f"net {units}")
    model.compile("sgd", "mse")
    return model


def train(net, data, epochs=3, *, callbacks=()):
    '''Trains.'''
    (x, y), test = data
    history = net.fit(x, y, epochs=epochs, callbacks=list(callbacks), validation_data=test)
    return history, len(x)


def main(args):
    random.seed(args.seed)
    x = [random.random() for _ in range(args.records)]
    data = (x[1:], x[:-1]), (x, x)
    history, count = train(build(units=2), data, callbacks=[keras.Callback("own")])
    keras.say(count, sorted(history.history), args.records)
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--records", type=int, default=5)
    parser.add_argument("--seed", default=7, type=int)
    raise SystemExit(main(parser.parse_args()))
""",
    "by a method": """
class Trainer:
    def __init__(self, name):
        self.name = name
        self.model = None

    def build(self):
        self.model = keras.Model(self.name)
        self.model.compile("sgd", "mse")

    def run(self, n):
        self.build()
        rows = [random.random() for _ in range(n)]
        self.model.fit(rows, rows, validation_data=(rows, rows))
        self.report(rows)

    def report(self, rows):
        keras.say(self.name, rows)


trainer = Trainer("mine")
trainer.run(4)
""",
    "with names that functions use": """
rows = [random.random() for _ in range(5)]
scale = max(rows)
max = max(1, 2)


def scaled():
    return [row / scale for row in rows]


def report():
    keras.say(len(rows), history.history["loss"], count)


def model():
    return keras.Model("net")


class Base:
    size = len(rows)


model = model()
model.compile("sgd", "mse")
history = model.fit(scaled(), scaled(), validation_data=(rows, rows), callbacks=[])
count = Base.size
report()
""",
    "with a function that is used twice": """
def run(name, go=True):
    model = keras.Model(name)
    model.compile("sgd", "mse")
    if go:
        model.fit([1], [2], validation_data=([3], [4]))
    return model


first = run("net")
keras.say(first.name)
""",
    "on one line": "\nif __name__ == '__main__': "
    "model = keras.Model('net'); model.compile('sgd', 'mse'); "
    "model.fit([1], [2], validation_data=([1], [2])); keras.say(model.name)\n",
    "with a value of fit within an expression": f"{STRAIGHT}"
    "keras.say(sorted(model.fit(x, y, validation_data=(x, y)).history))\n",
    "through two functions with the same names": """
def fit(model, x, y=None, *, name="inner"):
    label = f"{name} {x!r:>4} {len(x)}"
    y = y or [2 * one for one in x]
    out = model.fit(x, y, validation_data=(x, y))
    keras.say(label, [name for _ in y])
    return out


def train(name, x):
    model = keras.Model(name)
    model.compile("sgd", "mse")
    y = [3]
    label = "outer"
    out = fit(model, x)
    keras.say(label, y, lambda: name, sorted(out.history)) if False else keras.say(label, y, name)


x = [1]
label = "module"
train("net", x * 2)
keras.say(label, x)
""",
    "with arguments that are handed on": """
def train(model, *data, **options):
    return model.fit(*data, **options)


def main(name, **options):
    model = keras.Model(name)
    model.compile("sgd", "mse")
    rows = [random.random()]
    train(model, rows, rows, validation_data=(rows, rows), **options)


main("net", callbacks=[keras.Callback("own")], epochs=4)
""",
    "in a try with a finally": f"""{STRAIGHT}
try:
    model.fit(x, y, validation_data=(x, y))
except ValueError as error:
    keras.say(error)
keras.say("after", x)
""",
    "with closures and annotations": """
from typing import List


def main() -> None:
    count: int = 0
    rows: List[float] = [random.random() for _ in range(3)]

    def step():
        nonlocal count
        count += 1
        return count

    class Own(keras.Callback):
        start = step()

        def __init__(self):
            super().__init__(f"own {self.start} {count}")

    model = keras.Model("net")
    model.compile("sgd", "mse")
    history: object = model.fit(rows, rows, validation_data=(rows, rows), callbacks=[Own()])
    step()
    keras.say(count, sorted(history.history), (n := len(rows)), n)


if __name__ == "__main__":
    main()
""",
    "with globals of functions": """
TABLE = {}
total = 0


def add(n):
    global total
    total += n
    TABLE[n] = total


for n in range(3):
    add(n)
model = keras.Model(f"net {total}")
model.compile("sgd", "mse")
model.fit([total], [total], validation_data=([n], [n]))
add(5)
keras.say(total, sorted(TABLE), sorted(k for k in globals() if k in ("total", "model")))
""",
    "with a main function that says how the process ends": """
import sys


def main():
    model = keras.Model("net")
    model.compile("sgd", "mse")
    try:
        model.fit([1], [2], validation_data=([3], [4]))
    finally:
        keras.say("done")
    return 0


sys.exit(main())
""",
    "with a class of what it computes": """
rows = [random.random()]


class Rows:
    first = rows[0]


model = keras.Model("net")
model.compile("sgd", "mse")
model.fit([Rows.first], rows, validation_data=(rows, rows))
""",
    "with a default that is drawn": """
random.seed(random.random())


def draw(n=random.random()):
    return n


model = keras.Model("net")
model.compile("sgd", "mse")
model.fit([draw()], [draw()], validation_data=([random.random()], [1]))
""",
    "with options in a dict": f"""{STRAIGHT}
options = dict(epochs=3, validation_data=(x, y), callbacks=[keras.Callback("own")])
options2 = {{"batch_size": 32}}
model.fit(x, y, **options, **options2)
""",
}


class Fake:
    """What a script says to Keras and to the harness."""

    def __init__(self) -> None:
        self.said: list[Any] = []
        self.trained: list[Any] = []
        fake = self

        class History:
            def __init__(self) -> None:
                self.history = {"loss": [2.0, 1.0], "val_loss": [3.0]}

        class Callback:
            def __init__(self, name: str) -> None:
                self.name = name

        class Model:
            def __init__(self, name: str) -> None:
                self.name = name

            def compile(self, *args: Any) -> None:
                fake.said.append(("compile", self.name, *args))

            def fit(self, x: Any, y: Any, **options: Any) -> History:
                names = [one.name for one in options.get("callbacks") or []]
                fake.train(self.name, (x, y), options["validation_data"], names)
                return History()

        class Fit:
            def __init__(self, model: Any, x: Any, y: Any = None, **options: Any) -> None:
                self.model, self.training_data = model, (x, y)
                self.validation_data = options["validation_data"]
                self.callbacks = list(options.get("callbacks") or [])
                self.epoch = self.training_data
                self.settings: dict[str, Any] = {}

            def callbacks_with_epochs(self, context: Any) -> list[Any]:
                return self.callbacks

        class AfterTraining(History):
            def __init__(self, script: Any) -> None:
                super().__init__()
                self.script = script

            def on_train_end(self, _logs: Any) -> None:
                with suppress(StopIteration, SystemExit):
                    assert self.script.send(self) is None

        def started(script: Any, _context: Any) -> Fit:
            fit: Fit = next(script)
            fit.callbacks.append(AfterTraining(script))
            return fit

        @contextmanager
        def scope(name: str) -> Iterator[None]:
            fake.said.append(("enter", name))
            yield

        self.keras = types.ModuleType("keras")
        self.keras.Model, self.keras.Callback = Model, Callback
        self.keras.SGD = lambda rate: f"SGD {rate}"
        self.keras.scope = scope
        self.keras.say = lambda *args: fake.said.append(args)
        self.pedl = types.ModuleType("pedl")
        self.pedl.get_hyperparameter = lambda name: {"rate": 0.5}[name]
        self.legacy = types.ModuleType("legacy_keras")
        self.legacy.Fit, self.legacy.started = Fit, started
        self.legacy.ArrayBatches = lambda data, *_: data
        self.legacy.batches = lambda data, **_: data

    def train(self, name: str, training: Any, validation: Any, callbacks: list[str]) -> None:
        self.trained.append((name, training, tuple(validation), callbacks))
        self.said.append("fit")

    def modules(self) -> dict[str, types.ModuleType]:
        trial = types.ModuleType("pedl.frameworks.keras")
        context = types.SimpleNamespace(configure_fit=lambda **_: None)
        trial.TFKerasTrial = type("TFKerasTrial", (), {"context": context})
        return {
            "keras": self.keras,
            "pedl": self.pedl,
            "legacy_keras": self.legacy,
            "pedl.frameworks": types.ModuleType("pedl.frameworks"),
            "pedl.frameworks.keras": trial,
        }


PATH = Path("/trial/train.py")


@dataclass
class Lowered:
    """What a script has become."""

    texts: dict[str, str]
    script: Script

    @property
    def text(self) -> str:
        return self.texts["train"]

    @property
    def batch_size(self) -> object:
        return {one.key: one.value for one in self.script.needs}.get("global_batch_size")

    @property
    def left(self) -> list[str]:
        return [one.message for one in self.script.findings if one.kind is Kind.LEFT]


def lowered(code: str, head: str = HEAD, **others: str) -> Lowered:
    texts = {"train": head + code, **others}
    sources = {name: Source.of(PATH.with_stem(name), text) for name, text in texts.items()}
    new, scripts = lower_sources(Modules(sources), {PATH})
    return Lowered({name: one.text for name, one in new.items()}, scripts[PATH])


@contextmanager
def faked(monkeypatch: pytest.MonkeyPatch) -> Iterator[Fake]:
    fake = Fake()
    with monkeypatch.context() as patch:
        for name, module in fake.modules().items():
            patch.setitem(sys.modules, name, module)
        patch.setattr(sys, "argv", ["train.py"])
        random.seed(3)
        yield fake


def run_script(code: str, monkeypatch: pytest.MonkeyPatch) -> Fake:
    with faked(monkeypatch) as fake:
        try:
            exec(compile(HEAD + code, "train.py", "exec"), {"__name__": "__main__"})
        except SystemExit as error:
            assert not error.code
    return fake


def run_trial(new: Lowered, monkeypatch: pytest.MonkeyPatch) -> Fake:
    """What the harness does with a trial: build all of it, train it, call back at the end."""
    with faked(monkeypatch) as fake:
        module: dict[str, Any] = {"__name__": "train"}
        exec(compile(new.text, "train.py", "exec"), module)
        assert fake.said == [], "nothing is done while the module is imported"
        trial = module["TrainTrial"]({})
        model = trial.build_model({})
        training = trial.build_training_data_loader()
        validation = trial.build_validation_data_loader()
        callbacks = trial.keras_callbacks({}) if hasattr(trial, "keras_callbacks") else []
        named = [one for one in callbacks if isinstance(one, fake.keras.Callback)]
        fake.train(model.name, training, validation, [one.name for one in named])
        for one in callbacks:
            getattr(one, "on_train_end", lambda _logs: None)({})
    return fake


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_trial_does_what_the_script_did(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    new = lowered(SCRIPTS[name])
    assert new.left == []

    script, trial = run_script(SCRIPTS[name], monkeypatch), run_trial(new, monkeypatch)

    assert len(script.trained) == 1
    assert trial.trained == script.trained
    assert trial.said == script.said


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_lines_of_a_trial_are_those_of_the_script(name: str) -> None:
    new = lowered(SCRIPTS[name])
    old, text = (HEAD + SCRIPTS[name]).splitlines(), new.text.splitlines()

    assert len(new.script.lines) >= len(text)
    once = [line for line in text if line.strip() and old.count(line) == text.count(line) == 1]
    once = [line for line in once if "'''" not in line]
    assert once
    for line in once:
        assert old[new.script.lines[text.index(line)] - 1] == line


def test_a_function_of_another_file_yields_what_it_fits() -> None:
    training = (
        "import keras\n\n\ndef data(n):\n    return [n] * n\n\n\n"
        "def run(model, n=2) -> None:\n    model.compile('sgd', 'mse')\n"
        "    model.fit(*(data(n), data(n)), validation_data=(data(3), data(3)))\n"
    )

    code = "from training import run\n\nrun(keras.Model('net'))\n"
    new = lowered(code, training=training)

    assert "    yield from run(keras.Model('net'))\n" in new.text
    other = new.texts["training"]
    assert "def run(model, n=2) -> None:\n" in other
    assert "    yield legacy_keras.Fit(\n        model, *(data(n), data(n))" in other
    assert other.startswith("import keras\n\nimport legacy_keras\n")

    debug = f"{HEAD}from training import run\n\n\ndef debug():\n    run(keras.Model('net'))\n"
    shared = lowered(code, training=training, debug=debug)  # which nothing of the script calls
    assert ["trains where the trial cannot resume" in one for one in shared.left] == [True]
    assert shared.texts["debug"].count("yield") == 0


def test_what_other_scripts_of_the_project_train_is_theirs() -> None:
    other = f"{HEAD}{STRAIGHT}model.fit(x, y, validation_data=(x, y))\n"

    new = lowered(f"{STRAIGHT}model.fit(x, y, validation_data=(x, y))\n", second=other)

    assert "yield legacy_keras.Fit(model, x, y, validation_data=(x, y))" in new.text
    assert new.texts["second"] == other


SIZES = {
    "a number": (", batch_size=16", 16),
    "a name": (", batch_size=SIZE", 12),
    "nothing": (", batch_size=None", 32),
    "something computed": (", batch_size=len(x) // 3", 32),
}
DATA = {
    "a dataset": ("tf.data.Dataset.from_tensor_slices(x).shuffle(9).batch(16).prefetch(1)", 16),
    "a generator": ("flow(x, y, batch_size=SIZE)", 12),
    "an unknown object": ("Rows(x, 24)", 32),
}
FITTED = f"SIZE = 12\n{MODEL}model.fit({{data}}, validation_data=(x, y))\n"


@pytest.mark.parametrize("name", SIZES)
def test_fit_says_the_batch_size(name: str) -> None:
    size, expected = SIZES[name]

    assert lowered(FITTED.format(data=f"x, y{size}")).batch_size == expected


@pytest.mark.parametrize("name", DATA)
def test_data_that_are_batches_say_the_batch_size(name: str) -> None:
    data, expected = DATA[name]

    assert lowered(FITTED.format(data=data)).batch_size == expected


MARKED = {
    "a loop": (
        f"{STRAIGHT}for _ in x:\n    model.fit(x, y, validation_data=(x, y))\n",
        "fit may be called more than once",
    ),
    "a second time": (
        f"{STRAIGHT}model.fit(x, y, validation_data=(x, y))\n"
        "model.fit(x, y, validation_data=(x, y))\n",
        "fit may be called more than once",
    ),
    "no validation data": (f"{STRAIGHT}model.fit(x, y)\n", "fit gets no validation_data"),
    "a comprehension": (
        f"{STRAIGHT}[model.fit(x, y, validation_data=(x, y)) for _ in x]\n",
        "`model.fit` trains where the trial cannot resume the script",
    ),
    "a function that is passed on": (
        "def go(model):\n    if model:\n        model.fit(1, 2, validation_data=(1, 2))\n\n\n"
        "keras.later(go)\ngo(keras.Model('net'))\n",
        "`go` trains where the trial cannot resume the script",
    ),
    "a function that nothing calls": (
        "def go(model):\n    model.fit([1], [2], epochs=2)\n",
        "no call of fit on a model was found",
    ),
    "a function that a library starts": (
        "from absl import app\n\n\ndef main(argv):\n    model = keras.Model(argv[0])\n"
        "    model.fit([1], [2], validation_data=([3], [4]))\n\n\napp.run(main)\n",
        "no call of fit on a model was found",
    ),
    "a loop of its own": (
        f"{STRAIGHT}model.train_on_batch(x, y)\n",
        "no call of fit on a model was found",
    ),
    "no training": ("x = 1\n", "no call of fit on a model was found"),
}


@pytest.mark.parametrize("name", MARKED)
def test_what_no_trial_can_do_is_marked(name: str) -> None:
    code, said = MARKED[name]

    new = lowered(code)

    assert [said in one for one in new.left] == [True]
    assert "# TODO(pedl2det P015): " in new.text
    assert "".join(re.sub("# TODO.*\\n *#  .*\\n", "", new.text).split()) == "".join(
        (HEAD + code).split()
    )


SECOND_MODELS = {
    "loaded": "other = keras.models.load_model('o')\nother.fit(x, y)\n",
    "unknown": "def pretrain(other):\n    other.fit(x, y)\n\n\npretrain(model)\n",
}


@pytest.mark.parametrize("name", SECOND_MODELS)
def test_a_second_fit_without_keywords_is_marked(name: str) -> None:
    fit = "model.fit(x, y, validation_data=(x, y))\n"

    new = lowered(f"{STRAIGHT}{SECOND_MODELS[name]}{fit}")

    assert [one.partition(",")[0] for one in new.left] == [
        "fit gets no validation_data",
        "fit may be called more than once",
    ]


def test_fit_of_another_library_is_no_training() -> None:
    code = (
        "from sklearn.preprocessing import StandardScaler\n"
        "from keras.preprocessing.image import ImageDataGenerator\n"
        f"{STRAIGHT}StandardScaler().fit(x)\nimages = ImageDataGenerator()\nimages.fit(x)\n"
        "model.fit(x, y, validation_data=(x, y))\n"
    )

    new = lowered(code)

    assert new.left == []
    assert "    images.fit(x)\n" in new.text


def test_comments_go_with_what_they_stand_at() -> None:
    code = (
        f"{STRAIGHT}# It trains.\nif __name__ == '__main__':  # alone\n"
        "    model.fit(\n        x,  # inputs\n        y,\n        epochs=3,  # ignored\n"
        "        validation_data=(x, y),\n    )\n    # Then.\n    keras.say(1)\n"
    )

    text = lowered(code).text

    where = [text.index(f"# {one}") for one in ("It trains.", "alone", "inputs", "ignored", "Then")]
    assert where == sorted(where)
    assert text.index("model.compile") < where[0] < text.index("yield legacy_keras.Fit(")


NATIVE = """\
import determined as det
import tensorflow as tf
from determined.experimental.keras import init

config = {
    "hyperparameters": {"global_batch_size": det.Constant(4), "rate": det.Double(0.1, maxval=1)},
    "searcher": {"name": "single", "max_steps": -1},
}
context = init(config=config, mode=det.Mode.SUBMIT, context_dir=".")
model = context.wrap_model(tf.keras.Sequential([tf.keras.layers.Dense(1)]))
model.compile("sgd", "mse")
x = tf.zeros((8, 2))
model.fit(x, x, batch_size=context.get_per_slot_batch_size(), validation_data=(x, x))
"""


def test_a_script_of_the_native_api_is_given_its_context() -> None:
    new = lowered(NATIVE, head="")

    assert "determined.experimental" not in new.text
    assert "def __init__(self, context: TFKerasTrialContext) -> None:\n" in new.text
    assert "def script(context):\n    model = " in new.text
    assert new.script.config == {
        "hyperparameters": {
            "global_batch_size": 4,
            "rate": {"type": "double", "minval": 0.1, "maxval": 1},
        },
        "searcher": {"name": "single", "max_steps": -1},
    }


def test_a_config_that_is_computed_is_left_to_a_person() -> None:
    code = NATIVE.replace("context = init", 'config["searcher"]["max_steps"] = 7\ncontext = init')

    new = lowered(code, head="")

    assert new.script.config is None
    assert ["is computed" in one for one in new.left] == [True]


def test_a_config_that_is_computed_may_be_in_a_file(tmp_path: Path) -> None:
    code = NATIVE.replace("context = init", 'config["searcher"]["max_steps"] = 7\ncontext = init')
    (tmp_path / "train.py").write_text(code)
    searcher = "searcher: {name: single, metric: val_loss, max_steps: 7}\n"
    hparams = "hyperparameters: {global_batch_size: 4, rate: 0.1}\n"
    (tmp_path / "const.yaml").write_text(f"{searcher}{hparams}entrypoint: {{script: train.py}}\n")

    result = migrate([tmp_path])

    assert result.of_kind(Kind.LEFT) == []
    (config,) = (file.new for file in result.files if file.path.suffix == ".yaml")
    assert b"entrypoint: train:TrainTrial" in config


PREPARED = """\
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--mode", default="submit")
args = parser.parse_args()
"""


def test_what_only_prepared_the_call_of_init_goes_with_it() -> None:
    code = PREPARED + NATIVE.replace("det.Mode.SUBMIT", "det.Mode(args.mode)")

    new = lowered(code, head="")

    assert "arg" not in new.text
    assert "config" not in new.text.replace("configure_fit", "")


USED = {
    "read elsewhere": "place = '.'\nprint(place)\n",
    "a path that is made": "import pathlib\nplace = pathlib.Path('out')\nplace.mkdir()\n",
    "an object of others": "import app\nplace = app.place\nplace.append(1)\n",
    "a value with an effect": "import app\nplace = app.make_place()\n",
    "a file of a with": "with open('place') as place:\n    print(place)\n",
    "an item of a loop": "import app\nfor place in app.places:\n    print(place)\n",
}


@pytest.mark.parametrize("name", USED)
def test_what_does_more_than_prepare_stays(name: str) -> None:
    code = USED[name] + NATIVE.replace('context_dir="."', "context_dir=str(place)")

    new = lowered(code, head="")

    for line in USED[name].splitlines():
        assert line in new.text
