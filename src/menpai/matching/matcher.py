"""The front door: parse, compare and match with one set of choices."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from menpai.address.elements import INNER, Address
from menpai.address.names import names_of
from menpai.address.parse import known, parse
from menpai.errors import ConfigError, InputError, MenpaiError
from menpai.events import Events
from menpai.matching import evidence as evidences
from menpai.matching.decide import NOTHING, conclude, decide, is_match, is_settled, weigh
from menpai.matching.library import Library
from menpai.matching.models import PackagedModels
from menpai.matching.policy import POLICIES
from menpai.matching.results import LABELS, Comparison, Hit, Match
from menpai.model.packaged import PACKAGED
from menpai.text.normalize import normalize

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from menpai.engine.engine import Engine
    from menpai.events import Event
    from menpai.matching.decide import Evidence, Structure
    from menpai.matching.results import Status
    from menpai.model.packaged import Packaged
    from menpai.text.normalize import Normalized

_N_COMPARED = 16
"""Candidates that get the full comparison, unless more results are asked for.

Of 10,000 disturbed texts, the index has the right one of 100,000 records among its first 5 for
99.7 %, its first 16 for 99.84 % and its first 50 for 99.84 %.
"""

_MATCHED_SCORE = 0.8
_MATCHED_MARGIN = 0.1
_MATCHED_LEVELS = frozenset(("roadno", "poi", *INNER))
_MATCH_WORDS = ("exact", "partial")
_MORE_THAN_A_NAME = ("road", "roadno", "village", "group", *INNER)

_Item = TypeVar("_Item")


class Ranked(NamedTuple):
    """A library's entry and how it compares with the query."""

    entry: int
    comparison: Comparison


