"""How commands end."""

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from menpai.errors import StorageError

Menpai = Callable[..., Any]
COMMAND = [sys.executable, "-c", "from menpai.cli import main; main()"]


def test_other_errors_end_with_1(menpai: Menpai, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is not the user's fault has an exit code of its own, and no traceback."""

    def fail(*_: object, **__: object) -> None:
        raise StorageError("no space left")

    monkeypatch.setattr("menpai.text.normalize.normalize_batch", fail)
    ended = menpai("normalize", "路")
    assert (ended.code, ended.err) == (1, "menpai: no space left\n")


def test_second_job_is_refused(menpai: Menpai, write_lines: Callable[..., Path]) -> None:
    """Two commands cannot write one file at once."""
    from menpai.jobs.checkpoint import checkpoint

    write_lines("in.csv", ["a", "望澜路8号"])
    with checkpoint(Path("out.csv"), {}):
        ended = menpai("normalize", "--in", "in.csv", "--column", "a", "--out", "out.csv")
    assert ended.code == 1
    assert "another process is writing out.csv" in ended.err


def test_nothing_is_help(menpai: Menpai) -> None:
    """Without a command the commands are listed."""
    ended = menpai()
    for command in ("compare", "parse", "normalize", "match", "evaluate"):
        assert f"\n  {command} " in ended.out + ended.err


def test_version(menpai: Menpai) -> None:
    """The installed version."""
    from importlib.metadata import version

    assert menpai("--version").out == version("menpai") + "\n"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no broken pipes")
def test_reader_that_goes_away(tmp_path: Path) -> None:
    """`menpai ... | head` ends quietly."""
    source = tmp_path / "in.csv"
    source.write_text("a\n" + "望澜路88号\n" * 50_000, encoding="utf-8")
    command = [*COMMAND, "normalize", "--in", source, "--column", "a", "--out", "-"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 130


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has /dev/full")
@pytest.mark.parametrize("table", [False, True])
def test_full_disk_behind_stdout(tmp_path: Path, *, table: bool) -> None:
    """What cannot be written to stdout is an error with a message, not a traceback."""
    source = tmp_path / "in.csv"
    source.write_text("a\n望澜路88号\n", encoding="utf-8")
    given = ["--in", source, "--column", "a", "--out", "-"] if table else ["望澜路88号"]
    with Path("/dev/full").open("wb") as full:
        ended = subprocess.run(
            [*COMMAND, "normalize", *given], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert ended.returncode == 1
    assert ended.stderr.decode().startswith("menpai: cannot write to stdout: ")
    assert len(ended.stderr.splitlines()) == 1


def test_impossible_file_name(menpai: Menpai, write_lines: Callable[..., Path]) -> None:
    """A path that the system refuses is named."""
    write_lines("in.csv", ["a", "望澜路8号"])
    name = "长" * 300 + ".csv"
    ended = menpai("normalize", "--in", "in.csv", "--column", "a", "--out", name)
    assert ended.code == 1
    assert name in ended.err


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other signals")
def test_interruption(tmp_path: Path) -> None:
    """A signal in the middle of the work ends it quietly."""
    source = tmp_path / "in.csv"
    source.write_text("a\n" + "望澜路88号\n" * 200_000, encoding="utf-8")
    command = [*COMMAND, "normalize", "--in", source, "--column", "a", "--out", "-"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate()
    assert (process.returncode, errors) == (130, b"")


def test_terminals_are_not_commanded(menpai: Menpai) -> None:
    """Control characters of a text are not sent to the terminal, in JSON they are escaped."""
    assert "\x1b" not in menpai("parse", "望澜路\x1b[31m88号").out
    assert "\x1b" not in menpai("parse", "望澜路\x1b[31m88号", "--json").out


@pytest.mark.parametrize(
    ("arguments", "unwanted"),
    [
        (["--help"], {"polars", "rich", "opencc", "rapidfuzz", "numpy"}),
        (["parse", "北京市朝阳区望澜路88号"], {"polars", "menpai.jobs", "rich.console"}),
        (["parse", "--help"], {"polars", "rich", "menpai.address"}),
    ],
)
def test_start_is_light(arguments: list[str], unwanted: set[str]) -> None:
    """A command loads only what it needs."""
    code = (
        "import sys, atexit\n"
        "atexit.register(lambda: print(*sys.modules, file=sys.stderr))\n"
        "from menpai.cli import main; main()"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, check=True, encoding="utf-8"
    )
    assert not unwanted & set(ended.stderr.split())
