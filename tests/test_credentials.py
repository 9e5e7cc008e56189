"""What a credential is: by its name, in any case and with any prefix, and by the look of a text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pedl2det_runtime.checkpoint.code_files import code_without_credentials, publishable_code
from pedl2det_runtime.config.credentials import is_secret, without_credentials

STARS = "********"


@pytest.mark.parametrize(
    "name",
    [
        *("identitytoken", "IdentityToken2", "token", "TOKENS", "github-token", "TOKEN_GITHUB"),
        *("pwd", "dbPwd", "DB_PWD_2", "pass", "PGPASS", "db_pass1", "smtpPass", "PASSWORD_OLD"),
        *("apikey", "apiKey", "API-KEY", "APIKey", "x-api-key", "api_keys", "MAPS_APIKEY_1"),
        *("bearer", "oauth", "oauth2", "googleOauth", "authorization", "Proxy-Authorization"),
        *("ssh_key", "sshKey", "SSH_KEY_2", "encryption_key", "backupEncryptionKey", "auth"),
        *("registry_auth", "credentials", "client_secret", "awsSecretKey", "aws_access_key_id"),
        *("AccountKey", "connectionString", "SharedAccessKey", "passphrase", "httpPasswd"),
        *("KAGGLE_KEY", "OPENAI_KEY", "azureKey", "WANDB_KEY", "aws_key_2", "JWT", "jwtProd"),
        *("SAS", "AZURE_SAS", "GITHUB_PAT", "gitlabPat", "SENTRY_DSN", "COOKIE", "creds", "DbCred"),
    ],
)
def test_a_name_of_a_credential(name: str) -> None:
    assert is_secret(name)


@pytest.mark.parametrize(
    "name",
    [
        *("bypass", "n_passes", "passes", "low_pass", "forward_pass", "compass", "passenger"),
        *("num_tokens", "max_tokens", "maxTokens", "max_new_tokens", "token_count", "tokenizer"),
        *("pad_token", "unk-token", "tokenize", "token_type_ids", "tokenCount", "token_length"),
        *("author", "authors", "authority", "key", "keys", "monkey", "turkey", "primary_key"),
        *("public_key", "keyboard", "hidden_units", "pw", "path", "batch_size", "optimizer"),
        *("user_key", "file_pat", "pattern", "cookies", "sass", "s3_key", "sort_key", "credit"),
    ],
)
def test_a_name_of_something_else(name: str) -> None:
    assert not is_secret(name)


@pytest.mark.parametrize("key", ["secrets", "tokens", "credentials", "auth"])
def test_every_text_below_the_name_of_a_credential_is_masked(key: str) -> None:
    given = {key: {"github": "ghp_1", "deep": [{"user": "ada"}, "x"], "n": 3, "on": True}, "a": "b"}

    assert without_credentials(given) == {
        key: {"github": STARS, "deep": [{"user": STARS}, STARS], "n": 3, "on": True},
        "a": "b",
    }


@pytest.mark.parametrize("value", [512, 0.5, True, None])
def test_a_number_or_a_switch_is_no_credential(value: Any) -> None:
    assert without_credentials({"tokens": value}) == {"tokens": value}
    assert without_credentials({"tokens": "512"}) == {"tokens": STARS}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("postgres://ada:hunter2@host/t", "postgres://ada:********@host/t"),
        ("https://ghp_hunter2@github.com/x", "https://********@github.com/x"),
        (
            "Server=db;User Id=ada;Password=my hunter2;Encrypt=yes",
            "Server=db;User Id=ada;Password=********;Encrypt=yes",
        ),
        (
            "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=aGk==;EndpointSuffix=x",
            "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=********;EndpointSuffix=x",
        ),
        ("https://a.blob/c?sv=1&sig=aB%2F&se=2", "https://a.blob/c?sv=1&sig=********&se=2"),
        (
            "https://b.s3/k?X-Amz-Credential=AKIA&X-Amz-Date=1&X-Amz-Signature=f00",
            "https://b.s3/k?X-Amz-Credential=********&X-Amz-Date=1&X-Amz-Signature=********",
        ),
        ("PGPASSWORD=a&b;c'd", "PGPASSWORD=********"),
        ("A=b TOKEN=hunter2", "A=b TOKEN=********"),
        ("export API_TOKEN='hunter2'; train", "export API_TOKEN='********'; train"),
        ("login --user ada --password hunter2 x", "login --user ada --password ******** x"),
        ('curl -H "Authorization: Bearer abc.def" x', 'curl -H "Authorization: ********" x'),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n", "********\n********\n"),
        ("host=db password=hunter2", "host=db password=********"),
        ("mysql://u:p@ss:hunter2@h/db", "mysql://u:********@h/db"),
        ("mysql://u@corp:p@ss@h:3306/db", "mysql://u@corp:********@h:3306/db"),
        ("redis://:p1@a,redis://:p2@b", "redis://:********@a,redis://:********@b"),
        ('{"a":"http://h:80","b":"me@x"}', '{"a":"http://h:80","b":"me@x"}'),
    ],
)
def test_credentials_within_a_text_are_masked(text: str, shown: str) -> None:
    assert without_credentials({"a": text}) == {"a": shown}


@pytest.mark.parametrize(
    "text",
    [
        *("s3://bucket/key", "git@github.com:a/b", "model_def:Trial", "max_tokens=5 author=ada"),
        *("https://host/x?size=1&signal=2", "a key: value", "ssh://git@host/x"),
    ],
)
def test_other_texts_stay(text: str) -> None:
    assert without_credentials({"a": text}) == {"a": text}


# Written in two parts, so that no scanner takes this file for a leak.
@pytest.mark.parametrize(
    ("start", "rest"),
    [
        *(("AKIA", "IOSFODNN7EXAMPLE"), ("ASIA", "IOSFODNN7EXAMPLE")),
        *(("ghp_", "a1B2" * 9), ("gho_", "a1B2" * 9), ("github_pat_", "11ABCDE_" * 8)),
        *(("glpat-", "a1B2c3D4e5F6g7H8i9J0"), ("xoxb-", "123456789012-abcdefABCDEF")),
        *(("sk-", "a1B2" * 12), ("sk-proj-", "a1_B-" * 10), ("sk-ant-", "api03-" + "a1B2" * 9)),
        *(("sk_live_", "a1B2c3D4" * 3), ("hf_", "aBcDeFgH" * 4 + "iJ"), ("npm_", "a1B2" * 9)),
        *(("AIza", "Sy" + "a1B" * 11), ("SG.", "a" * 22 + "." + "b" * 43)),
        ("eyJ", "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl"),
        ("https://hooks.slack.com/services/", "T00000000/B00000000/XXXXXXXXXXXX"),
        ("https://discord.com/api/webhooks/", "123456789/abc-DEF_123"),
    ],
)
def test_a_token_is_known_by_its_shape(start: str, rest: str) -> None:
    shown = without_credentials({"a": f"use {start}{rest} here"})["a"]

    assert rest not in shown
    assert shown.startswith("use ") and shown.endswith("******** here")


@pytest.mark.parametrize(
    "text",
    [
        *("sk-learn-of-a-very-long-name", "task-1234567890-abcdefghijklmno", "hf_model_name_2"),
        *("ghp_short", "AKIAish", "the disk-a1b2c3d4e5f6a7b8c9d0e1", "eyJ.a.b", "SG.1.2"),
    ],
)
def test_what_only_begins_as_a_token_stays(text: str) -> None:
    assert without_credentials({"a": text}) == {"a": text}


SETTINGS = b"""\
# Settings of the bucket, in UTF-8: \xc3\xa4
AWS_SECRET_ACCESS_KEY = "wJalrXUtnFEMI/K7MDENG"
URL = "mysql://ada:p@ss:hunter2@host/db"
LAYERS = {"size": "8", "key": "b"}
BATCH = 8
"""


def test_a_module_is_copied_with_stars_for_credentials(tmp_path: Path) -> None:
    path = tmp_path / "my_settings.py"
    path.write_bytes(SETTINGS)
    plain = tmp_path / "plain.py"
    plain.write_bytes(b"SIZE = 8\n")
    hopeless = tmp_path / "keys.py"
    hopeless.write_bytes(b"if '-----BEGIN PRIVATE KEY-----' in text:\n    pass\n")
    lines: list[str] = []

    code = publishable_code((path, plain, hopeless), tmp_path, lines.append)

    assert code == (path, plain)
    assert lines == [
        "checkpoints contain my_settings.py with stars in place of credentials (lines 2, 3)",
        "checkpoints do not contain keys.py: it may hold credentials that cannot be masked",
    ]
    values: dict[str, Any] = {}
    exec(code_without_credentials(path) or b"", values)
    assert values["AWS_SECRET_ACCESS_KEY"] == STARS
    assert values["URL"] == f"mysql://ada:{STARS}@host/db"
    assert (values["LAYERS"], values["BATCH"]) == ({"size": "8", "key": "b"}, 8)
    assert code_without_credentials(plain) == plain.read_bytes()
    assert (code_without_credentials(path) or b"").splitlines()[0] == SETTINGS.splitlines()[0]
