"""Statuses, marks and the account of legacy names: what is left is said, marked, and counted."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from pathlib import Path
from types import SimpleNamespace

import pytest
from rule_cases.small_trials import early_trial

from migrating import CONFIG, DATA, MODEL, TRIAL, run
from pedl2det.analysis.trial import Trial
from pedl2det.engine import Options, Result, Status, migrate
from pedl2det.files.write import write_all
from pedl2det.findings import Kind
from pedl2det.fixes import ConfigNeed, Fix, Remark, ReplaceStatement
from pedl2det.rules import rules_for
from support import read_tree, write_tree

#: A module that a trial needs, with a use of the old API that nothing can rewrite.
STUCK = "import pedl\n\n\ndef submit():\n    return pedl.Experiment()\n"
USES_STUCK = f"import stuck\n{MODEL}"
BEGUN = TRIAL | {"model_def.py": USES_STUCK, "stuck.py": STUCK}

Check = Callable[[Trial], Iterable[Fix | Remark]]


@pytest.fixture
def only_rule(monkeypatch: pytest.MonkeyPatch) -> Callable[[Check], None]:
    """Replaces all rules by one."""

    def install(check: Check) -> None:
        rule = SimpleNamespace(id="P999", name="of-a-test", check=check)
        monkeypatch.setattr("pedl2det.engine.one_project.rules_for", lambda trial: [rule])

    return install


@pytest.fixture
def with_rule(monkeypatch: pytest.MonkeyPatch) -> Callable[[Check], None]:
    """Adds one to all rules."""

    def install(check: Check) -> None:
        rule = SimpleNamespace(id="P999", name="of-a-test", check=check)
        monkeypatch.setattr(
            "pedl2det.engine.one_project.rules_for", lambda trial: [*rules_for(trial), rule]
        )

    return install


def status(result: Result) -> Status:
    (outcome,) = result.outcomes
    return outcome.status


# Statuses.


def test_a_piece_that_nothing_written_uses_is_left_out(tmp_path: Path) -> None:
    """The hyperparameters that a call handed to the download go with its parameter."""
    data = """\
def download_data(experiment_config, hparams):
    return "/data"


def make_data_loaders(experiment_config, hparams):
    return read(download_data(experiment_config, hparams))
