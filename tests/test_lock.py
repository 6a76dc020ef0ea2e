"""One job at a time."""

from pathlib import Path

import pytest

from menpai import lock
from menpai.errors import StorageError
from menpai.lock import locked


def test_second_holder_is_refused(tmp_path: Path) -> None:
    """While the lock is held nobody else gets it; afterwards anybody does."""
    path = tmp_path / "out.job" / "lock"
    with locked(path, "out"):
        with pytest.raises(StorageError, match="another process is writing out") as caught:
            locked(path, "out").__enter__()
        assert caught.value.retryable
    with locked(path, "out"):
        assert path.exists()
    assert not path.exists()


def test_lock_is_released_by_a_failure(tmp_path: Path) -> None:
    """A job that fails does not keep the next one away."""
    path = tmp_path / "lock"

    def fail() -> None:
        with locked(path, "out"):
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    with locked(path, "out"):
        assert path.exists()


def test_file_without_holder_is_no_lock(tmp_path: Path) -> None:
    """What a killed job left behind stops nobody."""
    path = tmp_path / "lock"
    path.touch()
    with locked(path, "out"):
        assert path.exists()


def test_lock_that_was_removed_meanwhile_is_taken_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A holder that ends removes its file: whoever opened it just before needs the new one."""
    path, real, seen = tmp_path / "lock", lock._lock, []

    def lock_after_removal(handle: int) -> None:
        if not seen:
            path.unlink()
        seen.append(handle)
        real(handle)

    monkeypatch.setattr(lock, "_lock", lock_after_removal)
    with locked(path, "out"):
        assert path.exists()
    assert len(seen) == 2
