"""Which files belong to which trial, and what is left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrating import CONFIG, DATA, MODEL, TRIAL
from pedl2det.analysis.discovery import Discovered, discover
from pedl2det.analysis.project import Project
from support import write_tree


def entry(name: str) -> str:
    return f"{CONFIG}entrypoint: {name}\n"


def found(root: Path) -> dict[str, Project]:
    """The projects with a trial, by their directories below a root."""
    return {
        project.home.relative_to(root.resolve()).as_posix(): project
        for project in discover([root]).projects
        if project.has_trial
    }


def only(root: Path) -> Project:
    (project,) = found(root).values()
    return project


def names_of(paths: object) -> list[str]:
    assert hasattr(paths, "__iter__")
    return sorted(path.name for path in paths)


def under(directory: str, files: dict[str, str]) -> dict[str, str]:
    return {f"{directory}/{name}": text for name, text in files.items()}


def test_the_modules_of_a_trial_are_named_as_they_import_each_other(tmp_path: Path) -> None:
    write_tree(tmp_path, TRIAL)

    project = only(tmp_path)

    assert sorted(project.modules) == ["__init__", "data", "model_def"]
    assert project.root == project.home == tmp_path.resolve()
    assert names_of(project.configs) == ["const.yaml"]


def test_a_trial_in_a_package_has_its_home_where_the_config_is(tmp_path: Path) -> None:
    write_tree(
        tmp_path,
        {"const.yaml": CONFIG, "data.py": DATA, "nets/cnn.py": MODEL}
        | {"nets/__init__.py": "", "__init__.py": "from nets.cnn import T\n"},
    )

    assert sorted(only(tmp_path).modules) == ["__init__", "data", "nets", "nets.cnn"]


@pytest.mark.parametrize("named", ["nets:T", "nets.cnn:T"])
@pytest.mark.parametrize("config", ["const.yaml", "configs/const.yaml"])
def test_a_trial_has_its_home_where_the_package_is_that_its_config_names(
    config: str, named: str, tmp_path: Path
) -> None:
    model = MODEL.replace("from data", "from nets.data")
    package = {"__init__.py": "from nets.cnn import T\n", "cnn.py": model, "data.py": DATA}
    write_tree(tmp_path, {config: entry(named)} | under("nets", package))

    project = only(tmp_path)

    assert project.home == tmp_path.resolve()
    assert sorted(project.modules) == ["nets", "nets.cnn", "nets.data"]


def test_modules_above_a_trial_that_it_imports_belong_to_it(tmp_path: Path) -> None:
    model = f"from common.layers import dense\n{MODEL}"
    write_tree(
        tmp_path,
        under("trials/a", TRIAL | {"model_def.py": model})
        | {"common/layers.py": "from common import names\n", "common/names.py": ""}
        | {"common/unused.py": "import pedl\n"},
    )

    project = found(tmp_path)["trials/a"]

    assert sorted(project.modules) == [
        *("__init__", "common.layers", "common.names", "data", "model_def")
    ]


def test_a_trial_whose_modules_import_each_other_from_above_has_its_root_there(
    tmp_path: Path,
) -> None:
    model = MODEL.replace("from data", "from trials.a.data")
    write_tree(
        tmp_path,
        {"trials/a/model_def.py": model, "trials/a/data.py": DATA}
        | {"const.yaml": entry("trials.a.model_def:T")},
    )

    project = only(tmp_path)

    assert project.root == tmp_path.resolve()
    assert sorted(project.modules) == ["trials.a.data", "trials.a.model_def"]
    assert names_of(project.configs) == ["const.yaml"]


def test_a_folder_above_with_the_name_of_a_library_is_not_that_library(tmp_path: Path) -> None:
    model = f"import tensorflow as tf\n{MODEL}"
    write_tree(
        tmp_path,
        under("tensorflow/mnist", TRIAL | {"model_def.py": model}) | {"tensorflow/__init__.py": ""},
    )

    assert sorted(only(tmp_path / "tensorflow" / "mnist").modules) == [
        *("__init__", "data", "model_def")
    ]


def test_modules_in_a_folder_that_is_added_to_the_path_belong_to_the_trial(tmp_path: Path) -> None:
    added = "import sys\nsys.path.append('src')\nfrom model_def import T, make_data_loaders\n"
    loaders = {"src/model_def.py": f"from rows import ROWS\n{MODEL}", "src/rows.py": "ROWS = 4\n"}
    write_tree(
        tmp_path, {"const.yaml": CONFIG, "__init__.py": added, "src/unused.py": ""} | loaders
    )

    project = only(tmp_path)

    assert sorted(project.modules) == ["__init__", "src.model_def", "src.rows"]
    assert project.root == tmp_path.resolve()


def test_a_base_trial_in_a_folder_belongs_to_the_trial_that_derives_from_it(tmp_path: Path) -> None:
    heir = "from lib.base import T\n\n\nclass Net(T):\n    pass\n"
    write_tree(
        tmp_path,
        {"const.yaml": CONFIG, "data.py": DATA, "lib/base.py": MODEL, "model_def.py": heir},
    )

    project = only(tmp_path)

    assert project.home == project.root == tmp_path.resolve()
    assert sorted(project.modules) == ["data", "lib.base", "model_def"]
    assert names_of(project.needed) == ["base.py", "data.py", "model_def.py"]


def test_a_trial_in_a_folder_that_no_class_derives_from_has_its_home_there(tmp_path: Path) -> None:
    write_tree(tmp_path, {"const.yaml": CONFIG, "lib/base.py": MODEL, "lib/data.py": DATA})

    assert list(found(tmp_path)) == ["lib"]


def test_siblings_of_the_same_name_stay_apart(tmp_path: Path) -> None:
    write_tree(tmp_path, under("a", TRIAL) | under("b", TRIAL))

    projects = found(tmp_path)

    assert projects["a"].modules["data"] == tmp_path.resolve() / "a" / "data.py"
    assert projects["b"].modules["data"] == tmp_path.resolve() / "b" / "data.py"


def test_a_trial_below_a_trial_is_a_project_of_its_own(tmp_path: Path) -> None:
    write_tree(tmp_path, TRIAL | under("old", TRIAL))

    projects = found(tmp_path)

    assert sorted(projects) == [".", "old"]
    assert sorted(projects["."].modules) == ["__init__", "data", "model_def"]


def test_context_based_trials_of_determined_are_found(tmp_path: Path) -> None:
    code = "from determined import keras\n\n\nclass T(keras.TFKerasTrial):\n    pass\n"
    write_tree(tmp_path, {"model_def.py": code})

    assert sorted(only(tmp_path).modules) == ["model_def"]


@pytest.mark.parametrize("folder", ["", "configs/"])
def test_a_script_that_a_config_names_is_a_trial_to_be(folder: str, tmp_path: Path) -> None:
    write_tree(
        tmp_path,
        {f"{folder}const.yaml": CONFIG + "entrypoint:\n  script: train.py\n"}
        | {"train.py": "import helper\n", "helper.py": "", "other.py": ""},
    )

    assert sorted(only(tmp_path).modules) == ["helper", "train"]


# Leftovers.


def test_files_that_nothing_imports_and_that_use_nothing_are_left_out(tmp_path: Path) -> None:
    write_tree(tmp_path, TRIAL | {"plot.py": "import matplotlib\n", "old.py": "print 'two'\n"})

    assert sorted(only(tmp_path).modules) == ["__init__", "data", "model_def"]


def test_files_that_use_the_trial_or_the_old_api_are_leftovers_of_it(tmp_path: Path) -> None:
    write_tree(
        tmp_path,
        TRIAL
        | {"export.py": "from model_def import T\n", "submit.py": "import pedl\n"}
        | {"tools/ask.py": "import pedl\n\npedl.get_trial_id()\n"},
    )

    project = only(tmp_path)

    assert sorted(set(project.modules) - {"__init__", "data", "model_def"}) == [
        *("export", "submit", "tools.ask")
    ]
    assert names_of(project.needed) == ["__init__.py", "data.py", "model_def.py"]


def test_a_module_that_defines_the_data_loaders_is_needed_though_nothing_imports_it(
    tmp_path: Path,
) -> None:
    write_tree(
        tmp_path,
        {"model_def.py": MODEL.replace("from data import anything\n", ""), "rows.py": DATA},
    )

    assert names_of(only(tmp_path).needed) == ["model_def.py", "rows.py"]


# Configs.


def configs(root: Path) -> dict[str, list[str]]:
    return {
        home: sorted(str(one.relative_to(root.resolve())) for one in project.configs)
        for home, project in found(root).items()
    }


def test_configs_in_folders_of_their_own_belong_to_the_only_trial(tmp_path: Path) -> None:
    write_tree(
        tmp_path,
        under("model", TRIAL)
        | {"configs/a.yaml": CONFIG, "model/experiments/b.yaml": CONFIG, "c.yaml": CONFIG},
    )

    assert configs(tmp_path) == {
        "model": ["c.yaml", "configs/a.yaml", "model/const.yaml", "model/experiments/b.yaml"]
    }


def test_a_config_belongs_to_the_trial_that_its_entrypoint_names(tmp_path: Path) -> None:
    other = {"net.py": MODEL, "data.py": DATA, "const.yaml": CONFIG}
    write_tree(
        tmp_path,
        under("a", TRIAL)
        | under("b", other)
        | {
            "configs/one.yaml": entry("net:T"),
            "configs/two.yaml": entry("a.model_def:T"),
        },
    )

    assert configs(tmp_path) == {
        "a": ["a/const.yaml", "configs/two.yaml"],
        "b": ["b/const.yaml", "configs/one.yaml"],
    }


def discovered(root: Path) -> Discovered:
    return discover([root])


def test_configs_in_steps_without_a_trial_or_with_several_are_named(tmp_path: Path) -> None:
    write_tree(tmp_path / "one", {"const.yaml": CONFIG})
    write_tree(tmp_path / "two", under("a", TRIAL) | under("b", TRIAL) | {"c/a.yaml": CONFIG})

    assert names_of(discovered(tmp_path / "one").stray) == ["const.yaml"]
    assert names_of(discovered(tmp_path / "two").stray) == ["a.yaml"]


def test_other_yaml_files_are_no_configs(tmp_path: Path) -> None:
    write_tree(tmp_path, TRIAL | {"chart.yaml": "searcher: elastic\nentrypoint2: x\n"})

    assert names_of(only(tmp_path).configs) == ["const.yaml"]


# Given paths.


def test_a_single_file_stands_for_its_trial(tmp_path: Path) -> None:
    write_tree(tmp_path, TRIAL | {"configs/x.yaml": CONFIG})

    (project,) = discover([tmp_path / "model_def.py"]).projects

    assert sorted(project.modules) == ["__init__", "data", "model_def"]
    assert names_of(project.configs) == ["const.yaml", "x.yaml"]


def test_a_link_is_a_file_of_the_directory_that_it_is_in(tmp_path: Path) -> None:
    write_tree(tmp_path, under("a", TRIAL) | {"shared.py": DATA})
    link = tmp_path / "a" / "data.py"
    link.unlink()
    link.symlink_to(tmp_path / "shared.py")

    assert found(tmp_path)["a"].modules["data"] == tmp_path.resolve() / "a" / "data.py"


INDIRECT = {
    "a star": {"model_def.py": MODEL.replace("import TFKerasTrial", "import *")},
    "a factory": {
        "model_def.py": "from pedl.frameworks.keras import TFKerasTrial\n\n\ndef make(base):\n"
        "    class T(base):\n        pass\n\n    return T\n\n\nT = make(TFKerasTrial)\n"
    },
    "a common module": {
        "common.py": "from pedl.frameworks.keras import TFKerasTrial\n",
        "model_def.py": "from common import TFKerasTrial\n\n\nclass T(TFKerasTrial):\n    pass\n",
    },
}


@pytest.mark.parametrize("files", INDIRECT.values(), ids=INDIRECT)
def test_a_trial_is_found_by_what_its_base_means(files: dict[str, str], tmp_path: Path) -> None:
    write_tree(tmp_path, TRIAL | files)

    assert "model_def" in only(tmp_path).modules


def test_a_file_that_only_imports_a_trial_class_is_no_trial(tmp_path: Path) -> None:
    write_tree(tmp_path, {"tool.py": "from pedl.frameworks.keras import TFKerasTrial\n"})

    assert found(tmp_path) == {}


def test_a_config_beside_a_trial_of_another_framework_is_not_given_to_a_trial_of_keras(
    tmp_path: Path,
) -> None:
    other = {
        "model_def.py": "from pedl.frameworks.pytorch import PyTorchTrial\n",
        "const.yaml": CONFIG,
    }
    write_tree(tmp_path, under("keras", TRIAL) | under("torch", other))

    assert [path.parent.name for path in only(tmp_path).configs] == ["keras"]


@pytest.mark.parametrize(
    ("record", "around"),
    [
        ("runs/iris", {"runs/iris/metrics.jsonl": "", "runs/iris/checkpoints/c/x": ""}),
        ("c", {"c/metadata.json": "{}", "c/state.json": "{}", "c/code/x": ""}),
        ("d", {"d/metadata.json": "{}", "d/rng_state.pkl": "", "d/code/x": ""}),
        ("s", {"s/search.db": "", "s/trials/0000/x": ""}),
    ],
)
def test_the_code_and_configs_of_results_are_records_of_what_was_trained(
    record: str, around: dict[str, str], tmp_path: Path
) -> None:
    write_tree(tmp_path, TRIAL | around | under(f"{record}/checkpoints/c/code", TRIAL))
    write_tree(tmp_path, under(f"{record}/code", TRIAL) | {f"{record}/best.yaml": CONFIG})

    assert list(found(tmp_path)) == ["."]
    assert names_of(only(tmp_path).configs) == ["const.yaml"]


@pytest.mark.parametrize(
    ("home", "around"),
    [
        ("code", {"metadata.json": "{}"}),
        (".", {"metrics.jsonl": "", "checkpoints/c/x": ""}),
        (".", {"search.db": "", "trials/0000/x": ""}),
    ],
)
def test_a_trial_beside_files_like_results_is_no_record(
    home: str, around: dict[str, str], tmp_path: Path
) -> None:
    write_tree(tmp_path, around | (TRIAL if home == "." else under(home, TRIAL)))

    assert list(found(tmp_path)) == [home]


def test_modules_that_a_text_imports_belong_to_the_trial(tmp_path: Path) -> None:
    files = {"__init__.py": "", "dense.py": "", "memory.py": ""}
    for name, code in (
        ("below", 'importlib.import_module("nets." + name)'),
        ("beside", "importlib.import_module(name)"),
        ("library", 'importlib.import_module("json")'),
        ("loaded", 'imp.load_source("net", path)'),
    ):
        write_tree(
            tmp_path / name,
            {**TRIAL, "model_def.py": f"{MODEL}def net(name):\n    return {code}\n", "other.py": ""}
            | under("nets", files),
        )

    for name in ("below", "loaded"):
        assert {"nets", "nets.dense", "nets.memory"} <= only(tmp_path / name).modules.keys()
    assert "other" not in only(tmp_path / "below").modules
    assert "other" in only(tmp_path / "beside").modules
    assert not {"other", "nets.dense"} & only(tmp_path / "library").modules.keys()


@pytest.mark.parametrize("folder", ["tests", "tools/plots"])
def test_code_in_a_folder_below_that_uses_the_trial_belongs_to_it(
    folder: str, tmp_path: Path
) -> None:
    files = {"test_model.py": "import numpy as np, model_def\n", "plain.py": "import json\n"}
    results = {"metrics.jsonl": "", "checkpoints/c/x": ""} | under("code", files)
    write_tree(tmp_path, TRIAL | under(folder, files) | under("out", results))

    name = f"{folder.replace('/', '.')}.test_model"
    assert sorted(only(tmp_path).modules) == ["__init__", "data", "model_def", name]


def test_a_file_that_code_loads_by_its_path_may_be_at_any_depth(tmp_path: Path) -> None:
    code = 'spec_from_file_location("p", os.path.join("configs", name, "params.py"))'
    model = f"{MODEL}def params(name):\n    return {code}\n"
    params = under("configs/small", {"params.py": "UNITS = 3\n"})
    write_tree(tmp_path, {**TRIAL, "model_def.py": model} | params)

    assert "configs.small.params" in only(tmp_path).modules


def test_the_home_of_a_trial_in_a_folder_that_is_no_package_has_the_config(tmp_path: Path) -> None:
    first = "from lib.nets.trial import T\nfrom lib.nets.data import make_data_loaders\n"
    nets = {"__init__.py": "", "trial.py": MODEL.replace("data", "lib.nets.data"), "data.py": DATA}
    write_tree(tmp_path, {"const.yaml": CONFIG, "__init__.py": first} | under("lib/nets", nets))

    assert list(found(tmp_path)) == ["."]
    assert {"lib.nets.trial", "lib.nets.data"} <= only(tmp_path).modules.keys()