class Matcher:
    """Parses, compares and matches with one policy, threshold, region and year; see `load`.

    Attributes:
        engine: The checkpoint that was named; None without one.
        packaged: The packaged checkpoints, where they refine the answers; None where they do not.
    """

    def __init__(  # noqa: PLR0913 -- one for each choice
        self,
        *,
        policy: str,
        match_at: str | float,
        default_region: str | None,
        as_of: int | None,
        engine: Engine | None,
        packaged: PackagedModels | None,
        events: Events,
    ) -> None:
        self.policy = policy
        self.match_at = match_at
        self.default_region = default_region
        self.as_of = as_of
        self.engine = engine
        self.packaged = packaged
        self._events = events

    def parse(self, text: str) -> Address:
        """Read one address into its elements."""
        return self.parse_batch([text])[0]

    def parse_batch(self, texts: Iterable[str]) -> list[Address]:
        """Read many addresses; with a checkpoint that tags, its tags join in."""
        wanted = _listed(texts, "texts")
        for text in wanted:
            _check_text(text)
        if self.engine is not None and self.engine.kind == "tags":
            return self._parse_tagged(wanted, self.engine)
        return self._parse_plainly(wanted)

    def _parse_plainly(self, texts: Sequence[str]) -> list[Address]:
        with self._events.stage("parse", len(texts)):
            return [known(text, self.default_region, self.as_of) for text in texts]

    def _parse_tagged(self, texts: Sequence[str], engine: Engine) -> list[Address]:
        from menpai.engine.tags import proposals

        tagged = engine.tag(texts)
        with self._events.stage("parse", len(texts)):
            return [
                parse(
                    text,
                    default_region=self.default_region,
                    as_of=self.as_of,
                    proposals=() if isinstance(spans, MenpaiError) else proposals(spans),
                )
                for text, spans in zip(texts, tagged, strict=True)
            ]

    def embed(self, texts: Iterable[str]) -> NDArray[np.float32]:
        """Give each text its vector, of length 1: float32 (n, dim).

        Raises:
            ConfigError: The matcher has no checkpoint that gives vectors.
            MenpaiError: A text has no vector; `row` tells which, counted from 1. With
                `engine_for("vectors").encode` the others get theirs all the same.
        """
        encoded = self.engine_for("vectors").encode(_listed(texts, "texts"))
        if encoded.errors:
            place = min(encoded.errors)
            error = copy(encoded.errors[place])  # others may have been given the same one
            error.row = place + 1
            raise error
        return encoded.vectors

    def engine_for(self, kind: Packaged) -> Engine:
        """Give the checkpoint that gives vectors, or judges pairs: the named or the packaged one.

        Raises:
            ConfigError: The matcher goes by elements alone.
        """
        if self.engine is not None:
            return self.engine
        if self.packaged is None:
            raise ConfigError(
                f"{kind} need a checkpoint, and elements alone were asked for", field="checkpoint"
            )
        return self.packaged.get(kind)

    def normalize(self, text: str) -> Normalized:
        """Give a text's canonical form, with the way back to the original."""
        _check_text(text)
        return normalize(text)

    def compare(self, left: str | Address, right: str | Address) -> Comparison:
        """Compare two addresses, as texts or parsed; swapping them mirrors the result."""
        return self._compare([(left, right)])[0]

    def compare_batch(
        self, lefts: Iterable[str | Address], rights: Iterable[str | Address]
    ) -> list[Comparison]:
        """Compare pairs: the first of each side, the second of each side, and so on.

        Raises:
            InputError: The two sides differ in length.
        """
        lefts, rights = _listed(lefts, "lefts"), _listed(rights, "rights")
        if len(lefts) != len(rights):
            raise InputError(f"pairs need as many lefts as rights: {len(lefts)}, {len(rights)}")
        return self._compare(list(zip(lefts, rights, strict=True)))

    def _compare(self, pairs: Sequence[tuple[str | Address, str | Address]]) -> list[Comparison]:
        sides = self._addresses([side for pair in pairs for side in pair])
        with self._events.stage("compare", len(pairs)):
            structures = [
                weigh(sides[i], sides[i + 1], self.policy) for i in range(0, len(sides), 2)
            ]
        found = self._evidence(structures)
        with self._events.stage("decide", len(pairs)):
            return [
                conclude(structure, self.match_at, evidence)
                for structure, evidence in zip(structures, found, strict=True)
            ]

    def _evidence(self, structures: Sequence[Structure]) -> Sequence[Evidence]:
        """What the checkpoint says of each pair; a pair model is not asked what is decided."""
        found = [NOTHING] * len(structures)
        is_without = self.engine is None and self.packaged is None
        if is_without or (self.engine is not None and self.engine.kind == "tags"):
            return found
        texts = [(s.left.text, s.right.text) for s in structures]
        if self.engine is not None and self.engine.kind == "vectors":
            return evidences.similarities(self.engine, texts)
        places = [i for i, structure in enumerate(structures) if not structure.is_decisive]
        if not places:
            return found
        engine = self.engine_for("pairs")
        share = evidences.share_of(engine, self.policy)
        places = [i for i in places if not is_settled(structures[i], share)]
        asked = evidences.verdicts(engine, [texts[i] for i in places], self.policy)
        for place, evidence in zip(places, asked, strict=True):
            found[place] = evidence
        return found

    def match(
        self, queries: Iterable[str], library: Library | Iterable[str], *, top_k: int = 5
    ) -> list[Match]:
        """Find the records that queries mean.

        Args:
            queries: Addresses to look up. One that fails gets status "error", the others go on.
            library: Standard addresses; texts are built into a `Library` with the matcher's
                `default_region`. Build it yourself to use it again.
            top_k: Most records to give for a query.

        Returns:
            One match for each query, in order.

        Raises:
            InputError: `top_k` is not positive, or the library has no records.
        """
        _check_top_k(top_k)
        wanted = _listed(queries, "queries")
        if not isinstance(library, Library):
            records = _listed(library, "library")
            library = Library.build(records, default_region=self.default_region)
        return [self.match_one(query, library, top_k) for query in wanted]

    def match_one(self, query: str, library: Library, top_k: int) -> Match:
        """Find the records that one query means; see `match`."""
        _check_top_k(top_k)
        try:
            return self._match(query, library, top_k)
        except Exception as error:  # noqa: BLE001  one bad row must not lose the others
            return _failed(query, error)

    def _match(self, query: str, library: Library, top_k: int) -> Match:
        _check_text(query)
        [address] = self._parse_plainly([query])  # as the library's records were
        if "not_an_address" in address.flags:
            return Match(query, "unmatched")
        entries = library.candidates(address, max(_N_COMPARED, top_k))
        ranked = _sorted(
            Ranked(entry, self._by_elements(address, library.address(entry))) for entry in entries
        )
        ranked = self._one_of_several(address, ranked)
        return Match(query, self._status(ranked), _hits(ranked, library, top_k))

    def _by_elements(self, query: Address, record: Address) -> Comparison:
        return decide(query, record, policy=self.policy, match_at=self.match_at)

    def _addresses(self, sides: Sequence[str | Address]) -> list[Address]:
        """Parse what is not parsed yet."""
        parsed = iter(self.parse_batch([side for side in sides if not isinstance(side, Address)]))
        return [side if isinstance(side, Address) else next(parsed) for side in sides]

    # What only a look at all candidates can tell.

    def _one_of_several(self, query: Address, ranked: list[Ranked]) -> list[Ranked]:
        """A bare name that fits several places means none of them for sure."""
        if not _is_bare_name(query):
            return ranked
        fitting = [r for r in ranked if r.comparison.label == "exact_match"]
        others = [r for r in ranked if r.comparison.label != "exact_match"]
        places: list[Address] = []
        for one in fitting:
            place = one.comparison.right
            if not any(self._is_same_place(place, other) for other in places):
                places.append(place)
        if len(places) <= 1:
            return ranked
        shared = [
            Ranked(r.entry, one_of(len(places), r.comparison, self.match_at)) for r in fitting
        ]
        return _sorted([*shared, *others])

    def _is_same_place(self, left: Address, right: Address) -> bool:
        return decide(left, right, policy=self.policy).label == "exact_match"

    def _status(self, ranked: Sequence[Ranked]) -> Status:
        if not ranked or ranked[0].comparison.label == "not_match":
            return "unmatched"
        best = ranked[0].comparison
        sure = best.match and best.score >= _MATCHED_SCORE and best.level in _MATCHED_LEVELS
        return "matched" if sure and not self._has_rival(ranked) else "review"

    def _has_rival(self, ranked: Sequence[Ranked]) -> bool:
        """Say whether another place, not only another record of the best one, comes close."""
        best = ranked[0].comparison
        close = (r.comparison for r in ranked[1:])
        return any(
            best.score - other.score < _MATCHED_MARGIN
            and not self._is_same_place(best.right, other.right)
            for other in close
        )


