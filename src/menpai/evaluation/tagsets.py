"""What the tags of a labelled set mean in elements; each known set's mapping is a file in `data`.

A mapping is a JSON object:

- tags: every tag of the set, with its element, or null for what is not measured.
- rules, optional: exceptions, of which the first that fits decides. Each has `tags`; `text`, a
  pattern for all of the span; `element` (or null); `why`; and perhaps `after` or `not_after`, tags
  and text that the span directly before has or has not.
- join, optional: elements of which adjacent spans are one, each with a pattern for all of the later
  span: a compound and its part are one place, two roads are two.
- blank, optional: the character that the set writes in place of a blank.
"""

import json
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from operator import attrgetter
from pathlib import Path
from typing import Any, Final

from menpai.address.elements import ELEMENTS
from menpai.errors import ConfigError
from menpai.evaluation.conll import Tagged, read_conll
from menpai.evaluation.spans import Span

NAMES: Final = ("ccks", "naacl", "menpai")
"""Sets whose mapping comes with menpai, in the order in which they are tried."""

_KEYS: Final = frozenset({"tags", "rules", "join", "blank"})


@dataclass(frozen=True, slots=True)
class Condition:
    """Tags of which a span may be, and a pattern for all of its text."""

    tags: frozenset[str]
    text: re.Pattern[str]

    def fits(self, text: str, span: Span) -> bool:
        """Whether a span of a text is meant."""
        return span.name in self.tags and bool(self.text.fullmatch(text, span.start, span.end))


@dataclass(frozen=True, slots=True)
class Rule:
    """An exception: the element of the spans that fit, by themselves and by the one before."""

    span: Condition
    after: Condition | None
    not_after: Condition | None
    element: str | None

    def fits(self, text: str, span: Span, before: Span | None) -> bool:
        """Whether the rule decides a span; `before` is the one directly before, if any."""
        if not self.span.fits(text, span):
            return False
        if self.after and not (before and self.after.fits(text, before)):
            return False
        return not (self.not_after and before and self.not_after.fits(text, before))


@dataclass(frozen=True, slots=True)
class TagSet:
    """The mapping of one labelled set.

    Attributes:
        name: One of `NAMES`, or the file that it was read from.
        tags: Every tag of the set, with its element; None for what is not measured.
        rules: Exceptions, of which the first that fits decides.
        joins: Elements of which adjacent spans are one, with a pattern for the later span.
        blank: The character that stands for a blank, if the set has one.
    """

    name: str
    tags: Mapping[str, str | None]
    rules: tuple[Rule, ...]
    joins: Mapping[str, re.Pattern[str]]
    blank: str | None

    @property
    def elements(self) -> tuple[str, ...]:
        """Elements that are measured, from the coarsest to the finest."""
        return tuple(element for element in ELEMENTS if element in self.tags.values())

    def text(self, tagged: Tagged) -> str:
        """Give the text as it was written, with blanks."""
        return tagged.text.replace(self.blank, " ") if self.blank else tagged.text

    def gold(self, tagged: Tagged) -> list[Span]:
        """Give the spans of elements that the tags of a text mean."""
        spans: list[Span] = []
        before: Span | None = None
        for span in tagged.spans:
            beside = before if before and before.end == span.start else None
            element = self._element(tagged.text, span, beside)
            if element is not None:
                spans.append(span._replace(name=element))
            before = span
        return self.joined(tagged.text, spans)

    def joined(self, text: str, spans: Iterable[Span]) -> list[Span]:
        """Join the spans that are parts of one; those of elements not measured are left out."""
        measured = frozenset(self.tags.values())
        whole: list[Span] = []
        for span in sorted(spans, key=attrgetter("start", "end")):
            if span.name not in measured:
                continue
            if whole and self._is_part(text, span, whole[-1]):
                whole[-1] = whole[-1]._replace(end=span.end)
            else:
                whole.append(span)
        return whole

    def _is_part(self, text: str, span: Span, before: Span) -> bool:
        """Whether a span goes on with the one before it."""
        part = self.joins.get(span.name)
        beside = (before.name, before.end) == (span.name, span.start)
        return beside and part is not None and bool(part.fullmatch(text, span.start, span.end))

    def _element(self, text: str, span: Span, before: Span | None) -> str | None:
        for rule in self.rules:
            if rule.fits(text, span, before):
                return rule.element
        return self.tags[span.name]


