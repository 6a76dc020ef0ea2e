"""The documents agree with the code, with each other and with themselves."""

import re
from pathlib import Path

import pytest

import menpai
from menpai import errors
from menpai.address.elements import FLAGS

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
ROW = re.compile(r"^\| `(\w+)` \|(.*)\|$", re.MULTILINE)


def rows(document: str) -> dict[str, list[str]]:
    """Rows of a document's tables that begin with a word in code marks, by that word."""
    text = (ROOT / "docs" / document).read_text(encoding="utf-8")
    return {
        row[1]: [cell.strip() for cell in row[2].replace(r"\|", "¦").split("|")]
        for row in ROW.finditer(text)
    }


def error_classes(base: type[errors.MenpaiError]) -> list[type[errors.MenpaiError]]:
    """The error tree below a class."""
    return [found for sub in base.__subclasses__() for found in (sub, *error_classes(sub))]


def test_every_flag_is_documented() -> None:
    """docs/flags.md lists the flags of the code, in their order, with their meaning."""
    assert [(name, cells[0]) for name, cells in rows("flags.md").items()] == list(FLAGS.items())


NEEDS_A_CHECKPOINT = ("truncated", "model_error")


@pytest.mark.parametrize("flag", [flag for flag in FLAGS if flag not in NEEDS_A_CHECKPOINT])
def test_every_flag_has_a_true_example(flag: str) -> None:
    """The example of a flag in docs/flags.md carries it; of a pair, the comparison does."""
    example = rows("flags.md")[flag][1].split(" / ")
    result = menpai.parse(*example) if len(example) == 1 else menpai.compare(*example)
    assert flag in result.flags


def test_every_error_is_documented() -> None:
    """docs/errors.md lists each error code with its class and whether to retry."""
    documented = {code: cells[:2] for code, cells in rows("errors.md").items()}
    assert documented == {
        error.code: [f"`{error.__name__}`", "yes" if error.retryable else "no"]
        for error in error_classes(errors.MenpaiError)
    }


def test_changelog_begins_with_this_version() -> None:
    """The newest entry of the changelog is the version of the package."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.search(r"^## \[([^\]]+)\]", text, re.MULTILINE)
    assert newest is not None
    assert newest[1] == menpai.__version__


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(path: Path) -> None:
    """A link to a file of the repository leads to one."""
    links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", path.read_text(encoding="utf-8"))
    local = [link for link in links if "://" not in link]
    assert [link for link in local if not (path.parent / link).exists()] == []
