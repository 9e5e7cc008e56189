"""No report or message of migrate shows a credential; a patch is the user's own and applies."""

from __future__ import annotations

import contextlib
import html
import json
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pedl2det.engine import NewFile, Result, migrate
from pedl2det.findings import Finding, Kind
from pedl2det.report import summary, write_report
from pedl2det.report.changes import patch_of
from pedl2det.report.hiding import Hider
from support import SMALL_TRIAL, pedl2det, write_tree

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
    return Result(files, [], [Finding(Kind.LEFT, "P017", code, 3, message) for message in messages])


@pytest.mark.parametrize("name", ["r.json", "r.sarif", "r.html"])
def test_no_credential_is_in_a_report(name: str, tmp_path: Path) -> None:
    text = written(secret_result(tmp_path), name, tmp_path)

    assert [secret for secret in SECRETS if secret in text] == []
    assert "********" in text
    if name.endswith(".html"):
        assert "A=shown" in text and "'shown'" in html.unescape(text)


def test_no_credential_is_printed(tmp_path: Path) -> None:
    result = secret_result(tmp_path)
    text = "\n".join(summary(result, "rewritten"))

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
        ("a.yaml", "token: [a, {b: c}]\n", "token: ********\n"),
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


def apply(patch: bytes, directory: Path, *command: str) -> None:
    command = command or ("git", "apply")
    subprocess.run(
        [*command, "-"] if command[0] == "git" else command, input=patch, cwd=directory, check=True
    )


@pytest.mark.parametrize("command", [("git", "apply"), ("patch", "-p1")])
@pytest.mark.parametrize(
    "config",
    [
        f"api_key: hunter2\n{CONFIG}",
        CONFIG.replace("{batch_size: 2}", "{batch_size: 2, token: hunter2}"),
        f"{CONFIG}token: hunter2",
        CONFIG.replace("searcher:", "password: |\n  hunter2\n  hunter2\ny: 2\nsearcher:"),
    ],
)
def test_a_patch_shows_credentials_and_applies(
    config: str, command: tuple[str, ...], tmp_path: Path
) -> None:
    if shutil.which(command[0]) is None:
        pytest.skip(f"no {command[0]}")
    trial = write_tree(tmp_path / "my trial", SMALL_TRIAL | {"const.yaml": config})
    patch = pedl2det("migrate", "--diff", "my trial", cwd=tmp_path).stdout
    migrated = {file.path.name: file.new for file in migrate([trial]).files}

    assert "hunter2" in patch and "****" not in patch
    apply(patch.encode(), tmp_path, *command)

    assert {one.name: one.read_bytes() for one in trial.iterdir()} == migrated


LINES = st.lists(
    st.sampled_from(["a", "b", "c\r", "\xe9", "token=hunter2"]), min_size=1, max_size=9
)


@given(old=LINES, place=st.integers(0, 9), size=st.integers(0, 2), new=LINES, end=st.booleans())
def test_every_patch_applies(
    old: list[str], place: int, size: int, new: list[str], end: bool
) -> None:
    after = [*old[:place], *new, *old[place + size :]]
    before, wanted = ("\n".join(lines) + "\n" * end for lines in (old, after))
    with tempfile.TemporaryDirectory() as scratch, contextlib.chdir(scratch):
        path = Path("a.txt")
        path.write_bytes(before.encode())
        patch = patch_of(NewFile(path, before.encode(), wanted.encode()))
        if patch:
            apply(patch, Path(scratch))
        assert path.read_bytes().decode() == wanted


def test_a_patch_names_a_file_of_any_name(tmp_path: Path) -> None:
    name = 'my "odd"\nna\\me.py'
    text = "from pedl.frameworks.keras import TFKerasTrial\n"
    write_tree(tmp_path, SMALL_TRIAL | {name: text})

    done = pedl2det("migrate", "--diff", ".", cwd=tmp_path)

    apply(done.stdout.encode(), tmp_path)
    assert "pedl." not in (tmp_path / name).read_text()