def load(  # noqa: PLR0913 -- one for each choice
    *,
    policy: str = "place",
    match_at: str | float = "exact",
    default_region: str | None = None,
    as_of: int | None = None,
    checkpoint: str | Path | None = PACKAGED,
    runtime: str = "auto",
    precision: str = "auto",
    n_threads: int | None = None,
    observers: Iterable[Callable[[Event], None]] = (),
) -> Matcher:
    """Make a matcher.

    `compare` asks the checkpoint about what elements leave open: a model of pairs gives the
    probabilities, vectors the similarity, a tagger elements that the rules did not see. `match`
    goes by elements alone. The packaged checkpoints are loaded when they are first asked.

    Args:
        policy: What makes a match: "place" (one place) or "ccks" (the benchmark's habit).
        match_at: From where on `match` is true: "exact", "partial", or a score from 0 to 1.
        default_region: A division that unnamed upper levels are taken from, for local tables.
        as_of: The year in which the texts were written: names of then are read so.
        checkpoint: "packaged" for those of the package, a folder that `menpai model convert` made,
            or None for elements alone.
        runtime: What executes it: "openvino", "onnxruntime", "torch" or "auto".
        precision: In which numbers: "fp32", "bf16", "fp16", "int8" or "auto".
        n_threads: Processors to use; by default all that this process may.
        observers: Who is told of stages, batches and caches; see `menpai.events`.

    Raises:
        ConfigError: A choice that is not allowed; the message lists what is.
        ModelError: The checkpoint cannot be used.
        MissingExtraError: A library is not installed that it needs.
    """
    if policy not in POLICIES:
        raise ConfigError(f"policy {policy!r} is none of {', '.join(POLICIES)}", field="policy")
    _check_match_at(match_at)
    parse("", default_region=default_region, as_of=as_of)  # refuses a wrong region or year at once
    observers = tuple(observers)

    open_ = partial(
        _engine,
        runtime=runtime,
        precision=precision,
        n_threads=n_threads,
        observers=observers,
    )
    is_packaged = checkpoint == PACKAGED
    return Matcher(
        policy=policy,
        match_at=match_at,
        default_region=default_region,
        as_of=as_of,
        engine=None if checkpoint is None or is_packaged else open_(checkpoint),
        packaged=PackagedModels(open_) if is_packaged else None,
        events=Events(observers),
    )


