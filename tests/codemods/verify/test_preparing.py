"""The new trial is what `migrate` writes; what it says is said of the original."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pedl2det.engine import NewFile, migrate
from pedl2det.errors import Pedl2DetError
from pedl2det.files.write import write_all
from pedl2det.findings import Finding, Kind
from pedl2det.verify import preparing
from pedl2det.verify.copies import Copy, Extent, Workshop, extent_of
from pedl2det.verify.preparing import Pair, chosen_config, prepare
from support import read_tree, write_tree


def prepared(directory: Path, scratch: Path, **request: object) -> Pair:
    workshop = Workshop(scratch, chosen_config(directory), directory, **request)  # type: ignore[arg-type]
    return prepare(workshop, extent_of(directory))


def test_the_new_copy_is_what_migrate_writes(
    example: Callable[[str], Path], tmp_path: Path
) -> None:
    directory = example("iris")
    before = read_tree(directory)
    result = migrate([directory])

    made = prepared(directory, tmp_path / "1")
    applied = prepared(directory, tmp_path / "2", result=result)

    assert not made.left
    assert read_tree(directory) == read_tree(made.old.directory) == before
    write_all(result.files)
    after = read_tree(directory)
    assert after != before
    assert read_tree(made.new.directory) == read_tree(applied.new.directory) == after


def test_a_config_that_migrate_takes_out_of_a_script_is_not_the_one_that_is_verified(
    example: Callable[[str], Path], tmp_path: Path
) -> None:
    directory = example("iris")
    result = migrate([directory])
    result.files.append(NewFile(directory / "submit.yaml", None, b"hyperparameters: {}\n"))

    pair = prepared(directory, tmp_path / "scratch", result=result)

    assert pair.new.config == pair.new.directory / "const.yaml"


def test_a_config_from_elsewhere_is_migrated_with_the_trial(
    example: Callable[[str], Path], tmp_path: Path
) -> None:
    directory = example("iris")
    config = tmp_path / "short.yaml"
    (directory / "const.yaml").rename(config)

    workshop = Workshop(tmp_path / "scratch", config, directory)
    pair = prepare(workshop, extent_of(directory))

    assert "max_steps" in pair.old.config.read_text()
    assert "max_length" in pair.new.config.read_text()
    assert "max_steps" in config.read_text()


def test_a_migrated_script_is_trained_by_the_config_that_was_in_its_code(tmp_path: Path) -> None:
    searcher = '{"name": "single", "metric": "val_loss", "max_steps": 2}'
    script = (
        "from determined.experimental.keras import init\n\n"
        f'config = {{"hyperparameters": {{"global_batch_size": 8}}, "searcher": {searcher}}}\n'
        "model = init(config=config).wrap_model(make())\n"
        "model.fit(x, y, batch_size=8, validation_data=(x, y))\n"
    )
    write_tree(tmp_path / "old", {"train.py": script})
    own = "hyperparameters: {}\nsearcher: {metric: val_loss}\nentrypoint: train:Trial\n"
    write_tree(tmp_path / "new", {"train.py": "class Trial: ...\n", "const.yaml": own})

    pair = prepared(tmp_path / "old", tmp_path / "scratch", against=tmp_path / "new")

    assert "script" in pair.old.config.read_text()
    assert pair.new.config.read_text() == own


def test_what_migrate_leaves_is_told_with_the_place_in_the_original(
    example: Callable[[str], Path], tmp_path: Path
) -> None:
    directory = example("iris")
    with (directory / "data.py").open("a") as file:
        file.write("print(vars(pedl))\n")

    (left,) = prepared(directory, tmp_path / "scratch").left

    assert left.path == directory / "data.py"
    assert left.line == len((directory / "data.py").read_text().splitlines())


@pytest.mark.parametrize("has_twin", [False, True])
def test_known_differences_have_the_place_in_the_original(
    has_twin: bool, example: Callable[[str], Path], tmp_path: Path
) -> None:
    """They are known of a twin that the user has, too; a search that differs is none."""
    directory, twin = example("iris"), example("iris_migrated")
    with (directory / "model_def.py").open("a") as file:
        file.write(
            "\n    def stopping(self):\n"
            "        from tensorflow.keras.callbacks import EarlyStopping\n\n"
            "        return [EarlyStopping(monitor='val_loss')]\n"
        )
    config = directory / "const.yaml"
    search = config.read_text().replace("name: single", "name: adaptive\n  step_budget: 99")
    config.write_text(search.replace("max_steps", "target_trial_steps"))

    pair = prepared(directory, tmp_path / "scratch", against=twin if has_twin else None)
    (known,) = pair.known_differences

    assert known.path == directory / "model_def.py"
    assert known.line == len(known.path.read_text().splitlines())
    assert has_twin or len(pair.of_kind(Kind.DIFFERENT)) > 1


def test_a_result_tells_of_the_same_files_as_a_copy(
    example: Callable[[str], Path], tmp_path: Path
) -> None:
    """Imported modules have a part in the training, wherever they are; others have none."""
    directory = example("iris")
    shared = write_tree(tmp_path / "common", {"stopping.py": "PATIENCE = 3\n"}) / "stopping.py"
    write_tree(directory, {"old_plots.py": "import data\n"})
    with (directory / "model_def.py").open("a") as file:
        file.write("\n\nfrom ..common import stopping\n")
    places = [shared, directory / "model_def.py", directory / "old_plots.py"]
    findings = [
        Finding(kind, "P011", path, 1, "acts after validations")
        for kind in (Kind.DIFFERENT, Kind.NOTE)
        for path in places
    ]
    result = replace(migrate([directory]), findings=findings)

    pair = prepared(directory, tmp_path / "scratch", result=result)

    assert [one.path for one in pair.known_differences] == places[:2]
    assert [one.path for one in pair.of_kind(Kind.NOTE)] == places[:2]


def test_other_configs_and_leftovers_keep_nobody_from_verifying(
    example: Callable[[str], Path], tmp_path: Path
) -> None:
    directory = example("iris")
    write_tree(
        directory,
        {
            "old_plots.py": "import pedl\nprint(vars(pedl), pedl.get_hyperparameter('x'))\n",
            "broken.yaml": "searcher: {name: random, max_steps: fifty}\nhyperparameters: {a: [}\n",
        },
    )

    assert not prepared(directory, tmp_path / "scratch").left


def test_findings_are_told_with_the_place_in_the_original(
    example: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = example("iris")

    def telling(paths: list[Path], options: object) -> object:
        result = migrate(paths, options)  # type: ignore[arg-type]
        finding = Finding(Kind.DIFFERENT, "P006", paths[0] / "data.py", 3, "batches are whole")
        return replace(result, findings=[*result.findings, finding])

    monkeypatch.setattr(preparing, "migrate", telling)
    (found,) = prepared(directory, tmp_path / "scratch").of_kind(Kind.DIFFERENT)

    assert (found.message, found.path, found.line) == (
        "batches are whole",
        directory / "data.py",
        3,
    )


def test_of_several_configs_migrate_takes_one_and_verify_asks(tmp_path: Path) -> None:
    trial = (
        "from pedl.frameworks.keras import TFKerasTrial\n"
        "class T(TFKerasTrial):\n    def build_model(self, hparams): ...\n"
    )
    config = "hyperparameters: {batch_size: 2}\nsearcher: {name: %s, metric: m, max_steps: 1}\n"
    write_tree(
        tmp_path,
        {"m.py": trial, "a.yaml": config % "random", "b.yaml": config % "single"},
    )

    assert chosen_config(tmp_path, any_will_do=True) == tmp_path / "b.yaml"
    with pytest.raises(Pedl2DetError, match="choose one with -c"):
        chosen_config(tmp_path)
    (tmp_path / "a.yaml").unlink()
    (tmp_path / "configs").mkdir()
    (tmp_path / "b.yaml").rename(tmp_path / "configs" / "b.yaml")
    assert chosen_config(tmp_path) == tmp_path / "configs" / "b.yaml"


def test_an_error_names_the_original(tmp_path: Path) -> None:
    home, root = tmp_path / "trial", tmp_path / "scratch" / "new" / "trial"
    copy = Copy("new", Extent(home, home, (home,)), root, root, root / "const.yaml")

    shown = copy.with_original_paths(f"{root}/data.py:2: NameError: {root.parent}/other")

    assert shown == f"{home}/data.py:2: NameError: {tmp_path}/other"
