"""The roads of a city: names that all cities have, names mined from texts, and invented ones."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from menpai.synthesis.draws import Weighted, from_quantiles

if TYPE_CHECKING:
    from random import Random

    from menpai.synthesis.vocabulary import Vocabulary

_COMMON, _LOCAL, _MINED, _INVENTED = "common", "local", "mined", "invented"
_SOURCES = Weighted([(_LOCAL, 0.42), (_COMMON, 0.28), (_MINED, 0.08), (_INVENTED, 0.22)])
"""Where a name comes from: roads known of this city, of many cities, of any, or none."""
_SECTION_SHARE = 0.2
"""Share of the roads of a town that are another section of one that it has: 南路 beside 北路."""
_LANES = Weighted([("巷", 5), ("弄", 1), ("支路", 1), ("横路", 1), ("街", 2), ("里", 1)])
_ORDINALS = "一二三四五六七八"
_ENDING = re.compile(r"(?:[东西南北中一二三四五六七八])?(大道|大街|路|街|巷|胡同|道)\Z")
_PLAIN_ENDINGS = {
    "大道东": "大道",
    "大道西": "大道",
    "大道南": "大道",
    "大道北": "大道",
    "大道中": "大道",
}


class Road:
    """A road of one city, and the house numbers on it that are taken."""

    __slots__ = ("city", "name", "numbers")

    def __init__(self, name: str, city: str) -> None:
        self.name: Final = name
        self.city: Final = city
        self.numbers: list[int] = []

    def take_number(self, rng: Random, vocabulary: Vocabulary) -> int:
        """Take a number that is free; many are near a number already taken."""
        number = vocabulary.numbers.draw(rng)
        number = number or from_quantiles(rng, vocabulary.quantiles("roadno"))
        if self.numbers and rng.random() < 0.35:
            number = max(1, rng.choice(self.numbers) + rng.randint(-12, 12))
        if number % 10 == 4 and rng.random() < 0.35:  # an unlucky number
            number += 1
        while number in self.numbers:
            number += rng.randint(1, 3)
        self.numbers.append(number)
        return number


class RoadNames:
    """Names roads."""

    def __init__(self, vocabulary: Vocabulary, rng: Random) -> None:
        self._vocabulary = vocabulary
        self._rng = rng

    def name(self, code: str, stems: tuple[str, ...], taken: dict[str, Road]) -> str:
        """Give a name that the city does not have yet.

        Args:
            code: A division code of the place.
            stems: Names of towns and villages nearby, which roads are named after.
            taken: The roads of the city by name.
        """
        while True:
            name = self._another_section(taken) or self._draw(code, stems)
            if name not in taken:
                return name

    def highway(self) -> str:
        """Give the code of a highway: G324, 国道324, S201省道, X014县道."""
        rng = self._rng
        letter = rng.choices("GSXY", (5, 4, 2, 1))[0]
        number = rng.randint(101, 330) if letter in "GS" else rng.randint(1, 999)
        word = {"G": "国道", "S": "省道", "X": "县道", "Y": "乡道"}[letter]
        form = rng.random()
        if form < 0.4:
            return f"{letter}{number:03}"
        if form < 0.6 and letter in "GS":
            return f"{number}{word}"
        return f"{letter}{number:03}{word}" if form < 0.8 else f"{word}{number}"

    def _another_section(self, taken: dict[str, Road]) -> str | None:
        rng = self._rng
        if not taken or rng.random() >= _SECTION_SHARE:
            return None
        name = rng.choice(list(taken))
        match = _ENDING.search(name)
        if match is None or not (stem := name[: match.start()]) or len(stem) < 2:
            return None
        if match[1] == "大道":
            return f"{stem}大道{rng.choice('东西南北中')}"
        draw = rng.random()
        if draw < 0.55:
            return f"{stem}{rng.choice('东西南北中')}{match[1]}"
        if draw < 0.75:
            return f"{stem}{rng.choice(_ORDINALS)}{match[1]}"
        return f"{name}{rng.choice(_ORDINALS)}{_LANES.draw(rng)}"

    def _draw(self, code: str, stems: tuple[str, ...]) -> str:
        rng = self._rng
        source = _SOURCES.draw(rng)
        local = self._vocabulary.roads_of_city.get(code[:4])
        if source == _LOCAL and local:
            return rng.choice(local)
        if source == _COMMON:
            return self._vocabulary.common_roads.draw(rng)
        if source == _MINED:
            return rng.choice(self._vocabulary.rare_roads)
        return self._invent(code, stems)

    def _invent(self, code: str, stems: tuple[str, ...]) -> str:
        rng, words = self._rng, self._vocabulary.words
        ending = self._vocabulary.of_province("road_endings", code).draw(rng)
        if stems and rng.random() < 0.35:
            stem = rng.choice(stems)
        else:
            stem = rng.choice(words["road_heads"]) + rng.choice(words["road_tails"])
        plain = _PLAIN_ENDINGS.get(ending)
        if plain is None and rng.random() < 0.3:
            side = rng.choice("东西南北中" if rng.random() < 0.7 else _ORDINALS)
            return f"{stem}{side}{ending}"
        return stem + ending