"""
    init = TRIAL["__init__.py"].replace("make_data_loaders", "download_data, make_data_loaders")
    loaded = DATA.partition("def make_data_loaders")[0] + data
    write_tree(tmp_path, TRIAL | {"__init__.py": init, "data.py": loaded})

    files = {file.path.name: file.new.decode() for file in migrate([tmp_path]).files}

    assert "download_data()" in files["data.py"]
    assert "download_once" in files["legacy_keras.py"]
    assert "get_hyperparameters" not in files["legacy_keras.py"]
    assert "legacy_keras.bind" not in files["model_def.py"]


def test_a_trial_of_which_nothing_is_left_is_finished_and_written(tmp_path: Path) -> None:
    write_tree(tmp_path, TRIAL)

    result = migrate([tmp_path])

    assert status(result) is Status.REWRITTEN
    assert sorted(file.path.name for file in result.files) == [
        "const.yaml",
        "data.py",
        "model_def.py",
    ]
    assert (result.rewritten, result.marked, result.suppressed) == (4, 0, 0)


def test_a_trial_of_which_something_is_left_is_untouched_and_said(tmp_path: Path) -> None:
    write_tree(tmp_path, BEGUN)

    result = migrate([tmp_path])

    assert status(result) is Status.BEGUN
    assert result.files == []
    assert (result.rewritten, result.marked) == (0, 6)
    (left,) = result.of_kind(Kind.LEFT)
    assert (left.path.name, left.line, left.column) == ("stuck.py", 5, 12)


def test_partial_writes_what_can_be_rewritten_and_marks_the_rest(tmp_path: Path) -> None:
    write_tree(tmp_path, BEGUN)

    result = migrate([tmp_path], Options(partial=True))
    write_all(result.files)

    assert status(result) is Status.BEGUN
    assert (result.rewritten, result.marked) == (4, 2)
    lines = (tmp_path / "stuck.py").read_text().splitlines()
    assert lines[4].startswith("    # TODO(pedl2det P010): `pedl.Experiment` does not work")
    assert lines[-1] == "    return pedl.Experiment()"
    assert "pedl." not in (tmp_path / "data.py").read_text()


def test_what_is_marked_stays_left_until_somebody_works_on_it(tmp_path: Path) -> None:
    write_tree(tmp_path, BEGUN)
    write_all(migrate([tmp_path], Options(partial=True)).files)

    again = migrate([tmp_path], Options(partial=True))

    assert again.files == []
    assert [one.rule for one in again.of_kind(Kind.LEFT)] == ["P010"]
    (tmp_path / "stuck.py").write_text("def submit():\n    pass\n")
    assert migrate([tmp_path]).of_kind(Kind.LEFT) == []


def test_a_leftover_never_blocks_a_trial(tmp_path: Path) -> None:
    write_tree(tmp_path, TRIAL | {"stuck.py": STUCK, "two.py": "import pedl\nprint 'two'\n"})

    done = run(tmp_path)

    assert done.exit_code == 0
    assert "stuck.py:5:12: P010 names: no trial needs this file: " in done.output
    assert "two.py:2: scan: no trial needs this file: syntax error" in done.output
    assert "1 of 1 trial rewritten; 7 legacy names: 4 rewritten, 3 left" in done.output
    assert (tmp_path / "stuck.py").read_text() == STUCK
    assert "determined" in (tmp_path / "model_def.py").read_text()


def test_an_unreadable_module_blocks_the_trial_that_needs_it(tmp_path: Path) -> None:
    write_tree(tmp_path, TRIAL | {"model_def.py": USES_STUCK, "stuck.py": "print 'two'\n"})

    result = migrate([tmp_path])

    assert status(result) is Status.BEGUN
    assert [one.kind for one in result.findings] == [Kind.BAD_INPUT]


def test_several_trials_of_one_directory_are_migrated_together(tmp_path: Path) -> None:
    second = MODEL.replace("class T", "class U").replace('"mse"', '"mae"')
    config = CONFIG + "entrypoint: more:U\n"
    write_tree(tmp_path, TRIAL | {"more.py": second, "u.yaml": config})

    result = migrate([tmp_path])
    write_all(result.files)

    assert status(result) is Status.REWRITTEN
    assert "pedl" not in "".join(path.read_text() for path in tmp_path.glob("*.py"))
    assert "entrypoint: more:U\n" in (tmp_path / "u.yaml").read_text()
    assert "entrypoint: model_def:T\n" in (tmp_path / "const.yaml").read_text()


def test_trials_of_the_same_name_are_told_by_their_modules(tmp_path: Path) -> None:
    named = "entrypoints: {trial_class: more:T, data_loaders_function: data:make_data_loaders}\n"
    more = MODEL.replace('"mse"', '"mae"')
    write_tree(tmp_path, TRIAL | {"more.py": more, "other.yaml": CONFIG + named})

    result = migrate([tmp_path])
    write_all(result.files)

    assert status(result) is Status.REWRITTEN
    assert "entrypoint: more:T\n" in (tmp_path / "other.yaml").read_text()
    assert "entrypoint: model_def:T\n" in (tmp_path / "const.yaml").read_text()


def test_a_config_that_may_mean_either_trial_is_left(tmp_path: Path) -> None:
    files = {name: text for name, text in TRIAL.items() if name != "__init__.py"}
    write_tree(tmp_path, files | {"more.py": MODEL.replace("class T", "class U")})

    result = migrate([tmp_path])

    (left,) = result.of_kind(Kind.LEFT)
    assert left.message == "this config names no trial, and there are several: T, U"
    assert left.help == "entrypoint: module:Class"


def test_files_outside_of_the_given_paths_are_not_written(tmp_path: Path) -> None:
    model = MODEL.replace("from data", "from common.data")
    files = {"a/model_def.py": model, "a/const.yaml": CONFIG, "common/data.py": DATA}
    write_tree(tmp_path, files | {".git/HEAD": ""})
    before = read_tree(tmp_path)

    assert run(tmp_path / "a").exit_code in (0, 1)
    assert read_tree(tmp_path)["common/data.py"] == before["common/data.py"]
    assert run("--force", tmp_path).exit_code == 0
    assert read_tree(tmp_path)["common/data.py"] != before["common/data.py"]


# The account of legacy names.


def test_every_use_without_a_rule_gets_a_mark_with_what_to_write(
    tmp_path: Path, only_rule: Callable[[Check], None]
) -> None:
    only_rule(lambda trial: ())
    write_tree(tmp_path, TRIAL)

    result = migrate([tmp_path], Options(partial=True))
    write_all(result.files)

    assert result.rewritten == 0
    assert result.marked == 4
    text = (tmp_path / "model_def.py").read_text()
    assert "# TODO(pedl2det P000): no rule rewrites this use of" in text
    assert "#   derive from determined.keras.TFKerasTrial" in text
    assert ast.dump(ast.parse(text)) == ast.dump(ast.parse(MODEL))


KERAS_TRIAL = """\
import tensorflow as tf
from pedl.frameworks.keras import KerasTrial
from tensorflow.keras.callbacks import EarlyStopping


