"""The public API as its users type it; read by mypy, never run."""

from collections.abc import Iterable, Sequence

import menpai
from menpai import Address, Comparison, Library, Match, Matcher, MenpaiError

version: str = menpai.__version__


def parse(texts: Sequence[str]) -> list[str | None]:
    addresses: list[Address] = [menpai.parse(text, default_region="110000") for text in texts]
    spans: list[tuple[int, int]] = [address.spans["road"] for address in addresses]
    rows: list[dict[str, object]] = [address.to_dict() for address in addresses]
    assert len(rows) == len(spans)
    return [address.roadno for address in addresses]


def normalize(text: str) -> tuple[str, tuple[int, int]]:
    normalized = menpai.normalize(text)
    return normalized.text, normalized.span(0, 1)


def compare(left: str, right: str) -> tuple[str, bool, float, str | None]:
    result: Comparison = menpai.compare(left, menpai.parse(right))
    relations: list[str] = [reason.relation for reason in result.reasons]
    assert relations
    return result.label, result.match, result.score, result.level


def configure() -> list[Matcher]:
    return [
        menpai.load(),
        menpai.load(policy="ccks", match_at="partial"),
        menpai.load(match_at=0.9, default_region="110000", as_of=2020),
    ]


def compare_many(matcher: Matcher, lefts: Sequence[str], rights: Sequence[str]) -> list[float]:
    comparisons: list[Comparison] = matcher.compare_batch(lefts, rights)
    return [comparison.score for comparison in comparisons]


def match(matcher: Matcher, queries: Iterable[str], texts: Sequence[str]) -> list[str]:
    library: Library = Library.build(texts, [str(row) for row in range(len(texts))])
    matches: list[Match] = matcher.match(queries, library, top_k=3)
    one: Match = matcher.match_one("朝阳区望澜路88号", library, 1)
    return [match.status for match in [*matches, one]]


def handle(error: MenpaiError) -> tuple[str, bool, dict[str, dict[str, object]]]:
    return error.code, error.retryable, error.to_dict()
