"""docs/cli.md describes the commands that there are, with their options and exit codes."""

import re
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from menpai.cli import exits
from menpai.cli.app import app

TEXT = (Path(__file__).parents[2] / "docs/cli.md").read_text(encoding="utf-8")
SECTIONS = dict(
    re.findall(r"^## `(menpai [a-z ]+)`\n(.*?)(?=^## |\Z)", TEXT, re.DOTALL | re.MULTILINE)
)
OPTION = re.compile(r"--[a-z][a-z0-9-]*")


def commands(command: Any, name: str) -> dict[str, Any]:
    """All commands that do something, by what is typed."""
    below = getattr(command, "commands", None)
    if below is None:
        return {name: command}
    return {
        path: found
        for word, sub in below.items()
        for path, found in commands(sub, f"{name} {word}").items()
    }


COMMANDS = commands(get_command(app), "menpai")


def test_every_command_has_its_section() -> None:
    """A command has a section, and a section a command, in the order of the help."""
    assert list(SECTIONS) == list(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_has_its_row(name: str) -> None:
    """The options of a command are the rows of its table, in the order of its help."""
    options = [
        option
        for parameter in COMMANDS[name].params
        if parameter.param_type_name == "option"
        for option in parameter.opts
        if option != "--help"
    ]
    first_cells = [row.split(" | ")[0] for row in SECTIONS[name].splitlines() if row[:3] == "| `"]
    assert OPTION.findall(" ".join(first_cells)) == options


@pytest.mark.parametrize("name", COMMANDS)
def test_only_real_options_are_named(name: str) -> None:
    """Text and examples of a section name no option that the command does not have."""
    options = {option for parameter in COMMANDS[name].params for option in parameter.opts}
    assert set(OPTION.findall(SECTIONS[name])) <= options


def test_every_exit_code_is_documented() -> None:
    """The exit codes of the command line are the rows of their table."""
    documented = {int(code) for code in re.findall(r"^\| (\d+) \|", TEXT, re.MULTILINE)}
    codes = {value for value in vars(exits).values() if isinstance(value, int)}
    assert documented == {0, *codes}
