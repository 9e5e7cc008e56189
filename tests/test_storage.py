"""Cloud storage over its real protocol: an S3 server on this machine, reached through s3fs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pedl2det_runtime.checkpoint.ownership import Owner
from pedl2det_runtime.checkpoint.storage import Storage
from pedl2det_runtime.config.experiment_config import CheckpointStorage
from pedl2det_runtime.errors import CheckpointError, ConfigError
from support import read_tree, write_tree

moto_server = pytest.importorskip("moto.server", reason="needs s3fs and moto[s3,server]")
s3fs = pytest.importorskip("s3fs")

MARKER = {"pedl2det-checkpoint.json": '{"checkpoint": "abc", "run": "1"}'}
KEYS = {"access_key": "AKIAXXX", "secret_key": "wJalrXUtnFEMI"}


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    server = moto_server.ThreadedMotoServer(port=0)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def bucket(endpoint: str, request: pytest.FixtureRequest) -> Any:
    files = s3fs.S3FileSystem(
        key=KEYS["access_key"],
        secret=KEYS["secret_key"],
        client_kwargs={"endpoint_url": endpoint},
    )
    name = f"bucket-{abs(hash(request.node.name))}"
    files.mkdir(name)
    return files, name


def stored(files: Any, bucket: str) -> dict[str, bytes]:
    """Everything in a bucket."""
    files.invalidate_cache()
    return {path: files.cat_file(path) for path in files.find(bucket)}


def section(endpoint: str, bucket: str, **more: Any) -> CheckpointStorage:
    fields = {"type": "s3", "bucket": bucket, "endpoint_url": endpoint, **KEYS, **more}
    return CheckpointStorage.model_validate(fields)


def test_a_checkpoint_is_copied_and_removed(endpoint: str, bucket: Any, tmp_path: Path) -> None:
    files, name = bucket
    tree = {
        **MARKER,
        "metadata.json": '{"files": ["code/model_def.py", "model.h5"]}',
        "model.h5": "weights",
        "code/model_def.py": "x = 1\n",
    }
    checkpoint = write_tree(tmp_path / "abc", tree)
    storage = Storage(section(endpoint, name, prefix="team/one"))

    storage.put(checkpoint)
    files.invalidate_cache()
    stored = files.find(f"{name}/team/one")
    assert sorted(stored) == sorted(f"{name}/team/one/abc/{path}" for path in tree)
    assert files.cat(f"{name}/team/one/abc/model.h5") == b"weights"

    storage.remove(Owner("abc", "1"))
    storage.remove(Owner("never-there", "1"))
    files.invalidate_cache()
    assert files.find(f"{name}/team/one") == []


def test_what_others_stored_in_a_bucket_stays(endpoint: str, bucket: Any, tmp_path: Path) -> None:
    files, name = bucket
    whole = {**MARKER, "metadata.json": '{"files": ["model.h5"]}', "model.h5": "new"}
    checkpoint = write_tree(tmp_path / "abc", whole)
    stranger = {"abc/model.h5": "old", "notes.txt": "mine"}
    files.pipe({f"{name}/{path}": text.encode() for path, text in stranger.items()})
    storage = Storage(section(endpoint, name))

    with pytest.raises(CheckpointError, match="pedl2det did not write this; move it away"):
        storage.put(checkpoint)
    storage.remove(Owner("abc", "1"))

    assert stored(files, name) == {
        f"{name}/{path}": text.encode() for path, text in stranger.items()
    }
    assert read_tree(checkpoint) == {path: text.encode() for path, text in whole.items()}


@pytest.mark.parametrize(
    ("run", "added"),
    [("2", {}), ("1", {"abc/notes.txt": b"mine"})],
    ids=["other run", "file added"],
)
def test_a_stored_checkpoint_that_is_not_this_runs_alone_stays(
    run: str, added: dict[str, bytes], endpoint: str, bucket: Any, tmp_path: Path
) -> None:
    files, name = bucket
    whole = {**MARKER, "metadata.json": '{"files": ["model.h5"]}', "model.h5": "new"}
    Storage(section(endpoint, name)).put(write_tree(tmp_path / "abc", whole))
    if added:
        files.pipe({f"{name}/{path}": data for path, data in added.items()})
    before = stored(files, name)

    Storage(section(endpoint, name)).remove(Owner("abc", run))

    assert stored(files, name) == before
    assert len(before) == 3 + len(added)


def test_a_bucket_that_is_not_there_is_one_clear_line(endpoint: str) -> None:
    with pytest.raises(ConfigError) as refused:
        Storage(section(endpoint, "no-such-bucket-here"))
    assert "checkpoint_storage: no-such-bucket-here: cannot be used" in str(refused.value)
    assert "--set checkpoint_storage.type=null" in str(refused.value)


def test_a_server_that_is_gone_keeps_the_local_checkpoint(
    endpoint: str, bucket: Any, tmp_path: Path
) -> None:
    files, name = bucket
    checkpoint = write_tree(tmp_path / "abc", {"metadata.json": "{}"})
    storage = Storage(section(endpoint, name))
    files.rmdir(name)

    with pytest.raises(CheckpointError) as failed:
        storage.put(checkpoint)
    assert "could not be copied there" in str(failed.value)
    assert "--resume goes on from it" in str(failed.value)
    assert KEYS["secret_key"] not in str(failed.value)
    assert (checkpoint / "metadata.json").exists()
