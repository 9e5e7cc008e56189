"""No report, message or patch of migrate shows a credential, and a patch is right or refused."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pedl2det.engine import NewFile, Result, migrate
from pedl2det.findings import Finding, Kind
from pedl2det.report import formatted, summary, write_report
from pedl2det.report.hiding import Hider
from pedl2det.report.patch import patch_of
from support import SMALL_TRIAL, pedl2det, read_tree, write_tree

CONFIG = SMALL_TRIAL["const.yaml"]
SECRETS = ("AKIAEXAMPLE", "wJalrXUtnFEMI", "hunter2", "ghp_sesame", "correct-horse")


def written(result: Result, name: str, directory: Path) -> str:
    write_report(directory / name, result)
    return (directory / name).read_text()


SECRET_CONFIG = f"""\
# aws_secret_key: {SECRETS[1]}
checkpoint_storage:
  type: s3
  access_key: {SECRETS[0]}
  secret_key: "{SECRETS[1]}/K7 x"
environment:
  environment_variables: [API_TOKEN={SECRETS[2]}, A=shown]
  registry_auth:
    password: |
      {SECRETS[4]}
      {SECRETS[4]}-2
  commands:
    - export GITHUB_TOKEN={SECRETS[3]}
data:
  url: postgres://ada:{SECRETS[2]}@host/table
"""
SECRET_CODE = f"""\
PASSWORD = '{SECRETS[2]}'
SETTINGS = {{"secret_key": r"{SECRETS[1]}", 'name': 'shown'}}
SETTINGS["api_key"] = (
    "{SECRETS[3]}")