def _engine(
    checkpoint: str | Path,
    *,
    runtime: str,
    precision: str,
    n_threads: int | None,
    observers: Iterable[Callable[[Event], None]],
) -> Engine:
    from menpai.engine.engine import load as load_engine

    engine = load_engine(
        checkpoint,
        runtime=runtime,
        precision=precision,
        n_threads=n_threads,
        observers=observers,
    )
    evidences.check(engine)
    return engine


def one_of(n_places: int, comparison: Comparison, match_at: str | float) -> Comparison:
    """Turn an exact match into a partial one because it is one of several that fit equally.

    Each of the places is the one meant with an equal share of P(exact); the rest of it goes to
    P(partial), and the score stays P(exact) + 0.5 P(partial).
    """
    old = comparison.probabilities
    exact = old["exact_match"] / n_places
    partial = old["partial_match"] + old["exact_match"] - exact
    score = exact + 0.5 * partial
    return replace(
        comparison,
        label="partial_match",
        match=is_match("partial_match", score, match_at),
        score=score,
        probabilities={**old, "exact_match": exact, "partial_match": partial},
    )


def _is_bare_name(query: Address) -> bool:
    names = names_of(query)
    is_named = bool(names.place or names.tenant)
    return is_named and not any(getattr(query, element) for element in _MORE_THAN_A_NAME)


def _sorted(ranked: Iterable[Ranked]) -> list[Ranked]:
    """Sort by score, then label; equals stay in the index's order, which ends in the records'."""
    return sorted(ranked, key=lambda r: (-r.comparison.score, LABELS.index(r.comparison.label)))


def _hits(ranked: Iterable[Ranked], library: Library, top_k: int) -> tuple[Hit, ...]:
    """Give each record its own place in the list."""
    records = ((row, r.comparison) for r in ranked for row in library.rows(r.entry))
    return tuple(
        Hit(library.record_ids[row], comparison.right.text, rank, comparison)
        for rank, (row, comparison) in enumerate(islice(records, top_k), 1)
    )


def _failed(query: str, error: Exception) -> Match:
    """Give the error contract; of an unforeseen error only its kind, as its words may quote."""
    if not isinstance(error, MenpaiError):
        error = InputError(f"the query cannot be processed: {type(error).__name__}")
    fields: Any = error.to_dict()["error"]
    return Match(query, "error", error=fields)


def _listed(items: Iterable[_Item], name: str) -> list[_Item]:
    if isinstance(items, (str, Address)):
        raise InputError(f"{name} are several addresses, not one", field=name)
    return list(items)


def _check_text(text: object) -> None:
    if not isinstance(text, str):
        raise InputError(f"an address is a text, not {type(text).__name__}")


def _check_top_k(top_k: int) -> None:
    if top_k < 1:
        raise InputError(
            f"top_k is the number of records wanted, at least 1: {top_k}", field="top_k"
        )


def _check_match_at(match_at: str | float) -> None:
    is_number = isinstance(match_at, (int, float)) and not isinstance(match_at, bool)
    if match_at in _MATCH_WORDS or (is_number and 0 <= float(match_at) <= 1):
        return
    raise ConfigError(
        f"match_at {match_at!r} is neither 'exact' nor 'partial' nor a number from 0 to 1",
        field="match_at",
    )
