"""The package as it is installed: metadata, extras, and the files in the wheel."""

import os
import re
import subprocess
import sys
import zipfile
from importlib import metadata
from pathlib import Path

import pytest

import menpai

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from this tree without the network."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", folder],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    return next(folder.glob("*.whl"))


def test_version_is_the_declared_one() -> None:
    """`menpai.__version__` is the version in pyproject.toml."""
    declared = re.search(
        r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert declared is not None
    assert menpai.__version__ == declared[1]


def extra(name: str) -> set[str]:
    """What an extra installs beside the base."""
    end = f" extra == '{name}'"
    return {
        requirement.removesuffix(end)
        for requirement in metadata.requires("menpai") or ()
        if requirement.endswith(end)
    }


def test_extras_are_the_documented_ones() -> None:
    """`all` brings every extra for users, dev brings `all`."""
    assert set(metadata.metadata("menpai").get_all("Provides-Extra") or ()) == {
        *("all", "dev", "excel", "onnxruntime", "torch")
    }
    users = [extra(name) for name in ("excel", "onnxruntime", "torch")]
    assert all(users)
    assert set().union(*users) == extra("all")
    assert extra("all") < extra("dev")


def test_base_install_is_small() -> None:
    """A dependency more is a decision, not an accident."""
    base = {
        re.split(r"[^\w-]", requirement)[0]
        for requirement in metadata.requires("menpai") or ()
        if "extra ==" not in requirement
    }
    runtimes = {"onnxruntime", "openvino"}  # one of them, by the processor
    assert base == {
        *("numpy", "opencc", "polars", "pypinyin", "rich", "tokenizers", "typer", *runtimes)
    }


def test_command_is_installed() -> None:
    """The command `menpai` starts what its entry point names."""
    (command,) = metadata.entry_points(group="console_scripts", name="menpai")
    assert callable(command.load())


def test_constraints_pin_what_is_declared() -> None:
    """Each declared dependency, of users and developers, has one pinned version for CI."""
    pinned = {
        re.split(r"[=;]", line)[0].strip().lower()
        for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
        if line and not line.startswith("#")
    }
    declared = {
        re.split(r"[^\w-]", requirement)[0].lower()
        for requirement in metadata.requires("menpai") or ()
    }
    assert declared - {"menpai"} <= pinned


def test_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    """Code, data, models, type marker and licences are in the wheel; tests and caches are not."""
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    expected = {
        path.relative_to(SOURCE).as_posix()
        for path in (SOURCE / "menpai").rglob("*")
        if path.is_file() and not {"__pycache__", "compiled"} & set(path.parts)
    }
    assert names == expected
    assert "menpai/py.typed" in names


def test_wheel_is_small(wheel: Path) -> None:
    """Models included, it is no more than 30 MB."""
    assert wheel.stat().st_size <= 30e6


def test_wheel_holds_the_licences(wheel: Path) -> None:
    """The licence and the notices of the data travel with the package."""
    names = zipfile.ZipFile(wheel).namelist()
    assert [Path(name).name for name in names if "/licenses/" in name] == ["LICENSE", "NOTICE"]


def test_wheel_works_away_from_this_tree(wheel: Path, tmp_path: Path) -> None:
    """The wheel alone parses an address: no file is missing from it."""
    zipfile.ZipFile(wheel).extractall(tmp_path)
    code = (
        "import menpai, sys; print(menpai.__file__); "
        "print(menpai.parse('北京市朝阳区望澜路88号').roadno)"
    )
    output = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        check=True,
        encoding="utf-8",
    ).stdout.splitlines()
    assert output == [str(tmp_path / "menpai" / "__init__.py"), "88号"]
