"""Running commands inside the test's own process."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

from menpai.cli.app import app


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> object:
        """What it printed, as JSON."""
        return json.loads(self.out)


@pytest.fixture
def menpai(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ended]:
    """Run `menpai` with arguments in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object) -> Ended:
        result = CliRunner().invoke(app, [str(argument) for argument in arguments])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Ended(result.exit_code, result.stdout, result.stderr)

    return run


@pytest.fixture
def write_lines(tmp_path: Path) -> Callable[[str, Sequence[object]], Path]:
    """Write a file with a line for each item: texts as they are, the rest as JSON."""

    def write(name: str, items: Sequence[object]) -> Path:
        lines = [item if isinstance(item, str) else json.dumps(item) for item in items]
        path = tmp_path / name
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path

    return write


@pytest.fixture
def read_lines(tmp_path: Path) -> Callable[[str], list[dict[str, object]]]:
    """Read a file of JSON Lines."""

    def read(name: str) -> list[dict[str, object]]:
        text = (tmp_path / name).read_text(encoding="utf-8")
        return [json.loads(line) for line in text.splitlines()]

    return read
