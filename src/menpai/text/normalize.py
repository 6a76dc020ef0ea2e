"""The canonical form of an address text, with the way back to what was written."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from menpai.errors import InputError
from menpai.text.letters import capitalise_numbering
from menpai.text.markup import strip_markup
from menpai.text.numbering import (
    drop_ordinals,
    numerals_to_arabic,
    road_numbers_to_chinese,
    unify_zeros,
)
from menpai.text.numerals import NUMERALS
from menpai.text.offsets import Aligned
from menpai.text.separators import close_up, collapse_separators, unify_dashes
from menpai.text.spaced_names import join_spaced_names
from menpai.text.traditional import simplify
from menpai.text.unicode import unify_characters
from menpai.text.units import (
    drop_leading_zeros,
    unify_basements,
    unify_buildings,
    unify_number_signs,
    unify_phases,
    unify_ranges,
    unify_towers,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

NORMALIZER_VERSION = 1
"""Changes whenever a text gets another canonical form: what was computed from one is stale then."""

_MAX_PASSES = 12
_REMARK = re.compile(r"\(([^()]*)\)")


class Step(NamedTuple):
    """One rule of the canonical form."""

    name: str
    reason: str
    function: Callable[[Aligned], Aligned]
    needs: frozenset[str] | None = None
    """Characters without any of which the step has nothing to do; None for a step that looks."""


_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz")

STEPS: tuple[Step, ...] = (
    Step(
        "markup",
        "Addresses copied from web pages bring tags and entities along.",
        strip_markup,
    ),
    Step(
        "characters",
        "One sign has many code points: full-width, compatibility, brackets, dashes, invisibles.",
        unify_characters,
    ),
    Step(
        "traditional",
        "Hong Kong, Macao and Taiwan write traditional characters for the same names.",
        simplify,
    ),
    Step(
        "separators",
        "How many commas and blanks separate two words says nothing.",
        collapse_separators,
        frozenset(" ,、:·."),
    ),
    Step(
        "dashes",
        "Several strokes serve as the hyphen of 7-2-802.",
        unify_dashes,
        frozenset("-ー一丨"),
    ),
    Step("blanks", "A blank inside a number would cut it in two.", close_up, frozenset(" ")),
    Step(
        "spaced_names",
        "Copies and scans cut a name in two: 石 塘镇, 文昌 南路.",
        join_spaced_names,
        frozenset(" "),
    ),
    Step(
        "zeros",
        "A circle or the letter O is typed for the zero of a number.",
        unify_zeros,
        frozenset("Oo〇零0"),
    ),
    Step(
        "buildings",
        "幢 and 栋 are one word, 憧 and 冻 slips for it.",
        unify_buildings,
        frozenset("幢橦憧懂冻"),
    ),
    Step(
        "basements",
        "负一楼, -1层 and B1F are one floor.",
        unify_basements,
        frozenset("负下Bb-"),
    ),
    Step(
        "towers",
        "1号塔, 塔一 and Tower 1 are one building.",
        unify_towers,
        frozenset("塔wW"),
    ),
    Step(
        "numerals",
        "十二号 and 12号 are one number, 三里屯 and 二七路 are names.",
        numerals_to_arabic,
        frozenset(NUMERALS),
    ),
    Step("ordinals", "第3层 and 3层 are one floor.", drop_ordinals, frozenset("第")),
    Step(
        "ranges",
        "56~58号 and 56至58号 are one range.",
        unify_ranges,
        frozenset("~至到"),
    ),
    Step(
        "number_signs",
        "# is read as 号 after a road and as 号楼 in a compound.",
        unify_number_signs,
        frozenset("#"),
    ),
    Step(
        "leading_zeros",
        "08栋 and 8栋 are one building.",
        drop_leading_zeros,
        frozenset("0"),
    ),
    Step(
        "road_numbers",
        "Signs and official lists write 太原一路, people 太原1路.",
        road_numbers_to_chinese,
        frozenset("路街道巷条环胡组"),
    ),
    Step("phases", "Ⅱ期, 二期 and 2期 are one phase.", unify_phases, frozenset("期")),
    Step("letters", "a座 and A座 are one building.", capitalise_numbering, _LETTERS),
)

_TRIGGERS = frozenset[str]().union(*(step.needs for step in STEPS if step.needs is not None))


@dataclass(frozen=True, slots=True)
class Normalized:
    """A canonical text and the original it came from.

    Attributes:
        text: The canonical text.
        original: What was given.
        starts: For each character of `text`, where its part of the original starts; None where
            character i comes from original[i].
        ends: The same for where it ends.
    """

    text: str
    original: str
    starts: Sequence[int] | None
    ends: Sequence[int] | None

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Map text[start:end] to the span of the original that it came from.

        An empty span gives an empty one.
        """
        if self.starts is None or self.ends is None:
            return start, end
        if start < end:
            return self.starts[start], self.ends[end - 1]
        at = self.starts[start] if start < len(self.starts) else len(self.original)
        return at, at

    @property
    def remarks(self) -> tuple[tuple[int, int], ...]:
        """The spans of what stands between round brackets, innermost pairs only."""
        if "(" not in self.text:
            return ()
        return tuple(match.span(1) for match in _REMARK.finditer(self.text))


def normalize(text: str) -> Normalized:
    """Bring an address text into its canonical form.

    Normalising a canonical text changes nothing: the steps are repeated until none has anything
    left to do.

    Args:
        text: Any text; nothing makes this fail.

    Returns:
        The canonical text with the way back.

    Raises:
        InputError: The text is no string.
    """
    _check(text)
    settled = _settle(Aligned(text))
    return Normalized(settled.text, text, settled.starts, settled.ends)


def _check(text: object) -> None:
    if not isinstance(text, str):
        raise InputError(f"a text is wanted, not {type(text).__name__}", field="text")


def normalize_batch(texts: Iterable[str]) -> list[Normalized]:
    """Normalise many texts; the same as `normalize` on each."""
    return [normalize(text) for text in texts]


def _settle(aligned: Aligned) -> Aligned:
    for _ in range(_MAX_PASSES):
        before = aligned.text
        aligned = _run_steps(aligned)
        if aligned.text == before:
            break
    return aligned


def _run_steps(aligned: Aligned) -> Aligned:
    present = _TRIGGERS.intersection(aligned.text)
    for _, _, function, needs in STEPS:
        if needs is None or not needs.isdisjoint(present):
            before = aligned
            aligned = function(before)
            # Only these bring in characters of many kinds; what another step brings in is seen by
            # the next pass.
            if needs is None and aligned is not before:
                present = _TRIGGERS.intersection(aligned.text)
    return aligned