URL = "https://ada:{SECRETS[2]}@host"
token: str = f"{SECRETS[3]}"
connect("db", password='''{SECRETS[4]}
{SECRETS[4]}''')
environ.setdefault("AWS_SECRET_ACCESS_KEY", "{SECRETS[1]}")
elsewhere("{SECRETS[0]}", "{SECRETS[4]}-2")  # api_key = {SECRETS[3]}
VARIABLES = ["API_TOKEN={SECRETS[2]}"]
"""


def secret_result(directory: Path) -> Result:
    """Every line of two files with secrets, changed and beside changes; secrets in messages."""
    config, code = directory / "const.yaml", directory / "data.py"
    write_tree(directory, {"const.yaml": SECRET_CONFIG, "data.py": SECRET_CODE})
    files = [
        NewFile(config, SECRET_CONFIG.encode(), SECRET_CONFIG.replace("\n", " \n").encode()),
        NewFile(code, SECRET_CODE.encode(), SECRET_CODE.replace("\n", " \n").encode()),
    ]
    messages = [
        f"got {SECRETS[0]!r}",
        f"password={SECRETS[2]!r} is no number",
        f"https://ada:{SECRETS[2]}@host is old",
    ]
    return Result(files, [], [Finding(Kind.LEFT, "P012", code, 3, message) for message in messages])


@pytest.mark.parametrize("name", ["r.json", "r.sarif", "r.html"])
def test_no_credential_is_in_a_report(name: str, tmp_path: Path) -> None:
    text = written(secret_result(tmp_path), name, tmp_path)

    assert [secret for secret in SECRETS if secret in text] == []
    assert "********" in text
    if name.endswith(".html"):
        assert "A=shown" in text and "&#x27;shown&#x27;" in text


@pytest.mark.parametrize("form", ["json", "github"])
def test_no_credential_is_printed(form: str, tmp_path: Path) -> None:
    result = secret_result(tmp_path)
    text = "\n".join([*formatted(form, result), *summary(result, "rewritten")])

    assert [secret for secret in SECRETS if secret in text] == []
    assert "got '********'" in text
    assert "https://ada:********@host is old" in text


@pytest.mark.parametrize(
    ("name", "text", "shown"),
    [
        ("a.py", "U = 'https://ada:hunter2@host'", "U = 'https://ada:********@host'"),
        ("a.py", 'V = ["API_TOKEN=hunter2", "A=b"]', 'V = ["API_TOKEN=********", "A=b"]'),
        ("a.py", "if self.password == 'hunter2': x", "if self.password == '********': x"),
        ("a.py", "f(secret=b'it\\'s', n='b')", "f(secret=b'********', n='b')"),
        (
            "a.py",
            "secret = ('one'\n    'two')\nx = 'y'",
            "secret = ('********\n    ********')\nx = 'y'",
        ),
        ("a.py", "secret = 'not closed\nx = 1", "secret = '********\nx = 1"),
        (
            "a.py",
            "token = next(tokens)\nmax_tokens = 'a'",
            "token = next(tokens)\nmax_tokens = 'a'",
        ),
        ("a.py", "password = ''\nauthor = 'Ada'  # an author: Ada", None),
        ("a.yaml", "password: 12345\nn: 1\n", "password: ********\nn: 1\n"),
        ("a.yaml", "a: &k hunter2\nsecret: *k\n", "a: ********\nsecret: *k\n"),
        ("a.yaml", "token: [a, {b: c}]\n", "token: [********, {b: c}]\n"),
        ("a.yaml", "auth: null\ncredentials: true\nsecret: &a [*a]\nauthor: Ada\n", None),
        ("a.yaml", "? [a]\n: b\n--- \ntoken: c\n", "? [a]\n: b\n--- \ntoken: ********\n"),
        ("a.yaml", "x: 1  # token: hunter2\r\n", "x: 1  # token: ********\r\n"),
        ("a.txt", "-i https://ada:hunter2@host\n", "-i https://ada:********@host\n"),
    ],
)
def test_what_is_hidden_in_a_file(name: str, text: str, shown: str | None) -> None:
    assert Hider().in_file(Path(name), text) == (text if shown is None else shown)


def test_a_credential_is_found_in_a_notebook_and_in_a_config_that_is_no_yaml(
    tmp_path: Path,
) -> None:
    code = json.dumps(
        {
            "source": [
                "a = 1\n",
                "password = 'hunter2'\n",
                'api_key="ghp_sesame"\n',
                'secret = """ghp_sesame"""',
            ]
        }
    )
    files = [
        NewFile(tmp_path / "a.ipynb", code.encode(), code.replace("= 1", "= 2").encode()),
        NewFile(tmp_path / "a.yaml", b"a: [\npassword: hunter2\n", b"b: [\npassword: hunter2\n"),
    ]
    text = written(Result(files), "r.html", tmp_path)

    assert "hunter2" not in text and "ghp_sesame" not in text
    assert "a = 2" in text


def changed(old: str, new: str, directory: Path) -> tuple[str, str, bytes]:
    """What ``--diff`` prints for a config that becomes another: the patch, and what it says."""
    write_tree(directory, SMALL_TRIAL | {"const.yaml": old})
    done = pedl2det("migrate", "--diff", ".", cwd=directory)
    assert done.returncode == 0, done.stderr
    migrated = {file.path.name: file.new for file in migrate([directory]).files}
    assert new.encode() in migrated["const.yaml"]
    return done.stdout, done.stderr, migrated["const.yaml"]


def apply(patch: str, directory: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["git", "apply", *options, "-"],
        input=patch,
        text=True,
        cwd=directory,
        capture_output=True,
        check=False,
    )


@pytest.mark.parametrize(
    "config",
    [
        f"api_key: hunter2\n{CONFIG}",
        f"x: 1\napi_key: hunter2\n{CONFIG}",
        f"{CONFIG}x: 1\napi_key: hunter2\ny: 2\n",
        CONFIG.replace("searcher:", "x: 1\napi_key: hunter2\ny: 2\nsearcher:"),
        CONFIG.replace("searcher:", "x: 1\npassword: |\n  hunter2\n  hunter2\ny: 2\nsearcher:"),
    ],
)
def test_a_patch_leaves_out_a_credential_beside_a_change(config: str, tmp_path: Path) -> None:
    patch, _, migrated = changed(config, "batches: 100", tmp_path)

    assert "hunter2" not in patch
    applied = apply(patch, tmp_path)
    assert applied.returncode == 0, applied.stderr + patch
    assert (tmp_path / "const.yaml").read_bytes() == migrated


@pytest.mark.parametrize(
    ("config", "shown"),
    [
        (
            CONFIG.replace("{batch_size: 2}", "{batch_size: 2, token: hunter2}"),
            "+hyperparameters: {global_batch_size: 2, token: ********}\n",
        ),
        (f"{CONFIG}token: hunter2", "+token: ********\n+entrypoint: model_def:T\n"),
        (f"{CONFIG}token: hunter2\nx: 1\n", "+    batches: 100\n token: ********\n x: 1\n"),
    ],
)
def test_a_patch_that_hides_a_credential_is_refused_whole(
    config: str, shown: str, tmp_path: Path
) -> None:
    patch, stderr, _ = changed(config, "token: hunter2", tmp_path)
    before = read_tree(tmp_path)

    assert "hunter2" not in patch
    assert shown in patch
    assert "const.yaml: a credential stands in a line that changes or right behind it" in stderr
    for options in ([], ["--unidiff-zero"]):
        refused = apply(patch, tmp_path, *options)
        assert refused.returncode != 0
        assert "const.yaml (credentials hidden)" in refused.stderr
        assert read_tree(tmp_path) == before


LINES = st.lists(
    st.sampled_from(["a", "b", "c\r", "\xe9", "token=hunter2"]), min_size=1, max_size=9
)


@given(old=LINES, place=st.integers(0, 9), size=st.integers(0, 2), new=LINES, end=st.booleans())
@example(["a", "token=hunter2", "token=hunter2", "b"], 2, 0, ["c"], True)
@example(["token=hunter2"], 1, 0, ["a"], True)
@example(["token=hunter2"], 0, 0, ["token=hunter2"], False)
@example(["a", "token=hunter2", "b", "c", "a"], 0, 1, ["c"], True)
def test_a_patch_is_right_or_refused(
    old: list[str], place: int, size: int, new: list[str], end: bool
) -> None:
    after = [*old[:place], *new, *old[place + size :]]
    before, wanted = ("\n".join(lines) + "\n" * end for lines in (old, after))
    with tempfile.TemporaryDirectory() as scratch, contextlib.chdir(scratch):
        path = Path("a.txt")
        path.write_bytes(before.encode())
        patch = patch_of(NewFile(path, before.encode(), wanted.encode()), Hider())

        assert "hunter2" not in patch.text
        done = apply(patch.text, Path(scratch)) if patch.text else None

        assert os.listdir() == ["a.txt"]
        if done is not None and done.returncode == 0:
            assert path.read_bytes().decode() == wanted
        else:
            assert path.read_bytes().decode() == before
            assert patch.warning or before == wanted


def test_a_patch_names_a_file_of_any_name(tmp_path: Path) -> None:
    name = 'my "odd"\nna\\me.py'
    text = "from pedl.frameworks.keras import TFKerasTrial\n"
    write_tree(tmp_path, SMALL_TRIAL | {name: text})

    done = pedl2det("migrate", "--diff", ".", cwd=tmp_path)

    assert apply(done.stdout, tmp_path).returncode == 0, done.stdout
    assert "pedl." not in (tmp_path / name).read_text()
