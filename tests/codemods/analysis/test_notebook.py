"""Notebooks: every byte stays but those of the cells that a rule changes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pedl2det.analysis.notebook import Document, NotebookSource, mask, unmask
from pedl2det.findings import Unreadable
from support import pedl2det, read_tree, write_tree


def notebook(*cells: str) -> str:
    """The text of a notebook with these code cells."""
    written = [
        {
            "cell_type": "code",
            "execution_count": 1,
            "metadata": {},
            "outputs": [],
            "source": cell.splitlines(keepends=True),
        }
        for cell in cells
    ]
    value = {"cells": written, "metadata": {}, "nbformat": 4, "nbformat_minor": 2}
    return json.dumps(value, indent=1) + "\n"


TRIAL = """\
class T(TFKerasTrial):
    def build_model(self, hparams):
        model = build(hparams["units"])
        model.compile("adam", "mse")
        return model
"""
LOADERS = """\
def make_data_loaders(experiment_config, hparams):
    return load(), load()
"""
IMPORTS = "%matplotlib inline\nimport pedl\nfrom pedl.frameworks.keras import TFKerasTrial\n"
MAGICS = """\
%load_ext autoreload
!pip install -q seaborn \\
    pandas
files = !ls -l
?obj
obj??
%time model = build(3)
if model:
    %timeit -n 10 build(2)
    best = %timeit -o build(2)
def undo():
    \"\"\"
    %not magic
    \"\"\"
    return (7
        % 3)