class Net(KerasTrial):
    def build_model(self, hparams):
        return tf.keras.Sequential([tf.keras.layers.Dense(1)])

    def optimizer(self):
        return tf.keras.optimizers.SGD(0.1)

    def loss(self):
        return "mse"

    def batch_size(self):
        return 16

    def training_metrics(self):
        return {"error": tf.keras.losses.mse}

    def validation_metrics(self):
        return {"error": tf.keras.losses.mse, "val_loss_of_all": tf.keras.losses.mse}

    def keras_callbacks(self, hparams):
        return [EarlyStopping("val_error"), EarlyStopping("val_loss_of_all")]
"""


def test_the_monitors_of_a_keras_trial_have_the_names_of_its_metrics(tmp_path: Path) -> None:
    write_tree(tmp_path, TRIAL | {"model_def.py": KERAS_TRIAL})

    result = migrate([tmp_path], Options(partial=True))
    write_all(result.files)

    text = (tmp_path / "model_def.py").read_text()
    assert 'EarlyStopping("val_error")' in text
    assert 'EarlyStopping("val_loss_of_all")' in text


def test_a_config_searches_by_the_new_name_of_a_metric_that_is_not_visible(tmp_path: Path) -> None:
    returned = "dict(error=tf.keras.losses.mse)"
    model = KERAS_TRIAL.replace('{"error": tf.keras.losses.mse, "val_loss_of_all"', f"{returned} #")
    write_tree(tmp_path, TRIAL | {"model_def.py": model})

    write_all(migrate([tmp_path]).files)

    assert "metric: val_l," in (tmp_path / "const.yaml").read_text()


def test_a_metric_that_has_the_name_of_the_loss_is_told_from_it(tmp_path: Path) -> None:
    """Keras reports its own loss of a validation as val_loss."""
    files = TRIAL | {"model_def.py": KERAS_TRIAL.replace("val_loss_of_all", "val_loss")}
    files["const.yaml"] = files["const.yaml"].replace("metric: l,", "metric: val_loss,")
    write_tree(tmp_path, files)

    write_all(migrate([tmp_path]).files)

    assert "metric: val_val_loss," in (tmp_path / "const.yaml").read_text()
    assert 'EarlyStopping("val_val_loss")' in (tmp_path / "model_def.py").read_text()


def test_one_name_for_two_metrics_of_a_keras_trial_is_told_apart_when_it_runs(
    tmp_path: Path,
) -> None:
    clashing = KERAS_TRIAL.replace('{"error": tf.keras.losses.mse}', '{"error": "mae"}')
    write_tree(tmp_path, TRIAL | {"model_def.py": clashing})

    result = migrate([tmp_path])
    write_all(result.files)

    text = (tmp_path / "model_def.py").read_text()
    assert "metrics=legacy_keras.named_metrics(self)" in text


@pytest.mark.parametrize(
    "use",
    [
        "x = pedl.get_trial_id()",
        "if pedl.get_trial_id(): pass",
        "def f(x=pedl.get_trial_id()): pass",
        "@pedl.get_trial_id\ndef f(): pass",
        "with pedl.get_trial_id() as x: pass",
        "x = [pedl.get_trial_id for _ in ()]; y = pedl.get_trial_id",
        "try:\n    pass\nexcept pedl.get_trial_id: pass",
        "if x:\n    pass\nelif pedl.get_trial_id: pass",
        "lambda: pedl.get_trial_id()",
        "print(f'{pedl.get_trial_id()}')",
        "while pedl.get_trial_id: break",
        "class A(pedl.Experiment): pass",
        "for pedl.x in (pedl.get_trial_id,): pass",
    ],
)
def test_a_mark_stands_above_any_kind_of_statement(
    use: str, tmp_path: Path, only_rule: Callable[[Check], None]
) -> None:
    only_rule(lambda trial: ())
    code = f"import pedl\n\nx = 1\n{use}\n"
    write_tree(tmp_path, TRIAL | {"model_def.py": USES_STUCK, "stuck.py": code})

    result = migrate([tmp_path], Options(partial=True))
    write_all(result.files)

    text = (tmp_path / "stuck.py").read_text()
    assert "TODO(pedl2det P000): no rule rewrites this use of pedl." in text
    assert ast.dump(ast.parse(text)) == ast.dump(ast.parse(code))
    assert not result.of_kind(Kind.DEFECT)
    assert migrate([tmp_path], Options(partial=True)).files == []


def test_a_mark_is_no_wider_than_its_file(
    tmp_path: Path, only_rule: Callable[[Check], None]
) -> None:
    message = "a word after another " * 12
    only_rule(lambda trial: [left(trial, "stuck", message, "x = 1\n    y = 2")])
    write_tree(tmp_path, BEGUN)

    write_all(migrate([tmp_path], Options(partial=True)).files)

    lines = (tmp_path / "stuck.py").read_text().splitlines()
    marked = [line for line in lines if line.startswith("#")]
    assert len(marked) > 3
    assert max(map(len, marked)) <= 79
    assert marked[-2:] == ["#   x = 1", "#       y = 2"]


def left(trial: Trial, module: str, message: str, help_: str = "") -> Remark:
    source = trial.modules.by_name[module]
    (function,) = source.names.of(ast.FunctionDef)
    return Remark(function, message, help_)


# Rules that fail.


def test_a_rule_that_fails_is_a_defect_and_leaves_the_project(
    tmp_path: Path, with_rule: Callable[[Check], None]
) -> None:
    def fails(trial: Trial) -> Iterable[Fix | Remark]:
        raise ValueError("boom")

    with_rule(fails)
    write_tree(tmp_path, TRIAL)

    done = run(tmp_path)

    assert done.exit_code == 3
    assert "scan: defect of pedl2det: migrate failed: ValueError: boom" in done.output
    assert "Please report it" in done.output
    assert read_tree(tmp_path)["data.py"] == DATA.encode()


def overlapping(trial: Trial) -> Iterable[Fix | Remark]:
    """Two fixes of one place, in a trial that is not carried over whole."""
    source = trial.modules.by_name["data"]
    if not trial.carried:
        for body in ("x = 1", "x = 2"):
            (function,) = [
                one for one in source.names.of(ast.FunctionDef) if one.name == "anything"
            ]
            yield Fix(function, (ReplaceStatement(function, body),))


def test_a_project_whose_fixes_cannot_be_applied_is_left_with_one_defect(
    tmp_path: Path, only_rule: Callable[[Check], None]
) -> None:
    only_rule(overlapping)
    write_tree(tmp_path, TRIAL)

    result = migrate([tmp_path], Options(partial=True))

    (defect,) = result.of_kind(Kind.DEFECT)
    assert "migrate failed: Overlap" in defect.message
    assert (status(result), result.rewritten, result.files) == (Status.BEGUN, 0, [])
    assert result.tracebacks


def test_a_trial_whose_fixes_cannot_be_applied_is_carried_over_whole(
    tmp_path: Path, with_rule: Callable[[Check], None]
) -> None:
    with_rule(overlapping)
    write_tree(tmp_path, TRIAL)

    result = migrate([tmp_path])

    assert status(result) is Status.REWRITTEN
    assert result.marked == 0
    (note,) = [one.message for one in result.findings if "Overlap" in one.message]
    assert note.startswith("carried over unchanged: Overlap")


def test_fixes_that_would_break_the_code_are_not_applied(
    tmp_path: Path, only_rule: Callable[[Check], None]
) -> None:
    def check(trial: Trial) -> Iterable[Fix | Remark]:
        source = trial.modules.by_name["stuck"]
        statement = source.names.of(ast.Return)[0]
        yield Fix(statement, (ReplaceStatement(statement, "return missing()"),))

    only_rule(check)
    write_tree(tmp_path, BEGUN)

    result = migrate([tmp_path], Options(partial=True))

    (defect,) = result.of_kind(Kind.DEFECT)
    assert "would use missing, which nothing defines" in defect.message


# What code says about configs.


def needing(*needs: ConfigNeed) -> Check:
    def check(trial: Trial) -> Iterable[Fix | Remark]:
        source = trial.modules.by_name["data"]
        for need in needs:
            yield Fix(source.names.of(ast.FunctionDef)[0], config=(need,))

    return check


def test_configs_get_what_fixes_need_of_them(
    tmp_path: Path, only_rule: Callable[[Check], None]
) -> None:
    only_rule(needing(ConfigNeed("metric:l", "val_l")))
    write_tree(tmp_path, TRIAL)

    result = migrate([tmp_path], Options(partial=True))
    write_all(result.files)

    assert "metric: val_l" in (tmp_path / "const.yaml").read_text()


def test_needs_that_disagree_are_left(tmp_path: Path, only_rule: Callable[[Check], None]) -> None:
    only_rule(needing(ConfigNeed("metric:l", "val_l"), ConfigNeed("metric:l", "val_m")))
    write_tree(tmp_path, TRIAL)

    messages = [one.message for one in migrate([tmp_path]).of_kind(Kind.LEFT)]

    assert "metric:l: val_m here, and val_l elsewhere" in messages


# Other texts.


def test_requirements_of_a_trial_that_is_not_written_are_left_for_now(tmp_path: Path) -> None:
    write_tree(tmp_path / "begun", BEGUN | {"requirements.txt": "pedl==0.11\n"})
    write_tree(tmp_path / "done", TRIAL | {"requirements.txt": "pedl==0.11\n"})

    write_all(migrate([tmp_path]).files)

    assert (tmp_path / "begun" / "requirements.txt").read_text() == "pedl==0.11\n"
    assert "pedl==" not in (tmp_path / "done" / "requirements.txt").read_text()


@pytest.mark.parametrize("harness", ["pedl\n", ""], ids=["", "in the image"])
@pytest.mark.parametrize("pin", ["tensorflow==1.15", "numpy==1.16.4"])
def test_a_pin_in_a_finished_trial_that_cannot_be_met_is_raised(
    harness: str, pin: str, tmp_path: Path
) -> None:
    write_tree(tmp_path, TRIAL | {"requirements.txt": f"{pin}\n{harness}"})

    done = run(tmp_path)

    assert done.exit_code == 0, done.output
    assert f": R302 old-pins: note: {pin} cannot be met beside pedl2det[run]" in done.output
    assert pin not in (tmp_path / "requirements.txt").read_text()


def test_a_pin_stays_where_its_rule_is_not_wanted(tmp_path: Path) -> None:
    write_tree(tmp_path, TRIAL | {"requirements.txt": "tensorflow==1.15\npedl\n"})

    done = run(tmp_path, "--ignore", "R302")

    assert done.exit_code == 0, done.output
    assert "R302" not in done.output
    assert (tmp_path / "requirements.txt").read_text() == "tensorflow==1.15\npedl2det[run]\n"


def test_a_pin_in_setup_py_of_a_finished_trial_is_a_note(tmp_path: Path) -> None:
    setup = "from setuptools import setup\n\nsetup(install_requires=['tensorflow==1.15'])\n"
    write_tree(tmp_path, TRIAL | {"setup.py": setup})

    done = run(tmp_path)

    assert done.exit_code == 0, done.output
    assert "setup.py:3: R302 old-pins: note: tensorflow==1.15: a migrated trial" in done.output
    assert (tmp_path / "setup.py").read_text() == setup


def test_a_pin_above_a_finished_trial_is_a_note(tmp_path: Path) -> None:
    text = "tensorflow==1.15\n"
    write_tree(tmp_path, {"requirements.txt": text})
    write_tree(tmp_path / "trial", TRIAL)

    done = run(tmp_path)

    assert done.exit_code == 0, done.output
    assert ":1: R302 old-pins: note: tensorflow==1.15: a migrated trial" in done.output
    assert (tmp_path / "requirements.txt").read_text() == text


def test_commands_are_written_for_the_cluster_where_there_is_one(tmp_path: Path) -> None:
    write_tree(tmp_path, TRIAL | {"go.sh": "pedl experiment create const.yaml .\n"})

    write_all(migrate([tmp_path], Options(cluster=True)).files)

    assert (tmp_path / "go.sh").read_text() == "det experiment create const.yaml .\n"


def test_the_command_of_a_search_becomes_a_search(tmp_path: Path) -> None:
    config = TRIAL["const.yaml"].replace("name: single", "name: random, max_trials: 3")
    commands = "pedl experiment create search.yaml .\npedl experiment create const.yaml .\n"
    assert config != TRIAL["const.yaml"]
    write_tree(tmp_path, TRIAL | {"search.yaml": config, "go.sh": commands})

    write_all(migrate([tmp_path]).files)

    assert (tmp_path / "go.sh").read_text() == (
        "pedl2det search . -c search.yaml\npedl2det run . -c const.yaml\n"
    )


def test_an_unknown_name_is_told_at_its_own_line_and_by_the_name_that_is_known(
    tmp_path: Path,
) -> None:
    loaders = """

