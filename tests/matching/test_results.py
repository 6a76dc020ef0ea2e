"""Results as JSON and as HTML."""

from __future__ import annotations

from menpai.address.parse import parse
from menpai.matching.decide import decide
from menpai.matching.results import Hit, Match

QUERY, RECORD = "杭州市西湖区文瑞路18号<b>", "杭州文瑞路18号"


def test_a_comparison_shows_as_a_table_with_escaped_texts() -> None:
    """A notebook shows label, score and reasons, and runs no markup of an address."""
    shown = decide(parse("文瑞路18号&3栋"), parse(RECORD))._repr_html_()
    assert "partial_match, score" in shown
    assert "文瑞路18号&amp;3栋" in shown
    assert "<td>roadno</td><td>18号</td><td>18号</td><td>equal</td>" in shown


def test_a_match_shows_as_a_table_with_escaped_texts() -> None:
    """A notebook shows the records in order, and the query escaped."""
    hit = Hit("7", RECORD, 1, decide(parse(QUERY), parse(RECORD)))
    shown = Match(QUERY, "matched", (hit,))._repr_html_()
    assert "文瑞路18号&lt;b&gt;: matched" in shown
    assert f"<td>1</td><td>{RECORD}</td><td>exact_match</td>" in shown


def test_a_match_keeps_its_error() -> None:
    """A query that failed says why."""
    error = {"code": "internal", "message": "x", "field": None, "row": None, "retryable": False}
    assert Match("?", "error", error=error).to_dict() == {
        "query": "?",
        "status": "error",
        "matches": [],
        "error": error,
    }
