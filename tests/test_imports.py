"""What `import menpai` loads, and the names that it offers."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import menpai

HEAVY = {"numpy", "opencc", "polars", "pypinyin", "rapidfuzz", "rich", "typer"}


def loaded_by(statement: str) -> set[str]:
    """Top-level packages that a statement loads in a fresh interpreter, the standard ones apart."""
    code = (
        "import json, sys\n"
        "before = set(sys.modules)\n"
        f"{statement}\n"
        "print(json.dumps(sorted(set(sys.modules) - before)))"
    )
    output = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, encoding="utf-8"
    ).stdout
    packages = {name.partition(".")[0] for name in json.loads(output)}
    return packages - set(sys.stdlib_module_names)


def test_import_loads_nothing_heavy() -> None:
    """A bare import loads this package alone."""
    assert loaded_by("import menpai") == {"menpai"}


def test_parse_loads_no_table_or_terminal_library() -> None:
    """Parsing needs neither tables nor a terminal."""
    loaded = loaded_by("import menpai; menpai.parse('北京市朝阳区望澜路88号')")
    assert not loaded & {"polars", "rich", "typer"}


def test_compare_loads_no_table_or_terminal_library() -> None:
    """Comparing needs neither tables nor a terminal."""
    loaded = loaded_by("import menpai; menpai.compare('望澜路88号', '望澜路89号')")
    assert not loaded & {"polars", "rich", "typer"}


def test_public_names_are_sorted() -> None:
    """`__all__` is sorted, so that a new name has one place."""
    assert sorted(menpai.__all__) == menpai.__all__


def test_public_names_are_imported_for_types() -> None:
    """Type checkers see exactly the names that the interpreter offers."""
    tree = ast.parse(Path(menpai.__file__).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    typed = {
        name.asname or name.name
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for name in node.names
    }
    assert typed | {"__version__", "compare"} == set(menpai.__all__)


@pytest.mark.parametrize("name", menpai.__all__)
def test_public_name_is_there(name: str) -> None:
    """Each public name can be had."""
    assert getattr(menpai, name) is not None


def test_dir_lists_public_names() -> None:
    """Completion offers the public names."""
    assert dir(menpai) == sorted(menpai.__all__)


def test_unknown_name_is_an_attribute_error() -> None:
    """A name that is not there is refused as by any module."""
    with pytest.raises(AttributeError, match="has no attribute 'metch'"):
        menpai.metch  # noqa: B018 -- reading the name is the test


@pytest.mark.parametrize(
    "path", sorted(Path(menpai.__file__).parent.rglob("*.py")), ids=lambda path: path.stem
)
def test_exported_names_are_sorted(path: Path) -> None:
    """A module that lists its public names lists them in order."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            names = ast.literal_eval(node.value)
            assert sorted(names) == names
