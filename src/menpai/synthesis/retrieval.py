"""What a search engine returns for a text: records that share its rare pairs of characters."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from menpai.address.rarity import bigrams
from menpai.synthesis.writing import Writer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from menpai.synthesis.forms import Form
    from menpai.synthesis.places import Place
    from menpai.synthesis.world import World

_DIGITS = re.compile(r"\d+")
_MAX_SHARE = 0.02
"""Words of more than this share of the records only count where a text has no rarer ones."""
_MIN_WORDS = 6
_FLATS = 4
_LENGTH_EXPONENT = 0.35
"""How far a record that says more is held back; 0.5 would be the cosine."""


class Index:
    """Places of a world, each written once as a record of a map provider, and searchable.

    Maps list compounds, buildings, shops and companies, and few flats and rooms: of these every
    fourth has a record.

    Attributes:
        places: Numbers of the places that have a record.
    """

    def __init__(self, world: World, seed: int = 0, register: str = "map") -> None:
        """Write and index the places of a map; about 60 microseconds a place.

        Args:
            world: The map.
            seed: Another seed, other wordings of the records.
            register: Who writes the records.
        """
        self._world: Final = world
        self._seed: Final = seed
        self._register: Final = register
        self._ids: dict[str, int] = {}
        self.record = lru_cache(maxsize=16384)(self._write)
        self.places: Final = [place.index for place in world.places if _is_listed(place)]
        records: list[int] = []
        words: list[int] = []
        for place in self.places:
            found = _words(self._write(place).text)
            words += [self._ids.setdefault(word, len(self._ids)) for word in sorted(found)]
            records += [place] * len(found)
        self._lay_out(np.array(records, dtype=np.int32), np.array(words, dtype=np.int32))

    def _lay_out(self, records: NDArray[np.int32], words: NDArray[np.int32]) -> None:
        n_places, n_words = len(self._world.places), len(self._ids)
        order = np.argsort(words, kind="stable")
        self._records: NDArray[np.int32] = records[order]
        counts = np.bincount(words, minlength=n_words)
        self._starts = np.concatenate([[0], np.cumsum(counts)])
        self._counts = counts
        self._idf = np.log(len(self) / np.maximum(counts, 1))
        totals = np.bincount(records, weights=self._idf[words], minlength=n_places)
        self._norms = np.maximum(totals, 1.0) ** _LENGTH_EXPONENT

    def _write(self, place: int) -> Form:
        writer = Writer(self._world, f"{self._seed} record {place}")
        return writer.write(self._world.places[place], self._register)

    def __len__(self) -> int:
        """Count the records."""
        return len(self.places)

    def search(self, text: str, k: int = 10) -> list[tuple[Form, float]]:
        """Give the records nearest to a text by the rarity of what they share, the best first.

        Args:
            text: What is searched for.
            k: How many records at most.

        Returns:
            Records with their scores; `record.place` says what each is.
        """
        return [(self.record(place), score) for place, score in self.nearest(text, k)]

    def nearest(self, text: str, k: int = 10) -> list[tuple[int, float]]:
        """Do as `search` does, but give the numbers of the places and leave their texts unwritten.

        Args:
            text: What is searched for.
            k: How many records at most.

        Returns:
            Numbers of places, as `record` takes them, with their scores.
        """
        known = sorted(self._ids[word] for word in _words(text) if word in self._ids)
        if not known:
            return []
        ids = np.array(known)
        ids = ids[np.argsort(self._counts[ids], kind="stable")]
        rare = self._counts[ids] <= _MAX_SHARE * len(self)
        ids = ids[: max(int(rare.sum()), min(_MIN_WORDS, len(ids)))]
        found = np.concatenate([self._records[self._starts[i] : self._starts[i + 1]] for i in ids])
        weights = np.repeat(self._idf[ids], self._counts[ids])
        records, inverse = np.unique(found, return_inverse=True)
        scores = np.bincount(inverse, weights=weights) / self._norms[records]
        best = np.lexsort((records, -scores))[:k]
        return [(int(records[i]), float(scores[i])) for i in best]


def _is_listed(place: Place) -> bool:
    is_flat = place.room is not None and place.tenant is None
    return not is_flat or place.index % _FLATS == 0


def _words(text: str) -> set[str]:
    return bigrams(text) | set(_DIGITS.findall(text))
