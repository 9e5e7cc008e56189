"""Trials that share files through links: what one of them needs is never done to another."""

from __future__ import annotations

from pathlib import Path

from migrating import CONFIG, DATA, TRIAL, run, trials
from support import read_tree, write_tree


def sharing(root: Path, name: str = "data.py", text: str = DATA) -> Path:
    """Two trials with a link each to a file beside them."""
    trials(root, 2)
    write_tree(root / "common", {name: text})
    for trial in ("t0", "t1"):
        (root / trial / name).unlink()
        (root / trial / name).symlink_to(f"../common/{name}")
    return root


def test_a_file_that_all_want_alike_is_rewritten_once(tmp_path: Path) -> None:
    root = sharing(tmp_path)
    plain = trials(tmp_path / "plain", 1)

    done = run("--jobs", 1, root)

    assert done.exit_code == 0, done.output
    assert "3 of 3 trials rewritten; 14 legacy names: 14 rewritten, 0 left" in done.output
    assert (root / "t0" / "data.py").is_symlink()
    expected = read_tree(plain / "t0")
    assert read_tree(root / "t0") == read_tree(root / "t1") == expected
    assert run("--undo", root).exit_code == 0
    assert (root / "common" / "data.py").read_text() == DATA


def test_a_trial_that_is_left_keeps_the_file_that_another_wants(tmp_path: Path) -> None:
    root = sharing(tmp_path)
    model = TRIAL["model_def.py"].replace("import anything", "import anything\nimport nets")
    nets = "import pedl\n\nL = pedl.Experiment()\n"
    write_tree(root, {"t1/nets.py": nets, "t1/model_def.py": model})
    before = read_tree(root)

    left = run(root)

    assert left.exit_code == 1
    assert f"{root / 't0' / 'data.py'}:1: scan: several trials share this file" in left.output
    assert "0 of 2 trials rewritten" in left.output
    assert read_tree(root) == before


def test_a_config_that_each_wants_otherwise_is_left(tmp_path: Path) -> None:
    root = sharing(tmp_path, "const.yaml", CONFIG)
    write_tree(root, {"t1/model_def.py": TRIAL["model_def.py"].replace("class T", "class U")})
    write_tree(root, {"t1/__init__.py": TRIAL["__init__.py"].replace("import T", "import U")})
    before = read_tree(root)

    left = run(root)

    assert left.exit_code == 1
    assert left.output.count("const.yaml:1: scan: several trials share this file") == 2
    assert read_tree(root) == before


def test_a_file_outside_of_the_paths_is_no_other_trial(tmp_path: Path) -> None:
    root = sharing(tmp_path)
    write_tree(root, {"common/other.py": "import pedl\n"})

    done = run(root / "t0")

    assert done.exit_code == 0, done.output
    assert "common" not in done.output.replace(str(root / "common" / "data.py"), "")