def make_data_loaders(experiment_config, hparams):
    rows = Rows()
    train = KerasDataAdapter(rows, workers=2, batch=hparams["batch_size"])
    val = KerasDataAdapter(rows, batch=hparams["batch_size"])
    return train, val
"""
    code = f"from pedl.frameworks.keras import KerasDataAdapter\n{TRIAL['model_def.py']}{loaders}"
    files = {name: text for name, text in TRIAL.items() if name != "data.py"}
    write_tree(tmp_path, files | {"model_def.py": code})

    left = migrate([tmp_path], Options(partial=True)).of_kind(Kind.LEFT)

    lines = code.splitlines()
    told = [lines[one.line - 1].strip().split(" ")[0] for one in left]
    assert told == ["train", "val"]


def test_a_loader_of_arrays_is_no_adapter_though_another_may_be_one(tmp_path: Path) -> None:
    loaders = """\
def build_training_data_loader(self):
    return KerasDataAdapter(self.rows, **self.context.get_data_config())

def build_validation_data_loader(self):
    return self.x, self.y
"""
    names = "KerasDataAdapter, TFKerasTrial, TFKerasTrialContext"
    write_tree(tmp_path, early_trial(loaders, names))

    found = [one for one in migrate([tmp_path]).findings if one.rule == "P007"]

    assert [one.line for one in found] == [15]


HELPED = """\
import tensorflow as tf
from determined.keras import TFKerasTrial


class Net(TFKerasTrial):
    def helper(self, name):
        model = tf.keras.Sequential()
        model.compile(name, "mse")
        return model


tf.contrib.nothing()
"""


def test_what_a_second_run_still_takes_for_old_gets_no_second_piece(tmp_path: Path) -> None:
    write_tree(tmp_path, {"model_def.py": HELPED})

    write_all(migrate([tmp_path], Options(partial=True)).files)

    assert 'compile(legacy_keras.optimizer(name), "mse")' in (tmp_path / "model_def.py").read_text()
    assert not migrate([tmp_path], Options(partial=True)).files
