"""What matching answers with: reasons, comparisons and matches, in the JSON contract's words."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from menpai.address.elements import Address

Label = Literal["exact_match", "partial_match", "not_match"]
Status = Literal["matched", "review", "unmatched", "error"]

LABELS: tuple[Label, ...] = ("exact_match", "partial_match", "not_match")


class Reason(NamedTuple):
    """One element's part in a decision; `weight` is what it adds to the score's log-odds."""

    element: str
    left: str | None
    right: str | None
    relation: str
    weight: float

    def to_dict(self) -> dict[str, object]:
        """Give the JSON contract."""
        return self._asdict()


@dataclass(frozen=True, slots=True)
class Comparison:
    """The explained verdict on two addresses."""

    label: Label
    match: bool
    score: float
    similarity: float | None
    probabilities: Mapping[str, float]
    level: str | None
    reasons: tuple[Reason, ...]
    flags: tuple[str, ...]
    left: Address
    right: Address
    decision_version: str

    def to_dict(self, *, with_left: bool = True) -> dict[str, object]:
        """Give the JSON contract; without the left address inside a match."""
        row: dict[str, object] = {
            "label": self.label,
            "match": self.match,
            "score": round(self.score, 6),
            "similarity": self.similarity,
            "probabilities": {k: round(v, 6) for k, v in self.probabilities.items()},
            "level": self.level,
            "reasons": [r.to_dict() for r in self.reasons],
            "flags": list(self.flags),
        }
        if with_left:
            row["left"] = self.left.to_dict()
        row["right"] = self.right.to_dict()
        row["decision_version"] = self.decision_version
        return row

    def _repr_html_(self) -> str:
        """Show the verdict and its reasons as a table in a notebook."""
        texts = f"{escape(self.left.text)} | {escape(self.right.text)}"
        head = f"{self.label}, score {self.score:.3f}: {texts}"
        rows = [(r.element, r.left or "", r.right or "", r.relation) for r in self.reasons]
        return _table(head, ("element", "left", "right", "relation"), rows)


@dataclass(frozen=True, slots=True)
class Hit:
    """One record of a library as the answer to a query; rank 1 is best."""

    record_id: str
    text: str
    rank: int
    comparison: Comparison

    def to_dict(self) -> dict[str, object]:
        """Give the JSON contract."""
        row: dict[str, object] = {"record_id": self.record_id, "text": self.text, "rank": self.rank}
        row.update(self.comparison.to_dict(with_left=False))
        return row


@dataclass(frozen=True, slots=True)
class Match:
    """A query's best records and how sure the first is.

    `status` is matched (the policy's match at number or place or finer, score at least 0.8, 0.1
    before the next distinct place), unmatched (the best is no match), review, or error.
    """

    query: str
    status: Status
    matches: tuple[Hit, ...] = ()
    error: Mapping[str, object] | None = field(default=None)

    def _repr_html_(self) -> str:
        """Show the records and their verdicts as a table in a notebook."""
        rows = [
            (str(h.rank), h.text, h.comparison.label, f"{h.comparison.score:.3f}")
            for h in self.matches
        ]
        head = f"{escape(self.query)}: {self.status}"
        return _table(head, ("rank", "record", "label", "score"), rows)

    def to_dict(self) -> dict[str, object]:
        """Give the JSON contract."""
        return {
            "query": self.query,
            "status": self.status,
            "matches": [hit.to_dict() for hit in self.matches],
            "error": dict(self.error) if self.error is not None else None,
        }


def _table(head: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """An HTML table; the cells are escaped here, the head by the caller."""
    titles = "".join(f"<th>{c}</th>" for c in columns)
    body = "".join(f"<tr>{''.join(f'<td>{escape(c)}</td>' for c in row)}</tr>" for row in rows)
    return f"<table><caption>{head}</caption><tr>{titles}</tr>{body}</table>"