@cache
def known_tag_set(name: str) -> TagSet:
    """Read a mapping that comes with menpai, one of `NAMES`."""
    file = resources.files("menpai.evaluation") / "data" / f"elements_{name}.json"
    return _tag_set(name, file.read_text(encoding="utf-8"))


def tag_set(mapping: str) -> TagSet:
    """Give the mapping of that name, or read it from a file.

    Raises:
        ConfigError: If it is neither one of `NAMES` nor a file, or the file holds no mapping.
    """
    if mapping in NAMES:
        return known_tag_set(mapping)
    path = Path(mapping)
    try:
        written = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        names = ", ".join(NAMES)
        message = f"mapping {mapping!r} is none of {names}, nor a file in UTF-8"
        raise ConfigError(message, field="mapping") from error
    return _tag_set(path.name, written)


def detect(tags: Collection[str]) -> TagSet:
    """Give the first known mapping that has all of some tags.

    Raises:
        ConfigError: If none has; the message names the tags that the nearest one lacks.
    """
    known = [known_tag_set(name) for name in NAMES]
    best = min(known, key=lambda candidate: len(set(tags) - set(candidate.tags)))
    check_tags(best, tags)
    return best


def check_tags(mapping: TagSet, tags: Collection[str]) -> None:
    """Raise ConfigError if a mapping lacks a tag of a set."""
    unknown = sorted(set(tags) - set(mapping.tags))
    if unknown:
        message = (
            f"mapping {mapping.name} has no tag {', '.join(map(repr, unknown))}; "
            "give a file with --mapping that maps each tag to an element or null"
        )
        raise ConfigError(message, field="mapping")


def _tag_set(name: str, written: str) -> TagSet:
    try:
        return _read(name, json.loads(written))
    except (ValueError, TypeError, KeyError, AttributeError, re.error) as error:
        message = f"{name} is no mapping of tags ({error}); see docs/cli.md"
        raise ConfigError(message, field="mapping") from error


def _read(name: str, mapping: Mapping[str, Any]) -> TagSet:
    tags = {tag: _element(element) for tag, element in mapping["tags"].items()}
    joins = mapping.get("join", {})
    unknown = [*(mapping.keys() - _KEYS), *(joins.keys() - set(tags.values()))]
    if unknown:
        raise ValueError(f"what is {unknown[0]!r}")
    return TagSet(
        name=name,
        tags=tags,
        rules=tuple(_rule(rule, tags) for rule in mapping.get("rules", ())),
        joins={element: re.compile(part) for element, part in joins.items()},
        blank=mapping.get("blank"),
    )


def _rule(rule: Mapping[str, Any], tags: Mapping[str, str | None]) -> Rule:
    element = _element(rule["element"])
    if element not in (None, *tags.values()):
        raise ValueError(f"no tag means {element!r}, but a rule does")
    return Rule(
        span=_condition(rule, tags),
        after=_condition(rule["after"], tags) if "after" in rule else None,
        not_after=_condition(rule["not_after"], tags) if "not_after" in rule else None,
        element=element,
    )


def _condition(condition: Mapping[str, Any], tags: Collection[str]) -> Condition:
    meant = frozenset(condition["tags"])
    if not meant <= set(tags):
        raise ValueError(f"a rule is for {min(meant - set(tags))!r}, which is no tag")
    return Condition(meant, re.compile(condition["text"]))


def _element(element: str | None) -> str | None:
    if element is not None and element not in ELEMENTS:
        raise ValueError(f"{element!r} is no element; elements are {', '.join(ELEMENTS)}")
    return element


def meaning_of(texts: Iterable[Tagged], mapping: str | None) -> TagSet:
    """Give the mapping of tagged texts: the one that is named, or the first that has all tags.

    Raises:
        ConfigError: It cannot be read or lacks a tag, or no known one has all tags.
    """
    tags = {span.name for tagged in texts for span in tagged.spans}
    found = detect(tags) if mapping is None else tag_set(mapping)
    check_tags(found, tags)
    return found


def read_mapped(path: Path, mapping: str | None) -> list[Tagged]:
    """Read a CoNLL file, with elements in the place of its tags; texts of blanks are left out.

    Raises:
        TableError: There is no such file, or a line of it is malformed.
        ConfigError: See `meaning_of`.
    """
    texts = list(read_conll(path))
    meaning = meaning_of(texts, mapping)
    mapped = (Tagged(meaning.text(tagged), tuple(meaning.gold(tagged))) for tagged in texts)
    return [tagged for tagged in mapped if tagged.text.strip()]
