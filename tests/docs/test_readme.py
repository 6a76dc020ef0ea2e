"""The two READMEs say the same, and their examples do what they show."""

import contextlib
import io
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
ENGLISH = (ROOT / "README.md").read_text(encoding="utf-8")
CHINESE = (ROOT / "README.zh-CN.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def blocks(text: str) -> list[tuple[str, str]]:
    """Code blocks with their languages."""
    return BLOCK.findall(text)


def shown_after(language: str) -> tuple[str, str]:
    """The example in a language, and the block after it that shows its output."""
    found = blocks(ENGLISH)
    place = next(i for i, (name, _) in enumerate(found) if name == language)
    assert found[place + 1][0] == "text"
    return found[place][1], found[place + 1][1]


def test_code_blocks_are_the_same() -> None:
    """Both languages show the same code."""
    assert blocks(CHINESE) == blocks(ENGLISH)


def test_tables_hold_the_same_numbers() -> None:
    """Both languages give the same figures, row by row."""

    def figures(text: str) -> list[list[str]]:
        return [NUMBER.findall(line) for line in text.splitlines() if line.startswith("|")]

    assert figures(CHINESE) == figures(ENGLISH)


def test_links_are_the_same() -> None:
    """Both languages point to the same documents, each other apart."""
    pattern = re.compile(r"\]\(([^)]+)\)")
    own = {"README.md", "README.zh-CN.md"}
    assert set(pattern.findall(CHINESE)) - own == set(pattern.findall(ENGLISH)) - own


def test_python_example_prints_what_it_says() -> None:
    """The Python example runs and prints the block below it."""
    code, expected = shown_after("python")
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(code, "README.md", "exec"), {})  # noqa: S102 -- the example itself
    assert output.getvalue() == expected
