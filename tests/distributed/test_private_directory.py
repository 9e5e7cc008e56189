"""Where sockets are: a directory that nobody else can enter, or none."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from pedl2det_runtime.distributed.private_directory import private_directory, socket_path
from pedl2det_runtime.errors import DistributedError


def test_it_is_made_for_this_user_alone(tmp_path: Path) -> None:
    path = private_directory(tmp_path / "sockets")
    assert stat.S_IMODE(path.stat().st_mode) == 0o700
    assert private_directory(path) == path


@pytest.mark.parametrize("mode", [0o710, 0o701, 0o777])
def test_one_that_others_can_enter_is_not_used(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "sockets"
    path.mkdir()
    path.chmod(mode)
    with pytest.raises(DistributedError, match=f"others can enter it .mode {mode:o}.*chmod 700"):
        private_directory(path)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a directory away")
def test_one_of_somebody_else_is_not_used(tmp_path: Path) -> None:
    path = tmp_path / "sockets"
    path.mkdir(mode=0o700)
    os.chown(path, 12345, -1)
    with pytest.raises(DistributedError, match="belongs to user 12345, not to you"):
        private_directory(path)


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    (tmp_path / "sockets").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(DistributedError, match="expected a directory"):
        private_directory(tmp_path / "sockets")


def test_a_name_that_is_too_long_for_a_socket_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = tmp_path / ("d" * 100)
    long.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(long))
    with pytest.raises(DistributedError, match="longer than the 107 bytes"):
        socket_path("12360-0")