cd ..
"""

# Notebooks as many tools write them.

TEXT = st.text(st.sampled_from("ab= é\\\"'\t\n\u2028😀%/\x85"), max_size=30)
OUTPUTS = st.lists(st.fixed_dictionaries({"output_type": st.just("stream"), "text": TEXT}))


@st.composite
def notebooks(draw: st.DrawFn) -> bytes:
    """The bytes of a notebook with odd texts in an odd style."""
    cells = []
    for _ in range(draw(st.integers(1, 4))):
        source = draw(TEXT)
        kind = draw(st.sampled_from(["code", "markdown", "raw"]))
        cell = {
            "cell_type": kind,
            "metadata": {"note": draw(TEXT)},
            "source": draw(st.sampled_from([source, source.splitlines(keepends=True), [source]])),
            "outputs": draw(OUTPUTS),
        }
        cells.append(dict(draw(st.permutations(list(cell.items())))))
    text = json.dumps(
        {"nbformat": 4, "cells": cells, "metadata": {}},
        indent=draw(st.sampled_from([None, 0, 1, 4, "\t"])),
        ensure_ascii=draw(st.booleans()),
    )
    text = text.replace("\n", draw(st.sampled_from(["\n", "\r\n"])))
    text = text.replace("/", draw(st.sampled_from(["/", "\\/"])))
    text += draw(st.sampled_from(["", "\n", "\n\n"]))
    return draw(st.sampled_from([b"", b"\xef\xbb\xbf"])) + text.encode()


def sources_of(data: bytes) -> list[str]:
    return ["".join(cell["source"]) for cell in json.loads(data.decode("utf-8-sig"))["cells"]]


@given(notebooks())
def test_a_notebook_without_changes_keeps_every_byte(data: bytes) -> None:
    document = Document.of(Path("n.ipynb"), data)

    assert [cell.source for cell in document.cells] == sources_of(data)
    assert document.with_sources({}) == data
    assert document.with_sources({cell.number: cell.source for cell in document.cells}) == data


@given(notebooks(), TEXT, st.data())
def test_a_changed_cell_is_all_that_changes(data: bytes, new: str, pick: st.DataObject) -> None:
    document = Document.of(Path("n.ipynb"), data)
    cell = pick.draw(st.sampled_from(document.cells))

    written = document.with_sources({cell.number: new})

    start, end = (len(document.text[:at].encode()) for at in cell.span)
    bom = 3 if document.encoding == "utf-8-sig" else 0
    assert written.startswith(data[: bom + start])
    assert written.endswith(data[bom + end :])
    expected = json.loads(data.decode("utf-8-sig"))
    was_list = isinstance(expected["cells"][cell.number - 1]["source"], list)
    expected["cells"][cell.number - 1]["source"] = new
    got = json.loads(written.decode("utf-8-sig"))
    changed = got["cells"][cell.number - 1]
    assert isinstance(changed["source"], list) == was_list
    changed["source"] = "".join(changed["source"])
    assert got == expected


def test_a_changed_cell_is_written_in_the_manner_of_the_file() -> None:
    data = (
        b'{"nbformat":4,\r\n "cells": [\r\n  {"cell_type":"code", "source": [\r\n'
        b'    "a = \'\\u00e9\'\\n",\r\n    "b = 1/2"\r\n  ]} ] }'
    )
    document = Document.of(Path("n.ipynb"), data)

    written = document.with_sources({1: "a = 'é'\nc = 'ü'\nb = 1/2"})

    assert written == data.replace(b'\\n",\r\n', b'\\n",\r\n    "c = \'\\u00fc\'\\n",\r\n', 1)


# IPython in cells.


def test_every_kind_of_magic_is_masked_and_comes_back() -> None:
    text, magics = mask(MAGICS, 7)

    compile(text, "cell", "exec")
    assert [magic.text for magic in magics] == [
        "%load_ext autoreload",
        "!pip install -q seaborn \\\n    pandas",
        "!ls -l",
        "?obj",
        "obj??",
        "%time model = build(3)",
        "%timeit -n 10 build(2)",
        "%timeit -o build(2)",
        "cd ..",
    ]
    assert [magic.line for magic in magics] == [1, 2, 4, 5, 6, 7, 9, 10, 17]
    assert unmask(text, magics) == MAGICS
    assert "    __pedl2det_magic_13__\n" in text


@given(st.lists(st.sampled_from(MAGICS.splitlines(keepends=True)), max_size=8).map("".join))
def test_masking_any_lines_is_undone(source: str) -> None:
    text, magics = mask(source, 0)

    assert unmask(text, magics) == source
    assert text.count("\n") == source.count("\n")


CELLS = st.lists(st.sampled_from(MAGICS.splitlines(keepends=True)), max_size=4).map("".join)


@given(st.lists(CELLS, min_size=1, max_size=4), st.sampled_from(["\n", "\r\n"]), st.data())
def test_an_edit_of_the_module_is_an_edit_of_its_cell(
    cells: list[str], newline: str, pick: st.DataObject
) -> None:
    cells = [cell.replace("\n", newline) for cell in cells]
    number = pick.draw(st.integers(1, len(cells)))
    marked = [
        f"z = 0{newline}{cell}" if index == number else cell for index, cell in enumerate(cells, 1)
    ]
    try:
        source = NotebookSource.parsed(document(*marked))
    except Unreadable:  # a line was torn from its block
        return

    assert source.encoded(source.text) == notebook(*marked).encode()
    edited = source.text.replace("z = 0", "z = 1")
    assert source.problem_with(edited) is None
    marked[number - 1] = marked[number - 1].replace("z = 0", "z = 1")
    assert source.encoded(edited) == notebook(*marked).encode()


def test_a_cell_gets_no_blank_lines_at_its_ends() -> None:
    source = NotebookSource.parsed(document("import a\nb = 1", "c = 1", "\nd = 1\n"))
    text = source.text.replace("import a\nb = 1\n", "\n\nb = 1\n\n").replace("c = 1\n", "\n")

    assert sources_of(source.encoded(text)) == ["b = 1", "", "\nd = 1\n"]
    assert source.problem_with(text) is None


def test_line_ends_of_a_cell_are_kept(tmp_path: Path) -> None:
    crlf = [cell.replace("\n", "\r\n") for cell in (IMPORTS, TRIAL, LOADERS)]

    cells, _ = migrated(tmp_path, *crlf)

    assert "wrap_model" in cells[1]
    assert all(cell.count("\n") == cell.count("\r\n") > 0 for cell in cells)


def test_a_mask_that_is_gone_or_doubled_is_an_error() -> None:
    masked, magics = mask("x = 1\n%time x", 0)

    for text in ("x = 1\n", masked * 2):
        with pytest.raises(ValueError, match="%time"):
            unmask(text, magics)


def test_python_alone_has_no_magic() -> None:
    source = 'x = """\n%time\n!ls\n"""\ny = (x\n    %x)\nls - x\n'

    assert mask(source, 0)[1] == ()


# Whole notebooks.


def migrated(directory: Path, *cells: str, code: int = 0) -> tuple[list[str], str]:
    """The cells of a notebook after ``migrate``, and what it said."""
    (directory / "try.ipynb").write_text(notebook(*cells))
    done = pedl2det("migrate", "try.ipynb", cwd=directory)
    assert done.returncode == code, done.stderr
    return sources_of((directory / "try.ipynb").read_bytes()), done.stderr


def test_a_trial_of_several_cells_is_migrated_as_one_module(tmp_path: Path) -> None:
    cells, said = migrated(tmp_path, IMPORTS, "%%time\n" + TRIAL, MAGICS, LOADERS)

    assert (
        cells[0]
        == (
            "%matplotlib inline\nfrom functools import cached_property\n\n"
            "from determined.keras import TFKerasTrial, TFKerasTrialContext\n"
            "from tensorflow.keras.optimizers import Adam\n"
        )
        or "from determined.keras import TFKerasTrial, TFKerasTrialContext\n" in cells[0]
    )
    assert cells[0].startswith("%matplotlib inline\n")
    assert "pedl" not in cells[0]
    assert cells[1].startswith("%%time\nclass T(TFKerasTrial):\n    def __init__(self, context")
    assert cells[2] == MAGICS
    assert cells[3] == "def make_data_loaders():\n    return load(), load()\n"
    assert "try.ipynb: rewritten" in said
    again = pedl2det("migrate", "try.ipynb", cwd=tmp_path)
    assert (again.returncode, again.stderr) == (0, "nothing to do: no file uses the old API\n")


def test_outputs_and_other_cells_keep_their_bytes(tmp_path: Path) -> None:
    file = tmp_path / "try.ipynb"
    file.write_text(notebook(IMPORTS, TRIAL, LOADERS, MAGICS).replace('"outputs": []', _OUTPUTS))
    before = json.loads(file.read_text())

    assert pedl2det("migrate", tmp_path).returncode == 0

    after = json.loads(file.read_text())
    assert file.read_text().count(_OUTPUTS) == 4
    for cell in (*before["cells"], *after["cells"]):
        cell.pop("source")
    assert after == before


_OUTPUTS = '"outputs":   [{"text": "\\u00e9 pedl",\t"n": 1e3}]'


def test_a_future_import_below_a_magic_is_no_obstacle(tmp_path: Path) -> None:
    first = "%matplotlib inline\nfrom __future__ import print_function\n"

    cells, _ = migrated(tmp_path, "x = 1", first, IMPORTS, TRIAL, LOADERS)

    assert cells[1] == first


def test_what_a_rule_refuses_is_named_with_its_cell(tmp_path: Path) -> None:
    bad = "x = 1\nUNITS = pedl.Experiment()"
    cells, said = migrated(tmp_path, IMPORTS, TRIAL, "!ls \\\n  -l\n" + bad, LOADERS, code=1)

    assert cells[2].endswith(bad)
    assert "TFKerasTrial" in cells[0]
    assert "try.ipynb:cell 3:4:9: P010 names: `pedl.Experiment` does not work" in said


def test_a_notebook_without_a_trial_is_refused_alone_and_its_commands_rewritten(
    tmp_path: Path,
) -> None:
    cells, said = migrated(
        tmp_path,
        "import pedl\npedl.Experiment()",
        "a\n!pedl e create c.yaml .\n!pedl task list",
        code=1,
    )

    assert cells == [
        "import pedl\npedl.Experiment()",
        "a\n!pedl2det run . -c c.yaml\n!pedl task list",
    ]
    assert (
        "try.ipynb:cell 1:2:1: P000 legacy-name: no rule rewrites this use of pedl.Experiment"
        in said
    )
    assert "2 legacy names: 0 rewritten, 2 left" in said


def test_code_and_commands_of_one_notebook_are_both_rewritten(tmp_path: Path) -> None:
    cells, _ = migrated(tmp_path, IMPORTS, TRIAL, LOADERS, "!pedl e create c.yaml .", LOADERS[:0])

    assert "determined" in cells[0]
    assert cells[3] == "!pedl2det run . -c c.yaml"


@pytest.mark.parametrize("magic", ["x = %timeit -o", "%time", "    %timeit -n 10"])
def test_the_old_api_in_a_magic_is_not_passed_over(magic: str, tmp_path: Path) -> None:
    last = f"if True:\n    pass\n{magic} pedl.get_trial_id()"
    cells, said = migrated(tmp_path, IMPORTS, TRIAL, LOADERS, last, code=1)

    assert "import pedl" in cells[0]
    assert cells[3] == last
    code = magic.strip().removeprefix("x = ")
    assert f"try.ipynb:cell 4:3: scan: {code} pedl.get_trial_id(): old code" in said


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"cells": [], pedl', "not JSON"),
        ('{"worksheets": ["pedl"]}', "not a notebook of format 4"),
        (notebook("import pedl", "print 'two'"), "cell 2:1: scan: bad input: syntax error"),
        ('{"cells": ["pedl"]}', "not a notebook of format 4"),
        (
            '{"cells": [{"cell_type": "code", "source": 3}], "pedl": 1}',
            "not a notebook of format 4",
        ),
    ],
)
def test_what_cannot_be_read_is_one_clear_line(text: str, message: str, tmp_path: Path) -> None:
    write_tree(tmp_path, {"try.ipynb": text})
    before = read_tree(tmp_path)

    done = pedl2det("migrate", tmp_path)

    assert done.returncode == 1
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert read_tree(tmp_path) == before


def test_what_is_not_python_is_left_alone(tmp_path: Path) -> None:
    r = json.loads(notebook("library(pedl) %>% !pedl e create"))
    r["metadata"] = {"kernelspec": {"name": "ir", "language": "R"}}
    prose = json.loads(notebook("x = 1"))
    prose["cells"].append({"cell_type": "markdown", "metadata": {}, "source": "import pedl"})
    two = notebook("print 'pedl'")
    files = {"r.ipynb": json.dumps(r), "prose.ipynb": json.dumps(prose), "two.ipynb": two}
    write_tree(tmp_path, files | {".ipynb_checkpoints/old.ipynb": notebook("import pedl")})

    done = pedl2det("migrate", tmp_path)

    assert (done.returncode, done.stderr) == (0, "nothing to do: no file uses the old API\n")


def test_a_notebook_that_uses_the_trial_beside_it_is_a_part_of_it(tmp_path: Path) -> None:
    trial = "from pedl.frameworks.keras import TFKerasTrial\n\n\n" + TRIAL + "\n\n" + LOADERS
    call = "from model_def import make_data_loaders\n\nmake_data_loaders({}, {})"
    write_tree(tmp_path, {"model_def.py": trial, "use.ipynb": notebook("x = 1", call)})

    done = pedl2det("migrate", tmp_path)

    assert done.returncode == 0, done.stderr
    assert "return make_data_loaders({}, {})" not in (tmp_path / "model_def.py").read_text()
    assert sources_of((tmp_path / "use.ipynb").read_bytes()) == ["x = 1", call]


def test_a_notebook_beside_a_trial_that_cannot_be_read_does_not_block_it(tmp_path: Path) -> None:
    trial = "from pedl.frameworks.keras import TFKerasTrial\n\n\n" + TRIAL + "\n\n" + LOADERS
    write_tree(
        tmp_path, {"model_def.py": trial, "use.ipynb": notebook("import model_def; print 2")}
    )

    done = pedl2det("migrate", tmp_path)

    assert done.returncode == 0
    assert "use.ipynb:cell 1:1: scan: no trial needs this file: syntax error" in done.stderr
    assert "1 of 1 trial rewritten" in done.stderr


def test_old_modules_that_a_trial_in_a_notebook_imports_are_migrated_with_it(
    tmp_path: Path,
) -> None:
    write_tree(
        tmp_path,
        {
            "data.py": "from nets import units\n\n\ndef load():\n    return units()\n",
            "nets/__init__.py": "import pedl\n\n\ndef units():\n    return pedl.get_trial_id()\n",
        },
    )

    cells, _ = migrated(tmp_path, IMPORTS + "from data import load", TRIAL, LOADERS)

    assert "pedl" not in "".join(cells)
    assert b"context.get_trial_id()" in read_tree(tmp_path)["nets/__init__.py"]


def test_an_edit_that_would_lose_ipython_or_a_border_is_seen() -> None:
    source = NotebookSource.parsed(document("%time\nx = 1", "y = 2"))

    assert source.problem_with(source.text) is None
    lost = source.text.replace("__pedl2det_magic_0__", "pass")
    assert source.problem_with(lost) == "would lose %time of line 1"
    unbordered = "".join(line for line in source.text.splitlines(True) if "cell 2" not in line)
    assert source.problem_with(unbordered) == "would lose the border of a cell"
    masked_anew = source.text.replace("y = 2", "from __future__ import division")
    assert source.problem_with(masked_anew) == "would not read back as it was written"


def test_code_that_looks_like_a_mask_is_never_written_over() -> None:
    source = NotebookSource.parsed(document("!ls\n__pedl2det_magic_0__"))

    edited = source.text.replace("begins\n", "begins\nx = 1\n")
    assert source.problem_with(edited) == "would lose !ls of line 1"


def document(*cells: str) -> Document:
    return Document.of(Path("n.ipynb"), notebook(*cells).encode())
