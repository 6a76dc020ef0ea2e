"""What importing the room costs, and the names that it offers."""

import subprocess
import sys

import pytest

from menpai import synthesis


def test_import_loads_no_other_module() -> None:
    """The room's names are loaded when they are first used."""
    code = "import sys, menpai.synthesis; print([m for m in sys.modules if m.startswith('menpai')])"
    output = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, encoding="utf-8"
    ).stdout
    assert output.strip() == "['menpai', 'menpai.synthesis']"


@pytest.mark.parametrize("name", synthesis.__all__)
def test_public_name_is_there(name: str) -> None:
    """Each public name can be had, in whatever order, and is no module."""
    assert callable(getattr(synthesis, name))


def test_unknown_name_is_an_attribute_error() -> None:
    """A name that is not there is refused as by any module."""
    with pytest.raises(AttributeError, match="has no attribute 'wurld'"):
        synthesis.wurld  # noqa: B018  reading the name is the test
    assert "World" in dir(synthesis)
