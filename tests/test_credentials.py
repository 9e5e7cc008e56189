"""What a credential is: by its name, in any case and with any prefix, and by the look of a text."""

from __future__ import annotations

from typing import Any

import pytest

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
