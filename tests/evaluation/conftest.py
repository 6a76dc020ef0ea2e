"""A matcher with known answers, so that the measures alone are under test."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType

import pytest


@dataclass(frozen=True)
class FakeComparison:
    """The part of a comparison that the evaluation reads."""

    label: str
    score: float
    match: bool


@dataclass(frozen=True)
class FakeAddress:
    """An address with given elements."""

    elements: Mapping[str, object]

    def to_dict(self) -> Mapping[str, object]:
        """Elements as they were given."""
        return self.elements


@dataclass
class FakeMatcher:
    """Answers from tables and keeps what it was loaded and asked with."""

    compared: dict[tuple[str, str], tuple[str, float]] = field(default_factory=dict)
    parsed: dict[str, Mapping[str, object]] = field(default_factory=dict)
    settings: dict[str, object] = field(default_factory=dict)
    asked: list[tuple[str, str]] = field(default_factory=list)

    def load(self, **settings: object) -> "FakeMatcher":
        """Stand in for `menpai.matching.matcher.load`."""
        self.settings = settings
        return self

    def parse(self, text: str) -> FakeAddress:
        """Look up a parse; nothing found for what is unknown."""
        return FakeAddress(self.parsed.get(text, {}))

    def compare(self, left: str, right: str) -> FakeComparison:
        """Look up a pair; the decision follows the label and `match_at`."""
        self.asked.append((left, right))
        label, score = self.compared[left, right]
        accepted = {"exact": ("exact_match",), "partial": ("exact_match", "partial_match")}
        threshold = self.settings.get("match_at", "exact")
        if isinstance(threshold, float):
            return FakeComparison(label, score, score >= threshold)
        return FakeComparison(label, score, label in accepted[str(threshold)])

    def compare_batch(self, lefts: Sequence[str], rights: Sequence[str]) -> list[FakeComparison]:
        """Look up pairs in order."""
        return [self.compare(left, right) for left, right in zip(lefts, rights, strict=True)]


@pytest.fixture
def fake_matcher(monkeypatch: pytest.MonkeyPatch) -> FakeMatcher:
    """Put the fake in the matcher's place."""
    matcher = FakeMatcher()
    module = ModuleType("menpai.matching.matcher")
    module.__dict__["load"] = matcher.load
    monkeypatch.setitem(sys.modules, "menpai.matching.matcher", module)
    return matcher
